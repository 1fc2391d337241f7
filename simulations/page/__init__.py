"""The live view as a page of this machine: plain HTML, one small script, nothing from elsewhere."""
