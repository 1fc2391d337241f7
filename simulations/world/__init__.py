"""A cluster and a cloud that misbehave, in virtual time: the proof of the controller."""
