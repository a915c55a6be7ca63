"""A pass over the constraints of an agent (docs/spec 04 §6): which rules are judged, and what is recorded of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.runtime.agents import profiles
from abl.runtime.constraints.date_comparisons import NOT_COMPARABLE, decides_undated
from abl.runtime.constraints.failures import BOUND, NO_ACTION, Failure
from abl.runtime.constraints.points import Point
from abl.runtime.constraints.policy import guard_of
from abl.runtime.constraints.records import judged
from abl.runtime.constraints.results import is_result
from abl.runtime.constraints.unasked import unasked_fields
from abl.runtime.evaluation import Outcome
from abl.runtime.events.recorder import Event, note
from abl.runtime.flow.detours import leads_away, spares
from abl.runtime.plan.parts import RulePlan
from abl.syntax.nodes import OnFail
from abl.syntax.readers.entries import flag

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

STATUS = {
    "passed": "ok", "failed": "failed", "warned": "warned", "error": "error", "gated_when": "gated",
    "gated_checkpoint": "gated", "skipped_unset": "skipped", "inert": "inert", "not_reached": "not_reached",
}  # fmt: skip


@dataclass(slots=True)
class _Judgement:
    outcome: str
    gate: Outcome | None = None
    core: Outcome | None = None
    other: str | None = None
    reason: str | None = None


def run_pass(engine: Engine, thread: Thread, point: Point) -> Failure | None:
    """Judge the rules at one point; the failure that stopped the pass, or None.

    Rules of the reasoning steps that replies come from are judged too.
    """
    rules = rules_in_force(engine, thread, [message.step for message in point.said])
    if not rules:
        return None
    recorder = engine.recorder
    with recorder.held():
        header = recorder.emit("pass", {"point": point.name, "target": point.target, "outcome": "passed"})
        with recorder.inside(header), engine.context(thread).unchanging():
            failure = _Pass(engine, thread, point).run(rules)
        if failure is not None:
            header["status"] = header["data"]["outcome"] = "failed"
    return failure


def rules_in_force(engine: Engine, thread: Thread, steps: Iterable[str | None] = ()) -> tuple[RulePlan, ...]:
    """The agent's rules, then STEP_CONSTRAINTS of the reasoning step that runs or waits, and of ``steps`` (04 §7)."""
    program = engine.program(thread)
    rules = program.rules + profiles.rules(engine, thread)
    if program.flow is None:
        return rules
    named = dict.fromkeys(step for step in steps if step is not None)
    if thread.flow.step is not None and thread.flow.status in {"running", "waiting"}:
        named[thread.flow.step] = None
    return rules + tuple(plan for step in named for plan in program.step_rules(step))


