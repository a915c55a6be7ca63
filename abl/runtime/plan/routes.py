"""ROUTING of a supervisor prepared for running (docs/spec 09 §4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abl.language import plain
from abl.language.entry import Entry
from abl.language.written import unquoted
from abl.runtime.evaluation import Formula
from abl.runtime.plan.agent_text import AgentText
from abl.runtime.plan.listed import Listed, entries, entry_at

ACTIONS = ("ROUTE_TO", "ROUTE_TO_USER", "ROUTE_TO_VARIABLE", "INTENT_MATCH", "END_CONVERSATION", "SYSTEM_ACTION")


@dataclass(frozen=True, slots=True)
class Route:
    """What a rule does: one of ``ACTIONS``, or COMPLETE, ESCALATE, HANDOFF, with what follows it."""

    action: str
    given: str = ""


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """An entry of ROUTING. ``by_intent`` holds intents with their routes; ``fallback`` is for when none fits."""

    name: str
    priority: int
    when: Formula
    route: Route | None
    by_intent: tuple[tuple[frozenset[str], Route], ...]
    fallback: Route | None
    limits: Entry
    span: Any


def route_plans(program: AgentText) -> tuple[RoutePlan, ...]:
    """ROUTING, lower priority first, then as declared."""
    section = program.agent.section("ROUTING")
    listed = entries("routing", section.block if section is not None else None)
    return tuple(sorted((_plan(program, entry) for entry in listed), key=lambda plan: plan.priority))


def _plan(program: AgentText, entry: Listed) -> RoutePlan:
    given = entry.given
    then = given.lines("THEN")
    below = entry_at("routed", then) or None
    matches = next((e.lines("INTENT_MATCH") for e in (given, below) if e is not None and "INTENT_MATCH" in e), None)
    listed = [item.given for item in entries("intent_match", matches)] if matches is not None else []
    fallbacks = [e.text("FALLBACK") for e in (given, *listed, *([below] if below is not None else []))]
    when = given.lines("WHEN")
    return RoutePlan(
        name=given.text("NAME") or "",
        priority=given.given("PRIORITY") if given.given("PRIORITY") is not None else 100,
        when=program.condition(when.value if when is not None else None),  # type: ignore[arg-type]
        route=_route(given.text("THEN")) if below is None and "THEN" in given else _written(below or given),
        by_intent=tuple(
            (frozenset(plain(name) for name in match.texts("INTENTS")), route)
            for match in listed
            if (route := _route(match.text("ACTION"))) is not None
        ),
        fallback=next((route for text in fallbacks if (route := _route(text)) is not None), None),
        limits=Entry.at("route_limits", given.lines("CONSTRAINTS")),
        span=program.span(entry.block),
    )


def _route(text: str | None) -> Route | None:
    """``ROUTE_TO Desk``, ``ROUTE_TO_USER "Sorry?"``, ``END_CONVERSATION``."""
    word, _, rest = (text or "").strip().partition(" ")
    return Route(word.rstrip(":").upper(), unquoted(rest)) if word else None


def _written(given: Entry) -> Route | None:
    """A route that is a key of its own."""
    keys = [key for key in ACTIONS if key in given and key != "INTENT_MATCH"]
    return Route(keys[0], given.text(keys[0]) or "") if keys else None
