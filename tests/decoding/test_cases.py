"""The decision cases kept beside the repository: each is read, from YAML and from JSON alike."""

from __future__ import annotations

import importlib.util
import json
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest
import yaml

from autoscaler.model.decoding.cloud import decode_cloud
from autoscaler.model.decoding.memory import decode_memory
from autoscaler.model.decoding.objects import decode_objects

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the folder ../shared/cases is not there")


def expanded(file: Path) -> list[dict[str, str]]:
    """The files that each case of a case file stands for, made by the runner of the cases."""
    loader = SourceFileLoader("case_runner", str(CASES / "run"))
    spec = importlib.util.spec_from_loader("case_runner", loader)
    assert spec is not None
    runner: Any = importlib.util.module_from_spec(spec)
    loader.exec_module(runner)
    return [runner.expand(case) for case in yaml.safe_load_all(file.read_text(encoding="utf-8")) if case]


@pytest.mark.parametrize("file", sorted(CASES.glob("*.yaml")), ids=lambda f: f.stem)
def test_every_case_is_read(file: Path) -> None:
    for files in expanded(file):
        plain = yaml.safe_load(files["cluster.yaml"])
        groups = decode_cloud(files["cloud.yaml"].encode(), "cloud.yaml")
        found = decode_objects(files["cluster.yaml"].encode(), "cluster.yaml").snapshot(groups)

        assert decode_objects(json.dumps(plain).encode(), "cluster.json").snapshot(groups) == found
        assert len(found.nodes) + len(found.pods) <= len(plain["items"])
        assert found.skipped_kinds == {}
        if "state.yaml" in files:
            assert decode_memory(files["state.yaml"].encode(), "state.yaml").pools
