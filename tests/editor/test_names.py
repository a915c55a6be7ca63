"""Names of an open text: where they come from, everywhere they stand, another name; and the layout of the text."""

from __future__ import annotations

import pytest

from editor import services
from editor.models import Revision
from tests.editor.test_editing import AGENT, post
from tests.factories import DocumentFactory

HANDS = f"{AGENT}HANDOFF:\n  - TO: Billing\n    WHEN: amount > 1\n    CONTEXT:\n      pass: [amount]\n"
BILLING = 'AGENT: Billing\nGOAL: "Bill 😀 {{amount}}"\n'


@pytest.fixture
def client(as_, document):
    return as_("editor")


@pytest.fixture
def billing(project):
    return DocumentFactory(project=project, path="billing.agent.abl", text=BILLING)


def carried_out(text, changes):
    """Changes of CodeMirror, whose offsets are UTF-16."""
    units = text.encode("utf-16-le")
    for change in sorted(changes, key=lambda c: c["from"], reverse=True):
        units = units[: 2 * change["from"]] + change["insert"].encode("utf-16-le") + units[2 * change["to"] :]
    return units.decode("utf-16-le")


def test_formatting_gives_changes_of_what_differs(client):
    text = 'AGENT: Desk\nGOAL: "😀"\nMEMORY:\n      session:\n      - a\n'
    edits = post(client, "format", {"text": text}).json()["edits"]
    assert carried_out(text, edits) == 'AGENT: Desk\nGOAL: "😀"\n\nMEMORY:\n  session:\n    - a\n'
    assert all(edit["from"] >= text.index("MEMORY") for edit in edits)
    formatted = AGENT.replace("MEMORY:", "\nMEMORY:")
    assert post(client, "format", {"text": formatted}).json() == {"edits": []}
    assert post(client, "format", {}).status_code == 400


def test_a_declaration_and_all_places_have_addresses(client, billing):
    place = {"text": HANDS, "line": 15, "column": 10}
    (found,) = post(client, "places", place).json()["places"]
    assert (found["path"], found["line"], found["column"]) == ("billing.agent.abl", 1, 8)
    assert found["address"].endswith("billing.agent.abl?line=1&column=8&end_line=1&end_column=15")
    everywhere = post(client, "places", {**place, "line": 16, "column": 12, "everywhere": True}).json()["places"]
    assert [p["path"] for p in everywhere].count("billing.agent.abl") == 1
    assert {p["role"] for p in everywhere} == {"declaration", "read"}
    assert post(client, "places", {**place, "line": 3, "column": 2}).json() == {"places": []}


def test_what_can_be_renamed_is_told_with_its_name(client):
    place = {"text": AGENT, "line": 5, "column": 8}
    assert post(client, "rename_name", place).json() == {"name": "amount", "refused": None, "note": ""}
    nothing = post(client, "rename_name", {**place, "line": 3}).json()
    assert nothing == {"name": "", "refused": "No name stands here that could be renamed.", "note": ""}
    path = post(client, "rename_name", {**place, "line": 8}).json()
    assert (path["name"], path["note"]) == ("user.last", "Stored facts keep their path.")


def test_a_rename_within_the_open_text_saves_nothing(client, billing):
    answer = post(client, "rename_name", {"text": AGENT, "line": 5, "column": 8, "name": "sum", "apply": True}).json()
    assert (answer["refused"], answer["others"]) == (None, [])
    assert carried_out(AGENT, answer["edits"]) == AGENT.replace("amount", "sum")
    assert Revision.objects.filter(document=billing).count() == 1


def test_other_documents_are_named_first_and_saved_when_asked(client, billing):
    body = {"text": HANDS, "line": 5, "column": 8, "name": "sum"}
    told = post(client, "rename_name", body).json()
    assert told["others"] == ["billing.agent.abl"]
    assert Revision.objects.filter(document=billing).count() == 1
    done = post(client, "rename_name", {**body, "apply": True}).json()
    assert carried_out(HANDS, done["edits"]) == HANDS.replace("amount", "sum")
    billing.refresh_from_db()
    assert (billing.head.text, billing.head.message) == (BILLING.replace("amount", "sum"), "Rename to sum")


