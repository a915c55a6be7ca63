"""SET, CLEAR and RESET: how names change, and what the trace says about it (docs/spec 03 §2, §7; 06 §5.3, §5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.expressions.values import type_tag
from abl.runtime.constraints.tool_sources import from_tool, note_source
from abl.runtime.evaluation import value as value_formula
from abl.runtime.events.recorder import note
from abl.runtime.flow.detours import wrote
from abl.runtime.memory.facts import type_fits

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

NOT_KEPT = "other users would see the value, and it is sensitive; it ends with this session"
"""Why a ``RESET: never`` variable is not kept."""


def assign(
    engine: Engine,
    thread: Thread,
    target: str,
    value: Any,
    *,
    span: Any = None,
    expression: str | None = None,
    cause: str = "set",
    origin: str = "session",
    notes: list[dict[str, str]] | None = None,
    sensitive: bool = False,
    literal: bool = False,
    from_tool: bool = False,
) -> None:
    """Assign to a variable, a dotted path, or a declared persistent path, which writes the fact.

    ``literal``: the value is a constant of the text. ``from_tool``: it was computed from what a tool gave.
    """
    fact = _fact_path(engine, thread, target)
    note_source(thread, target, from_tool and value is not None)
    if value is None or isinstance(value, bool):
        sensitive = False  # true or false reveals no more than the outcome of a rule
    if sensitive:
        engine.recorder.add_derived(value)
    if fact is not None:
        _assign_fact(
            engine, thread, fact, target, value, span=span, expression=expression, cause=cause, sensitive=sensitive
        )
    else:
        _assign_variable(
            engine,
            thread,
            target,
            value,
            cause={"expression": expression, "cause": cause},
            span=span,
            origin=origin,
            notes=list(notes or ()),
            sensitive=sensitive,
        )
    wrote(engine, thread, target, literal=literal)


def assign_written(
    engine: Engine, thread: Thread, target: str, written: str, *, span: Any = None, cause: str = "set"
) -> None:
    """Evaluate a value as it is written and assign it; it is as sensitive as what it reads."""
    formula = value_formula(written)
    assign(
        engine,
        thread,
        target,
        engine.evaluate(thread, formula).value,
        span=span,
        expression=written,
        cause=cause,
        sensitive=engine.derives(thread, formula.names),
        from_tool=from_tool(thread, formula.names),
    )


def _assign_variable(
    engine: Engine,
    thread: Thread,
    target: str,
    value: Any,
    *,
    cause: dict[str, Any],
    span: Any,
    origin: str,
    notes: list[dict[str, str]],
    sensitive: bool,
) -> None:
    """Change a variable, or a part of it, and record that; ``cause`` is what the trace says besides the values."""
    if target in thread.granted:
        thread.granted.remove(target)
    root, *rest = target.split(".")
    masker = engine.masker(thread)
    shown_old = masker.shown(target, engine.context(thread).value(target))
    built = _built(thread, root, rest, value, notes)
    if (found := misfit(engine, thread, target, value)) is not None:
        notes.append(found)
    if sensitive or not rest:
        engine.taint(thread, root, sensitive)
    engine.put(thread, root, built, origin, span)
    if rest:
        thread.assigned[target] = engine.state.revision
    data: dict[str, Any] = {
        "name": target,
        "old": shown_old,
        "new": masker.shown(target, value),
        **cause,
        "state": {"set": {root: masker.shown(root, built)}},
    }
    if notes:
        data["notes"] = notes
    engine.recorder.emit("set", data, span=span)


def _built(thread: Thread, root: str, rest: list[str], value: Any, notes: list[dict[str, str]]) -> Any:
    """The new value of a variable of which the part at ``rest`` is replaced, or all of it."""
    if not rest:
        return value
    current = thread.variables.get(root)
    if current is not None and not isinstance(current, dict):
        notes.append(note("RUN005", "set.replaced", f"{root} was {type_tag(current)}, an object takes its place"))
    return nested(current, rest, value)


def misfit(engine: Engine, thread: Thread, target: str, value: Any) -> dict[str, str] | None:
    """The finding of a value that misses the declared TYPE of a session variable."""
    program = engine.program(thread)
    known = program.variables.get(target)
    declared = known.type if known is not None else program.state.types.get(target)
    if declared is None or type_fits(declared, value):
        return None
    message = f"{target} is declared {declared}, the value is {type_tag(value)}; it is stored as it is"
    return note("RUN005", "set.type_mismatch", message)


def nested(current: Any, rest: list[str], value: Any) -> dict[str, Any]:
    """A new object like ``current`` with one path below it replaced; what is no object becomes one."""
    base = dict(current) if isinstance(current, dict) else {}
    head, *tail = rest
    base[head] = nested(base.get(head), tail, value) if tail else value
    return base


def _fact_path(engine: Engine, thread: Thread, target: str) -> str | None:
    """The declared persistent path that an assignment to ``target`` writes (docs/spec 03 §3)."""
    declared = engine.program(thread).persistent
    if target in declared:
        return target
    parts = target.split(".")
    return next((p for size in range(len(parts) - 1, 0, -1) if (p := ".".join(parts[:size])) in declared), None)


def _assign_fact(
    engine: Engine,
    thread: Thread,
    path: str,
    target: str,
    value: Any,
    *,
    span: Any,
    expression: str | None,
    cause: str,
    sensitive: bool,
) -> None:
    """Write a fact, or one member of the object in it."""
    old = engine.context(thread).value(target)
    written = value
    if target != path:
        _, current = engine.facts.read(thread, path)
        written = nested(current, target[len(path) + 1 :].split("."), value)
    masker = engine.masker(thread)
    shown_old = masker.shown(target, old)
    if sensitive or target == path:
        engine.taint(thread, path, sensitive)
    data = {
        "name": target,
        "old": shown_old,
        "new": masker.shown(target, value),
        "expression": expression,
        "cause": cause,
        "fact": path,
    }
    event = engine.recorder.emit("set", data, span=span)
    engine.recorder.open(event)
    if not engine.facts.write(thread, path, written, cause=cause, span=span):
        event["status"] = "failed"
    engine.recorder.close()


def clear(engine: Engine, thread: Thread, names: list[str], *, span: Any = None, cause: str = "clear") -> None:
    """Remove variables; a persistent path is hidden for this session, its fact stays (docs/spec 03 §7)."""
    for name in names:
        old = engine.context(thread).value(name)
        masker = engine.masker(thread)
        data: dict[str, Any] = {"name": name, "old": masker.shown(name, old), "cause": cause}
        if name in engine.program(thread).persistent:
            if name not in thread.hidden:
                thread.hidden.append(name)
            thread.variables.pop(name, None)
            data["hidden"] = True
            data["state"] = {"facts": {name: None}}
        else:
            data["state"] = _remove(thread, name, masker)
        engine.assigned(thread, name)
        engine.recorder.emit("clear", data, span=span)


def _remove(thread: Thread, name: str, masker: Any) -> dict[str, Any]:
    if name in thread.granted:
        thread.granted.remove(name)
    root, *rest = name.split(".")
    if not rest:
        thread.variables.pop(name, None)
        thread.origins.pop(name, None)
        return {"unset": [name]}
    if isinstance(thread.variables.get(root), dict):
        thread.variables[root] = without(thread.variables[root], rest)
        return {"set": {root: masker.shown(root, thread.variables[root])}}
    return {}


def without(current: dict[str, Any], rest: list[str]) -> dict[str, Any]:
    """A new object like ``current`` with one path below it gone."""
    head, *tail = rest
    base = dict(current)
    if not tail:
        base.pop(head, None)
    elif isinstance(base.get(head), dict):
        base[head] = without(base[head], tail)
    return base


def reset(engine: Engine, thread: Thread, policy: str, keep: list[str] | None = None) -> None:
    """Set the variables of one RESET policy back to INITIAL; ``keep`` names those that were passed in."""
    masker = engine.masker(thread)
    for plan in engine.program(thread).variables.values():
        if plan.reset != policy or (keep and plan.name in keep):
            continue
        old = thread.variables.get(plan.name)
        value = initial_value(engine, thread, plan.name)
        if plan.name in thread.variables and old == value and thread.origins.get(plan.name) == "initial":
            continue
        state: dict[str, Any] = {"set": {plan.name: masker.shown(plan.name, value)}}
        if value is None:
            thread.variables.pop(plan.name, None)
            thread.origins.pop(plan.name, None)
            engine.assigned(thread, plan.name)
            state = {"unset": [plan.name]}
            if old is None:
                continue
        else:
            engine.put(thread, plan.name, value, "initial")
        data = {"name": plan.name, "old": masker.shown(plan.name, old), "new": masker.shown(plan.name, value),
                "policy": policy, "state": state}  # fmt: skip
        engine.recorder.emit("reset", data, span=plan.span)


def initial_value(engine: Engine, thread: Thread, name: str) -> Any:
    """INITIAL of a declared variable; a computed one is evaluated now."""
    plan = engine.program(thread).variables[name]
    if plan.dynamic is None:
        return plan.initial
    value = engine.evaluate(thread, plan.dynamic).value
    if engine.derives(thread, plan.dynamic.names):
        engine.taint(thread, name, True)
        engine.recorder.add_derived(value)
    return value


def initialise(engine: Engine, thread: Thread) -> dict[str, Any]:
    """INITIAL values of a new thread, never over a value passed in (docs/spec 03 §2); gives what was set."""
    done: dict[str, Any] = {}
    masker = engine.masker(thread)
    for name, plan in engine.program(thread).variables.items():
        if name in thread.variables:
            continue
        kept = f"{thread.agent}.{name}"
        value = engine.kept[kept] if plan.reset == "never" and kept in engine.kept else None
        origin = "session" if value is not None else "initial"
        value = initial_value(engine, thread, name) if value is None else value
        if value is not None:
            engine.measure(thread, name, value, plan.span)
            thread.variables[name] = value
            if origin == "initial":
                thread.origins[name] = "initial"
            done[name] = masker.shown(name, value)
    return done


def start_afresh(engine: Engine, thread: Thread) -> None:
    """An agent that has completed begins again: what its RESET keeps stays, everything else is gone (09 §3)."""
    declared = engine.program(thread).variables
    gone = [name for name in thread.variables if name not in declared]
    if gone:
        clear(engine, thread, gone, cause="activation")
    for kept in (thread.sources, thread.notes, thread.system):
        kept.clear()
    thread.done = False


def keep_never(engine: Engine, thread: Thread) -> None:
    """Store what the turn gave the ``RESET: never`` variables of a thread for later sessions of this process.

    They are shared by all users, so what is sensitive is not kept, and the trace says so (docs/spec 03 §2).
    """
    for name, plan in engine.program(thread).variables.items():
        if plan.reset != "never":
            continue
        key, value = f"{thread.agent}.{name}", thread.variables.get(name)
        changed = thread.origins.get(name) != "initial" and engine.changed_in_turn(thread, name)
        if value is not None and _holds_secret(engine, thread, name, value):
            if changed or engine.kept.get(key) == value:
                engine.kept[key] = None
                engine.enter(thread)
                engine.recorder.not_executed("RESET", NOT_KEPT, plan.span, name=name)
        elif changed:
            engine.kept[key] = value


def _holds_secret(engine: Engine, thread: Thread, name: str, value: Any) -> bool:
    """True when events mask the value of a variable, or a part of it."""
    shown = engine.masker(thread).shown(name, value, whole=True)
    return bool(shown != value or engine.recorder.shown(shown) != shown)
