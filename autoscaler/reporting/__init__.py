"""What people and machines read: sentences for reasons, the plan as text, JSON and YAML."""
