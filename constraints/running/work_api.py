"""What the workers do and what waits, over HTTP, for admins of the installation (docs/spec 12 §5)."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from constraints import selectors
from constraints.models import Turn
from constraints.running.work_views import refuse_others
from editor.api import caller
from web.api.fields import StrictQuery
from web.api.pagination import KeysetPagination
from web.errors import Forbidden, Invalid

RUNNING, QUEUED = str(Turn.Status.RUNNING), str(Turn.Status.QUEUED)
STATUS = OpenApiParameter("status", enum=[RUNNING, QUEUED], description="Which turns; those that run, if absent.")


class ByAge(KeysetPagination):
    """The oldest first."""

    ordering = "id"


class UnfinishedTurnSerializer(serializers.ModelSerializer[Turn]):
    """A turn that runs or waits, and where it belongs.

    Turns are shared out by ``account``, who started the conversation. To stop one, POST to
    ``projects/{project}/conversations/{conversation}/turns/{index}/cancel/``.
    """

    project = serializers.CharField(source="conversation.project.slug")
    conversation = serializers.IntegerField(source="conversation.number")
    account = serializers.CharField(source="conversation.started_by.username", default=None, allow_null=True)

    class Meta:
        model = Turn
        fields = (
            "project",
            "conversation",
            "index",
            "account",
            "kind",
            "status",
            "queued_at",
            "started_at",
            "deadline_at",
            "attempt",
            "worker",
            "cancel_requested",
        )
        read_only_fields = fields


class UnfinishedTurns(StrictQuery, ListAPIView[Turn]):
    """Running and waiting turns of all projects."""

    serializer_class = UnfinishedTurnSerializer
    pagination_class = ByAge
    queryset = Turn.objects.none()

    def get_queryset(self) -> QuerySet[Turn]:
        """Those of one status."""
        if getattr(self, "swagger_fake_view", False):
            return Turn.objects.none()
        user, token = caller(self.request)
        if token is not None:
            raise Forbidden("A token belongs to one project; this lists the turns of all. Sign in instead.")
        refuse_others(user)
        status = self.request.query_params.get("status", RUNNING)
        if status not in (RUNNING, QUEUED):
            raise Invalid(fields={"status": f"{status[:40]!r} is not one of {RUNNING}, {QUEUED}."})
        return selectors.turns_waiting() if status == QUEUED else selectors.turns_running()

    @extend_schema(parameters=[STATUS])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Running turns, or those that wait, oldest first. For admins of the installation, signed in."""
        return super().get(request, *args, **kwargs)
