"""The page of the demo: on this machine only, nothing from elsewhere, and names are text."""

import http.client
import io
import json
import re

import pytest
from rich.console import Console

from simulations.film import Film
from simulations.live import serve
from simulations.page.server import FILES, HERE, PageServer
from simulations.run import prepare
from tests.simulations.test_film import Wall
from tests.simulations.worlds import pool, write


@pytest.fixture
def server():
    with PageServer() as listening:
        yield listening


def get(server, path, host=None, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request(method, path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body.decode()


def test_the_page_shows_what_the_demo_is_about(server):
    answer, page = get(server, "/")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    for words in ("Pools", "Nodes on their way", "Queue", "Last decisions"):
        assert words in page


def test_nothing_comes_from_elsewhere_and_no_script_is_in_the_page(server):
    for path in FILES:
        answer, text = get(server, path)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"https?:|//[a-z]|url\(", text.replace("// Everything", ""))
    page = (HERE / "index.html").read_text()
    assert re.findall(r"<script[^>]*>", page) == ['<script src="/page.js" defer>']
    assert "style=" not in page


def test_the_script_sets_text_and_never_markup():
    script = (HERE / "page.js").read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|Function\(", script)


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        ("/", "evil.example", 403),
        ("/state.json", "evil.example:80", 403),
        ("/../pyproject.toml", None, 404),
        ("/server.py", None, 404),
        ("/state.json?at=1", None, 200),
    ],
)
def test_other_hosts_and_other_paths_get_nothing(server, path, host, status):
    answer, body = get(server, path, host)
    assert answer.status == status
    assert status == 200 or "demo" not in body


def test_a_head_has_no_body(server):
    answer, body = get(server, "/", method="HEAD")
    assert (answer.status, body) == (200, "")
    assert int(answer.headers["Content-Length"]) > 100


def test_a_served_film_ends_with_its_summary(tmp_path, server):
    name = "<b>j</b>"
    jobs = [(f"{name}{i}", 60 * i, 900, 1, 8) for i in range(4)]
    path = write(tmp_path, [pool(most=2)], jobs, supply={"bootDelay": {"fixed": "4m"}}, until="2h")
    wall, out = Wall(), io.StringIO()
    serve(server, path, seconds=5.0, console=Console(file=out, width=200), monotonic=wall.monotonic, sleep=wall.sleep)
    assert 4.0 < wall.now < 7.0
    answer, text = get(server, "/state.json")
    state = json.loads(text)
    assert answer.headers["Content-Type"] == "application/json"
    assert state["summary"] == out.getvalue().rstrip("\n")
    assert (state["jobsDone"], state["jobs"], state["waitingJobs"]) == (4, 4, 0)


def test_the_state_tells_pools_nodes_on_their_way_queue_dollars_and_decisions(tmp_path):
    jobs = [(f"j{i}", 0, 900, 1, 8) for i in range(9)]
    path = write(tmp_path, [pool(most=2)], jobs, supply={"bootDelay": {"fixed": "4m"}}, until="2h")
    film = Film(prepare(path))
    film.simulation.engine.tell = film.note
    steps = film.simulation.steps()
    film.advance(next(steps))
    state = film.document()
    assert state["chapter"].startswith("burst")
    assert state["usdPerHour"] == 20.0
    (only,) = state["pools"]
    assert (only["name"], only["nodes"], only["most"], only["cells"]) == ("gpu", 2, 2, ["booting", "booting"])
    assert [c["node"] for c in state["coming"]] == ["gpu-000001", "gpu-000002"]
    assert state["waitingJobs"] == 9
    assert state["waiting"][0] == {"id": "j0", "gpus": 8, "waits": "0s", "reason": ""}
    assert "maximum" in film.document()["waiting"][-1]["reason"]
    assert state["decisions"][0]["text"] == "+ 2 gpu: for j0 and 1 more"
