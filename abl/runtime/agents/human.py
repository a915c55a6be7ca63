"""A human's part of the conversation: messages for the human; its end, `human.*` and on_human_complete (09 §7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.language.entry import Entry, Member
from abl.language.written import Lines, split_outside, unquoted
from abl.runtime.constraints.results import from_tool
from abl.runtime.evaluation import Formula, condition
from abl.runtime.evaluation import value as value_formula
from abl.runtime.flow.variables import assign
from abl.runtime.tools.binding import assignments_of
from abl.syntax.nodes import Block
from abl.syntax.readers.entries import item_properties

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.program import Program
    from abl.runtime.state import Thread

HUMAN_DONE = "human.done"
"""The action of a tester who ends the human's part."""
ENDS = ("COMPLETE", "HANDOFF", "CONTINUE", "RESPOND")
_IF = re.compile(r"IF\b:?\s*(.*)", re.IGNORECASE | re.DOTALL)
_ELSE = re.compile(r"ELSE\b:?\s*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class DonePlan:
    """An entry of on_human_complete; without ``when`` it is for when no other holds."""

    when: Formula | None
    given: Entry
    action: str
    span: Any


def done_plans(program: Program) -> tuple[DonePlan, ...]:
    """on_human_complete in declaration order."""
    section = program.agent.section("ESCALATE")
    listed = Entry.at("escalate", section.block if section is not None else None).lines("on_human_complete")
    return tuple(_plan(program, item) for item in (listed.children if listed is not None else ()))  # type: ignore[arg-type]


def _plan(program: Program, item: Block) -> DonePlan:
    lines = item_properties(item) if item.colon else item.children
    given = Entry.at("human_done", Member("", None, lines))
    when, action = None, _written(given.lines("THEN"))
    if item.colon and item.key.upper() == "IF" and item.value is not None:
        when = condition(program.written(item.value))
    elif item.colon and item.key.upper() == "ELSE":
        action = action or _written(given.lines("ELSE"))
    elif not item.colon and item.value is not None:
        when, action = _on_one_line(item.value.value.strip(), action)
    return DonePlan(
        when,
        given,
        action or next((_as_action(given, key) for key in ENDS[:3] if key in given), ""),
        program.span(item),
    )


def _on_one_line(text: str, action: str) -> tuple[Formula | None, str]:
    """``IF condition: ACTION``, ``IF condition:`` above a block, ``ELSE: ACTION`` or an action alone."""
    if (found := _IF.fullmatch(text)) is not None:
        head, *rest = split_outside(found[1], ":")
        return condition(head.strip()), ":".join(rest).strip() or action
    if (found := _ELSE.fullmatch(text)) is not None:
        return None, found[1].strip() or action
    return None, text or action


def _as_action(given: Entry, key: str) -> str:
    return f"{key} {_written(given.lines(key))}".strip()


def _written(lines: Lines | None) -> str:
    return lines.value.value.strip() if lines is not None and lines.value is not None else ""


# While a human has the conversation ----------------------------------------------------------------------------------


def listen(engine: Engine, thread: Thread) -> None:
    """A message for the human: it is kept for whoever reads the conversation, and no agent answers it (T1).

    Guardrails look at it as at any other, since a human is no reason to show what they hide.
    """
    from abl.runtime.guardrails.judging import admit

    if engine.turn.message is None or not admit(engine, thread):
        return
    text = engine.turn.message
    engine.state.history.append({"from": "user", "text": text})
    engine.recorder.emit("human.message", {"text": engine.recorder.text(text)})


# Running ---------------------------------------------------------------------------------------------------------


def finish(engine: Engine, left: Mapping[str, Any]) -> None:
    """The human is done and ``left`` these fields: the first entry that holds runs, then the agent is back."""
    thread = engine.active
    engine.state.escalated = False
    thread.system["human"] = dict(left)
    thread.system["escalate"] = {"completed": True}
    shown = engine.masker(thread).below(dict(left))
    engine.recorder.emit("escalate", {"completed": True, "reason": "the human is done", "human": shown})
    for plan in engine.program(thread).after_human:
        if plan.when is None or engine.holds(thread, plan.when):
            _run(engine, thread, plan)
            return


def _run(engine: Engine, thread: Thread, plan: DonePlan) -> None:
    for target, written, _ in _assignments(plan):
        formula = value_formula(written)
        outcome = engine.evaluate(thread, formula)
        assign(
            engine,
            thread,
            target,
            outcome.value,
            span=plan.span,
            expression=written,
            sensitive=engine.derives(thread, formula.names),
            from_tool=from_tool(thread, formula.names),
        )
    if (text := plan.given.text("RESPOND")) is not None:
        engine.say_template(thread, text, kind="reply", span=plan.span)
    _act(engine, thread, plan)


def _assignments(plan: DonePlan) -> Iterator[tuple[str, str, Any]]:
    """SET, then STORE, which writes ``value -> path``."""
    yield from assignments_of(plan.given.lines("SET"))
    value, arrow, target = (plan.given.text("STORE") or "").partition("->")
    if arrow:
        yield target.strip(), value.strip(), None


def _act(engine: Engine, thread: Thread, plan: DonePlan) -> None:
    from abl.runtime.agents.coordination import complete_agent, hand_over
    from abl.runtime.flow.signals import Signal
    from abl.runtime.turn import work

    word, _, rest = plan.action.partition(" ")
    match word.upper():
        case "COMPLETE":
            complete_agent(engine, thread, None, {})
            work.finish_stage(engine, Signal.ENDED)
        case "HANDOFF":
            agent = rest.strip().removeprefix("to ").strip()
            if hand_over(engine, thread, agent, span=plan.span):
                work.finish_stage(engine, Signal.MOVED)
        case "RESPOND":
            engine.say_template(thread, unquoted(rest), kind="reply", span=plan.span)
        case _:
            pass