class _Pass:
    """One pass while it runs."""

    def __init__(self, engine: Engine, thread: Thread, point: Point) -> None:
        self.engine = engine
        self.thread = thread
        self.point = point
        self.collecting = (point.name == "turn" and not point.completing) or point.name == "response"
        self.refs: dict[str, dict[str, Any]] = {}
        self.spared: dict[tuple[str, ...], bool] = {}
        self.common = {
            "session_id": engine.state.session_id,
            "turn": engine.state.turn,
            "point": point.name,
            "point_target": point.target,
            "policy": engine.state.policy,
        }

    def run(self, rules: Iterable[RulePlan]) -> Failure | None:
        """Every rule in declaration order; those behind a failure are not reached."""
        failure: Failure | None = None
        for plan in rules:
            if failure is not None:
                self.record(plan, _Judgement("not_reached"))
            elif not (self.point.results_only and plan.checkpoint is None):
                failure = self.judge(plan)
        return failure

    def judge(self, plan: RulePlan) -> Failure | None:
        """Judge and record one rule; the failure when it stops the pass."""
        engine, thread = self.engine, self.thread
        started = engine.recorder.timer()
        judgement = self.outcome(plan)
        if judgement.outcome in {"passed", "gated_when"}:
            thread.detours.pop(plan.id, None)
        if judgement.outcome not in {"failed", "error"}:
            self.record(plan, judgement, None, started)
            engine.budget.require()
            return None
        rendered = engine.render(thread, self.message(plan))
        message = rendered.text.rstrip("\n")
        more: dict[str, Any] = {
            "message_rendered": engine.recorder.text(message),
            "message_missing": rendered.missing,
        }
        if plan.warning:
            judgement.outcome = "warned"
            self.record(plan, judgement, more, started)
            self.warn(plan, message)
            engine.budget.require()
            return None
        if plan.id in engine.turn.continued:
            self.record(plan, judgement, {**more, "effect": "continued"}, started)
            engine.budget.require()
            return None
        if thread.detours and leads_away(plan) and self.spares():
            event = self.record(plan, judgement, {**more, "effect": "detour"}, started)
            engine.budget.require()
            return Failure(plan, NO_ACTION, None, event, self.point.name, None) if self.point.completing else None
        engine.count("constraint_failures")
        self.changed()
        action = planned(plan, spent=engine.turn.bounds.get(plan.id, 0) >= BOUND)
        more |= {"action": action, "effect": _effect(self.point.name, self.point.target, action)}
        event = self.record(plan, judgement, more, started)
        engine.budget.require()
        return Failure(plan, action, message or None, event, self.point.name, self.point.target)

    def spares(self) -> bool:
        """True in the steps of an open detour; detours may end while the pass runs."""
        open_detours = tuple(self.thread.detours)
        if open_detours not in self.spared:
            self.spared[open_detours] = spares(self.engine, self.thread, self.point)
        return self.spared[open_detours]

    def warn(self, plan: RulePlan, message: str) -> None:
        """Log the message of a WARN, once a turn while it stays the same (docs/spec 04 §4)."""
        engine, thread = self.engine, self.thread
        if engine.turn.warned.get(plan.id) == message:
            return
        engine.turn.warned[plan.id] = message
        thread.system["_constraint_warnings"] = [*thread.system.get("_constraint_warnings", []), message]
        if engine.recorder.shown(message) != message:
            engine.taint(thread, "_constraint_warnings", True)
        self.changed()

    def changed(self) -> None:
        """A runtime value that rules may read has another value now."""
        self.engine.context(self.thread).changed()
        self.refs.clear()

    def outcome(self, plan: RulePlan) -> _Judgement:
        """Gates first; the core is not evaluated when one does not hold."""
        engine, thread = self.engine, self.thread
        if plan.checkpoint == "other":
            return _Judgement("inert")
        if plan.checkpoint is not None and not self.concerns(plan):
            return _Judgement("gated_checkpoint")
        if self.collecting and (fields := unasked_fields(engine, thread, plan)) and not self.answers(plan):
            return _Judgement("skipped_unset", reason="not asked yet: " + ", ".join(fields))
        gate = judged(engine, thread, plan.gate, recorded=True) if plan.gate is not None else None
        if gate is not None and gate.error is not None:
            return _Judgement("error", gate)
        if gate is not None and not gate.holds:
            return _Judgement("gated_when", gate)
        core = judged(engine, thread, plan.condition, recorded=True)
        if core.error is None and core.notes and decides_undated(engine, thread, plan.condition, core):
            core.error = NOT_COMPARABLE
        holds = core.holds != (plan.kind == "RESTRICT")
        verdict = "error" if core.error else "passed" if holds else "failed"
        guard = guard_of(plan.condition, plan.checkpoint is not None)
        if not guard.paths or not guard.closed(engine.context(thread)):
            return _Judgement(verdict, gate, core)
        if engine.state.policy == "skip_unset":
            other = "warned" if plan.warning and verdict != "passed" else verdict
            return _Judgement("skipped_unset", gate, core, other)
        return _Judgement(verdict, gate, core, "skipped_unset")

    def answers(self, plan: RulePlan) -> bool:
        """True when a reply of the pass `response` is a result for this rule."""
        return any(is_result(self.thread, plan, message) for message in self.point.said)

    def concerns(self, plan: RulePlan) -> bool:
        """True when the rule's checkpoint is this pass."""
        if plan.checkpoint == "calling":
            return self.point.name == "tool_call" and plan.tool == self.point.target
        return self.point.name == "response" and self.answers(plan)

    def message(self, plan: RulePlan) -> str:
        """Template of what ON_FAIL says; without ON_FAIL the generic text."""
        if plan.message is not None:
            return plan.message.text
        if plan.rule.on_fail is None:
            return self.engine.program(self.thread).messages["constraint_blocked"]
        return ""

    def record(
        self, plan: RulePlan, judgement: _Judgement, more: dict[str, Any] | None = None, started: int | None = None
    ) -> Event:
        """The event of one rule with the record of docs/spec 04 §10."""
        recorder = self.engine.recorder
        gate, core = judgement.gate, judgement.core
        refs: list[dict[str, Any]] = []
        if gate is not None or core is not None:
            refs = self.engine.refs(self.thread, plan.names, self.refs)
        record: dict[str, Any] = {
            **plan.record,
            **self.common,
            "outcome": judgement.outcome,
            "other_policy_outcome": judgement.other,
            "reason": judgement.reason,
            "gate_tree": gate.tree if gate is not None else None,
            "tree": core.tree if core is not None else None,
            "refs": refs,
            "unset_refs": [r["path"] for r in refs if not r["set"]],
            "message_rendered": None,
            "message_missing": [],
            "action": None,
            "effect": None,
            "diagnostics": [*(gate.notes if gate else ()), *(core.notes if core else ())],
        }
        error = (gate and gate.error) or (core and core.error)
        exceeded = (gate and gate.exceeded) or (core and core.exceeded)
        if exceeded:
            record |= {"error": error, "exceeded": exceeded.as_json()}
            record["notes"] = [note("RUN016", "budget-exceeded", f"{plan.record['condition_text']}: {error}", "error")]
        elif error:
            record["error"] = error
            record["notes"] = [note("RUN006", "condition.error", f"{plan.record['condition_text']}: {error}")]
        if more:
            record.update(more)
        event = recorder.emit("constraint", record, status=STATUS[judgement.outcome], span=plan.span)
        record = event["data"]  # masking may have made a copy
        record["id"] = record["seq"] = event["seq"]
        record["run_id"] = event["parent"]
        record["at"] = event["at"]
        if started is not None:
            event["duration_us"] = record["duration_us"] = recorder.since(started)
        return event


