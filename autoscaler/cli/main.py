"""The entry point: one verb a module, imported only when it is called, and errors as one sentence.

The numerical libraries are told to use one thread before anything imports them: our matrices are small, and a pool of
threads costs more to start than a decision takes.
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


USAGE_ERROR = 1


def main() -> None:
    """Run the command line; the exit status is the process's."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one verb; its exit status. 1 with one sentence on bad input, never a traceback."""
    from autoscaler.cli.user_error import UserError

    try:
        return _dispatch(arguments)
    except UserError as failure:
        return _complain(str(failure))
    except BrokenPipeError:
        # The reader went away (`| head`): no message, and nothing more to write at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _complain("interrupted", status=130)
    except MemoryError:
        return _complain("not enough memory for this input; simulate a part of it, or use a larger machine")


def _dispatch(arguments: list[str]) -> int:
    from autoscaler.cli.app import run_app

    return run_app(arguments)


def _complain(text: str, status: int = USAGE_ERROR) -> int:
    # Messages quote the input: its control characters must not reach the terminal, line ends are ours.
    shown = "".join(c if c == "\n" or c.isprintable() else "\ufffd" for c in text)
    sys.stderr.write(f"gpu-autoscaler: {shown}\n")
    return status


if __name__ == "__main__":
    main()
