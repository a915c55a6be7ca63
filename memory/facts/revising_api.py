"""Revising facts over HTTP: earlier values, times to live, many at once, the tree, the log (docs/spec 12 §5)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.facts import exporting
from memory.facts.api import FILTERS, READING, WRITING, FactSerializer, FactView, problem
from memory.facts.revising import MOST_DELETED, fact_restore, fact_retime, facts_delete_found
from memory.facts.selectors import facts_count
from memory.facts.services import REASON_LENGTH
from memory.lists import tree
from memory.lists.query import CHOSEN, STATES, FactQuery, chosen_facts
from memory.log import verification
from memory.models import Scope
from web.api.fields import WHOLE_LARGEST, Choice, Fields, Text, Whole
from web.errors import Invalid


class RestoreSerializer(Fields):
    """Which earlier value: the number of its entry in the log."""

    seq = Whole(min_value=1, max_value=2**63 - 1)
    expected_version = Whole(required=False, allow_null=True, min_value=1, max_value=WHOLE_LARGEST)
    reason = Text(required=False, allow_blank=True, max_length=300)


class TtlSerializer(Fields):
    """A time to live from now on; null: it no longer expires."""

    ttl = Text(allow_null=True, max_length=20)
    expected_version = Whole(required=False, allow_null=True, min_value=1, max_value=WHOLE_LARGEST)
    reason = Text(required=False, allow_blank=True, max_length=300)


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


class LogDifferenceSerializer(serializers.Serializer[Any]):
    """A fact that is not as the log says: its id (null: it is gone), the entry that says so (null: none), and how."""

    fact = serializers.IntegerField(allow_null=True)
    seq = serializers.IntegerField(allow_null=True)
    why = serializers.CharField()


class ChainStateSerializer(serializers.Serializer[Any]):
    """How far the log was verified, and the facts compared with it.

    ``broken`` is the first entry that does not hold. ``compared_at`` is when the comparison came to its end, null while
    it has not; of what differs ``differences`` are the first 100.
    """

    head_seq = serializers.IntegerField()
    verified_seq = serializers.IntegerField()
    checked_at = serializers.DateTimeField(allow_null=True)
    whole = serializers.BooleanField()
    broken_seq = serializers.IntegerField(allow_null=True)
    broken_why = serializers.CharField(allow_null=True)
    compared = serializers.IntegerField()
    compared_at = serializers.DateTimeField(allow_null=True)
    differing = serializers.IntegerField()
    differences = LogDifferenceSerializer(many=True)


class FiltersSerializer(Fields):
    """What the facts have in common, as the list of facts takes it."""

    scope = Choice(Scope.choices, required=False)
    owner = Text(required=False, max_length=200)
    below = Text(required=False, max_length=300)
    prefix = Text(required=False, max_length=300)
    domain = Text(required=False, max_length=300)
    state = Choice(STATES, required=False)
    agent = Text(required=False, max_length=300)
    since = Text(required=False, max_length=40)
    search = Text(required=False, max_length=300)


class FoundSerializer(Fields):
    """Which facts to delete. Without ``expected_count`` they are only counted."""

    filters = FiltersSerializer()
    expected_count = Whole(
        required=False, allow_null=True, min_value=0, max_value=MOST_DELETED, help_text="The count that was named."
    )
    reason = Text(required=False, allow_blank=True, max_length=REASON_LENGTH)


class FactFileSerializer(serializers.Serializer[Any]):
    """The facts of a selection; ``filters`` are those that were given, absent where facts were named."""

    project = serializers.CharField()
    exported_at = serializers.DateTimeField()
    filters = FiltersSerializer(required=False)
    facts = FactSerializer(many=True)


class DeletedSerializer(serializers.Serializer[Any]):
    """How many facts pass the filters (with ``more``: at least so many, too many at once), and how many went."""

    count = serializers.IntegerField()
    more = serializers.BooleanField()
    deleted = serializers.IntegerField()


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


class FactsFound(FactView):
    """Facts that have something in common."""

    costly = ("POST",)

    @extend_schema(
        operation_id="facts_delete_found", request=FoundSerializer, responses={200: DeletedSerializer, **WRITING}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Delete all facts that pass the filters, if they are still as many as were named.

        Without `expected_count` nothing is deleted: the answer names the count. When there are more or fewer by then
        the answer is 409 with the new count as `current`.
        """
        project = self.project(request, slug, write=True)
        given = self.given(request, FoundSerializer)
        query = FactQuery.read(given["filters"])
        expected = given.get("expected_count")
        if expected is None:
            there = facts_count(project=project, query=query, now=timezone.now(), upto=MOST_DELETED)
            return Response({"count": int(there), "more": there.more, "deleted": 0})
        actor: Any = request.user
        gone = facts_delete_found(
            project=project, query=query, expected=expected, actor=actor, reason=given.get("reason", "")
        )
        return Response({"count": expected, "more": False, "deleted": gone})


class FactExport(FactView):
    """Facts as a file."""

    costly = ("GET",)

    @extend_schema(
        operation_id="facts_export",
        parameters=[
            OpenApiParameter("as", enum=list(exporting.TYPES), default="json", description="The kind of file."),
            OpenApiParameter(
                "fact", OpenApiTypes.INT, many=True, description=f"These alone, 1 to {CHOSEN}, whatever the filters."
            ),
            *FILTERS,
        ],
        responses={
            (200, "application/json"): FactFileSerializer,
            (200, "text/csv"): OpenApiTypes.STR,
            400: problem("Bad filter; `fields` says which"),
            **READING,
        },
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """All facts that pass the filters, or those that are named, sent while they are read.

        Sensitive values are masked; what has expired is there without its value. A cell of the CSV that a spreadsheet
        would take for a formula begins with an apostrophe.
        """
        project = self.project(request, slug)
        given = request.query_params
        kind = exporting.kind_asked(given, "json")
        chosen = chosen_facts(given.getlist("fact")) if "fact" in given else None
        query = FactQuery.read(given)
        return exporting.facts_file(request._request, project=project, kind=kind, query=query, chosen=chosen)


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
            level = tree.children(project=project, scope=query.scope, owner=query.owner, below=query.below, after=after)
        else:
            level = tree.owners(project=project, scope=query.scope, after=after)
        results = [
            {
                "name": b.name,
                "path": b.path,
                "count": int(b.count),
                "more": b.count.more,
                "leaf": b.leaf,
                "kids": b.kids,
            }
            for b in level.branches
        ]
        return Response({"results": results, "more": level.more})


class LogVerification(FactView):
    """The state of the log."""

    costly = ("POST",)

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
        """Verify the next entries, 5,000 at most, then compare facts with the log, 1,000 at most.

        Ask again until `verified_seq` is `head_seq` and there is a `compared_at`; then another request compares anew.
        """
        project = self.project(request, slug, write=True)
        restart = request.query_params.get("restart") == "true"
        return Response(state_dict(verification.verify_some(project=project, restart=restart)))


def state_dict(state: verification.ChainState) -> dict[str, Any]:
    """The shape of the API."""
    return {
        "head_seq": state.head_seq,
        "verified_seq": state.verified_seq,
        "checked_at": state.checked_at.isoformat() if state.checked_at else None,
        "whole": state.whole,
        "broken_seq": state.broken.seq if state.broken else None,
        "broken_why": state.broken.why if state.broken else None,
        "compared": state.compared,
        "compared_at": state.compared_at.isoformat() if state.compared_at else None,
        "differing": state.differing,
        "differences": [asdict(each) for each in state.differences],
    }
