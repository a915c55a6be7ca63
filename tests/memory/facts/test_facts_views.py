"""Filters of the facts page that are kept under a name."""

from __future__ import annotations

import re

import pytest

from memory.facts import saved_views as saved
from memory.lists.query import FactQuery
from memory.models import SavedView
from tests.factories import ProjectFactory

HTMX = {"HX-Request": "true"}


def test_filters_are_kept_under_a_name_and_opened(put, see, send):
    put(owner="u2", ttl="30m")
    text = send("view-save", name=" Ending soon ", scope="user", owner="u2", state="expiring")
    assert ">Ending soon</a>" in text
    address = re.search(r'href="[^"?]*(\?[^"]+)">Ending soon</a>', text)[1]
    assert address == "?scope=user&owner=u2&state=expiring"
    assert SavedView.objects.get().name == "Ending soon"
    send("view-save", name="Ending soon", scope="project")
    assert SavedView.objects.get().query == "scope=project"


def test_htmx_keeps_the_filters_of_the_address(put, as_role, at):
    headers = {
        **HTMX,
        "HX-Target": "facts-saved",
        "HX-Current-URL": "http://testserver/p/kiln/facts/?scope=user&search=a%26b",
    }
    response = as_role("viewer").post(at("view-save"), {"name": "mine", "scope": "project"}, headers=headers)
    assert response.content.decode().startswith('<section class="saved"')
    assert FactQuery.read({"scope": "user", "search": "a&b"}).text() == f"?{SavedView.objects.get().query}"


def test_a_view_is_of_one_member_and_one_project(people, project, see, as_role, at):
    view = saved.view_save(project=project, user=people["viewer"], name="mine", query=FactQuery(scope="user"))
    saved.view_save(project=ProjectFactory(), user=people["owner"], name="elsewhere", query=FactQuery())
    assert ">mine</a>" in see("facts", role="viewer")
    for_owner = see("facts", role="owner")
    assert "mine</a>" not in for_owner
    assert "elsewhere</a>" not in for_owner
    assert as_role("owner").post(at("view-delete", view.pk)).status_code == 404
    assert as_role("viewer").post(at("view-delete", view.pk), {"scope": "user"}).url.endswith("/facts/?scope=user")
    assert not SavedView.objects.filter(project=project).exists()


@pytest.mark.parametrize("given", [{"name": ""}, {"name": " "}, {"name": "x" * 101}, {"name": "a\x00"}])
def test_a_name_that_cannot_be_is_refused(as_role, at, project, given):
    response = as_role("viewer").post(at("view-save"), given, headers=HTMX)
    assert response.status_code == 400
    assert b"<code>name</code>" in response.content
    assert not SavedView.objects.exists()


def test_no_more_views_are_kept_than_fit(as_role, at, project, monkeypatch):
    monkeypatch.setattr("memory.facts.saved_views.MOST_VIEWS", 1)
    client = as_role("viewer")
    assert client.post(at("view-save"), {"name": "one"}).status_code == 302
    assert client.post(at("view-save"), {"name": "two"}).status_code == 400
    assert client.post(at("view-save"), {"name": "one", "scope": "user"}).status_code == 302


ABOUT = [
    FactQuery(scope="user", owner="u1"),
    FactQuery(search="tell u1 that"),
    FactQuery(search="U1"),
    FactQuery(search="ask u1."),
    FactQuery(search='"u1", twice'),
]
NOT_ABOUT = [
    FactQuery(scope="user", owner="u11"), FactQuery(scope="execution_tree", owner="u1"), FactQuery(search="u1-b"),
    FactQuery(search="u1@example.org"), FactQuery(search="my.u1"), FactQuery(below="user.u1"), FactQuery(prefix="u1"),
    FactQuery(agent="u1"), FactQuery(domain="u1"), FactQuery(search="u1.b"),
]  # fmt: skip


def test_views_of_an_owner_are_forgotten_with_everything_else(project, people):
    for number, query in enumerate([*ABOUT, *NOT_ABOUT]):
        saved.view_save(project=project, user=people["viewer"], name=f"{number:02}", query=query)
    found = saved.views_about(project=project, owner="u1")
    assert [view.name for view in found] == [f"{number:02}" for number in range(len(ABOUT))]
    assert saved.views_forget(project=project, owner="u1") == len(ABOUT)
    assert list(SavedView.objects.values_list("query", flat=True)) == [query.text()[1:] for query in NOT_ABOUT]
