"""Erasing everything about a user over HTTP, and the receipts (docs/spec 12 §5)."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from editor.models import ApiToken, Project
from editor.selectors import project_get
from memory.erasure import services as erasure
from memory.facts.api import READING, WRITING, FactView
from memory.facts.services import REASON_LENGTH
from memory.values import OWNER_LENGTH
from web.api.fields import Fields, Flag, Text


class ErasureSerializer(Fields):
    """Whose data is erased, and why."""

    owner = Text(max_length=OWNER_LENGTH)
    reason = Text(max_length=REASON_LENGTH, help_text="Kept on the receipt, so it must not name the user.")
    dry_run = Flag(default=False, help_text="Count what there is and erase nothing.")


class ErasableSerializer(serializers.Serializer[Any]):
    """What there is about a user; ``counts`` as on the receipt."""

    counts = serializers.DictField(child=serializers.IntegerField())


class ReceiptSerializer(serializers.Serializer[Any]):
    """What was erased, how many, when and by whom; no values, and no id."""

    number = serializers.IntegerField()
    owner_digest = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField())
    reason = serializers.CharField()
    actor = serializers.CharField()
    started_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True, help_text="Null: ask again, it goes on.")
    entry = serializers.IntegerField(allow_null=True, help_text="The entry of the log that closes it.")


class ReceiptListSerializer(serializers.Serializer[Any]):
    """The newest receipts, at most 200."""

    results = ReceiptSerializer(many=True)


class ErasureView(FactView):
    """Erasing is for owners of the project."""

    def owned(self, request: Request, slug: str) -> Project:
        token = request.auth if isinstance(request.auth, ApiToken) else None
        return project_get(user=request.user, slug=slug, permission="project.manage", token=token)  # type: ignore[arg-type]


class ErasureList(ErasureView):
    """Receipts."""

    @extend_schema(operation_id="erasures_list", responses={200: ReceiptListSerializer, 403: WRITING[403], **READING})
    def get(self, request: Request, slug: str) -> Response:
        """The newest receipts."""
        found = erasure.receipts(project=self.owned(request, slug))[:200]
        return Response({"results": [erasure.receipt_dict(receipt) for receipt in found]})

    @extend_schema(
        operation_id="erasures_create",
        request=ErasureSerializer,
        responses={
            200: OpenApiResponse(ErasableSerializer, description="A dry run"),
            201: OpenApiResponse(ReceiptSerializer, description="Erased, or begun: see `finished_at`"),
            **WRITING,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Erase everything about one user, in every memory system, with the user's test conversations.

        It cannot be brought back. An answer comes after 20 seconds at the latest; where `finished_at` is null then, the
        same request continues with the same receipt.
        """
        project = self.owned(request, slug)
        serializer = ErasureSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        given = dict(serializer.validated_data)
        if given.pop("dry_run"):
            return Response({"counts": erasure.erasable(project=project, owner=given["owner"])})
        receipt = erasure.erase_owner(project=project, actor=request.user, seconds=erasure.PATIENCE, **given)  # type: ignore[arg-type]
        return Response(erasure.receipt_dict(receipt), status=status.HTTP_201_CREATED)


class ErasureDetail(ErasureView):
    """One receipt."""

    @extend_schema(operation_id="erasures_retrieve", responses={200: ReceiptSerializer, 403: WRITING[403], **READING})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """A receipt by its number."""
        receipt = erasure.receipt_get(project=self.owned(request, slug), number=number)
        return Response(erasure.receipt_dict(receipt))
