"""MEMORY of an agent prepared for running: variables, paths, triggers, recalls (docs/spec 03)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl.language import value_of_text
from abl.language.memory import scope_by_segment
from abl.runtime.evaluation import value
from abl.runtime.memory.in_memory import ttl_seconds
from abl.runtime.plan.parts import PathPlan, RecallPlan, TriggerPlan, VariablePlan
from abl.runtime.privacy.masking import Display

if TYPE_CHECKING:
    from abl.runtime.plan.agent_text import AgentText


def variables_of(program: AgentText) -> dict[str, VariablePlan]:
    """Declared session variables."""
    merged: dict[str, VariablePlan] = {}
    for entry in program.agent.memory.session if program.agent.memory else ():
        old, given = merged.get(entry.name.value), entry.typed
        initial, dynamic = old.initial if old else None, old.dynamic if old else None
        if entry.initial is not None:
            initial = entry.initial.value
            dynamic = value(entry.initial.dynamic.value) if entry.initial.dynamic else None
        merged[entry.name.value] = VariablePlan(
            name=entry.name.value,
            type=given.value("TYPE") or (old.type if old else None),
            initial=initial,
            dynamic=dynamic,
            reset=given.given("RESET") or (old.reset if old else "per_session"),
            span=program.span(entry),
        )
    return merged


def persistent_of(program: AgentText) -> dict[str, PathPlan]:
    """Declared persistent paths."""
    plans: dict[str, PathPlan] = {}
    for entry in program.agent.memory.persistent if program.agent.memory else ():
        path = entry.name.value
        display = None
        given = entry.typed
        if given.value("SENSITIVE"):
            display = Display.of(given.value("SENSITIVE_DISPLAY"), given.below("MASK_CONFIG"))
        plans[path] = PathPlan(
            path=path,
            scope=given.given("SCOPE") or scope_by_segment(path),
            access=value_of_text("persistent", "ACCESS", entry.access),
            type=given.value("TYPE"),
            default=entry.default.value if entry.default is not None else None,
            display=display,
            domain=given.value("DOMAIN"),
            span=program.span(entry),
        )
    return plans


def triggers_of(program: AgentText) -> tuple[TriggerPlan, ...]:
    """Remember triggers that can run, in declaration order."""
    plans = []
    for index, entry in enumerate(program.agent.memory.remember if program.agent.memory else ()):
        store = entry.store
        if store is None or store.target is None or store.value is None:
            continue
        when, stored = program.condition(entry.when), program.value(store.value)
        ttl, given = entry.typed.value("TTL"), store.typed
        plans.append(
            TriggerPlan(
                index=index,
                when=when,
                value=stored,
                target=store.target.value,
                append=given.value("OPERATION") == "append" and not store.arrow,
                unique=bool(given.value("UNIQUE")),
                max_size=given.value("MAXSIZE"),
                ttl=ttl,
                ttl_seconds=ttl_seconds(ttl) if ttl else None,
                names=tuple(dict.fromkeys((*when.names, *stored.names))),
                span=program.span(entry),
                text=store.value.value,
            )
        )
    return tuple(plans)


def recalls_of(program: AgentText) -> dict[str, tuple[RecallPlan, ...]]:
    """Recall instructions by event pattern."""
    grouped: dict[str, list[RecallPlan]] = {}
    for index, entry in enumerate(program.agent.memory.recall if program.agent.memory else ()):
        if entry.on is None:
            continue
        given = entry.typed
        plan = RecallPlan(
            index=index,
            event=given.value("ON"),
            action=given.value("ACTION"),
            paths=tuple(p.value for p in entry.paths) if entry.paths is not None else None,
            domain=given.value("DOMAIN"),
            instruction=entry.instruction.value if entry.instruction else None,
            span=program.span(entry),
        )
        grouped.setdefault(plan.event, []).append(plan)
    return {event: tuple(plans) for event, plans in grouped.items()}