def test_a_refused_rename_says_why_and_changes_nothing(client, billing, people):
    body = {"text": HANDS, "line": 5, "column": 8, "apply": True}
    answer = post(client, "rename_name", {**body, "name": "two words"}).json()
    assert "is not a name for a variable" in answer["refused"]
    assert (answer["edits"], answer["others"]) == ([], [])
    services.draft_save(document=billing, user=people["editor"], text=f"{BILLING}# mine\n", base_revision=1)
    answer = post(client, "rename_name", {**body, "name": "sum"}).json()
    assert answer["refused"] == "You have a draft of billing.agent.abl. Save or discard it first."
    assert Revision.objects.filter(document=billing).count() == 1


def test_a_document_that_is_no_agent_has_no_names(client, project):
    DocumentFactory(project=project, path="a.scenario.yaml", kind="scenario", text="scenario: x\n")
    body = {"text": "scenario:   y\n", "line": 1, "column": 3}
    assert post(client, "format", body, path="a.scenario.yaml").json() == {"edits": []}
    assert post(client, "places", body, path="a.scenario.yaml").json() == {"places": []}
    assert post(client, "rename_name", body, path="a.scenario.yaml").json()["refused"]


CASE = "scenario: x\nentry: Desk\ntools:\n  find: [{result: {}}]\nsession: {amount: 3}\n"


def test_a_scenario_and_the_settings_of_the_project_are_changed_with_it(client, project, owner):
    scenario = services.document_create(project=project, user=owner, path="a.scenario.yaml", text=CASE)
    model = [{"call": "find"}, {"reply": "{{results.find.x}} {{variables.amount}}"}]
    mocks = {"find": [{"when": "find == 1", "result": {"find": 1}}]}
    project.settings = {"entry": "Desk", "mocks": mocks, "run": {"bank": "Desk", "model": model}, "more": 1}
    project.save()
    text = f'{AGENT}TOOLS:\n  find(title: string) -> {{x: string}}\n    description: "Find."\n'
    tool = {"text": text, "line": 15, "column": 4, "name": "look_up"}
    assert post(client, "rename_name", tool).json()["others"] == ["a.scenario.yaml", "the project's settings"]
    assert post(client, "rename_name", {**tool, "apply": True}).json()["refused"] is None
    agent = {"text": text, "line": 1, "column": 8, "name": "Counter", "apply": True}
    assert post(client, "rename_name", agent).json()["refused"] is None
    variable = {"text": text, "line": 5, "column": 8, "name": "sum", "apply": True}
    assert post(client, "rename_name", variable).json()["refused"] is None
    project.refresh_from_db()
    assert project.settings == {
        "entry": "Counter",
        "mocks": {"look_up": mocks["find"]},
        "run": {"bank": "Desk", "model": [{"call": "look_up"}, {"reply": "{{results.look_up.x}} {{variables.sum}}"}]},
        "more": 1,
    }
    scenario.refresh_from_db()
    assert scenario.head.text == CASE.replace("find:", "look_up:").replace("amount", "sum").replace("Desk", "Counter")


def test_what_cannot_be_changed_in_the_settings_is_refused_in_words(client, project):
    DocumentFactory(
        project=project, path="other.agent.abl", text='AGENT: Other\nGOAL: "x"\nMEMORY:\n  session:\n    - amount\n'
    )
    project.settings = {"run": {"model": [{"reply": "{{variables.amount}}"}]}}
    project.save()
    answer = post(client, "rename_name", {"text": AGENT, "line": 5, "column": 8, "name": "sum"}).json()
    assert answer["refused"] == (
        "the project's settings, line 5 may mean `amount` of Other as well; change it by hand first."
    )


def test_what_is_left_is_told_where_it_is_afterwards(client):
    text = f"{AGENT}FLOW:\n  s:\n    REASONING: false\n    TRANSFORM: amount AS row INTO kept\n      SORT_BY: amount\n"
    answer = post(client, "rename_name", {"text": text, "line": 5, "column": 8, "name": "the_sum"}).json()
    after = carried_out(text, answer["edits"])
    (left,) = answer["left"]
    assert after.split("\n")[left["line"] - 1][left["column"] - 1 : left["end_column"] - 1] == "amount"
    assert (left["path"], left["text"]) == ("desk.agent.abl", "SORT_BY: amount")
    assert left["address"].endswith(f"?line={left['line']}&column=16&end_line={left['line']}&end_column=22")
