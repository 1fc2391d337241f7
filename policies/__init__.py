"""The policy file: its schema, loading with positions, linting, and the rules that read a policy alone."""
