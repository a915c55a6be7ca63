"""Remember triggers and recall instructions (docs/spec 03 §4, §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.expressions.values import same
from abl.language.memory import scope_by_segment
from abl.runtime.constraints.records import condition_record, judged
from abl.runtime.constraints.tool_sources import from_tool, note_source
from abl.runtime.events.recorder import Event, iso_millis, note
from abl.runtime.memory.facts import unchanged
from abl.runtime.plan.parts import PathPlan, RecallPlan, TriggerPlan
from abl.runtime.plan.refusing import refused

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.ports import Fact
    from abl.runtime.state import Thread


def remember(engine: Engine, thread: Thread) -> None:
    """Consider every remember trigger of an agent at the end of a turn, in declaration order."""
    program = engine.program(thread)
    for trigger in program.triggers:
        if program.agent.memory is None or not refused(engine, thread, program.agent.memory.remember[trigger.index]):
            _consider(engine, thread, trigger)


def _consider(engine: Engine, thread: Thread, trigger: TriggerPlan) -> None:
    recorder = engine.recorder
    scope, owner, _ = engine.scope_of(trigger.target, thread)
    outcome = judged(engine, thread, trigger.when, recorded=True)
    data: dict[str, Any] = {
        "index": trigger.index, "path": trigger.target, "scope": scope, "owner": owner, "ttl": trigger.ttl,
        "expression": trigger.text, "skipped": None,
        "condition": condition_record(engine, thread, trigger.when, outcome, source="remember_when"),
    }  # fmt: skip
    if not outcome.holds:
        recorder.emit("remember", {**data, "skipped": "condition"}, status="skipped", span=trigger.span)
        engine.budget.require()
        return
    stored = engine.evaluate(thread, trigger.value)
    if stored.error:
        data["notes"] = [note("RUN006", "condition.error", f"{trigger.text}: {stored.error}; nothing is stored")]
    value = without_unset(stored.value)
    if value is None:
        recorder.emit("remember", {**data, "skipped": "null value"}, status="skipped", span=trigger.span)
        return
    plan = engine.program(thread).persistent.get(trigger.target)
    old = engine.facts.fact(scope, owner, trigger.target)
    if trigger.append:
        value = appended(old, plan, value, trigger)
    masker, secret = engine.masker(thread), engine.derives(thread, trigger.value.names)
    show = masker.hidden if secret else masker.shown
    data |= {"old": show(trigger.target, old.value) if old else None, "new": show(trigger.target, value)}
    if secret:
        engine.recorder.add_derived(value)
    same_value = unchanged(old, value) and not _renews(engine, thread, trigger)
    if same_value and str(trigger.index) in thread.stored:
        thread.stored[str(trigger.index)] = engine.state.revision  # considered: an expiry brings nothing back
    if same_value or _nothing_new(engine, thread, trigger):
        recorder.emit("remember", {**data, "skipped": "unchanged"}, status="skipped", span=trigger.span)
        return
    _store(engine, thread, trigger, value, data)


def _store(engine: Engine, thread: Thread, trigger: TriggerPlan, value: Any, data: dict[str, Any]) -> None:
    recorder = engine.recorder
    declared = trigger.target in engine.program(thread).persistent
    engine.taint(thread, trigger.target, engine.derives(thread, trigger.value.names))
    note_source(thread, trigger.target, from_tool(thread, trigger.value.names))
    event = recorder.emit("remember", data, span=trigger.span)
    recorder.open(event)
    written = engine.facts.write(
        thread,
        trigger.target,
        value,
        cause=f"remember#{trigger.index}",
        span=trigger.span,
        ttl=trigger.ttl,
        ttl_seconds=trigger.ttl_seconds,
    )
    recorder.close()
    if not written:
        event["status"] = "failed"
        event["data"]["skipped"] = "refused"
        return
    written_fact = engine.facts.writes[-1]
    event["data"]["expires_at"] = iso_millis(written_fact.expires_at) if written_fact.expires_at else None
    if not declared and trigger.target not in thread.granted:
        thread.granted.append(trigger.target)
    thread.stored[str(trigger.index)] = engine.state.revision


def _nothing_new(engine: Engine, thread: Thread, trigger: TriggerPlan) -> bool:
    """True when the trigger has stored in this session and nothing it reads was assigned since (03 §4 rule 4)."""
    since = thread.stored.get(str(trigger.index))
    if since is None:
        return False
    for known in (thread.assigned, engine.state.fact_assigned):
        for name, revision in known.items():
            if revision > since and any(overlaps(name, read) for read in trigger.names):
                return False
    return True


def _renews(engine: Engine, thread: Thread, trigger: TriggerPlan) -> bool:
    """True for a first store of the session, or a value that reads what was written in this turn (03 §4 rule 4)."""
    if str(trigger.index) not in thread.stored:
        return True
    written = {**thread.assigned, **engine.state.fact_assigned}
    return any(
        revision > engine.turn.since and any(overlaps(name, read) for read in trigger.value.names)
        for name, revision in written.items()
    )


def overlaps(one: str, other: str) -> bool:
    """True when one path is the other or lies below it."""
    return one == other or one.startswith(other + ".") or other.startswith(one + ".")


def without_unset(value: Any) -> Any:
    """The value with unset members of objects left out; None when no member is left (03 §4 rule 2)."""
    if not isinstance(value, dict) or not value:
        return value
    kept = {key: item for key, item in value.items() if item is not None}
    return kept or None


def appended(old: Fact | None, plan: PathPlan | None, value: Any, trigger: TriggerPlan) -> list[Any]:
    """The array with one more element, without duplicates and within its size where the author asked for it."""
    base = old.value if old is not None else (plan.default if plan is not None else None)
    items = [*base, value] if isinstance(base, list) else [value]
    if trigger.unique:
        distinct: list[Any] = []
        for item in items:
            if not any(same(item, known) for known in distinct):
                distinct.append(item)
        items = distinct
    if trigger.max_size is not None and len(items) > trigger.max_size:
        items = items[len(items) - trigger.max_size :]
    return items


def recall(engine: Engine, thread: Thread, *events: str) -> None:
    """Run the recall instructions of an event and of its wildcard form; a failure never stops a turn."""
    recalls, memory = engine.program(thread).recalls, engine.program(thread).agent.memory
    if not recalls or memory is None:
        return
    plans = [plan for event in events for plan in recalls.get(event, ())]
    for plan in sorted(plans, key=lambda p: p.index):
        if not refused(engine, thread, memory.recall[plan.index]):
            _recall(engine, thread, plan, events[0])


def _recall(engine: Engine, thread: Thread, plan: RecallPlan, event: str) -> None:
    data: dict[str, Any] = {"index": plan.index, "event": event, "action": plan.action}
    match plan.action:
        case "inject_context":
            recorded = engine.recorder.emit("recall", {**data, "paths": list(plan.paths or ())}, span=plan.span)
            engine.recorder.open(recorded)
            values, refused = _inject(engine, thread, list(plan.paths or ()))
            _finish(engine, recorded, values, refused)
        case "load_memory":
            recorded = engine.recorder.emit("recall", {**data, "domain": plan.domain}, span=plan.span)
            engine.recorder.open(recorded)
            paths = _domain_paths(engine, thread, plan)
            values, refused = _inject(engine, thread, paths)
            _finish(engine, recorded, values, refused)
        case _:
            text = engine.render(thread, plan.instruction or "").text
            if text:
                thread.notes[str(plan.index)] = text
            data |= {"instruction": engine.recorder.text(text), "queued": bool(text)}
            engine.recorder.emit("recall", data, span=plan.span)


def _finish(engine: Engine, recorded: Event, values: dict[str, Any], refused: list[str]) -> None:
    engine.recorder.close()
    recorded["data"] |= {"loaded": values, "state": {"facts": values}}
    if refused:
        recorded["data"]["refused"] = refused
        recorded["status"] = "failed"


def _inject(engine: Engine, thread: Thread, paths: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Make facts readable under their full paths: (shown values, refused paths)."""
    loaded: dict[str, Any] = {}
    refused: list[str] = []
    declared = engine.program(thread).persistent
    masker = engine.masker(thread)
    for path in paths:
        plan = declared.get(path)
        if plan is not None and not plan.readable:
            refused.append(path)
            continue
        if path in thread.hidden:
            thread.hidden.remove(path)
        if plan is None and path not in thread.granted:
            thread.granted.append(path)
        _, value = engine.facts.read(thread, path)
        if value is None:
            if plan is None:
                thread.granted.remove(path)
            continue
        loaded[path] = masker.shown(path, value)
        engine.assigned(thread, path)
    return loaded, refused


def _domain_paths(engine: Engine, thread: Thread, plan: RecallPlan) -> list[str]:
    """Live facts of the domain, all domains when none is named; with PATHS only those."""
    state = engine.state
    declared = engine.program(thread).persistent
    live = [
        fact.path
        for scope, owner in (("user", state.user), ("project", ""), ("execution_tree", state.session_id))
        for fact in engine.facts.domain(scope, owner)
        if fact.path not in declared or declared[fact.path].scope == scope
        if fact.path in declared or scope_by_segment(fact.path) == scope
    ]
    if plan.domain is not None:
        live = [path for path in live if plan.domain in path.split(".")[1:2] or _tagged(declared, path, plan.domain)]
    return [path for path in live if plan.paths is None or path in plan.paths]


def _tagged(declared: dict[str, PathPlan], path: str, domain: str) -> bool:
    return path in declared and declared[path].domain == domain
