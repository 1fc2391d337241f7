"""The command line; one module a verb, heavy imports inside the command."""
