"""Texts take room on the disk: revisions and drafts are counted, and what has none left is told so."""

from __future__ import annotations

import pytest

from editor import services
from editor.models import ApiToken, Draft, Membership, Revision
from tests.factories import MembershipFactory, ProjectFactory
from web.errors import Invalid, TooLarge

HALF = "x" * 500_000


def save(document, user, text, base):
    return services.document_save(document=document, user=user, text=text, base_revision=base)


def draft(document, user, text):
    return services.draft_save(document=document, user=user, text=text, base_revision=1)


def test_a_text_counts_as_its_bytes(document, editor):
    assert save(document, editor, "é\n", 1).stored_bytes == 3
    assert draft(document, editor, "éé").stored_bytes == 4
    assert draft(document, editor, "é").stored_bytes == 2


@pytest.mark.parametrize(
    ("setting", "whose"), [("PROJECT_TEXTS_MB", "the project"), ("USER_TEXTS_MB", "editor, in all projects")]
)
def test_revisions_take_no_more_than_they_may(document, editor, settings, setting, whose):
    save(document, editor, HALF, 1)
    setattr(settings, setting, 1)
    with pytest.raises(TooLarge) as refused:
        save(document, editor, HALF + "y", 2)
    assert refused.value.code == "quota-exceeded"
    words = refused.value.fields["text"]
    assert words.startswith(f"has 500,001 bytes; revisions and drafts of {whose} take 50")
    assert f"of 1,000,000 bytes. Delete documents that are no longer needed, or have ABL_{setting} raised" in words
    assert Revision.objects.filter(document=document).count() == 2
    assert save(document, editor, HALF, 2).number == 2, "what is there already needs no room"
    with pytest.raises(TooLarge):
        services.document_create(project=document.project, user=editor, path="b.agent.abl", text=HALF + "y")
    assert document.project.documents.count() == 1


def test_drafts_count_too(document, owner, editor, settings):
    settings.PROJECT_TEXTS_MB = 1
    assert draft(document, editor, HALF)
    with pytest.raises(TooLarge):
        draft(document, owner, HALF)
    assert draft(document, editor, "y" * 900_000), "in its own place"
    with pytest.raises(TooLarge):
        draft(document, editor, "y" * 999_999)
    assert Draft.objects.get(user=editor).text == "y" * 900_000
    settings.PROJECT_TEXTS_MB = 0.5
    assert draft(document, editor, HALF), "what does not grow may be typed"


def test_small_texts_count_as_their_rows_do(document, editor, settings):
    settings.USER_TEXTS_MB = 0.003072
    for number in range(1, 4):
        save(document, editor, f"{number}", number)
    with pytest.raises(TooLarge, match="take 3,072 of 3,072 bytes"):
        save(document, editor, "4", 4)


def test_sizes_are_summed_without_reading_texts(document, editor):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from editor import room

    with CaptureQueriesContext(connection) as seen:
        room.refuse_over_quota(project=document.project, user=editor, text="x")
    assert len(seen) == 4
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for query in seen:
                plan = cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}").fetchall()
                steps = " ".join(str(step[-1]) for step in plan if "editor_document" not in str(step[-1]))
                assert "COVERING INDEX" in steps, steps


def test_an_account_owns_so_many_projects(owner, editor, settings):
    settings.USER_PROJECTS = Membership.objects.filter(user=owner, role="owner").count()
    with pytest.raises(Invalid, match=r"projects already; no more are allowed.*ABL_USER_PROJECTS"):
        services.project_create(user=owner, name="One more")
    assert services.project_create(user=editor, name="Of somebody else")


def test_a_project_has_so_many_documents(document, editor, monkeypatch):
    monkeypatch.setattr("editor.services.MOST_DOCUMENTS", 1)
    with pytest.raises(Invalid, match="already has 1 documents, the most allowed"):
        services.document_create(project=document.project, user=editor, path="b.agent.abl", text="x")


def test_a_user_has_so_many_tokens_and_revoked_ones_are_forgotten(editor, monkeypatch):
    monkeypatch.setattr("editor.services.MOST_TOKENS", 2)
    monkeypatch.setattr("editor.services.REVOKED_KEPT", 1)
    project = ProjectFactory()
    MembershipFactory(project=project, user=editor, role="editor")
    for number in range(5):
        token, _ = services.token_create(project=project, user=editor, name=f"old {number}")
        services.token_revoke(token=token)
    for number in range(2):
        services.token_create(project=project, user=editor, name=f"new {number}")
    with pytest.raises(Invalid, match="you have 2 tokens here; revoke one"):
        services.token_create(project=project, user=editor, name="one more")
    names = set(ApiToken.objects.filter(project=project).values_list("name", flat=True))
    assert names == {"old 4", "new 0", "new 1"}
