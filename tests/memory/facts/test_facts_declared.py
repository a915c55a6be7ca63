"""A path that an agent of the project declares sensitive is stored so, whoever writes it (docs/spec 03 §3)."""

from __future__ import annotations

import json

import pytest

from editor import services as editing
from memory.facts.revising import fact_restore, fact_retime, fact_write
from memory.facts.services import fact_put
from memory.models import Fact, FactChange
from tests.factories import DocumentFactory

AGENT = """AGENT: Vault
GOAL: "Keep a card"

MEMORY:
  persistent:
    - path: user.card
      TYPE: string
      SENSITIVE: true
      SENSITIVE_DISPLAY: mask
    - path: user.profile
      TYPE: object
      SENSITIVE: true
    - path: user.wallet.card.pan
      SENSITIVE: true
    - path: user.tier
      TYPE: string
"""
CARD = "4111 1111 1111 1111"
PLACE = {"scope": "user", "owner": "u1"}


@pytest.fixture
def vault(project):
    return DocumentFactory(project=project, path="vault.agent.abl", text=AGENT)


def stored(path="user.card"):
    fact = Fact.objects.get(path=path)
    return fact.sensitive, fact.masking.get("how")


@pytest.mark.parametrize("flag", [{}, {"sensitive": False}, {"sensitive": None}, {"sensitive": True}])
def test_the_api_stores_it_sensitive_whatever_the_request_says(as_role, vault, flag, whole):
    given = {**PLACE, "path": "user.card", "value": CARD, **flag}
    answer = as_role("editor").put("/api/v1/projects/kiln/facts/", given, content_type="application/json")
    assert answer.status_code == 201, answer.content
    assert (answer.json()["masked"], answer.json()["value"]) == (True, "***************1111")
    assert stored() == (True, "mask")
    assert CARD not in FactChange.objects.get().value
    assert whole()


def test_the_page_stores_it_sensitive(as_role, at, vault):
    form = {**PLACE, "path": "user.profile.ssn", "value": '"078-05-1120"'}
    assert as_role("editor").post(at("write"), form).status_code == 302
    assert stored("user.profile.ssn") == (True, "redact")
    assert "078-05-1120" not in FactChange.objects.get().value


@pytest.mark.parametrize("path", ["user.wallet", "user.wallet.card"])
def test_an_object_with_a_sensitive_part_is_stored_sensitive(as_role, vault, path, whole):
    value = {"pan": CARD, "bank": "b"} if path.endswith("card") else {"card": {"pan": CARD}, "size": 1}
    given = {**PLACE, "path": path, "value": value, "sensitive": False}
    client = as_role("editor")
    answer = client.put("/api/v1/projects/kiln/facts/", given, content_type="application/json")
    assert (answer.status_code, answer.json()["masked"]) == (201, True)
    assert CARD not in answer.content.decode()
    assert CARD not in client.get("/api/v1/projects/kiln/facts/").content.decode()
    assert client.get("/api/v1/projects/kiln/facts/", {"search": CARD}).json()["results"] == []
    assert CARD not in FactChange.objects.get().value
    assert whole()


@pytest.mark.parametrize("value", [{"size": 1}, {"card": "none"}, {"card": {"pan": None}}, [CARD], "text"])
def test_one_without_that_part_is_not(project, vault, value):
    fact_write(project=project, **PLACE, path="user.wallet", value=value)
    assert stored("user.wallet")[0] is False


def test_other_paths_are_as_they_are_said_to_be(project, vault):
    fact_write(project=project, **PLACE, path="user.tier", value="gold")
    fact_write(project=project, **PLACE, path="user.cardinal", value="red", sensitive=True)
    assert stored("user.tier") == (False, None)
    assert stored("user.cardinal") == (True, None)


def test_a_fact_that_was_clear_becomes_sensitive_with_its_next_version(project, as_role):
    old = fact_put(project=project, **PLACE, path="user.card", value=CARD)
    DocumentFactory(project=project, path="vault.agent.abl", text=AGENT)
    body = json.dumps({"value": "4222 2222", "expected_version": 1})
    address = f"/api/v1/projects/kiln/facts/{old.pk}/"
    answer = as_role("editor").put(address, body, content_type="application/json")
    assert (answer.status_code, answer.json()["masked"]) == (200, True)
    assert stored() == (True, "mask")


@pytest.mark.parametrize(
    "change",
    [
        lambda project, fact: fact_restore(project=project, pk=fact.pk, seq=1),
        lambda project, fact: fact_retime(project=project, pk=fact.pk, ttl="1d"),
    ],
)
def test_it_becomes_so_too_when_it_is_restored_or_given_another_time(project, change):
    fact = fact_put(project=project, **PLACE, path="user.card", value=CARD)
    DocumentFactory(project=project, path="vault.agent.abl", text=AGENT)
    change(project, fact)
    assert stored() == (True, "mask")
    assert CARD not in FactChange.objects.get(version=2).value


def test_the_newest_revision_counts(project, people, vault):
    editing.document_save(
        document=vault, user=people["editor"], text=AGENT.replace("      SENSITIVE: true\n", ""), base_revision=1
    )
    fact_write(project=project, **PLACE, path="user.card", value=CARD)
    assert stored() == (False, None)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("user.card", CARD),
        ("user.profile.ssn", CARD),
        ("user.wallet", {"card": {"pan": CARD}}),
    ],
)
def test_what_was_there_before_the_declaration_is_sensitive_from_then_on(
    project, people, as_role, django_capture_on_commit_callbacks, whole, *, path, value
):
    fact = fact_write(project=project, **PLACE, path=path, value=value, ttl="1d", source={"agent": "Desk"})
    other = fact_write(project=project, **PLACE, path="user.cardinal", value="red")
    with django_capture_on_commit_callbacks(execute=True):
        document = editing.document_create(project=project, user=people["editor"], path="vault.agent.abl", text=AGENT)
    now = Fact.objects.get(pk=fact.pk)
    assert (now.sensitive, now.value, now.version, now.expires_at) == (True, value, 2, fact.expires_at)
    assert not Fact.objects.get(pk=other.pk).sensitive
    client = as_role("viewer")
    for address, query in [("facts/", {}), ("facts/", {"search": CARD}), (f"facts/{fact.pk}/history/", {})]:
        assert CARD not in client.get(f"/api/v1/projects/kiln/{address}", query).content.decode()
    assert whole()
    with django_capture_on_commit_callbacks(execute=True):
        editing.document_save(document=document, user=people["editor"], text=AGENT + "\n", base_revision=1)
    assert Fact.objects.get(pk=fact.pk).version == 2


def test_documents_that_are_no_agents_do_no_harm(project, vault):
    DocumentFactory(project=project, path="broken.agent.abl", text="AGENT:\n  MEMORY\n  - : :\n\t]]")
    DocumentFactory(project=project, path="a.scenario.yaml", text="{[", kind="scenario")
    fact_write(project=project, **PLACE, path="user.card", value=CARD)
    assert stored() == (True, "mask")
