"""Addresses of the pages of test conversations."""

from django.urls import path

from constraints.conversations import deletion_views, stream, views
from constraints.previews import views as preview_views
from constraints.running import work_views

app_name = "constraints"
urlpatterns = [
    path("turns/", work_views.work, name="work"),
    path("turns/<int:pk>/stop/", work_views.work_stop, name="work-stop"),
    path("p/<slug:slug>/test/", views.conversations, name="conversations"),
    path("p/<slug:slug>/memory/preview/", preview_views.preview, name="preview"),
    path("p/<slug:slug>/test/panel/", views.panel, name="panel"),
    path("p/<slug:slug>/test/delete/", deletion_views.delete, name="delete"),
    path("p/<slug:slug>/test/<int:number>/", views.conversation, name="conversation"),
    path("p/<slug:slug>/test/<int:number>/export/", views.export, name="export"),
    path("p/<slug:slug>/test/<int:number>/stream/", stream.stream, name="stream"),
    path("p/<slug:slug>/test/<int:number>/events/<int:seq>/", views.event, name="event"),
    path("p/<slug:slug>/test/<int:number>/turns/", views.turn_create, name="turn-create"),
    path("p/<slug:slug>/test/<int:number>/turns/<int:index>/chat/", views.turn_chat, name="turn-chat"),
    path("p/<slug:slug>/test/<int:number>/turns/<int:index>/events/", views.turn_events, name="turn-events"),
    path("p/<slug:slug>/test/<int:number>/turns/<int:index>/rules/", views.turn_rules, name="turn-rules"),
    path("p/<slug:slug>/test/<int:number>/turns/<int:index>/cancel/", views.turn_cancel, name="turn-cancel"),
]
