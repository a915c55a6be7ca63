"""Projects, documents and the language over HTTP."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from editor import selectors, services
from editor.models import ApiToken, Revision
from tests.factories import DocumentFactory, MembershipFactory, ProjectFactory

DOC = "/api/v1/projects/library/agents/desk.agent.abl/"


@pytest.fixture
def api(project, editor):
    """Calls with the editor's token; gives (status, body)."""
    _, secret = services.token_create(project=project, user=editor)

    def call(method, address, body=None, token=secret):
        response = (
            getattr(Client(), method)(
                address, json.dumps(body), content_type="application/json", headers={"authorization": f"Bearer {token}"}
            )
            if method != "get"
            else Client().get(address, body, headers={"authorization": f"Bearer {token}"})
        )
        return response.status_code, response.json() if response.content else None

    return call


def test_a_document_is_made_read_saved_and_deleted(api, project):
    status, made = api("post", "/api/v1/projects/library/agents/", {"name": "x/new.tools.abl", "text": "TOOLS:\n"})
    assert (status, made["kind"], made["revision"], made["text"]) == (201, "tools", 1, "TOOLS:\n")
    address = "/api/v1/projects/library/agents/x/new.tools.abl/"
    status, saved = api("put", address, {"text": " \nTOOLS:\n ", "base_revision": 1, "message": "m"})
    assert (status, saved["revision"], saved["text"], saved["author"]) == (200, 2, " \nTOOLS:\n ", "editor")
    assert api("get", address)[1] == saved
    assert api("delete", address)[0] == 204
    assert api("get", address)[0] == 404


def test_a_save_on_an_older_revision_answers_409_with_what_a_read_gives(api, document, owner):
    services.document_save(document=document, user=owner, text="theirs", base_revision=1)
    status, problem = api("put", DOC, {"text": "mine", "base_revision": 1})
    assert (status, problem["code"]) == (409, "conflict")
    assert problem["current"] == api("get", DOC)[1]
    assert problem["title"] == "Someone else changed this in the meantime"
    assert problem["detail"] == "owner saved revision 2 after you started from revision 1. Your text was not saved."
    assert Revision.objects.count() == 2
    _, unbased = api("put", DOC, {"text": "mine", "base_revision": None})
    assert unbased["detail"] == "owner saved revision 2 after you started from no revision. Your text was not saved."


def test_a_refused_save_leaves_what_its_user_is_typing_in_the_browser(api, document, owner, editor):
    services.document_save(document=document, user=owner, text="theirs", base_revision=1)
    services.draft_save(document=document, user=editor, text="typed", base_revision=1)
    assert api("put", DOC, {"text": "by a program", "base_revision": 1})[0] == 409
    assert selectors.draft_get(document=document, user=editor).text == "typed"


@pytest.mark.parametrize("number", [0, 99])
@pytest.mark.parametrize("text", ["theirs", "mine"], ids=["unchanged", "changed"])
def test_a_save_on_a_revision_that_never_was_is_bad_input(api, document, owner, number, text):
    services.document_save(document=document, user=owner, text="theirs", base_revision=1)
    status, problem = api("put", DOC, {"text": text, "base_revision": number})
    assert (status, problem["code"]) == (400, "invalid")
    words = f"desk.agent.abl has no revision {number}; the newest is 2."
    assert problem["fields"] == {"base_revision": words}
    assert Revision.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": "x"}, "base_revision"),
        ({"base_revision": 1}, "text"),
        ({"text": "a\0", "base_revision": 1}, "text"),
        ({"text": "\ud800", "base_revision": 1}, "text"),
        ({"text": "x" * 2_000_001, "base_revision": 1}, "text"),
        ({"text": 1, "base_revision": "one"}, "base_revision"),
    ],
)
def test_a_bad_save_names_the_field(api, document, body, field):
    status, problem = api("put", DOC, body)
    assert status == 400
    assert field in problem["fields"]


def test_revisions_are_pages_newest_first(api, document, editor):
    for n in range(1, 5):
        services.document_save(document=document, user=editor, text=str(n), base_revision=n)
    _, first = api("get", DOC + "revisions/", {"page_size": 3})
    assert [r["revision"] for r in first["results"]] == [5, 4, 3]
    assert "text" not in first["results"][0]
    _, second = api("get", first["next"])
    assert [r["revision"] for r in second["results"]] == [2, 1]
    assert api("get", DOC + "revisions/3/")[1]["text"] == "2"


def test_a_difference_is_between_the_newest_two_unless_others_are_asked_for(api, document, editor):
    services.document_save(document=document, user=editor, text="a\nb\n", base_revision=1)
    services.document_save(document=document, user=editor, text="a\nc\n", base_revision=2)
    _, newest = api("get", DOC + "diff/")
    assert (newest["from"], newest["to"]) == (2, 3)
    assert [(line["sign"], line["text"]) for line in newest["lines"]] == [(" ", "a"), ("-", "b"), ("+", "c")]
    assert api("get", DOC + "diff/", {"from": 1, "to": 2})[1]["lines"][-1]["text"] == "b"
    assert api("get", DOC + "diff/", {"from": "x"})[0] == 400
    assert api("get", DOC + "diff/", {"to": 99})[0] == 404


