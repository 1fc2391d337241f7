"""`simulate`: a scenario in virtual time."""

from __future__ import annotations

import sys
from pathlib import Path

from autoscaler.cli.output import Output, print_document
from autoscaler.cli.user_error import UserError


def run(scenario: Path, out: Path | None, seed: int | None, sets: tuple[str, ...], output: Output) -> int:
    """Run the scenario and print its result; with `out` also write its files. Status 1 if an invariant was broken."""
    from autoscaler.cli.progress import reporter
    from policies.problems import PolicyError
    from simulations.errors import InputError
    from simulations.live import summary
    from simulations.run import run_scenario, write_outputs

    report = reporter(f"simulating {scenario.name}")

    def progress(part: float, _words: str) -> None:
        report(round(part * 1000), 1000)

    try:
        result = run_scenario(scenario, seed=seed, sets=sets, progress=progress)
        written = write_outputs(result, out) if out is not None else ()
    except (PolicyError, InputError) as wrong:
        raise UserError(str(wrong)) from None
    except OSError as wrong:
        raise UserError(f"{wrong.filename or out}: cannot be written: {wrong.strerror}") from None
    if output is Output.TEXT:
        sys.stdout.write(summary(result) + "\n")
        for violated in result.document["invariants"]["violated"]:
            sys.stdout.write(f"broken: {violated}\n")
        for path in written:
            sys.stderr.write(f"wrote {path}\n")
    else:
        print_document(result.document, output)
    return 1 if result.document["invariants"]["violated"] else 0
