"""`demo`: a day of a simulated cluster, live."""

from __future__ import annotations

import sys

from autoscaler.cli.user_error import UserError

STORY_S = 45.0
NO_TIME_S = 0.001


def run(seed: int, fast: bool, serve: bool, port: int) -> int:
    """Play the day and end with a summary in dollars and waits; with `serve` on a page, until Ctrl-C."""
    from policies.problems import PolicyError
    from simulations.errors import InputError
    from simulations.live import play

    seconds = NO_TIME_S if fast else STORY_S
    try:
        if serve:
            return _serve(seed, seconds, port)
        play(seconds=seconds, seed=seed)
    except (PolicyError, InputError) as wrong:
        raise UserError(str(wrong)) from None
    return 0


def _serve(seed: int, seconds: float, port: int) -> int:
    """The page stays as the day has ended until somebody ends the program."""
    import threading
    from contextlib import ExitStack

    from simulations.live import serve
    from simulations.page.server import HOST, PageServer

    with ExitStack() as stack:
        try:
            server = stack.enter_context(PageServer(port))
        except OSError as wrong:
            told = f"port {port} of {HOST} cannot be used: {wrong.strerror}; choose another with --port"
            raise UserError(told) from None
        try:
            sys.stdout.write(f"the demo is at {server.address} (Ctrl-C ends it)\n")
            sys.stdout.flush()
            serve(server, seconds=seconds, seed=seed)
            sys.stdout.flush()
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stdout.write("ended\n")
    return 0
