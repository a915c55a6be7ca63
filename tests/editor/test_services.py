"""Saving, drafts, members, tokens: what is written, and what is refused without writing anything."""

from __future__ import annotations

import pytest

from editor import selectors, services
from editor.models import ApiToken, Document, Draft, Membership, Project, Revision
from tests.factories import DocumentFactory, MembershipFactory, ProjectFactory, UserFactory
from web.errors import Conflict, Forbidden, Invalid, NotFound

BROKEN = 'AGENT: Desk\nCONSTRAINTS:\n  - REQUIRE (((\n   "never closed\n'


def save(document, user, text, base, message=""):
    return services.document_save(document=document, user=user, text=text, base_revision=base, message=message)


def test_a_save_appends_a_revision_that_knows_its_parent_author_and_message(document, editor):
    revision = save(document, editor, "AGENT: B\n", 1, "second\ntry")
    assert (revision.number, revision.author, revision.message) == (2, editor, "second try")
    assert revision.parent.number == 1
    assert selectors.document_get(project=document.project, path=document.path).head == revision


def test_a_broken_agent_can_be_saved(document, editor):
    assert save(document, editor, BROKEN, 1).text == BROKEN


@pytest.mark.parametrize(
    "text", ["", "\n", "\t\tx\r\ny", "\ufeffAGENT: X\n", "👩🏽‍🚀 €", "[" * 10_000, "x" * 100_000, "a\rb"]
)
def test_odd_texts_come_back_exactly_as_they_were_saved(document, editor, text):
    save(document, editor, text, 1)
    assert selectors.document_get(project=document.project, path=document.path).head.text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\nb\0c", "NUL character in line 2"),
        ("\ud800", "half of a surrogate pair in line 1"),
        ("x" * 2_000_001, "2,000,001"),
    ],
)
def test_text_that_no_database_can_keep_is_refused_with_the_reason(document, editor, text, words):
    with pytest.raises(Invalid, match=words):
        save(document, editor, text, 1)
    assert Revision.objects.count() == 1


def test_a_save_on_an_older_revision_writes_nothing_and_shows_the_newest(document, owner, editor):
    save(document, owner, "theirs", 1)
    services.draft_save(document=document, user=editor, text="mine", base_revision=1)
    with pytest.raises(Conflict) as caught:
        save(document, editor, "mine", 1)
    assert caught.value.current["text"] == "theirs"
    assert caught.value.current["revision"] == 2
    assert caught.value.current["author"] == "owner"
    assert Revision.objects.filter(document=document).count() == 2
    assert selectors.draft_get(document=document, user=editor).text == "mine"


def test_saving_the_same_text_twice_makes_one_revision(document, editor):
    first = save(document, editor, "again", 1)
    second = save(document, editor, "again", 1)
    assert first == second
    assert Revision.objects.filter(document=document).count() == 2


def test_a_save_ends_the_draft_of_its_author_only(document, owner, editor):
    for user in (owner, editor):
        services.draft_save(document=document, user=user, text=f"draft of {user}", base_revision=1)
    save(document, editor, "saved", 1)
    assert selectors.draft_get(document=document, user=editor) is None
    assert selectors.draft_get(document=document, user=owner) is not None


def test_a_draft_is_replaced_not_multiplied(document, editor):
    services.draft_save(document=document, user=editor, text="one", base_revision=1)
    services.draft_save(document=document, user=editor, text="two", base_revision=1)
    assert [draft.text for draft in Draft.objects.all()] == ["two"]


def test_a_draft_equal_to_its_revision_is_none(document, editor):
    services.draft_save(document=document, user=editor, text="one", base_revision=1)
    assert services.draft_save(document=document, user=editor, text=document.head.text, base_revision=1) is None
    assert not Draft.objects.exists()


def test_a_draft_on_an_unknown_revision_is_refused(document, editor):
    with pytest.raises(Invalid, match="no revision 7; the newest is 1"):
        services.draft_save(document=document, user=editor, text="x", base_revision=7)


def test_a_project_belongs_to_who_made_it(db):
    user = UserFactory()
    project = services.project_create(user=user, name="  Café  Nord ", description="d")
    assert (project.slug, project.name) == ("cafe-nord", "Café Nord")
    assert Membership.objects.get(project=project).role == "owner"


def test_projects_of_the_same_name_get_different_slugs(db):
    user = UserFactory()
    slugs = [services.project_create(user=user, name="Desk").slug for _ in range(3)]
    assert slugs == ["desk", "desk-2", "desk-3"]


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "x" * 121},
        {"name": "ok", "slug": "No Slug"},
        {"name": "a\0b"},
        {"name": "ok", "slug": "library"},
    ],
)
def test_a_bad_project_is_refused_and_not_half_made(project, owner, fields):
    before = Project.objects.count()
    with pytest.raises(Invalid):
        services.project_create(user=owner, **fields)
    assert Project.objects.count() == before


