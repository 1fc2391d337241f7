"""Ports are wrapped, never patched: what is done around every call, and the wrappers that do it."""
