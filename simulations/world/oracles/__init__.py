"""The promises of the controller, judged on what truly happened: one file for each invariant."""
