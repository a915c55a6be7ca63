"""Addresses of the API of projects, documents and the language. A name is a path, so what follows it comes first."""

from django.urls import path

from editor import api, language_api

DOCUMENT = "projects/<slug:slug>/agents/<path:name>/"

urlpatterns = [
    path("check/", language_api.Check.as_view(), name="api-check"),
    path("format/", language_api.Format.as_view(), name="api-format"),
    path("complete/", language_api.Complete.as_view(), name="api-complete"),
    path("evaluate/", language_api.Evaluate.as_view(), name="api-evaluate"),
    path("projects/", api.ProjectList.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", api.ProjectDetail.as_view(), name="api-project"),
    path("projects/<slug:slug>/members/", api.MemberList.as_view(), name="api-members"),
    path("projects/<slug:slug>/members/<str:user>/", api.MemberDetail.as_view(), name="api-member"),
    path("projects/<slug:slug>/agents/", api.DocumentList.as_view(), name="api-documents"),
    path(DOCUMENT + "revisions/", api.RevisionList.as_view(), name="api-revisions"),
    path(DOCUMENT + "revisions/<int:number>/", api.RevisionDetail.as_view(), name="api-revision"),
    path(DOCUMENT + "diff/", api.Difference.as_view(), name="api-diff"),
    path(DOCUMENT, api.DocumentDetail.as_view(), name="api-document"),
]
