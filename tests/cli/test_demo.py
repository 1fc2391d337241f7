"""`demo` in a pipe, and as a page that Ctrl-C ends."""

import json
import os
import signal
import subprocess
import sys
import urllib.request

import pytest

DEMO = [sys.executable, "-m", "autoscaler.cli.main", "demo", "--fast"]
SUMMARY = ("jobs completed", "paid:", "p50", "p95", "0 broken")


@pytest.mark.parametrize("term", ["dumb", "xterm", ""])
def test_in_a_pipe_it_prints_the_story_and_a_summary_in_dollars_and_waits(term):
    done = subprocess.run(
        DEMO, capture_output=True, text=True, timeout=100, check=True, env={**os.environ, "TERM": term}
    )
    for chapter in ("burst", "boot", "spot loss", "stock-out", "idle", "night"):
        assert f"== {chapter}:" in done.stdout
    for words in SUMMARY:
        assert words in "".join(done.stdout.splitlines()[-4:])
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_served_it_shows_the_end_until_it_is_interrupted():
    with subprocess.Popen(
        [*DEMO, "--serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        address = demo.stdout.readline().split()[4]
        assert address.startswith("http://127.0.0.1:")
        printed = [demo.stdout.readline() for _ in range(4)]
        with urllib.request.urlopen(address, timeout=10) as page:
            assert "default-src 'none'" in page.headers["Content-Security-Policy"]
            assert "Nodes on their way" in page.read().decode()
        with urllib.request.urlopen(f"{address}state.json", timeout=10) as state:
            found = json.load(state)
        demo.send_signal(signal.SIGINT)
        rest, errors = demo.communicate(timeout=30)
    assert found["summary"].splitlines() == [line.rstrip("\n") for line in printed]
    assert {p["name"] for p in found["pools"]} == {"a10g", "a100-mig", "h100-od", "h100-spot"}
    assert (demo.returncode, rest, errors) == (0, "ended\n", "")


def test_a_port_that_is_taken_is_told():
    from simulations.page.server import PageServer

    with PageServer() as taken:
        done = subprocess.run(
            [*DEMO, "--serve", "--port", str(taken.port)], capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 1
    assert "choose another with --port" in done.stderr
    assert "Traceback" not in done.stderr
