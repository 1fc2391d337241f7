"""The world at one instant, as frozen values. No I/O, no clock, no randomness.

Units everywhere: cpu in thousandths of a core, every other resource in its base unit (bytes, devices),
instants as seconds since the epoch (UTC), money in US dollars an hour.
"""
