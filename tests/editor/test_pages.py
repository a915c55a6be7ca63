"""Projects, settings, new documents, diagnostics as pages."""

from __future__ import annotations

import pytest
from django.urls import reverse

from abl.analysis.check import check
from editor import selectors, services, starters
from editor.models import ApiToken, Document, Membership, Project
from tests.factories import DocumentFactory, MembershipFactory, UserFactory


def test_somebody_without_projects_is_offered_to_make_one(client, another_user):
    client.force_login(another_user)
    content = client.get("/").content.decode()
    assert "No projects yet" in content
    assert reverse("editor:project_new") in content


def test_home_shows_own_projects_only(as_, document):
    MembershipFactory(project__name="Somebody else's")
    content = as_("viewer").get("/").content.decode()
    assert "Library" in content
    assert "1 agent<" in content
    assert "Somebody else" not in content


def test_a_new_project_is_made_and_opened(as_, project):
    response = as_("stranger").post(reverse("editor:project_new"), {"name": "New one", "description": "d"})
    assert response["Location"] == "/p/new-one/"
    assert Project.objects.get(slug="new-one").description == "d"


def test_a_refused_project_keeps_what_was_typed(as_, project):
    response = as_("stranger").post(reverse("editor:project_new"), {"name": "x" * 130, "description": "typed before"})
    assert response.status_code == 400
    assert b"130 characters" in response.content
    assert b"typed before" in response.content


def test_an_empty_project_offers_an_agent_that_runs(as_, project):
    assert b"?starter=rules" in as_("editor").get("/p/library/").content
    assert b"?starter=rules" not in as_("viewer").get("/p/library/").content


@pytest.mark.parametrize(
    "starter", [s for s in starters.STARTERS if s.key in ("agent", "rules", "tools")], ids=lambda s: s.key
)
def test_texts_to_begin_from_have_no_problems(starter):
    report = check({f"x{starter.ending}": starter.text})
    # An info such as "needs an authenticated user" tells of the language, not of a mistake.
    assert [f"{d.code} {d.message}" for d in report.diagnostics if d.severity != "info"] == []


@pytest.mark.parametrize(
    ("path", "starter", "made"),
    [("desk", "rules", "desk.agent.abl"), ("s.scenario.yaml", "scenario", "s.scenario.yaml")],
)
def test_a_new_document_begins_with_the_chosen_text(as_, project, path, starter, made):
    response = as_("editor").post(reverse("editor:document_new", args=["library"]), {"path": path, "starter": starter})
    assert response["Location"] == f"/p/library/edit/{made}"
    assert Document.objects.get(path=made).head.text == starters.BY_KEY[starter].text


@pytest.mark.parametrize(
    ("path", "starter"), [("../etc", "agent"), ("a.abl", "nothing like it"), ("desk.agent.abl", "agent")]
)
def test_a_refused_document_says_why(as_, document, path, starter):
    response = as_("editor").post(reverse("editor:document_new", args=["library"]), {"path": path, "starter": starter})
    assert response.status_code == 400
    assert b'role="alert"' in response.content
    assert Document.objects.count() == 1


def test_rename_and_delete_lead_somewhere_sensible(as_, document):
    client = as_("editor")
    renamed = client.post(
        reverse("editor:document_rename", args=["library", "desk.agent.abl"]), {"path": "new.agent.abl"}
    )
    assert renamed["Location"] == "/p/library/edit/new.agent.abl"
    deleted = client.post(reverse("editor:document_delete", args=["library", "new.agent.abl"]), follow=True)
    assert b"new.agent.abl was deleted" in deleted.content


def test_a_delete_names_what_and_how_many(as_, document, owner):
    services.document_save(document=document, user=owner, text="two", base_revision=1)
    assert b"Delete 2 revisions" in as_("editor").get("/p/library/").content


def test_a_new_token_is_shown_once(as_, project, people):
    client = as_("viewer")
    content = client.post(reverse("editor:token_new", args=["library"]), {"name": "ci"})
    secret = content.context["secret"]
    assert secret.encode() in content.content
    assert content["Cache-Control"] == "no-store"
    assert selectors.token_get(secret=secret).user == people["viewer"]
    assert secret.encode() not in client.get("/p/library/settings/").content
    token = ApiToken.objects.get()
    client.post(reverse("editor:token_revoke", args=["library", token.pk]))
    assert selectors.token_get(secret=secret) is None


def test_the_last_owner_gets_an_explanation_not_a_way_out(as_, project):
    response = as_("owner").post(reverse("editor:member_remove", args=["library", "owner"]))
    assert response.status_code == 409
    assert b"last owner" in response.content
    assert Membership.objects.filter(project=project, role="owner").exists()


def test_an_unknown_user_cannot_be_added_and_the_name_stays_in_the_field(as_, project):
    response = as_("owner").post(
        reverse("editor:member_set", args=["library"]), {"username": "nobody", "role": "viewer"}
    )
    assert response.status_code == 400
    assert b'value="nobody"' in response.content


def test_a_member_who_leaves_is_led_home(as_, people, project):
    services.member_set(project=project, username="editor", role="owner")
    assert as_("editor").post(reverse("editor:member_remove", args=["library", "editor"]))["Location"] == "/"


def test_a_diagnostic_has_a_page_with_wrong_and_right(as_, people):
    content = as_("stranger").get(reverse("editor:diagnostic", args=["bad-ttl"])).content.decode()
    assert "ABL346" in content
    assert "Wrong" in content
    assert "Right" in content


def test_every_model_has_its_page_in_the_admin(client, document):
    admin = UserFactory(is_superuser=True, is_staff=True)
    services.token_create(project=document.project, user=admin)
    services.draft_save(document=document, user=admin, text="x", base_revision=1)
    client.force_login(admin)
    for name in ("user", "project", "membership", "document", "revision", "draft", "apitoken"):
        assert client.get(f"/admin/editor/{name}/?q=a").status_code == 200
    assert client.get(f"/admin/editor/revision/{document.head.pk}/change/").status_code == 200
    assert client.post(f"/admin/editor/revision/{document.head.pk}/delete/", {"post": "yes"}).status_code == 403
    assert b"digest" not in client.get(f"/admin/editor/apitoken/{ApiToken.objects.get().pk}/change/").content


def test_the_command_prints_a_token_that_works(people, capsys):
    from django.core.management import CommandError, call_command

    call_command("api_token", "editor", "library")
    assert selectors.token_get(secret=capsys.readouterr().out.strip()).user == people["editor"]
    for user, project in (("nobody", "library"), ("stranger", "library"), ("editor", "none")):
        with pytest.raises(CommandError, match=r"There is no|may see"):
            call_command("api_token", user, project)


def test_pages_ask_the_database_as_often_for_many_documents_as_for_one(as_, project, django_assert_max_num_queries):
    for n in range(12):
        DocumentFactory(project=project, path=f"d{n}.agent.abl")
    client = as_("viewer")
    with django_assert_max_num_queries(8):
        client.get("/p/library/")
    with django_assert_max_num_queries(8):
        client.get("/")
