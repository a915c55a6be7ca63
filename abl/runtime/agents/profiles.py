"""Behaviour profiles: which hold, and what they change while they do (docs/spec 09 §12)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from abl.runtime.plan.left_out import WHY
from abl.runtime.plan.profiles import used_names

if TYPE_CHECKING:
    from abl.language.entry import Entry
    from abl.runtime.engine import Engine
    from abl.runtime.plan.fields import FieldPlan
    from abl.runtime.plan.parts import RulePlan
    from abl.runtime.plan.profiles import ProfilePlan
    from abl.runtime.state import Thread

ACTIVE = "_profiles"
"""Where a thread keeps the names of its active profiles, the one that wins first."""


def attached(engine: Engine, thread: Thread) -> list[ProfilePlan]:
    """The profiles of the agent, the one that wins first; of one priority the later one."""
    program = engine.program(thread)
    used = [plan for name in used_names(program) if (plan := engine.profiles.get(name)) is not None]
    later_first = [*used, *program.profiles]
    later_first.reverse()
    return sorted(later_first, key=lambda plan: -plan.priority)


def choose(engine: Engine, thread: Thread) -> None:
    """Judge every WHEN; a `profile` event records when others hold than before (T3)."""
    plans = attached(engine, thread)
    before = thread.system.get(ACTIVE, [])
    if not plans and not before:
        return
    judged = [(plan, engine.holds(thread, plan.when)) for plan in plans]
    active = [plan for plan, holds in judged if holds]
    names = [plan.name for plan in active]
    if names == before:
        return
    thread.system[ACTIVE] = names
    data = {
        "active": names,
        "was": before,
        "profiles": [{"name": p.name, "priority": p.priority, "when": p.when.text, "holds": h} for p, h in judged],
    }
    engine.recorder.emit("profile", data, span=active[0].span if active else plans[0].span if plans else None)
    for plan in active:
        for out in plan.left_out if plan.name not in before else ():
            engine.recorder.not_executed(f"profile.{out.construct}", WHY, out.span, name=plan.name)


def active(engine: Engine, thread: Thread) -> list[ProfilePlan]:
    """The profiles that hold, the one that wins first."""
    names = thread.system.get(ACTIVE)
    return [plan for plan in attached(engine, thread) if plan.name in names] if names else []


def rules(engine: Engine, thread: Thread) -> tuple[RulePlan, ...]:
    """Rules of the active profiles, which follow those of the agent."""
    return tuple(rule for plan in active(engine, thread) for rule in plan.rules)


def hidden_tools(engine: Engine, thread: Thread) -> frozenset[str]:
    """Tools that are unavailable now: hidden ones, and those that are added only by inactive profiles (09 §12)."""
    plans = attached(engine, thread)
    if not plans:
        return frozenset()
    holding = active(engine, thread)
    best = {name: plan.priority for plan in reversed(holding) for name in plan.added}
    hidden = {name for plan in holding for name in plan.hidden if best.get(name, -1) <= plan.priority}
    own = engine.program(thread).own_tools
    return frozenset(hidden | {name for plan in plans for name in plan.added if name not in best and name not in own})


def skips(engine: Engine, thread: Thread, step: str) -> bool:
    """Whether the flow leaves a step out now."""
    return any(step in plan.skipped for plan in active(engine, thread))


def instructions(engine: Engine, thread: Thread) -> list[str]:
    """Instructions of the active profiles, highest priority first."""
    return [plan.instructions for plan in active(engine, thread) if plan.instructions]


def response(engine: Engine, thread: Thread, key: str) -> Any:
    """A limit of RESPONSE, by the profile that wins among those that say so; None without one."""
    return next((plan.response[key] for plan in active(engine, thread) if key in plan.response), None)


def gathering(engine: Engine, thread: Thread, key: str) -> str:
    """``confirmation`` or ``validation_style`` of GATHER, by the profile that wins among those that say so (07 §11)."""
    return next((plan.gathering[key] for plan in active(engine, thread) if key in plan.gathering), "")


def fields(engine: Engine, thread: Thread, asked: tuple[FieldPlan, ...]) -> tuple[FieldPlan, ...]:
    """Fields as FIELD_OVERRIDES of the active profiles have them; those to skip are left out (07 §11)."""
    if not (plans := active(engine, thread)):
        return asked
    found = list(asked)
    for plan in reversed(plans):  # the one that wins comes last
        found = [made for field in found if (made := _overridden(field, plan.fields.get(field.name))) is not None]
    return tuple(found)


def _overridden(field: FieldPlan, override: Entry | None) -> FieldPlan | None:
    if override is None:
        return field
    if override.given("skip"):
        return None
    changes: dict[str, Any] = {}
    if "prompt" in override:
        changes["prompt"] = override.text("prompt")
    if "required" in override:
        changes["required"] = bool(override.value("required"))
        changes["activation"] = "required" if changes["required"] else "optional"
    if "extraction_hints" in override:
        changes["hints"] = override.texts("extraction_hints")
    if "validation" in override:
        changes["validate"] = override.text("validation")
    return replace(field, **changes)


def step(engine: Engine, thread: Thread, name: str | None) -> Entry | None:
    """OVERRIDES of a step, by the profile that wins among those that have one (06 §11)."""
    plans = active(engine, thread) if name else []
    return next((plan.steps[name] for plan in plans if name in plan.steps), None) if name else None
