"""Addresses of the API of test conversations (docs/spec 12 §5)."""

from django.urls import path

from constraints.conversations import api, stream
from constraints.previews import api as preview_api
from constraints.running import work_api
from memory.token_api import slashed

BASE = "projects/<slug:slug>/conversations/"

urlpatterns = [
    *slashed("memory/preview", preview_api.PromptPreview, "api-memory-preview"),
    path("turns/", work_api.UnfinishedTurns.as_view(), name="api-unfinished-turns"),
    path(BASE, api.ConversationList.as_view(), name="api-conversations"),
    path(f"{BASE}<int:number>/", api.ConversationDetail.as_view(), name="api-conversation"),
    path(f"{BASE}<int:number>/turns/", api.TurnList.as_view(), name="api-turns"),
    path(f"{BASE}<int:number>/turns/<int:index>/", api.TurnDetail.as_view(), name="api-turn"),
    path(f"{BASE}<int:number>/turns/<int:index>/cancel/", api.TurnCancel.as_view(), name="api-turn-cancel"),
    path(f"{BASE}<int:number>/events/", api.EventList.as_view(), name="api-events"),
    path(f"{BASE}<int:number>/events/stream/", stream.stream, name="api-events-stream"),
]
