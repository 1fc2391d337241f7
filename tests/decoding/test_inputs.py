"""Files that a command is given."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from autoscaler.cli import inputs
from autoscaler.model.decoding.errors import InputError
from autoscaler.model.memory import Memory
from autoscaler.model.snapshot import Snapshot
from tests.decoding.builders import listed, thing

CLOUD = b"apiVersion: gpu-autoscaler.dev/v1alpha1\nkind: CloudState\ngroups: [{name: g, desired: 1}]\n"
STATE = b"apiVersion: gpu-autoscaler.dev/v1alpha1\nkind: ControllerState\npaused: true\n"


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        inputs.read_bytes(path)
    return str(caught.value).replace(str(path.parent), "DIR")


def test_a_file_is_read(tmp_path: Path) -> None:
    assert inputs.read_bytes(written(tmp_path, "a", b"x")) == b"x"


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    assert refusal(tmp_path / "a") == "DIR/a: there is no such file; check the path"


def test_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()

    assert refusal(tmp_path / "a") == "DIR/a: is a folder; give one file"


def test_a_file_below_a_file_is_told(tmp_path: Path) -> None:
    written(tmp_path, "a", b"")

    assert refusal(tmp_path / "a" / "b") == "DIR/b: cannot be read (Not a directory); check the path"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_rights_is_told(tmp_path: Path) -> None:
    written(tmp_path, "a", b"").chmod(0)

    assert refusal(tmp_path / "a") == "DIR/a: may not be read; check the rights of the file (chmod +r)"


def test_a_file_over_the_bound_is_told_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with path.open("wb") as file:
        file.truncate(inputs.SIZE_MAX + 1)

    assert refusal(path) == "DIR/a: is over 2 GiB; select fewer objects (kubectl get -l, -n)"


def test_a_pipe_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"from the other side")
    os.close(writing)

    assert inputs.read_bytes(Path(f"/dev/fd/{reading}")) == b"from the other side"
    os.close(reading)


class Standard:
    """Standard input with these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Standard(listed(thing("Node", "n"))))

    found = inputs.load_snapshot(Path("-"), None)

    assert [n.name for n in found.nodes] == ["n"]
    assert found.groups is None


def test_standard_input_is_named_in_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Standard(b""))

    with pytest.raises(InputError, match=r"^standard input: is empty"):
        inputs.load_snapshot(Path("-"), None)


def test_standard_input_cannot_be_two_things() -> None:
    with pytest.raises(InputError, match="can be only one of --cluster and --cloud"):
        inputs.load_snapshot(Path("-"), Path("-"))


def test_cluster_and_cloud_make_a_snapshot(tmp_path: Path) -> None:
    told: list[Any] = []
    cluster = written(tmp_path, "k", listed(thing("Node", "n")))
    found = inputs.load_snapshot(cluster, written(tmp_path, "c", CLOUD), lambda *done: told.append(done))

    assert [n.name for n in found.nodes] == ["n"]
    assert found.groups is not None
    assert found.groups["g"].desired == 1
    assert told == [(1, 1)]


def test_no_files_are_an_empty_cluster_and_no_memory() -> None:
    assert inputs.load_snapshot(None, None) == Snapshot()
    assert inputs.load_memory(None) == Memory()


def test_a_state_file_is_remembered(tmp_path: Path) -> None:
    assert inputs.load_memory(written(tmp_path, "s", STATE)) == Memory(paused=True)


def test_an_instant_of_the_command_line_is_read() -> None:
    assert inputs.parse_instant(" 1970-01-01T00:01:00Z ") == 60
    with pytest.raises(ValueError, match="has no time zone"):
        inputs.parse_instant("1970-01-01T00:01:00")