def test_a_token_reaches_its_own_project_only(api, editor):
    other = MembershipFactory(user=editor, role="owner").project
    DocumentFactory(project=other, path="desk.agent.abl")
    assert api("get", f"/api/v1/projects/{other.slug}/agents/")[0] == 404
    assert [p["slug"] for p in api("get", "/api/v1/projects/")[1]["results"]] == ["library"]
    assert api("post", "/api/v1/projects/", {"name": "Another"})[0] == 403


@pytest.mark.parametrize("token", ["", "abl_unknown", "é", "a b"])
def test_a_bad_token_is_401_as_a_problem(api, token):
    status, problem = api("get", "/api/v1/projects/", token=token)
    assert (status, problem["status"]) == (401, 401)


def test_a_revoked_token_stops_at_once(api, project):
    assert api("get", "/api/v1/projects/")[0] == 200
    token = ApiToken.objects.get()
    assert token.last_used_at is not None
    services.token_revoke(token=token)
    assert api("get", "/api/v1/projects/")[0] == 401


def test_members_are_set_and_removed_but_the_last_owner_stays(as_, project):
    client = as_("owner")
    body = {"user": "stranger", "role": "reviewer"}
    assert client.post("/api/v1/projects/library/members/", body, content_type="application/json").json() == body
    assert client.delete("/api/v1/projects/library/members/stranger/").status_code == 204
    refused = client.delete("/api/v1/projects/library/members/owner/")
    assert (refused.status_code, refused.json()["title"]) == (409, "Still needed")
    unknown = client.post(
        "/api/v1/projects/library/members/", {"user": "no", "role": "boss"}, content_type="application/json"
    )
    assert "role" in unknown.json()["fields"]


def test_check_gives_what_the_command_line_gives(api):
    text = 'AGENT: A\nGOAL: "g"\nNONSENSE:\n  x: 1\n'
    status, report = api("post", "/api/v1/check/", {"files": {"a.agent.abl": text}})
    assert status == 200
    assert report["summary"]["error"] >= 1
    assert report["diagnostics"][0]["range"]["start"] == {"line": 3, "column": 1}
    only = api("post", "/api/v1/check/", {"files": {"a.agent.abl": text}, "ignore": ["ABL103"]})[1]
    assert "ABL103" not in [d["code"] for d in only["diagnostics"]]


@pytest.mark.parametrize("body", [{}, {"files": {}}, {"files": []}, {"files": {"a": "x"}, "select": ["ABL99999"]}])
def test_a_check_that_makes_no_sense_is_a_problem(api, body):
    status, problem = api("post", "/api/v1/check/", body)
    assert status == 400
    assert problem["fields"]


def test_format_gives_the_text_that_the_command_line_writes(api):
    status, answer = api("post", "/api/v1/format/", {"text": "MEMORY:\n    session:\n    - a\n"})
    assert (status, answer) == (200, {"text": "MEMORY:\n  session:\n    - a\n"})
    assert api("post", "/api/v1/format/", {"text": ""}) == (200, {"text": ""})
    assert api("post", "/api/v1/format/", {})[1]["fields"]
    assert api("post", "/api/v1/format/", {"text": "x" * 2_000_001})[0] == 400


def test_complete_offers_what_fits(api):
    body = {"files": {"a.agent.abl": "AGENT: A\nGO"}, "path": "a.agent.abl", "line": 2, "column": 3}
    assert api("post", "/api/v1/complete/", body)[1]["items"][0]["label"] == "GOAL"
    assert "path" in api("post", "/api/v1/complete/", {**body, "path": "b"})[1]["fields"]


HEAD = 'AGENT: Desk\nGOAL: "Lend"\n'
MEMORY = "MEMORY:\n  session:\n    - city\n"
FLOW = "FLOW:\n  steps: [a, later]\n  a:\n    REASONING: false\n"


@pytest.mark.parametrize(
    ("text", "label", "insert"),
    [
        ("MEMORY:\n  recall:\n    - ON: session:", "session:start", "start"),
        (f"{FLOW}    THEN: ", "later", "later"),
        (f"{FLOW}    ON_FAIL: done\n    THEN: do", "done", "done"),
        (f"{MEMORY}{FLOW}    GATHER:\n      - ", "city", "city"),
        (f"{MEMORY}  remember:\n    - WHEN: city IS SET\n      STORE: city -> user.city\n      TTL: ", "30d", "30d"),
    ],
)
def test_complete_offers_what_is_not_written_yet_and_only_what_is_missing(api, text, label, insert):
    text = HEAD + text
    place = {"line": text.count("\n") + 1, "column": len(text.rsplit("\n", 1)[-1]) + 1}
    body = {"files": {"d.agent.abl": text}, "path": "d.agent.abl", **place}
    items = {item["label"]: item["insert"] for item in api("post", "/api/v1/complete/", body)[1]["items"]}
    assert items.get(label) == insert, items


