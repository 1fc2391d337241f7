"""YAML as a policy may use it: what is read, what is refused before anything is built of it, and where."""

from __future__ import annotations

import datetime
import json

import pytest
import yaml

from policies.documents import DEPTH_MAX, DOCUMENT_BYTES_MAX, VALUES_MAX, parse, read_documents
from policies.loading import loads
from policies.plain_scalars import ScalarError, plain_value
from policies.problems import PolicyError, dotted
from tests.policies.files import NAME, SMALL, linted, problems


def refusals(text: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        read_documents(text, "f")
    return [str(problem) for problem in caught.value.problems]


HERE = "check the indentation, brackets and quotes here"
REFUSED = [
    # Not YAML
    (
        "a: b: c",
        "1:5: is no valid YAML: mapping values are not allowed in this context; "
        "check the indentation, and put text with a colon into quotes",
    ),
    (
        "a:\n\tb: c",
        "2:1: is no valid YAML: found character that cannot start any token; "
        "indent with spaces, not tabs, and put text with special characters into quotes",
    ),
    ('a: "b', "1:6: is no valid YAML: found unexpected end of stream; a quote or bracket before it is not closed"),
    ("a: [b", f"2:1: is no valid YAML: did not find expected ',' or ']'; {HERE}"),
    (
        "a: 1\n b: 2",
        "2:3: is no valid YAML: mapping values are not allowed in this context; "
        "check the indentation, and put text with a colon into quotes",
    ),
    ("%YAML 3.0\n---\na: 1", f"1:1: is no valid YAML: found incompatible YAML document; {HERE}"),
    ('a: "\\ud800"', f"1:7: is no valid YAML: found invalid Unicode character escape code; {HERE}"),
    (
        "k" * 2000 + ": 1",
        "1:2001: is no valid YAML: mapping values are not allowed in this context; "
        "check the indentation, and put text with a colon into quotes",
    ),
    # Characters
    ("a: \0", "1:4: the character U+0000 is not allowed in YAML; remove it"),
    ("a: 1\r\nb: \x07", "2:4: the character U+0007 is not allowed in YAML; remove it"),
    ("a: \ud800", "1:4: the character U+D800 is not allowed in YAML; remove it"),
    # Anchors, aliases, tags, merge keys
    ("a: &x 1", "1:4: a: anchors and aliases are not allowed; write the value out"),
    ("a: *x", "1:4: a: anchors and aliases are not allowed; write the value out"),
    ("- *x", "1:3: [0]: anchors and aliases are not allowed; write the value out"),
    ("&x a: 1", "1:1: a: anchors and aliases are not allowed; write the value out"),
    ("*x : 1", "1:1: anchors and aliases are not allowed; write the value out"),
    ("a: {<<: {b: 1}}", '1:5: a["<<"]: merge keys (<<) are not allowed; write the keys out'),
    ("a: !!python/object:os.system x", "1:4: a: tags are not allowed; write a plain value, text in quotes"),
    ("a: !!bool x", "1:4: a: tags are not allowed; write a plain value, text in quotes"),
    ("a: !!timestamp x", "1:4: a: tags are not allowed; write a plain value, text in quotes"),
    ("a: !!binary aGk=", "1:4: a: tags are not allowed; write a plain value, text in quotes"),
    ("a: !!set {b, c}", "1:4: a: tags are not allowed; write a plain value, text in quotes"),
    ("!x {a: b}", "1:1: tags are not allowed; write a plain value, text in quotes"),
    # Keys
    ("a: 1\na: 2", "2:1: a: is given twice, first in line 1; keep one"),
    ("{a: 1, 'a': 2}", "1:8: a: is given twice, first in line 1; keep one"),
    ("a: {b: [{c: 1, c: 1}]}", "1:16: a.b[0].c: is given twice, first in line 1; keep one"),
    ("1: a", "1:1: 1: the key 1 must be text; put it into quotes"),
    ("yes: a", "1:1: yes: the key yes must be text; put it into quotes"),
    ("null: a", "1:1: null: the key null must be text; put it into quotes"),
    ("?\n: a", '1:2: [""]: the key without text must be text; put it into quotes'),
    ("[a]: b", "1:1: a key must be text, not a list or mapping"),
    ("? {a: {b: c}}\n: {d: e}\nf: g", "1:3: a key must be text, not a list or mapping"),
    # Scalars that readers disagree on
    (
        "a: 010",
        "1:1: a: 010 is not the same to every YAML reader; write a plain decimal number, or put text into quotes",
    ),
    (
        "a: 1:30",
        "1:1: a: 1:30 is not the same to every YAML reader; write a plain decimal number, or put text into quotes",
    ),
    (
        "a: 1_000.5",
        "1:1: a: 1_000.5 is not the same to every YAML reader; write a plain decimal number, or put text into quotes",
    ),
    (
        "a: 0b11",
        "1:1: a: 0b11 is not the same to every YAML reader; write a plain decimal number, or put text into quotes",
    ),
    ("a: 2026-02-30", "1:1: a: 2026-02-30 looks like a date and is none; put text into quotes"),
    ("a: " + "9" * 5000, "1:1: a: is a number of 5000 digits; write it shorter, or put text into quotes"),
    # Sizes
    ("[" * 100_000, "1:1001: is nested deeper than 64 levels; a policy needs no more than ten"),
    ("{a: " * 100_000, "1:258: is nested deeper than 64 levels; a policy needs no more than ten"),
    ("- " * 100_000, "1:131: is nested deeper than 64 levels; a policy needs no more than ten"),
    (
        "a: [" + "x," * VALUES_MAX + "]",
        "1:199999: a document has more than 100000 values; split the policy into several documents or files",
    ),
    (
        "a: 1\n# " + "x" * DOCUMENT_BYTES_MAX,
        "1:1: a document is over 1 MiB; split the policy into several documents or files",
    ),
    (
        "a: '" + "é" * (DOCUMENT_BYTES_MAX // 2) + "'",
        "1:1: a document is over 1 MiB; split the policy into several documents or files",
    ),
]


@pytest.mark.parametrize(("text", "told"), REFUSED, ids=[repr(text)[:30] for text, _ in REFUSED])
def test_what_is_lax_in_yaml_is_refused(text: str, told: str) -> None:
    assert refusals(text)[-1] == f"f:{told}"


def test_a_thousand_laughs_are_refused_before_they_grow() -> None:
    laughs = [f"a{n}: &a{n} [{', '.join(['*a' + str(n - 1 or '')] * 10)}]" for n in range(1, 20)]
    found = refusals("\n".join(["a: &a [lol]", *laughs]))

    assert found[0] == "f:1:4: a: anchors and aliases are not allowed; write the value out"
    assert len(found) == 20 + 19 * 10


def test_all_that_is_wrong_is_told_not_only_the_first() -> None:
    assert refusals("a: *x\nb: 1\nb: 2\n3: !t 4\n") == [
        "f:1:4: a: anchors and aliases are not allowed; write the value out",
        "f:3:1: b: is given twice, first in line 2; keep one",
        "f:4:1: 3: the key 3 must be text; put it into quotes",
        "f:4:4: 3: tags are not allowed; write a plain value, text in quotes",
    ]


def test_the_documents_before_the_end_of_reading_are_kept() -> None:
    parsed = parse("a: 1\n---\nb: *x\n---\nc: [\n", "f")

    assert [d.value for d in parsed.documents] == [{"a": 1}, {"b": None}]
    assert [p.line for d in parsed.documents for p in d.problems] == [3]
    assert [p.line for p in parsed.problems] == [6]


READ = [
    ("", []),
    ("# remark", []),
    ("---\n...\n---\n~\n", []),
    ("a: 1", [{"a": 1}]),
    ("a: 1\n---\n\n---\nb: 2", [{"a": 1}, {"b": 2}]),
    ("\ufeffa: 1", [{"a": 1}]),
    ("a: 1\r\nb: 2\r\n", [{"a": 1, "b": 2}]),
    ("%YAML 1.1\n---\na: 1", [{"a": 1}]),
    ('{"a": [1, 2.5, true, null, "x"]}', [{"a": [1, 2.5, True, None, "x"]}]),
    ('{\n\t"a": 1\n}', [{"a": 1}]),
    ("a: !!str 1.10", [{"a": "1.10"}]),
    ("a: ! 1.10", [{"a": "1.10"}]),
    ("=: <<", [{"=": "<<"}]),
    ("a: |\n  x\n  y\n", [{"a": "x\ny\n"}]),
    ("? a\n: b", [{"a": "b"}]),
    ("a:\nb: []\nc: {}", [{"a": None, "b": [], "c": {}}]),
    ("[" * DEPTH_MAX + "]" * DEPTH_MAX, None),
    ("a: é\nb: 汉", [{"a": "é", "b": "汉"}]),
]


@pytest.mark.parametrize(("text", "values"), READ, ids=[repr(text)[:30] for text, _ in READ])
def test_plain_yaml_and_json_are_read(text: str, values: object) -> None:
    found = [document.value for document in read_documents(text, "f")]

    assert found == values if values is not None else len(found) == 1


PLAIN = [
    ("", None),
    ("~", None),
    ("Null", None),
    ("yes", True),
    ("On", True),
    ("no", False),
    ("FALSE", False),
    ("0", 0),
    ("-17", -17),
    ("+8", 8),
    ("1.50", 1.5),
    (".5", 0.5),
    ("1.", 1.0),
    ("-1.5e+3", -1500.0),
    (".inf", float("inf")),
    ("-.INF", float("-inf")),
    ("2026-06-01", datetime.date(2026, 6, 1)),
    ("1e3", "1e3"),
    ("08", "08"),
    ("0o17", "0o17"),
    ("y", "y"),
    ("64Gi", "64Gi"),
    ("10%", "10%"),
    ("1.2.3", "1.2.3"),
]


@pytest.mark.parametrize(("text", "wanted"), PLAIN)
def test_a_scalar_without_quotes_means_what_yaml_1_1_says(text: str, wanted: object) -> None:
    found = plain_value(text)

    assert (type(found), found) == (type(wanted), wanted)
    assert found == yaml.safe_load(f"- {text}")[0]


@pytest.mark.parametrize(
    "text", ["010", "-012", "0x1F", "0b1", "1_0", "1:30", "190:20:30", "1_0.5", "1:30.5", "2026-00-01"]
)
def test_a_scalar_without_one_meaning_is_refused(text: str) -> None:
    with pytest.raises(ScalarError):
        plain_value(text)


def test_places_are_those_of_the_text() -> None:
    text = "a:\n  b: [x, {c: 1}]\n  'd': 2\n"
    (document,) = read_documents(text, "f")

    assert document.keys == {("a",): (1, 1), ("a", "b"): (2, 3), ("a", "b", 1, "c"): (2, 11), ("a", "d"): (3, 3)}
    assert document.places[("a", "b", 0)] == (2, 7)
    assert document.place(("a", "b", 1, "gone", 7)) == (2, 10)
    assert document.place(()) == (1, 1)
    assert document.texts == {("a", "b", 0): "x", ("a", "b", 1, "c"): "1", ("a", "d"): "2"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec", "groups", 0, "zone"), "spec.groups[0].zone"),
        ((0, "a"), "[0].a"),
        (("labels", "nvidia.com/gpu"), 'labels["nvidia.com/gpu"]'),
        (("a b",), '["a b"]'),
        (("", "x"), '[""].x'),
        (("a\nb",), "['a\\nb']"),
        (("mig-1g", "a_b"), "mig-1g.a_b"),
    ],
)
def test_a_path_is_written_as_people_write_it(path: tuple[str | int, ...], text: str) -> None:
    assert dotted(path) == text


def test_a_json_file_is_a_policy() -> None:
    document = yaml.safe_load(SMALL)
    for text in (json.dumps(document), json.dumps(document, indent="\t")):
        assert loads(text, NAME).pools == loads(SMALL, NAME).pools


def test_a_mistake_in_a_json_file_has_its_place() -> None:
    text = json.dumps(yaml.safe_load(SMALL), indent=1).replace('"maxNodes"', '"maxNode"')
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "maxNode" in row)

    assert f"{NAME}:{line}:4: spec.limits.maxNode: unknown key; did you mean maxNodes?" in problems(text)


def test_line_endings_do_not_matter() -> None:
    assert loads(SMALL.replace("\n", "\r\n"), NAME).pools == loads(SMALL, NAME).pools
    assert linted(SMALL.replace("\n", "\r\n")) == linted(SMALL)
