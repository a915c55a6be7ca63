"""The editing page: what it shows, what it answers while somebody types, and how it saves."""

from __future__ import annotations

import json
import random

import pytest
from django.urls import reverse

from editor import selectors, services
from editor.models import Draft, Revision
from tests.editor.test_patches import full, shown
from tests.factories import DocumentFactory

SCRIPT = {"accept": "application/json"}
AGENT = """\
AGENT: Desk
GOAL: "Help"
MEMORY:
  session:
    - amount
      TYPE: number
  persistent:
    - user.last
      SCOPE: user
  remember:
    - WHEN: amount IS SET
      STORE: amount -> user.last
      TTL: 90 days
"""


def address(name="document", path="desk.agent.abl", **more):
    return reverse(f"editor:{name}", kwargs={"slug": "library", "path": path, **more})


def post(client, name, body, **more):
    return client.post(address(name, **more), json.dumps(body), content_type="application/json", headers=SCRIPT)


@pytest.fixture
def client(as_, document):
    return as_("editor")


@pytest.fixture
def analysed(client):
    """Answers of one open page."""

    def ask(text, **more):
        response = post(client, "analyse", {"text": text, "version": 1, "page": "p", **more})
        assert response.status_code == 200, response.content
        return response.json()

    return ask


def test_the_page_is_a_form_with_a_textarea_that_works_without_a_script(client, document):
    content = client.get(address()).content.decode()
    assert '<textarea class="code-plain" name="text"' in content
    assert document.head.text.replace('"', "&quot;") in content
    assert 'name="base_revision" value="1"' in content
    assert "<script>" not in content
    assert "style=" not in content


def test_text_that_looks_like_markup_stays_text(client, editor, document):
    services.document_save(
        document=document, user=editor, text="\n</textarea><script>alert(1)</script>", base_revision=1
    )
    content = client.get(address()).content.decode()
    assert "<script>alert" not in content
    assert "&lt;/textarea&gt;" in content


def test_who_may_not_edit_reads_the_same_page_without_a_save_button(as_, document):
    content = as_("viewer").get(address()).content.decode()
    assert 'data-editable="false"' in content
    assert 'id="save"' not in content


def test_the_form_saves_with_the_line_ends_that_the_document_has(client, document, editor):
    client.post(address(), {"text": "a\r\nb\r\n", "base_revision": "1"})
    document.refresh_from_db()
    assert document.head.text == "a\nb\n"
    services.document_save(document=document, user=editor, text="a\r\nb\r\n", base_revision=2)
    client.post(address(), {"text": "a\r\nc\r\n", "base_revision": "3"})
    document.refresh_from_db()
    assert document.head.text == "a\r\nc\r\n"


def test_a_conflict_without_a_script_shows_both_texts_and_lets_either_be_saved(client, document, owner):
    services.document_save(document=document, user=owner, text="theirs\n", base_revision=1)
    response = client.post(address(), {"text": "mine\n", "base_revision": "1"})
    content = response.content.decode()
    assert response.status_code == 409
    assert 'class="minus"' in content
    assert 'class="plus"' in content
    assert "theirs" in content
    assert "mine" in content
    assert "Your text was not saved. Both texts are below." in content
    assert 'name="base_revision" value="2"' in content
    client.post(address(), {"text": "mine\n", "base_revision": "2"})
    document.refresh_from_db()
    assert (document.head.number, document.head.text) == (3, "mine\n")


def test_a_conflict_by_script_is_a_problem_with_the_newest_revision(client, document, owner):
    services.document_save(document=document, user=owner, text="theirs", base_revision=1)
    response = post(client, "document", {"text": "mine", "base_revision": 1})
    assert response.status_code == 409
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["current"] | {"created_at": ""} == {
        "revision": 2,
        "text": "theirs",
        "author": "owner",
        "author_name": "owner",
        "message": "",
        "created_at": "",
    }


def test_a_save_on_a_revision_that_never_was_is_refused_by_the_page_too(client, document):
    response = post(client, "document", {"text": "mine", "base_revision": 99})
    assert response.status_code == 400
    assert response.json()["fields"] == {"base_revision": "desk.agent.abl has no revision 99; the newest is 1."}
    assert client.post(address(), {"text": "mine", "base_revision": "99"}).status_code == 400
    assert Revision.objects.count() == 1


def test_a_save_by_script_tells_the_new_revision(client):
    assert post(client, "document", {"text": "x", "base_revision": 1}).json()["revision"] == 2


def test_a_draft_is_kept_shown_and_discarded(client, document, editor):
    kept = post(client, "draft", {"text": "half a th", "base_revision": 1}).json()["kept_at"]
    assert kept is not None
    content = client.get(address()).content.decode()
    assert "half a th" in content
    assert 'data-is-draft="true"' in content
    client.post(address("draft_discard"))
    assert not Draft.objects.exists()


