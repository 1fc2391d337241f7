"""Files that a command is given: read once, with a bound, and with one sentence for what is wrong."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from autoscaler.model.decoding.cloud import decode_cloud
from autoscaler.model.decoding.errors import InputError
from autoscaler.model.decoding.memory import decode_memory
from autoscaler.model.decoding.objects import decode_objects
from autoscaler.model.decoding.yaml_documents import Progress
from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.memory import Memory
from autoscaler.model.snapshot import Snapshot

SIZE_MAX = 2 << 30
"""Bytes of one file, held in memory while it is read: 700,000 pods as kubectl prints them."""

STDIN = Path("-")


def read_bytes(path: Path) -> bytes:
    """The content of a file, of a pipe, or of standard input (`-`).

    Raises InputError for what is missing, a folder, not readable, or over `SIZE_MAX`.
    """
    if path == STDIN:
        return _within_bounds(sys.stdin.buffer.read(SIZE_MAX + 1), "standard input")
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if stat.S_ISREG(found.st_mode) and found.st_size > SIZE_MAX:
                raise _too_big(str(path))
            return _within_bounds(file.read(SIZE_MAX + 1), str(path))
    except FileNotFoundError:
        raise InputError(str(path), "there is no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(str(path), "is a folder; give one file") from None
    except PermissionError:
        raise InputError(str(path), "may not be read; check the rights of the file (chmod +r)") from None
    except MemoryError:
        raise InputError(str(path), "does not fit into memory; select fewer objects (kubectl get -l, -n)") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror or error}); check the path") from None


def _within_bounds(data: bytes, source: str) -> bytes:
    if len(data) > SIZE_MAX:
        raise _too_big(source)
    return data


def _too_big(source: str) -> InputError:
    return InputError(source, f"is over {SIZE_MAX >> 30} GiB; select fewer objects (kubectl get -l, -n)")


def source_of(path: Path) -> str:
    """How messages name the input."""
    return "standard input" if path == STDIN else str(path)


def load_snapshot(cluster: Path | None, cloud: Path | None, progress: Progress | None = None) -> Snapshot:
    """The cluster of a `--cluster` file with the groups of a `--cloud` file.

    `cluster` None: no objects. `cloud` None: `Snapshot.groups` is None, no cloud state is known. `progress` is called
    with (objects done, objects in all). Raises InputError.
    """
    if cluster == STDIN and cloud == STDIN:
        raise InputError("standard input", "can be only one of --cluster and --cloud; give the other as a file")
    groups = None if cloud is None else decode_cloud(read_bytes(cloud), source_of(cloud))
    if cluster is None:
        return Snapshot.of(groups=groups)
    return decode_objects(read_bytes(cluster), source_of(cluster), progress).snapshot(groups)


def load_memory(path: Path | None) -> Memory:
    """The controller state of a `--state` file; None: nothing is remembered. Raises InputError."""
    return Memory() if path is None else decode_memory(read_bytes(path), source_of(path))


def parse_instant(text: str) -> float:
    """Seconds since the epoch of an RFC 3339 instant given on the command line. Raises ValueError with the fix."""
    return parse_rfc3339(text.strip())
