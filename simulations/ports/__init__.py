"""The ports of the controller over the fast virtual world: its clock, its cluster, its cloud.

Calls take no time and never fail but where the world says no; the full world of faults is `simulations.world`.
"""