def test_a_draft_behind_the_newest_revision_says_so(client, document, owner):
    post(client, "draft", {"text": "half a th", "base_revision": 1})
    services.document_save(document=document, user=owner, text="theirs", base_revision=1)
    assert b"Revision 2 was saved after you started this draft" in client.get(address()).content
    assert client.get(address("current")).json()["text"] == "theirs"


def test_drafts_of_others_are_not_shown(as_, client, document):
    post(client, "draft", {"text": "secret thoughts", "base_revision": 1})
    assert b"secret thoughts" not in as_("owner").get(address()).content


def test_an_answer_holds_tokens_problems_with_fixes_and_the_outline(analysed):
    answer = analysed(AGENT)
    assert shown(answer["tokens"], answer["from"]) == full(AGENT)
    problem = next(p for p in answer["problems"] if p["code"] == "ABL346")
    assert AGENT[problem["from"] : problem["to"]] == "90 days"
    assert (problem["line"], problem["column"], problem["severity"]) == (13, 12, "error")
    fix = next(fix for fix in problem["fixes"] if fix["preferred"])
    assert fix["safe"] is True  # "Fix all" takes it
    fixed = AGENT
    for edit in fix["edits"]:
        fixed = fixed[: edit["from"]] + edit["insert"] + fixed[edit["to"] :]
    assert 'TTL: "90d"' in fixed
    assert not [p for p in analysed(fixed)["problems"] if p["code"] == "ABL346"]
    agent = answer["outline"][0]
    assert (agent["name"], agent["kind"], agent["line"]) == ("Desk", "agent", 1)
    assert "MEMORY" in [part["name"] for part in agent["children"]]


def test_offsets_count_utf16_units_and_columns_count_characters(analysed):
    text = AGENT.replace('"Help"', '"😀😀"').replace("TTL: 90", "TTL:  90")
    problem = next(p for p in analysed(text)["problems"] if p["code"] == "ABL346")
    units = text.encode("utf-16-le")
    assert units[problem["from"] * 2 : problem["to"] * 2].decode("utf-16-le") == "90 days"
    assert problem["column"] == 13


def test_a_second_answer_tells_only_what_changed(analysed):
    analysed(AGENT, version=1)
    edited = AGENT.replace("90 days", '"90d"')
    at = edited.index('"90d"')
    answer = analysed(edited, version=2, base=1, touched=[at, at + 5])
    assert answer["outline"] is None or answer["outline"]
    assert edited[answer["from"] : answer["to"]] == '      TTL: "90d"'
    assert shown(answer["tokens"], answer["from"]) == [t for t in full(edited) if answer["from"] <= t[0] < answer["to"]]


def test_an_answer_on_a_base_that_is_not_remembered_is_whole(analysed):
    answer = analysed(AGENT, version=9, base=8)
    assert (answer["from"], answer["to"]) == (0, len(AGENT))
    assert answer["outline"]


def test_the_memory_of_one_user_does_not_answer_another(as_, analysed):
    analysed(AGENT, version=1)
    body = {"text": AGENT, "version": 2, "page": "p", "base": 1}
    answer = post(as_("owner"), "analyse", body).json()
    assert answer["from"] == 0
    assert len(answer["tokens"]) // 3 == len(full(AGENT))


def test_other_documents_of_the_project_are_known(client, project):
    text = AGENT + "HANDOFF:\n  - TO: Other_Desk\n    WHEN: amount > 3\n"
    unknown = post(client, "analyse", {"text": text, "version": 1}).json()["problems"]
    assert any("Other_Desk" in p["message"] for p in unknown)
    DocumentFactory(project=project, path="other.agent.abl", text='AGENT: Other_Desk\nGOAL: "Help"\n')
    known = post(client, "analyse", {"text": text, "version": 2}).json()["problems"]
    assert not any("Other_Desk" in p["message"] for p in known)


def test_completion_offers_what_fits_the_place(client):
    text = AGENT.replace("TYPE: number", "TYPE: nu")
    items = post(client, "complete", {"text": text, "line": 6, "column": 15}).json()["items"]
    assert items[0]["insert"] == "number"


def test_what_stands_at_a_place_is_explained(client):
    about = post(client, "hover", {"text": AGENT, "line": 13, "column": 8}).json()["about"]
    assert "TTL" in about["title"]
    assert post(client, "hover", {"text": AGENT, "line": 99, "column": 99}).json()["about"] is None


@pytest.mark.parametrize("name", ["complete", "hover"])
def test_a_question_without_a_place_is_a_problem(client, name):
    assert post(client, name, {"text": AGENT, "line": 0, "column": 1}).status_code == 400


def test_a_scenario_is_edited_as_plain_text(client, project):
    DocumentFactory(project=project, path="a.scenario.yaml", kind="scenario", text="scenario: x\n")
    assert client.get(address(path="a.scenario.yaml")).status_code == 200
    answer = post(client, "analyse", {"text": "scenario: y\n", "version": 1}, path="a.scenario.yaml").json()
    assert (answer["tokens"], answer["problems"]) == ([], [])


