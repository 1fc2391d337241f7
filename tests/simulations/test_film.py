"""The live view: on a terminal it plays in the time it is given, elsewhere it prints lines; both end with a summary."""

import io

import pytest
from rich.console import Console

from simulations.live import SAMPLE, play, summary
from simulations.run import run_scenario
from tests.simulations.worlds import pool, write


class Wall:
    """A clock that only sleeping moves, and a little at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 1e-4
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(scope="module")
def day():
    return run_scenario(SAMPLE)


def test_the_demo_tells_a_day_with_everything_in_it(day):
    document = day.document
    assert document["jobs"]["completed"] == document["jobs"]["submitted"] > 100
    assert document["jobs"]["interruptions"] >= 1
    assert document["pools"]["h100-spot"]["stockouts"] >= 1
    assert document["pools"]["h100-od"]["nodes"]["added"] >= 1
    assert document["nodes"]["peak"] > 10
    assert day.ticks[-1].ready_nodes + day.ticks[-1].booting_nodes == 0
    assert document["invariants"]["violated"] == []


def test_elsewhere_than_on_a_terminal_it_prints_lines_and_does_not_wait(day):
    out, wall = io.StringIO(), Wall()
    found = play(console=Console(file=out, width=200), monotonic=wall.monotonic, sleep=wall.sleep)
    lines = out.getvalue().splitlines()
    assert found.document["usd"] == day.document["usd"]
    assert wall.now < 1
    assert "\x1b" not in out.getvalue()
    assert lines[-4:] == summary(found).splitlines()
    assert any("taken away by the cloud" in line for line in lines)
    assert any("has lost its nodes" in line for line in lines)
    assert any("no capacity for h100-spot" in line for line in lines)
    assert sum("GPUs" in line and "$" in line for line in lines) > 10


def test_on_a_terminal_it_plays_in_the_time_it_is_given(tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    jobs = [(f"j{i}", 600 * i, 900, 1, 4) for i in range(20)]
    path = write(tmp_path, [pool(most=2)], jobs, supply={"bootDelay": {"fixed": "4m"}}, until="4h")
    out, wall = io.StringIO(), Wall()
    console = Console(file=out, force_terminal=True, width=100, height=40, legacy_windows=False)
    play(path, seconds=12.0, console=console, monotonic=wall.monotonic, sleep=wall.sleep)
    assert 11.0 < wall.now < 14.0
    shown = out.getvalue()
    for words in ("what happened, and why", "booting", "$10.00/h", "for j0", "20 of 20 jobs completed"):
        assert words in shown


def test_a_terminal_without_unicode_gets_plain_signs(tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii", errors="replace")
    path = write(tmp_path, [pool()], [("a", 0, 3600, 1, 8)], until="1h")
    console = Console(file=out, force_terminal=True, width=100, legacy_windows=False, safe_box=True)
    wall = Wall()
    play(path, seconds=1.0, console=console, monotonic=wall.monotonic, sleep=wall.sleep)
    out.flush()
    assert b"# busy" in raw.getvalue()


def test_a_pool_without_a_price_is_named_in_the_summary(tmp_path):
    free = pool()
    del free["spec"]["price"]
    told = summary(run_scenario(write(tmp_path, [free], [("a", 0, 60, 1, 8)])))
    assert "prices are not known, and left out, of gpu: set price.usdPerHour" in told
