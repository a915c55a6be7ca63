"""Scenarios and locale catalogues of a project: agents are checked with them (ABL659, ABL844), and they are none."""

from __future__ import annotations

import pytest

from editor import services
from tests.editor.test_editing import address, post

DESK = """AGENT: Desk
GOAL: "Help"
TOOLS:
  find_book(title: string) -> {id: string}
    description: "Find a book."
    effect: read_only
FLOW:
  entry_point: greet
  steps: [greet]
  greet:
    REASONING: false
    RESPOND: "Hello."
    MESSAGE_KEY: hello
    THEN: COMPLETE
"""
BESIDE = {
    "first.scenario.yaml": "scenario: x\nturns:\n  - say: hi\n    expect:\n      calls: [{tool: find_book}]\n",
    "de.locale.yaml": 'bye: "Auf Wiedersehen!"\n',
}


@pytest.fixture
def client(as_, document):
    return as_("editor")


def test_scenarios_and_catalogues_of_the_project_are_known(client, project, owner):
    for path, text in BESIDE.items():
        services.document_create(project=project, user=owner, path=path, text=text)
    found = post(client, "analyse", {"text": DESK, "version": 1}).json()["problems"]
    told = {p["code"]: p for p in found if p["code"] in ("ABL659", "ABL844")}
    assert told["ABL659"]["message"].startswith("Locale key `hello` is missing for de")
    assert told["ABL844"]["line"] == 4
    catalogue = project.documents.get(path="de.locale.yaml")
    services.document_save(document=catalogue, user=owner, text='hello: "Guten Tag"\n', base_revision=1)
    found = post(client, "analyse", {"text": DESK, "version": 2}).json()["problems"]
    assert [p["code"] for p in found if p["code"] in ("ABL659", "ABL844")] == ["ABL844"]


@pytest.mark.parametrize("kind", ["", "agent"])
@pytest.mark.parametrize("path", list(BESIDE))
def test_what_lies_beside_documents_is_edited_as_plain_text_whatever_its_kind(client, project, owner, path, kind):
    services.document_create(project=project, user=owner, path=path, text=BESIDE[path], kind=kind)
    assert client.get(address(path=path)).status_code == 200
    answer = post(client, "analyse", {"text": BESIDE[path], "version": 1}, path=path).json()
    assert (answer["tokens"], answer["problems"]) == ([], [])
    place = {"text": BESIDE[path], "line": 1, "column": 1}
    assert post(client, "hover", place, path=path).json() == {"about": None}
    assert post(client, "complete", place, path=path).json() == {"items": []}
    assert post(client, "format", {"text": BESIDE[path]}, path=path).json() == {"edits": []}
    assert post(client, "bulk_fixes", {"text": BESIDE[path]}, path=path).json() == {"fixes": []}


def test_the_ending_tells_a_catalogue(project, owner):
    kinds = {path: services.document_create(project=project, user=owner, path=path, text="").kind for path in BESIDE}
    assert kinds == {"first.scenario.yaml": "scenario", "de.locale.yaml": "locale"}
