"""The virtual world: scenarios, traces, a clock, and the same decision code as the controller."""