def test_the_last_owner_can_neither_leave_nor_become_less(project, owner):
    with pytest.raises(Conflict, match="last owner"):
        services.member_remove(project=project, username="owner")
    with pytest.raises(Conflict, match="last owner"):
        services.member_set(project=project, username="owner", role="viewer")
    services.member_set(project=project, username="editor", role="owner")
    services.member_remove(project=project, username="owner")
    assert list(Membership.objects.filter(project=project, role="owner").values_list("user__username", flat=True)) == [
        "editor"
    ]


def test_a_member_gets_another_role_and_stays_one_member(project, people):
    services.member_set(project=project, username="viewer", role="editor")
    assert Membership.objects.get(project=project, user=people["viewer"]).role == "editor"


@pytest.mark.parametrize(("username", "role", "field"), [("nobody", "viewer", "user"), ("stranger", "boss", "role")])
def test_unknown_users_and_roles_are_named(project, people, username, role, field):
    with pytest.raises(Invalid) as caught:
        services.member_set(project=project, username=username, role=role)
    assert list(caught.value.fields) == [field]


def test_tokens_of_a_removed_member_stop_working(project, people):
    _, secret = services.token_create(project=project, user=people["editor"])
    services.member_remove(project=project, username="editor")
    assert selectors.token_get(secret=secret) is None


def test_a_token_is_kept_as_a_digest_only(project, owner):
    token, secret = services.token_create(project=project, user=owner, name="ci")
    stored = ApiToken.objects.get(pk=token.pk)
    assert secret not in str(vars(stored))
    assert len(stored.digest) == 64
    assert selectors.token_get(secret=secret) == token
    services.token_revoke(token=token)
    assert selectors.token_get(secret=secret) is None


def test_a_token_of_an_inactive_user_does_not_work(project, owner):
    _, secret = services.token_create(project=project, user=owner)
    owner.is_active = False
    owner.save()
    assert selectors.token_get(secret=secret) is None


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.agent.abl", "agent"),
        ("x/y.tools.abl", "tools"),
        ("b.behavior_profile.abl", "profile"),
        ("s.scenario.yaml", "scenario"),
    ],
)
def test_the_ending_of_a_path_tells_the_kind(project, owner, path, kind):
    document = services.document_create(project=project, user=owner, path=path, text="")
    assert document.kind == kind


@pytest.mark.parametrize(
    "path", ["", "../x", "a/../b", "a//b", "/a", "a/", "a b", "a\nb", "ü.abl", "x" * 201, ".hidden"]
)
def test_paths_that_lead_elsewhere_are_refused(project, owner, path):
    with pytest.raises(Invalid):
        services.document_create(project=project, user=owner, path=path, text="")


def test_a_path_is_given_once_in_a_project_but_may_be_used_in_another(document, owner):
    with pytest.raises(Invalid, match="already exists"):
        services.document_create(project=document.project, user=owner, path=document.path, text="")
    assert DocumentFactory(project=ProjectFactory(), path=document.path)
    other = DocumentFactory(project=document.project)
    with pytest.raises(Invalid, match="already exists"):
        services.document_rename(document=other, path=document.path)
    assert Document.objects.get(pk=other.pk).path != document.path


def test_a_deleted_document_takes_its_revisions_and_drafts_along(document, editor):
    save(document, editor, "two", 1)
    services.draft_save(document=document, user=editor, text="three", base_revision=2)
    services.document_delete(document=document)
    assert not Revision.objects.exists()
    assert not Draft.objects.exists()


def test_a_deleted_project_takes_everything_along(document, editor):
    save(document, editor, "two", 1)
    document.project.delete()
    assert not Revision.objects.exists()


def test_strangers_do_not_learn_that_a_project_exists(project, people):
    for slug in ("library", "there-is-none"):
        with pytest.raises(NotFound, match=slug):
            selectors.project_get(user=people["stranger"], slug=slug)
    with pytest.raises(Forbidden):
        selectors.project_get(user=people["viewer"], slug="library", permission="project.edit")


def test_the_admin_of_the_installation_sees_every_project(project):
    admin = UserFactory(is_superuser=True)
    assert selectors.project_get(user=admin, slug="library", permission="project.manage") == project
    assert project in selectors.project_list(user=admin)


def test_a_token_sees_its_own_project_only(project, owner):
    other = MembershipFactory(user=owner, role="owner").project
    token, _ = services.token_create(project=project, user=owner)
    assert list(selectors.project_list(user=owner, token=token)) == [project]
    with pytest.raises(NotFound):
        selectors.project_get(user=owner, slug=other.slug, token=token)


def test_the_overview_counts_agents_and_puts_the_last_changed_first(project, owner):
    newer = ProjectFactory()
    MembershipFactory(project=newer, user=owner)
    DocumentFactory(project=project, path="a.agent.abl")
    DocumentFactory(project=project, path="b.tools.abl", kind="tools")
    change = Revision.objects.get(document=DocumentFactory(project=newer))
    Revision.objects.filter(pk=change.pk).update(created_at=change.created_at.replace(year=2100))
    found = {p.slug: p for p in selectors.project_overview(user=owner)}
    assert found["library"].agents == 1
    assert next(iter(found)) == newer.slug
