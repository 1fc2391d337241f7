"""`demo`: a day of a simulated cluster, live."""

from __future__ import annotations

from autoscaler.cli.user_error import UserError

STORY_S = 45.0


def run(seed: int, fast: bool) -> int:
    """Play the day and end with a summary in dollars and waits."""
    from policies.problems import PolicyError
    from simulations.errors import InputError
    from simulations.live import play

    try:
        play(seconds=0.001 if fast else STORY_S, seed=seed)
    except (PolicyError, InputError) as wrong:
        raise UserError(str(wrong)) from None
    return 0
