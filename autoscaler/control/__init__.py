"""The shell around `decide`: lease, ledger, looking, the one door to effects, drains, the loop."""
