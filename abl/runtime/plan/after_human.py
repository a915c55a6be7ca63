"""context_for_human and on_human_complete of ESCALATE prepared for running (docs/spec 09 §7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from abl.language.entry import Entry, Member
from abl.language.written import Lines, items_of, split_outside, word
from abl.runtime.evaluation import Formula, condition
from abl.runtime.plan.agent_text import AgentText
from abl.runtime.plan.listed import entries
from abl.syntax.nodes import Block
from abl.syntax.readers.entries import item_properties

ENDS = ("COMPLETE", "HANDOFF", "CONTINUE", "RESPOND")
_IF = re.compile(r"IF\b:?\s*(.*)", re.IGNORECASE | re.DOTALL)
_ELSE = re.compile(r"ELSE\b:?\s*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class DonePlan:
    """An entry of on_human_complete; one without ``when`` runs when no other holds."""

    when: Formula | None
    given: Entry
    action: str
    span: Any


def done_plans(program: AgentText) -> tuple[DonePlan, ...]:
    """on_human_complete in declaration order."""
    section = program.agent.section("ESCALATE")
    listed = Entry.at("escalate", section.block if section is not None else None).lines("on_human_complete")
    return tuple(_plan(program, item) for item in (listed.children if listed is not None else ()))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ShownPlan:
    """An entry of context_for_human: a text under a name, variables, or both."""

    name: str
    template: str | None
    variables: tuple[str, ...]


def shown_plans(program: AgentText) -> tuple[ShownPlan, ...]:
    """context_for_human in declaration order; a mere name is a variable."""
    section = program.agent.section("ESCALATE")
    block = Entry.at("escalate", section.block if section is not None else None).lines("context_for_human")
    if block is None:
        return ()
    if not any(child.item and child.colon for child in block.children):
        return tuple([ShownPlan(name, None, (name,)) for name in items_of(block)])
    return tuple([_shown(given, line.value) for given, line, _ in entries("human_context", block)])


def _shown(given: Entry, value: Any) -> ShownPlan:
    name = given.text("NAME") or word(value)
    template, include = given.text("TEMPLATE"), given.texts("INCLUDE")
    return ShownPlan(name, template, include or (() if template is not None else (name,)))


def _plan(program: AgentText, item: Block) -> DonePlan:
    lines = item_properties(item) if item.colon else item.children
    given = Entry.at("human_done", Member("", None, lines))
    when, action = None, _written(given.lines("THEN"))
    if item.colon and item.key.upper() == "IF" and item.value is not None:
        when = condition(program.written(item.value))
    elif item.colon and item.key.upper() == "ELSE":
        action = action or _written(given.lines("ELSE"))
    elif not item.colon and item.value is not None:
        when, action = _on_one_line(item.value.value.strip(), action)
    word, _, rest = (action or next((_as_action(given, key) for key in ENDS[:3] if key in given), "")).partition(" ")
    return DonePlan(
        when,
        given,
        f"{word.upper()} {rest}".strip(),
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
