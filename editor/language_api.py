"""The language over HTTP, on text that is sent (docs/spec 12 §5). Nothing is stored."""

from __future__ import annotations

import random
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from abl.analysis.check import check
from abl.analysis.reporting.render import as_dict
from abl.analysis.reporting.report import UnknownCode
from abl.editing.completion.complete import complete
from abl.editing.format import format_source
from abl.expressions import Budget, ExpressionError, compile_expression, render
from abl.expressions.budget import EXPLORATION
from abl.expressions.nodes import walk
from abl.expressions.sizes import SizeExceeded, written_size
from abl.expressions.values import truthy, type_tag
from abl.limits import MAX_ANSWER, MAX_SOURCE_CHARS
from editor.api import caller, valid
from editor.serializers import (
    MAX_FILES,
    CheckSerializer,
    CompleteSerializer,
    EvaluateSerializer,
    FormatSerializer,
    OffersSerializer,
    ReportSerializer,
    TextSerializer,
    ValueSerializer,
)
from editor.texts import readable
from web.api.fields import StrictQuery
from web.errors import Invalid

MOST_EXPLAINED = 2_000
"""Parts of an expression whose tree is answered: each may hold a value of 2,048 characters."""


class LanguageView(StrictQuery):
    """Open to every signed-in user."""

    costly = ("POST",)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """A token or a session, as everywhere."""
        super().initial(request, *args, **kwargs)
        caller(request)


class Check(LanguageView):
    """What ``abl check --format json`` says."""

    @extend_schema(request=CheckSerializer, responses=ReportSerializer)
    def post(self, request: Request) -> Response:
        """Diagnostics of the texts that are sent, checked together as one project."""
        data = valid(CheckSerializer, request)
        files = texts_of(data["files"])
        try:
            report = check(files, select=data.get("select"), ignore=data.get("ignore"))
        except UnknownCode as error:
            raise Invalid(fields={"select or ignore": str(error)}) from None
        return Response(as_dict(report.diagnostics, report.index.sources))


class Format(LanguageView):
    """What ``abl fmt`` writes."""

    @extend_schema(request=FormatSerializer, responses=TextSerializer)
    def post(self, request: Request) -> Response:
        """The text in the canonical layout; what cannot be read is left as it is."""
        return Response({"text": format_source(readable(valid(FormatSerializer, request)["text"]))})


class Complete(LanguageView):
    """What may be written at a place."""

    @extend_schema(request=CompleteSerializer, responses=OffersSerializer)
    def post(self, request: Request) -> Response:
        """Sections, keys, values, names and functions that fit there, best first."""
        data = valid(CompleteSerializer, request)
        files = texts_of(data["files"])
        if data["path"] not in files:
            raise Invalid(fields={"path": f"{data['path'][:80]!r} is not one of the files sent."})
        return Response({"items": complete(files, data["path"], data["line"], data["column"])})


class Evaluate(LanguageView):
    """What ``abl eval`` says."""

    @extend_schema(request=EvaluateSerializer, responses=ValueSerializer)
    def post(self, request: Request) -> Response:
        """The value of an expression or template; ``error`` says why there is none."""
        data = valid(EvaluateSerializer, request)
        with Budget.of(EXPLORATION) as budget:
            charge(data["context"], budget)
            return Response(rendered(data) if data["template"] else evaluated(data))


def texts_of(files: dict[str, str]) -> dict[str, str]:
    """The files of a request within bounds."""
    if len(files) > MAX_FILES or sum(map(len, files.values())) > MAX_SOURCE_CHARS:
        most = f"at most {MAX_FILES} files and {MAX_SOURCE_CHARS:,} characters together"
        raise Invalid(fields={"files": f"are too much; {most}."})
    return {path: readable(text) for path, text in files.items()}


def charge(context: dict[str, Any], budget: Budget) -> None:
    """Count what a request brings like what its evaluation makes. Raises BudgetExceeded."""
    found: list[Any] = [context]
    while found:
        value = found.pop()
        if isinstance(value, str):
            budget.write(len(value))
        elif isinstance(value, (dict, list)):
            budget.make(len(value))
            found += value.values() if isinstance(value, dict) else value


def rendered(data: dict[str, Any]) -> dict[str, Any]:
    """The text of a template."""
    text = render(data["expression"], data["context"], now=data["now"])
    return {"value": text, "type": "string", "truthy": bool(text), "error": None}


def evaluated(data: dict[str, Any]) -> dict[str, Any]:
    """Value, type, truth and, where asked for, the tree; random numbers are those of seed 0, so answers repeat.

    Raises BudgetExceeded, also for a value that is too large to be written out.
    """
    try:
        expression = compile_expression(data["expression"])
    except ExpressionError as error:
        problem = {"code": error.code, "message": str(error), "start": error.start, "end": error.end}
        return {"value": None, "type": "null", "truthy": False, "error": problem}
    context, now = data["context"], data["now"]
    outcome = expression.evaluate_checked(context, now=now, rng=random.Random(0))  # noqa: S311
    if outcome.exceeded is not None:
        raise outcome.exceeded
    if (size := written_size(outcome.value, "the value")) > MAX_ANSWER:
        raise SizeExceeded("value", "the value", size, MAX_ANSWER)
    answer = {
        "value": outcome.value,
        "type": type_tag(outcome.value),
        "truthy": truthy(outcome.value),
        "error": {"message": outcome.error} if outcome.error else None,
    }
    if data["explain"]:
        parts = sum(1 for _ in walk(expression.node))
        if parts > MOST_EXPLAINED:
            raise Invalid(
                fields={"explain": f"the expression has {parts:,} parts; at most {MOST_EXPLAINED:,} are explained"}
            )
        answer["tree"] = expression.explain(context, now=now, rng=random.Random(0), full=True)  # noqa: S311
    return answer
