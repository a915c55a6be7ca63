"""project.yaml read against its declaration, and the JSON Schema that comes from the same declaration."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import abl
from abl.analysis.project_file.reading import is_project_file, read_project_file
from abl.language.project_file import PROJECT_FILE, entries, value_type_at
from abl.limits import MAX_PROJECT_TEXT
from abl.yaml_reader import load_yaml
from tests.reading import read_yaml

ROOT = Path(__file__).parents[4]
CASES = ROOT / "tests" / "abl" / "analysis" / "cases"
EXAMPLES = sorted((ROOT / "examples").glob("*/project.yaml"))


def messages(text: str) -> list[str]:
    return [found.message for found in abl.check({"project.yaml": text}).diagnostics]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_examples_are_right_and_fit_the_schema(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert messages(text) == []
    jsonschema.validate(json.loads(json.dumps(load_yaml(text), default=str)), abl.project_schema())


def test_the_published_schema_is_that_of_the_declaration() -> None:
    published = json.loads((ROOT / "docs" / "reference" / "project.schema.json").read_text(encoding="utf-8"))
    assert published == abl.project_schema()
    jsonschema.Draft202012Validator.check_schema(published)


BY_SCHEMA_TOO = {"ABL1082": True, "ABL1084": True}


@pytest.mark.parametrize("code", BY_SCHEMA_TOO)
def test_the_schema_refuses_what_the_reader_refuses_and_takes_what_it_takes(code: str) -> None:
    validator = jsonschema.Draft202012Validator(abl.project_schema())
    for case in read_yaml(CASES / f"{code}.yaml"):
        text = case["files"]["project.yaml"]
        if "abl-ignore" in text or "language: no" in text:  # YAML 1.1 takes `no` for a boolean
            continue
        data = json.loads(json.dumps(load_yaml(text), default=str))
        refused = any(True for _ in validator.iter_errors(data))
        conditions_only = all("condition" in wanted.get("message", "") for wanted in case["expect"])
        assert refused is bool(case["expect"]) or conditions_only, case["name"]


def test_every_key_has_a_meaning_and_can_be_reached() -> None:
    for name, entry in entries():
        path = tuple(step for part in name.replace("[]", ".-").split(".") for step in [part] if step)
        assert entry.meaning, name
        assert value_type_at(path) is entry.value_type, name


def test_a_value_stands_at_the_margin_or_in_its_older_place() -> None:
    older = read_project_file("settings: {entry: A, mocks: {f: [{result: 1}]}, run: {policy: skip_unset}}\n")
    assert (older.value("entry"), older.value("policy")) == ("A", "skip_unset")
    assert older.value("tools") == {"f": [{"result": 1}]}
    assert read_project_file("entry: B\nsettings: {entry: A}\n").value("entry") == "B"


def test_dates_are_their_text_and_merged_keys_are_taken() -> None:
    text = "facts:\n  project: &all {a.b: 2026-01-01, c.d: 1}\n  user: {<<: *all, c.d: 2}\n"
    assert read_project_file(text).value("facts") == {
        "project": {"a.b": "2026-01-01", "c.d": 1},
        "user": {"a.b": "2026-01-01", "c.d": 2},
    }
    assert messages(text) == []


def test_of_an_unknown_key_that_may_be_the_missing_one_only_the_key_is_told() -> None:
    assert messages("tools: {find: [{resul: 1}]}\n") == ["Unknown key `resul` in tools.find[0]. Did you mean `result`?"]


def test_a_long_text_is_not_read() -> None:
    assert messages("#" * MAX_PROJECT_TEXT) == []
    assert "200,001 characters" in messages("#" * (MAX_PROJECT_TEXT + 1))[0]


@pytest.mark.parametrize(
    ("path", "is_one"), [("project.yaml", True), ("a\\project.yaml", True), ("xproject.yaml", False)]
)
def test_only_that_name_is_a_project_file(path: str, is_one: bool) -> None:
    assert is_project_file(path) is is_one


def test_a_mapping_says_what_is_right() -> None:
    assert PROJECT_FILE.entry("entry") is not None
    assert PROJECT_FILE.entry("entyr") is None