def planned(plan: RulePlan, *, spent: bool = False) -> dict[str, Any]:
    """The action of a rule's ON_FAIL (docs/spec 04 §5). ``spent``: its jumps and retries are used up."""
    on_fail = plan.rule.on_fail
    empty: dict[str, Any] = {"type": "respond", "target": None, "fields": [], "then": None, "clear": []}
    if on_fail is None:
        return empty
    if on_fail.form in {"message", "respond", "unknown"}:
        return empty
    if spent and on_fail.form == "handoff":
        return {**empty, "type": "block"}
    if on_fail.form in {"handoff", "escalate", "block", "redact"}:
        target = on_fail.target.value if on_fail.target else None
        return {**empty, "type": on_fail.form, "target": target}
    if on_fail.form != "structured":
        return {**empty, "type": "respond" if on_fail.message else "block"}
    return _structured(on_fail, empty, spent)


def _structured(on_fail: OnFail, empty: dict[str, Any], spent: bool) -> dict[str, Any]:
    collect = [name.value for name in on_fail.collect or ()]
    then = on_fail.then_word or (on_fail.then.value if on_fail.then is not None else None)
    retry = flag(on_fail.retry) is True
    action = {**empty, "fields": collect, "then": then, "clear": [name.value for name in on_fail.clear]}
    if not spent:
        if on_fail.goto is not None:
            return {**action, "type": "goto", "target": on_fail.goto.value}
        if collect:
            return {**action, "type": "collect", "retry": retry}
        if then in {"retry", "continue"}:
            return {**action, "type": then}
        if retry:
            return {**action, "type": "retry", "retry": True}
    return {**action, "type": "respond" if on_fail.message is not None else "block"}


def _effect(point: str, target: str | None, action: dict[str, Any]) -> str:
    match action["type"], point:
        case (("handoff" | "goto"), _):
            return f"{action['type']} {action['target']}"
        case (("escalate" | "retry" | "continue"), _):
            return str(action["type"])
        case "collect", _:
            return "collects " + ", ".join(action["fields"])
        case _, "tool_call":
            return f"tool call {target} blocked"
        case _, "response":
            return "replies dropped"
        case _:
            return "work of the turn left out"
