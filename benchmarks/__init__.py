"""Benchmarks: each prints its input's size, what was measured, and a ratio to something measured in the same run."""
