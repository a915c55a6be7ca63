"""Addresses of the pages. A document has no slash at its end, so what follows one is an action on it."""

from django.urls import path

from editor import views
from editor.editing import views as editing

app_name = "editor"

DOCUMENT = "p/<slug:slug>/edit/<path:path>/"

urlpatterns = [
    path("", views.home, name="home"),
    path("projects/new/", views.project_new, name="project_new"),
    path("diagnostics/<slug:code>/", views.diagnostic, name="diagnostic"),
    path("p/<slug:slug>/", views.project, name="project"),
    path("p/<slug:slug>/new/", views.document_new, name="document_new"),
    path("p/<slug:slug>/settings/", views.settings, name="settings"),
    path("p/<slug:slug>/settings/trials/", views.trials_set, name="trials_set"),
    path("p/<slug:slug>/settings/members/", views.member_set, name="member_set"),
    path("p/<slug:slug>/settings/members/<str:username>/remove/", views.member_remove, name="member_remove"),
    path("p/<slug:slug>/settings/tokens/", views.token_new, name="token_new"),
    path("p/<slug:slug>/settings/tokens/<int:pk>/revoke/", views.token_revoke, name="token_revoke"),
    path(DOCUMENT + "analyse/", editing.analyse, name="analyse"),
    path(DOCUMENT + "complete/", editing.complete, name="complete"),
    path(DOCUMENT + "hover/", editing.hover, name="hover"),
    path(DOCUMENT + "format/", editing.formatted, name="format"),
    path(DOCUMENT + "fixes/", editing.bulk_fixes, name="bulk_fixes"),
    path(DOCUMENT + "rules/", editing.rules, name="rules"),
    path(DOCUMENT + "places/", editing.places, name="places"),
    path(DOCUMENT + "rename-name/", editing.rename, name="rename_name"),
    path(DOCUMENT + "draft/", editing.draft, name="draft"),
    path(DOCUMENT + "draft/discard/", editing.draft_discard, name="draft_discard"),
    path(DOCUMENT + "current/", editing.current, name="current"),
    path(DOCUMENT + "rename/", views.document_rename, name="document_rename"),
    path(DOCUMENT + "delete/", views.document_delete, name="document_delete"),
    path(DOCUMENT + "revisions/", views.revisions, name="revisions"),
    path(DOCUMENT + "revisions/<int:number>/", views.revision, name="revision"),
    path("p/<slug:slug>/edit/<path:path>", editing.document, name="document"),
]