def test_check_mends_a_range_as_validation(api):
    gather = '    GATHER:\n      - age: required\n        prompt: "Age?"\n        validation: range(18, 75)\n'
    answer = api("post", "/api/v1/check/", {"files": {"d.agent.abl": HEAD + FLOW + gather}})[1]
    [problem] = [found for found in answer["diagnostics"] if found["code"] == "ABL705"]
    assert problem["severity"] == "warning"
    assert [edit["text"] for fix in problem["fixes"] for edit in fix["edits"]] == ["min(18), max(75)"]


def test_project_yaml_is_checked_and_completed(api):
    files = {"d.agent.abl": HEAD, "project.yaml": "entry: D"}
    body = {"files": files, "path": "project.yaml", "line": 1, "column": 9}
    assert [item["label"] for item in api("post", "/api/v1/complete/", body)[1]["items"]] == ["Desk"]
    answer = api("post", "/api/v1/check/", {"files": files})[1]
    assert [(found["path"], found["code"]) for found in answer["diagnostics"] if found["code"] == "ABL1085"] == [
        ("project.yaml", "ABL1085")
    ]


@pytest.mark.parametrize("unstorable", ["\0", "\ud800"])
def test_check_answers_with_diagnostics_for_characters_that_could_not_be_kept(api, unstorable):
    status, answer = api("post", "/api/v1/check/", {"files": {"a.agent.abl": f"AGENT: A\n{unstorable}\n  b: [\n"}})
    assert status == 200
    assert {d["code"] for d in answer["diagnostics"]} & {"ABL101", "ABL112"}


def test_evaluate_gives_value_type_truth_and_the_tree(api):
    body = {"expression": "amount + 1 > 10", "context": {"amount": 10}, "explain": True}
    _, answer = api("post", "/api/v1/evaluate/", body)
    assert (answer["value"], answer["type"], answer["truthy"], answer["error"]) == (True, "boolean", True, None)
    assert answer["tree"]
    assert (
        api("post", "/api/v1/evaluate/", {"expression": "Hi {{n}}", "context": {"n": 2}, "template": True})[1]["value"]
        == "Hi 2"
    )


def test_the_tree_of_a_very_long_expression_is_refused_and_its_value_is_not(api):
    body = {"expression": f"n IN [{', '.join(['n'] * 2_000)}]", "context": {"n": 1}}
    assert api("post", "/api/v1/evaluate/", body)[1]["value"] is True
    status, answer = api("post", "/api/v1/evaluate/", body | {"explain": True})
    assert (status, answer["fields"]) == (
        400,
        {"explain": "the expression has 2,003 parts; at most 2,000 are explained"},
    )


@pytest.mark.parametrize("expression", ["((", "", "(" * 10_000, "__import__('os')", "a == 1 AND " * 9_000 + "b"])
def test_an_expression_that_cannot_be_read_is_an_answer_not_a_failure(api, expression):
    status, answer = api("post", "/api/v1/evaluate/", {"expression": expression})
    assert status == 200
    assert set(answer) == {"value", "type", "truthy", "error"}
    assert answer["error"] is None or answer["error"]["message"]


def test_the_description_of_this_part_has_no_gaps(client, capsys):
    from drf_spectacular.generators import SchemaGenerator

    schema = SchemaGenerator().get_schema(public=True)
    ours = [path for path in schema["paths"] if path.startswith(("/api/v1/projects/{slug}/agents", "/api/v1/check"))]
    assert "/api/v1/projects/{slug}/agents/{name}/revisions/" in ours
    assert [line for line in capsys.readouterr().err.splitlines() if "/editor/" in line or "editor." in line] == []


def test_a_project_of_many_is_a_page_away(as_, people):
    for n in range(60):
        MembershipFactory(project=ProjectFactory(name=f"P{n}"), user=people["stranger"])
    client = as_("stranger")
    first = client.get("/api/v1/projects/").json()
    assert len(first["results"]) == 50
    assert len(client.get(first["next"]).json()["results"]) == 11


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"expression": "[" + ", ".join(["SPLIT(x, '')"] * 40) + "]"}, "elements"),
        ({"expression": "[" + ", ".join(["UPPER(x)"] * 60) + "]"}, "characters"),
        ({"expression": "[" + ", ".join(["x"] * 5) + "]"}, "value"),
        ({"expression": "x matches '[ab]{1000}[ab]{1000}'"}, "operations"),
        ({"expression": "{{#each y}}{{JOIN(SPLIT(x, 'xx'), 'y')}}{{/each}}", "template": True}, "elements"),
        ({"expression": "LENGTH(SPLIT(x, '')) > 1", "explain": True}, "elements"),
    ],
)
def test_evaluate_answers_what_takes_too_much_with_what_ran_out(api, more, what):
    body = {"context": {"x": "x" * 500_000, "y": [1] * 100}, **more}
    status, answer = api("post", "/api/v1/evaluate/", body)
    assert (status, answer["code"], answer["what"]) == (422, "budget-exceeded", what)
    assert answer["limit"] > 0
    assert answer["detail"].endswith(".")
