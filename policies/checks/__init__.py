"""Cross-checks of a policy file, a module for each subject; `policies.lint` runs them all."""