def noise(size):
    return random.Random(5).randbytes(size).decode("latin-1")


BAD = {
    "a megabyte of noise": noise(1_000_000),
    "an unclosed quote on line 1": 'AGENT: "Desk\n' + AGENT,
    "tabs": AGENT.replace("  ", "\t"),
    "CRLF": AGENT.replace("\n", "\r\n"),
    "a BOM": "\ufeff" + AGENT,
    "emoji": AGENT.replace("Desk", "👩🏽‍🚀"),
    "ten thousand brackets": "AGENT: A\nCONSTRAINTS:\n  r:\n    - REQUIRE " + "[" * 10_000,
    "ten thousand closed parentheses": "AGENT: A\nCONSTRAINTS:\n  r:\n    - REQUIRE "
    + "(" * 10_000
    + "a"
    + ")" * 10_000,
    "a condition of 100,000 characters": "AGENT: A\nCONSTRAINTS:\n  r:\n    - REQUIRE "
    + " AND ".join(["a == 1"] * 9_100),
    "half a surrogate pair": AGENT + "# \ud83d\n",
    "NUL": AGENT + "\0",
}


@pytest.mark.parametrize("name", BAD)
def test_no_text_is_too_bad_to_be_answered(analysed, name):
    answer = analysed(BAD[name])
    assert answer["version"] == 1
    assert all(
        0 <= p["from"] <= p["to"] <= len(BAD[name].encode("utf-16-le", "surrogatepass")) // 2
        for p in answer["problems"]
    )
    shown(answer["tokens"], answer["from"])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "version"),
        ({"version": 1}, "text"),
        ({"version": -1, "text": ""}, "version"),
        ({"version": True, "text": ""}, "version"),
        ({"version": 1, "text": 5}, "text"),
        ({"version": 1, "text": "", "touched": [3, 1]}, "touched"),
        ({"version": 1, "text": "", "touched": [0, 1e3]}, "touched"),
        ({"version": 1, "text": "", "base": "x"}, "base"),
        ([], "body"),
    ],
)
def test_a_bad_question_is_a_problem_that_names_the_field(client, body, field):
    response = post(client, "analyse", body)
    assert response.status_code == 400
    assert list(response.json()["fields"]) == [field]


@pytest.mark.parametrize(
    ("raw", "why"),
    [(b"", "line 1, column 1"), (b"{", "line 1, column 2"), (b"\xff\xfe", "UTF-8"), (b"[" * 100_000, "100 levels")],
)
def test_a_body_that_is_no_json_is_a_problem(client, raw, why):
    response = client.post(address("analyse"), raw, content_type="application/json", headers=SCRIPT)
    assert response.status_code == 400
    assert list(response.json()["fields"]) == ["body"]
    assert "is not valid JSON" in response.json()["fields"]["body"] or "is nested" in response.json()["fields"]["body"]
    assert why in response.json()["fields"]["body"]


def test_a_body_above_the_bound_is_refused_with_both_numbers(client):
    body = {"text": "x" * 25_000_001, "base_revision": 1}
    response = post(client, "document", body)
    assert response.status_code == 413
    assert response.json()["code"] == "too-large"
    assert "25,000,000" in response.json()["detail"]


def test_two_million_characters_can_be_saved_and_no_more(client, document):
    assert post(client, "document", {"text": "é" * 2_000_000, "base_revision": 1}).status_code == 200
    refused = post(client, "document", {"text": "é" * 2_000_001, "base_revision": 2})
    assert refused.status_code == 400
    assert "2,000,000" in refused.json()["fields"]["text"]
    assert Revision.objects.filter(document=document).count() == 2


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_what_no_database_can_keep_is_refused_for_drafts_too(client, text):
    response = post(client, "draft", {"text": text, "base_revision": 1})
    assert response.status_code == 400
    assert "line 1" in response.json()["fields"]["text"]


def test_a_revision_shows_what_it_changed(client, document, editor):
    services.document_save(
        document=document, user=editor, text=document.head.text + "# new\n", base_revision=1, message="why"
    )
    content = client.get(address("revision", number=2)).content.decode()
    assert 'class="plus"' in content
    assert "# new" in content
    assert "why" in content


def test_the_history_beside_the_code_is_a_fragment(client):
    content = client.get(address("revisions"), headers={"hx-request": "true"}).content.decode()
    assert "<html" not in content
    assert "r1" in content


def test_files_opened_in_a_session_are_tabs_until_they_are_gone(client, project):
    paths = [f"f{n}.agent.abl" for n in range(6)]
    for path in paths:
        DocumentFactory(project=project, path=path)
        client.get(address(path=path))
    shown_tabs = client.get(address()).context["open_files"]
    assert shown_tabs == [*paths[2:], "desk.agent.abl"]
    selectors.document_get(project=project, path=paths[3]).delete()
    assert paths[3] not in client.get(address()).context["open_files"]
