"""Detours: after a rule's GOTO the flow runs other steps until the value that the rule rejects is changed (docs/spec
04 §5).

While a detour is open, the rule and the other rules without BEFORE that have a GOTO are judged and recorded in the
steps of the detour, and do not act there. It is over once every open part of the condition has been written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from abl.expressions.nodes import Call, Literal, Logical, Method, Node, Path, walk
from abl.runtime.agents import profiles
from abl.runtime.evaluation import Formula, value
from abl.runtime.flow.ahead import Ahead, dead_ends
from abl.runtime.flow.position import own_directives
from abl.runtime.plan.parts import RulePlan
from abl.runtime.state import DetourState
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.analysis.flow.detours import Changes, Detour
    from abl.runtime.constraints.failures import Failure
    from abl.runtime.constraints.points import Point
    from abl.runtime.engine import Engine
    from abl.runtime.state import Message, Thread


def open_detour(engine: Engine, thread: Thread, failure: Failure) -> None:
    """The GOTO of a rule was taken: note what has to change, and in which steps that may happen."""
    _open(engine, thread, failure.plan, failure.action["target"])


def reopen(engine: Engine, thread: Thread, step: str) -> None:
    """The flow itself enters the target of a detour that a write ended in this turn, as after a wrong code.

    While the rule still fails that is what its GOTO would do.
    """
    ended = [rule for rule, target in engine.turn.detours_over.items() if target == step]
    for plan in (*engine.program(thread).rules, *profiles.rules(engine, thread)) if ended else ():
        if plan.id in ended and engine.holds(thread, plan.condition) is (plan.kind == "RESTRICT"):
            _open(engine, thread, plan, step)
            engine.turn.acted.add(plan.id)


def _open(engine: Engine, thread: Thread, plan: RulePlan, target: str) -> None:
    parts = _open_parts(engine, thread, plan)
    forbids = plan.kind == "RESTRICT"
    detour = _planned(engine, thread, target, parts, forbids)
    thread.detours[plan.id] = DetourState(
        target=target,
        steps={step: list(tools) for step, tools in detour.steps.items()},
        parts=parts,
        forbids=forbids,
        spares=plan.checkpoint is None,
    )


def _planned(engine: Engine, thread: Thread, target: str, parts: Iterable[str], forbids: bool) -> Detour:
    def changing(part: Formula) -> Changes:
        return lambda path, assignment: (
            _concerns(path, part.names)
            and not (assignment is not None and _constant_keeps(engine, thread, part, forbids, assignment))
        )

    return engine.program(thread).detour(target, [changing(value(text)) for text in parts])


def _open_parts(engine: Engine, thread: Thread, plan: RulePlan) -> list[str]:
    """The conjuncts that are false now; the whole condition of a RESTRICT, and where no single one is false."""
    formula = plan.condition
    if plan.kind == "RESTRICT" or formula.node is None:
        return [formula.text]
    texts = [formula.text[node.start : node.end] for node in _conjuncts(formula.node)]
    return [text for text in texts if not engine.holds(thread, value(text))] or [formula.text]


def _conjuncts(node: Node) -> Iterator[Node]:
    if isinstance(node, Logical) and node.op == "AND":
        for operand in node.operands:
            yield from _conjuncts(operand)
    else:
        yield node


def _concerns(path: str, names: Iterable[str]) -> bool:
    """True when a write of ``path`` changes one of the names, or a beginning or extension of one."""
    return any(n == path or n.startswith(path + ".") or path.startswith(n + ".") for n in names)


def _constant_keeps(engine: Engine, thread: Thread, part: Formula, forbids: bool, assignment: nodes.Assignment) -> bool:
    """True for an assignment of a constant under which the part stays as it was."""
    formula = engine.program(thread).assigned(assignment.value)
    if assignment.target is None or not is_literal(formula):
        return False
    given: Any = engine.evaluate(thread, formula).value
    root, *rest = assignment.target.value.split(".")
    for key in reversed(rest):
        given = {key: given}
    return engine.evaluate(thread, part, {root: given}).holds == forbids


def is_literal(formula: Formula) -> bool:
    """True for a value that is written as a constant: it reads no name, calls nothing and has no ``{{…}}``."""
    parts = [] if formula.node is None else list(walk(formula.node))
    texts = [part.value for part in parts if isinstance(part, Literal) and isinstance(part.value, str)]
    return not any(isinstance(part, Path | Call | Method) for part in parts) and not any("{{" in text for text in texts)


def wrote(engine: Engine, thread: Thread, path: str, *, literal: bool = False) -> None:
    """A name got a value: parts of open detours that read it have been written, and a detour without any is over.

    ``literal``: the value is a constant of the text, which counts only when the part is no longer as it was.
    """
    for rule, detour in list(thread.detours.items()):
        detour.parts = [
            text
            for text in detour.parts
            if not _concerns(path, value(text).names)
            or (literal and engine.holds(thread, value(text)) == detour.forbids)
        ]
        if not detour.parts:
            del thread.detours[rule]
            engine.turn.detours_over[rule] = detour.target


def wrote_result(engine: Engine, thread: Thread, names: Iterable[str], result: Any) -> None:
    """The result of a call was bound to some names; its fields can be read as names, too (06 §5.8)."""
    if not thread.detours:
        return
    fields = result if isinstance(result, dict) else {}
    for name in (*names, *(field for field in fields if field not in thread.variables)):
        wrote(engine, thread, name)


# Judging ---------------------------------------------------------------------------------------------------------


def spares(engine: Engine, thread: Thread, point: Point) -> bool:
    """True when rules that lead away do not act, as what is judged belongs to the steps of an open detour."""
    if point.name == "response":
        return all(message.own and _is_step(thread, message.step) for message in point.said)
    step = thread.flow.step
    if not own_directives(thread) or not _is_step(thread, step) or thread.flow.status == "ended":
        return False
    if point.name == "tool_call" and point.origin == "model":
        return any(point.target in detour.steps.get(step or "", ()) for detour in _sparing(thread))
    if point.name != "tool_call":
        return True
    return point.origin == "flow" and any(
        step in detour.steps and _leads_on(engine, thread, detour, point.target) for detour in _sparing(thread)
    )


def _leads_on(engine: Engine, thread: Thread, detour: DetourState, tool: str | None) -> bool:
    """True for a call that writes what is wanted, or has a step of the detour ahead and is no call of the work."""
    program = engine.program(thread)
    if program.flow is None or not thread.flow.frames:
        return False
    planned = _planned(engine, thread, detour.target, detour.parts, detour.forbids)
    ahead = Ahead(program.flow, planned.places)
    (key, index), outer = thread.flow.frames[-1], thread.flow.frames[:-1]
    if ahead.is_write(program.flow.lists.get(str(key))[index - 1]):  # the call itself binds what is wanted
        return True
    is_needed = not outer and thread.flow.step in planned.needed
    if not is_needed and tool not in planned.used and tool in planned.elsewhere | dead_ends(program.flow, planned):
        return False
    ahead.look([*outer, (key, index - 1)])
    return ahead.leads_on(planned)


def is_no_result(thread: Thread, rule: str, message: Message) -> bool:
    """True for what the steps of the detour that this rule led to say: it is no result for the rule (04 §6)."""
    detour = thread.detours.get(rule)
    return detour is not None and message.own and message.step in detour.steps


def leads_away(plan: RulePlan) -> bool:
    """True for a rule without BEFORE that has a GOTO: in the steps of a detour it does not act."""
    return plan.checkpoint is None and plan.rule.on_fail is not None and plan.rule.on_fail.goto is not None


def _sparing(thread: Thread) -> list[DetourState]:
    return [detour for detour in thread.detours.values() if detour.spares]


def _is_step(thread: Thread, step: str | None) -> bool:
    return any(step in detour.steps for detour in _sparing(thread))


def asked_again(thread: Thread, step: str, fields: Iterable[str]) -> list[str]:
    """Fields of a step of a detour that an open part names: they are asked again although they have a value."""
    names = [n for d in thread.detours.values() if step in d.steps for text in d.parts for n in value(text).names]
    return [field for field in fields if _concerns(field, names) and thread.variables.get(field) is not None]


def forget_ended(thread: Thread) -> None:
    """With the flow its detours are over."""
    if thread.flow.status == "ended":
        thread.detours.clear()
