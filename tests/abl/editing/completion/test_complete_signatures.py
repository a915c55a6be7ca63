"""Completion in the signature of a tool: types where one is due, the arrow behind the parameters (docs/spec 08 §1)."""

from __future__ import annotations

import pytest

from abl.editing.completion.complete import complete

HEAD = 'AGENT: Desk\nGOAL: "Lend books"\nTOOLS:\n'


def labels(rest: str, head: str = HEAD) -> list[str]:
    text = head + rest
    at = text.index("|")
    place = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return [item["label"] for item in complete({"d.agent.abl": text.replace("|", "", 1)}, "d.agent.abl", *place)]


@pytest.mark.parametrize(
    "written",
    [
        "  find(title: |)",
        "  find(title: |",
        "  find(title: string, near: |",
        "  find(title: array<|>)",
        "  find(\n    title: |",
        "  find(title: string) -> |",
        "  find(title: string)\n    -> |",
        "  find(title: string) -> {found: |}",
        "  find(title: string) -> {\n    found: |",
        "  find(title: {name: |",
    ],
)
def test_types_stand_where_one_is_due(written: str) -> None:
    offered = labels(written)
    assert offered[:8] == ["string", "number", "boolean", "date", "datetime", "array", "object", "any"]
    assert "array<…>" in offered
    assert "file" not in offered


def test_a_type_that_is_begun_goes_on() -> None:
    assert labels("  find(title: nu|)")[:2] == ["number", "nullable<…>"]


@pytest.mark.parametrize(
    "written", ["  find(|", "  find(title: string, |", '  find(kind: enum<["|', '  find(a: string = "|']
)
def test_where_the_author_names_things_nothing_is_offered(written: str) -> None:
    assert labels(written) == []


def test_behind_the_parameters_stands_the_arrow() -> None:
    assert labels("  find(title: string) |") == ["->"]


def test_below_a_signature_stand_properties() -> None:
    assert {"description", "type"} <= set(labels("  find(title: string) -> {found: boolean}\n    |"))


def test_an_endpoint_names_parameters() -> None:
    tool = '  find(title: string, near: string) -> string\n    type: http\n    endpoint: "/books/'
    assert labels(tool + "{|") == ["title", "near"]
    assert labels(tool + "{n|") == ["near"]
    assert labels(tool + "|") == []


def test_a_tool_file_has_signatures_too() -> None:
    assert labels("  find(title: |", 'TOOLS:\n  base_url: "https://books.example"\n')[0] == "string"
