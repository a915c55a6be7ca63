"""project.yaml is completed, hovered, mended and renamed like a document (docs/spec 12 §3.1); the cursor is a `|`."""

from __future__ import annotations

import pytest

import abl

AGENT = 'AGENT: Desk\nGOAL: "g"\nTOOLS:\n  find(a: string) -> {b: string}\n    description: "x"\n'


def at(text: str) -> tuple[dict[str, str], str, int, int]:
    before, _, after = text.partition("|")
    files = {"desk.agent.abl": AGENT, "project.yaml": before + after}
    return files, "project.yaml", before.count("\n") + 1, len(before.rsplit("\n", 1)[-1]) + 1


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("|", ["name", "description", "entry", "language", "policy", "now", "tools"]),
        ("ent|", ["entry"]),
        ("entry: |", ["Desk"]),
        ("entry: Desk\nna|", ["name"]),
        ("en|\nentry: Desk\n", []),
        ("policy: |", ["evaluate", "skip_unset"]),
        ("ask_again: |", ["true", "false"]),
        ("tools:\n  |", ["find"]),
        ("tools:\n  find:\n    - |", ["result", "error", "when"]),
        ("tools:\n  find:\n  - |", ["result", "error", "when"]),
        ("tools:\n  find:\n    - result: 1\n      |", ["when", "delay_ms"]),
        ("tools:\n  find: [{result: 1}, {de|", ["delay_ms", "default"]),
        ("model:\n  - call: |", ["find"]),
        ("memory_policy: {archival_mode: |", ["tool_only", "auto", "off"]),
        ("stores:\n  - |", ["technical_name", "name", "access", "retention", "schema"]),
        ("# |", []),
        ("entry: Desk\n  |", []),
        ("tools:\n  find: [|", []),
    ],
)
def test_what_may_stand_at_a_place_is_offered(text: str, first: list[str]) -> None:
    offered = [item["label"] for item in abl.complete(*at(text))]
    assert offered[: len(first)] == first
    assert bool(offered) is bool(first)


def test_an_item_of_a_list_gets_its_dash_and_a_block_no_blank() -> None:
    inserts = {item["label"]: item["insert"] for item in abl.complete(*at("tools:\n  find:\n    |"))}
    assert (inserts["result"], inserts["error"]) == ("- result: ", "- error:")


@pytest.mark.parametrize(
    ("text", "title", "said"),
    [
        ("ent|ry: Desk", "entry", "the agent that begins"),
        ("tools: {find: [{wh|en: a}]}", "tools.find.when", 'a condition such as item == "b1"'),
        ("policy: skip_|unset", "skip_unset", "rules that read an unset name are skipped"),
    ],
)
def test_a_key_and_a_word_say_what_they_mean(text: str, title: str, said: str) -> None:
    found = abl.hover(*at(text))
    assert found is not None
    assert found["title"] == title
    assert said in found["text"]


@pytest.mark.parametrize("text", ["unknown|: 1", "# ent|ry", "entry: De|sk", "|"])
def test_of_anything_else_there_is_nothing_to_say(text: str) -> None:
    assert abl.hover(*at(text)) is None


def test_a_misspelt_key_is_mended() -> None:
    [action] = abl.code_actions(*at("entyr|: Desk\n"))
    assert (action["title"], action["preferred"], action["code"]) == ("Write entry", True, "ABL1082")


def test_renaming_an_agent_or_a_tool_reaches_it() -> None:
    files = {"p/desk.agent.abl": AGENT, "p/project.yaml": 'entry: Desk\ntools: {find: [{when: a == "x", result: 1}]}\n'}
    for line, column, name, wanted in ((1, 8, "Shop", "entry: Shop"), (4, 3, "search", "tools: {search:")):
        edits = abl.rename(files, "p/desk.agent.abl", line, column, name)["edits"]["p/project.yaml"]
        [edit] = edits
        text = files["p/project.yaml"].splitlines()[edit["range"]["start"]["line"] - 1]
        start, end = edit["range"]["start"]["column"] - 1, edit["range"]["end"]["column"] - 1
        assert (text[:start] + edit["text"] + text[end:]).startswith(wanted)
