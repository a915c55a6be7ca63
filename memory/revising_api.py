"""Over HTTP: earlier values, times to live, the tree, the state of the log, erasing a user (docs/spec 12 §5)."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from editor.models import ApiToken, Project
from editor.selectors import project_get
from memory import erasure, tree, verification
from memory.api import READING, WHOLE_LARGEST, WRITING, FactSerializer, FactView, ReasonSerializer, problem
from memory.models import Scope
from memory.query import FactQuery
from memory.revising import fact_restore, fact_retime
from web.errors import Invalid


class RestoreSerializer(serializers.Serializer[Any]):
    """Which earlier value: the number of its entry in the log."""

    seq = serializers.IntegerField(min_value=1)
    expected_version = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=WHOLE_LARGEST)
    reason = serializers.CharField(required=False, allow_blank=True, max_length=300)


class TtlSerializer(serializers.Serializer[Any]):
    """A time to live from now on; null: it does not expire any more."""

    ttl = serializers.CharField(allow_null=True, max_length=20)
    expected_version = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=WHOLE_LARGEST)
    reason = serializers.CharField(required=False, allow_blank=True, max_length=300)


class BranchSerializer(serializers.Serializer[Any]):
    """A name of the tree. ``count`` stops at a bound; then ``more`` is true."""

    name = serializers.CharField()
    path = serializers.CharField()
    count = serializers.IntegerField()
    more = serializers.BooleanField()
    leaf = serializers.BooleanField()
    kids = serializers.BooleanField()


class LevelSerializer(serializers.Serializer[Any]):
    """Names beside each other; ``more`` lie behind the last."""

    results = BranchSerializer(many=True)
    more = serializers.BooleanField()


class ChainStateSerializer(serializers.Serializer[Any]):
    """How far the log was verified; ``broken`` is the first entry that does not hold."""

    head_seq = serializers.IntegerField()
    verified_seq = serializers.IntegerField()
    checked_at = serializers.DateTimeField(allow_null=True)
    whole = serializers.BooleanField()
    broken_seq = serializers.IntegerField(allow_null=True)
    broken_why = serializers.CharField(allow_null=True)


class ErasureSerializer(ReasonSerializer):
    """Whose data is erased, and why."""

    owner = serializers.CharField(max_length=200)


class ReceiptSerializer(serializers.Serializer[Any]):
    """What was erased, how many, when and by whom; no values, and no id."""

    number = serializers.IntegerField()
    owner_digest = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField())
    reason = serializers.CharField()
    actor = serializers.CharField()
    started_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    entry = serializers.IntegerField(allow_null=True)


class ReceiptListSerializer(serializers.Serializer[Any]):
    """The newest receipts, at most 200."""

    results = ReceiptSerializer(many=True)


class FactRestore(FactView):
    """An earlier value."""

    @extend_schema(operation_id="facts_restore", request=RestoreSerializer, responses={200: FactSerializer, **WRITING})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Make the value of an earlier entry the next version. A value that was kept masked cannot come back."""
        project = self.project(request, slug, write=True)
        given = self.given(request, RestoreSerializer)
        return self.shown(fact_restore(project=project, pk=pk, actor=request.user, **given))  # type: ignore[arg-type]


class FactTtl(FactView):
    """The time to live of a fact."""

    @extend_schema(operation_id="facts_ttl", request=TtlSerializer, responses={200: FactSerializer, **WRITING})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Extend it, shorten it or drop it, as a new version of the same value."""
        project = self.project(request, slug, write=True)
        given = self.given(request, TtlSerializer)
        return self.shown(fact_retime(project=project, pk=pk, actor=request.user, **given))  # type: ignore[arg-type]


class FactTree(FactView):
    """A level of the tree."""

    @extend_schema(
        operation_id="facts_tree",
        parameters=[
            OpenApiParameter("scope", enum=list(Scope.values), required=True),
            OpenApiParameter("owner", description="Paths of this owner; without it and `below`, the owners."),
            OpenApiParameter("below", description="The node whose children are listed."),
            OpenApiParameter("after", description="The last name of the level before."),
        ],
        responses={200: LevelSerializer, 400: problem("Bad filter; `fields` says which"), **READING},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Owners of a scope, or path segments below a node, with bounded counts."""
        project = self.project(request, slug)
        given = request.query_params
        query = FactQuery.read({name: given.get(name, "") for name in ("scope", "owner", "below")})
        if not query.scope:
            raise Invalid(fields={"scope": f"give one of {', '.join(map(str, Scope.values))}"})
        after = FactQuery.read({"prefix": given.get("after", "")}).prefix
        if query.owner or query.below or query.scope == Scope.PROJECT:
            level = tree.children(
                project=project, scope=query.scope, owner=query.owner, below=query.below, after=after
            )
        else:
            level = tree.owners(project=project, scope=query.scope, after=after)
        results = [
            {"name": b.name, "path": b.path, "count": int(b.count), "more": b.count.more, "leaf": b.leaf, "kids": b.kids}
            for b in level.branches
        ]
        return Response({"results": results, "more": level.more})


class LogVerification(FactView):
    """The state of the log."""

    @extend_schema(operation_id="facts_verification", responses={200: ChainStateSerializer, **READING})
    def get(self, request: Request, slug: str) -> Response:
        """How far the log was verified, without looking at it."""
        return Response(state_dict(verification.chain_state(project=self.project(request, slug))))

    @extend_schema(
        operation_id="facts_verify",
        request=None,
        parameters=[OpenApiParameter("restart", OpenApiTypes.BOOL, description="From the first entry again.")],
        responses={200: ChainStateSerializer, **WRITING},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Verify the next entries, 5,000 at most; ask again until `verified_seq` is `head_seq`."""
        project = self.project(request, slug, write=True)
        restart = request.query_params.get("restart") == "true"
        return Response(state_dict(verification.verify_some(project=project, restart=restart)))


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

    responses: ClassVar = {201: ReceiptSerializer, 400: WRITING[400], 403: WRITING[403], **READING}

    @extend_schema(operation_id="erasures_create", request=ErasureSerializer, responses=responses)
    def post(self, request: Request, slug: str) -> Response:
        """Erase everything about one user, in every memory system."""
        project = self.owned(request, slug)
        serializer = ErasureSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        receipt = erasure.erase_owner(project=project, actor=request.user, **serializer.validated_data)  # type: ignore[arg-type]
        return Response(erasure.receipt_dict(receipt), status=status.HTTP_201_CREATED)


class ErasureDetail(ErasureView):
    """One receipt."""

    @extend_schema(operation_id="erasures_retrieve", responses={200: ReceiptSerializer, 403: WRITING[403], **READING})
    def get(self, request: Request, slug: str, number: int) -> Response:
        """A receipt by its number."""
        receipt = erasure.receipt_get(project=self.owned(request, slug), number=number)
        return Response(erasure.receipt_dict(receipt))


def state_dict(state: verification.ChainState) -> dict[str, Any]:
    """The shape of the API."""
    return {
        "head_seq": state.head_seq,
        "verified_seq": state.verified_seq,
        "checked_at": state.checked_at.isoformat() if state.checked_at else None,
        "whole": state.whole,
        "broken_seq": state.broken.seq if state.broken else None,
        "broken_why": state.broken.why if state.broken else None,
    }
