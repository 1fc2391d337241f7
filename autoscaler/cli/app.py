"""The verbs with their options. Signatures only: each body imports the module that does the work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autoscaler.cli.output import Output
from autoscaler.cli.user_error import UserError

app = typer.Typer(
    name="gpu-autoscaler",
    help="Gives a Kubernetes cluster the GPU nodes its pending pods need, at the least cost, and says why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

PolicyOption = Annotated[Path, typer.Option("--policy", help="The policy file, or a folder of such files.")]
OutputOption = Annotated[Output, typer.Option("--output", help="How to print the result.")]


@app.command(
    epilog="Example: kubectl get nodes,pods,pdb -A -o json > cluster.json && "
    "gpu-autoscaler plan --policy policy.yaml --cluster cluster.json"
)
def plan(
    policy: PolicyOption,
    cluster: Annotated[
        Path | None, typer.Option(help="What `kubectl get nodes,pods,pdb,… -A -o json` prints; - for standard input.")
    ] = None,
    cloud: Annotated[Path | None, typer.Option(help="A CloudState file: groups, instances, launch errors.")] = None,
    state: Annotated[Path | None, typer.Option(help="What the controller persists between passes.")] = None,
    now: Annotated[str | None, typer.Option(help="The instant of the decision, RFC 3339; left out: the clock.")] = None,
    output: OutputOption = Output.TEXT,
    everything: Annotated[bool, typer.Option("--all", help="List bound pods too, and every line.")] = False,
) -> int:
    """What would be done now, and why. Changes nothing.

    Exit status: 0 nothing to do, 2 changes planned, 3 something is held (observe mode, pause, budget, caps), 1 error.
    """
    from autoscaler.cli.plan import run

    return run(policy, cluster, cloud, state, now, output, everything)


@app.command(epilog="Example: gpu-autoscaler simulate scenario.yaml --out out --set spec.policy=other.yaml")
def simulate(
    scenario: Annotated[Path, typer.Argument(help="The Scenario file.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for summary.json, jobs.csv, nodes.csv, ticks.csv, report.html.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Instead of the scenario's seed.")] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", help="spec.path=value, more than once.")] = None,
    output: OutputOption = Output.TEXT,
) -> int:
    """Run a scenario in virtual time with the controller's own decisions."""
    from autoscaler.cli.simulate import run

    return run(scenario, out, seed, tuple(sets or ()), output)


@app.command(epilog="Example: gpu-autoscaler demo | cat")
def demo(
    seed: Annotated[int, typer.Option(help="Another day.")] = 1,
    fast: Annotated[bool, typer.Option("--fast", help="Without pauses between the frames.")] = False,
    serve: Annotated[bool, typer.Option("--serve", help="On a page of this machine instead, until Ctrl-C.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the page; 0 for any that is free.")] = 8080,
) -> int:
    """A day of a simulated cluster in fast time: bursts, boots, a lost spot node, a stock-out, an idle night."""
    from autoscaler.cli.demo import run

    return run(seed, fast, serve, port)


@app.command("import", epilog="Example: gpu-autoscaler import trace.csv --format philly --out jobs.csv")
def import_trace(
    trace: Annotated[Path, typer.Argument(help="The trace file.")],
    kind: Annotated[str, typer.Option("--format", help="philly, openb, jobs or kubectl.")],
    out: Annotated[Path | None, typer.Option(help="Where to write the jobs CSV; left out: standard output.")] = None,
    skip_bad_rows: Annotated[
        bool, typer.Option("--skip-bad-rows", help="Count and list them instead of stopping.")
    ] = False,
) -> int:
    """Bring a trace of others into the jobs format."""
    from autoscaler.cli.importing import run

    return run(trace, kind, out, skip_bad_rows)


SwitchOption = Annotated[
    Path | None,
    typer.Option(
        "--switch", help="The switch as a file, changed in place; left out: a manifest for `kubectl apply -f -`."
    ),
]
NamespaceOption = Annotated[str, typer.Option(help="The controller's namespace, for the manifest.")]


@app.command(epilog='Example: gpu-autoscaler pause --for 2h --reason "network upgrade" | kubectl apply -f -')
def pause(
    length: Annotated[str | None, typer.Option("--for", help="For how long; left out: until it is resumed.")] = None,
    reason: Annotated[str, typer.Option(help="Why; shown wherever the pause is.")] = "",
    switch: SwitchOption = None,
    namespace: NamespaceOption = "gpu-autoscaler",
) -> int:
    """Stop every change within one pass. Open drains are undone."""
    from autoscaler.cli.switching import pause as run

    return run(length, reason, switch, namespace)


@app.command(epilog="Example: gpu-autoscaler resume | kubectl apply -f -")
def resume(switch: SwitchOption = None, namespace: NamespaceOption = "gpu-autoscaler") -> int:
    """Let the controller act again."""
    from autoscaler.cli.switching import resume as run

    return run(switch, namespace)


@app.command(epilog="Example: gpu-autoscaler approve 3f9a1c0b7d2e | kubectl apply -f -")
def approve(
    subject: Annotated[str, typer.Argument(metavar="ID", help="The id of a plan, or of a policy that is held.")],
    switch: SwitchOption = None,
    namespace: NamespaceOption = "gpu-autoscaler",
) -> int:
    """Approve one plan (mode recommend), or a policy change that is held."""
    from autoscaler.cli.switching import approve as run

    return run(subject, switch, namespace)


@app.command(epilog="Example: gpu-autoscaler lint policy.yaml")
def lint(
    policy: Annotated[Path, typer.Argument(help="The policy file, or a folder of such files.")],
    output: OutputOption = Output.TEXT,
) -> int:
    """Check a policy file, offline: every mistake with file, line, column and path."""
    from autoscaler.cli.lint import run

    return run(policy, output)


@app.command(epilog="Example: gpu-autoscaler schema > policy.schema.json")
def schema() -> int:
    """Print the JSON Schema of the policy file."""
    from autoscaler.cli.schema import run

    return run()


@app.command()
def version() -> int:
    """Print the version."""
    from importlib.metadata import version as installed

    typer.echo(f"gpu-autoscaler {installed('gpu-autoscaler')}")
    return 0


def run_app(arguments: list[str]) -> int:
    """Parse and run; the exit status. A wrong call is bad input: status 1, one sentence."""
    from typer._click.exceptions import ClickException, NoArgsIsHelpError

    try:
        result = app(args=arguments, prog_name="gpu-autoscaler", standalone_mode=False)
    except NoArgsIsHelpError as helped:
        typer.echo(helped.format_message())
        return 0
    except ClickException as wrong:
        raise UserError(f"{wrong.format_message().rstrip('.')}; see gpu-autoscaler --help") from None
    except typer.Abort:
        raise UserError("aborted") from None
    return result if isinstance(result, int) else 0
