"""A policy is a file or a folder of files; what cannot be read is told in one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from policies.lint import check
from policies.loading import FILE_BYTES_MAX, PolicyError, load, loads
from providers.catalog.catalog import load_catalog
from tests.policies.files import CLUSTER, NAME, SMALL, example, pool


def told(path: Path) -> str:
    with pytest.raises(PolicyError) as caught:
        load(path)
    return str(caught.value).replace(str(path), "PATH")


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(example())

    assert [p.name for p in load(path).pools] == ["h100-od", "h100-spot"]


def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text('{"apiVersion": "x", "kind": "NodePool"}')

    assert "apiVersion: must be gpu-autoscaler.dev/v1alpha1" in told(path)


def test_a_folder_is_the_sum_of_its_files_whatever_their_order(tmp_path: Path) -> None:
    (tmp_path / "z.yaml").write_text(CLUSTER.replace("mode: observe", "mode: act"))
    (tmp_path / "b.yml").write_text(pool(name="b") + "---\n" + pool(name="c"))
    (tmp_path / "a.YAML").write_text(pool(name="a"))
    file = load(tmp_path)

    assert file.cluster.mode == "act"
    assert [p.name for p in file.pools] == ["a", "b", "c"]
    whole = "---\n".join(
        (pool(name="c"), CLUSTER.replace("mode: observe", "mode: act"), pool(name="b"), pool(name="a"))
    )
    assert loads(whole, NAME).pools == file.pools


def test_other_files_hidden_files_and_subfolders_of_a_folder_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(pool(name="a"))
    for name in (".b.yaml", "notes.txt", "schema.json", "c.yaml.bak"):
        (tmp_path / name).write_text("[")
    (tmp_path / "more.yaml").mkdir()
    (tmp_path / "..data").mkdir()
    (tmp_path / "..data" / "d.yaml").write_text("[")

    assert [p.name for p in load(tmp_path).pools] == ["a"]


def test_a_folder_as_a_config_map_mounts_it_is_read(tmp_path: Path) -> None:
    data = tmp_path / "..2026_06_01"
    data.mkdir()
    (data / "policy.yaml").write_text(SMALL)
    (tmp_path / "..data").symlink_to(data.name)
    (tmp_path / "policy.yaml").symlink_to("..data/policy.yaml")

    assert [p.name for p in load(tmp_path).pools] == ["a"]


def test_mistakes_of_all_files_are_told_each_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(pool("  weight: x\n", name="a"))
    (tmp_path / "b.yaml").write_text("[")
    (tmp_path / "c.yaml").write_bytes(b"\xff\xfe")
    (tmp_path / "d.yaml").write_text(pool(name="d"))
    (tmp_path / "e.yaml").write_text(pool(name="d"))

    assert told(tmp_path).splitlines() == [
        "PATH/a.yaml:9:3: spec.weight: must be a whole number, got 'x'",
        "PATH/b.yaml:2:1: is no valid YAML: did not find expected node content; "
        "check the indentation, brackets and quotes here",
        "PATH/c.yaml: is not UTF-8 text (line 1); a policy is a YAML file in UTF-8",
        "PATH/e.yaml:3:12: metadata.name: there is a pool d already, at PATH/d.yaml:1; rename one",
    ]


def test_an_autoscaler_policy_in_two_files_is_told_with_both_places(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SMALL + "---\n" + CLUSTER)
    (tmp_path / "b.yaml").write_text(CLUSTER)

    assert told(tmp_path) == (
        "PATH/b.yaml:2:1: kind: is a second AutoscalerPolicy, the first is at PATH/a.yaml:9; keep one"
    )


def test_findings_of_lint_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(pool("  spot: {fallback: [a]}\n  capacityType: spot\n", name="a"))
    (tmp_path / "b.yaml").write_text(pool("  capacityType: spot\n  spot: {fallback: [x]}\n", name="b"))
    errors = [p for p in check(load(tmp_path), load_catalog()) if p.severity == "error"]

    assert [(Path(p.file).name, p.line, p.path) for p in errors] == [
        ("a.yaml", 9, "spec.spot.fallback[0]"),
        ("b.yaml", 10, "spec.spot.fallback[0]"),
    ]


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    assert told(tmp_path / "none.yaml") == "PATH: does not exist; give the path of a policy file or folder"


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("")

    assert told(tmp_path) == "PATH: has no .yaml or .yml file; put the policy there"


def test_a_folder_without_a_pool_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CLUSTER)

    assert told(tmp_path) == "PATH: has no NodePool; add one, or there is nothing to buy"


def test_a_dangling_link_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("nowhere.yaml")

    assert told(tmp_path / "a.yaml") == "PATH: does not exist; give the path of a policy file or folder"


def test_a_link_to_itself_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("a.yaml")

    assert told(tmp_path / "a.yaml").startswith("PATH: cannot be read: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(SMALL)
    path.chmod(0)

    assert told(path) == "PATH: cannot be read: Permission denied"


def test_a_path_through_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SMALL)

    assert told(tmp_path / "a.yaml" / "b.yaml") == "PATH: cannot be read: Not a directory"


def test_a_name_that_is_too_long_is_told(tmp_path: Path) -> None:
    assert told(tmp_path / ("x" * 300)) == "PATH: cannot be read: File name too long"


@pytest.mark.parametrize("content", [b"\x7fELF\x02\x01\x01\0\0\0", b"\x89PNG\r\n\x1a\n", "mode: ä".encode("latin-1")])
def test_a_binary_file_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes(content)
    message = told(path)

    assert message.startswith("PATH")
    assert "is not UTF-8 text" in message or "is not allowed in YAML" in message
    assert "\n" not in message


def test_a_file_in_utf_16_is_told(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes(SMALL.encode("utf-16"))

    assert told(path) == "PATH: is not UTF-8 text (line 1); a policy is a YAML file in UTF-8"


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + SMALL.encode())

    assert [p.name for p in load(path).pools] == ["a"]


def test_a_file_of_many_mebibytes_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    with path.open("wb") as file:
        file.truncate(FILE_BYTES_MAX * 1000)

    assert told(path) == "PATH: is over 16 MiB; this is no policy file"


def test_documents_are_limited_and_not_the_file(tmp_path: Path) -> None:
    remark = "# " + "x" * 600_000 + "\n"
    path = tmp_path / "policy.yaml"
    path.write_text("---\n".join(pool(remark, name=name) for name in "abc"))

    assert path.stat().st_size > 1 << 20
    assert len(load(path).pools) == 3
