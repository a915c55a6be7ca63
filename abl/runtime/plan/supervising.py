"""STATE and POLICIES of a supervisor, and RETURN_HANDLERS, prepared for running (docs/spec 09 §4, §5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abl.language import key_at
from abl.language.entry import Entry
from abl.runtime.evaluation import Formula, condition
from abl.runtime.plan.agent_text import AgentText
from abl.runtime.plan.listed import entries, entry_at
from abl.runtime.plan.parts import VariablePlan
from abl.syntax import nodes
from abl.syntax.readers.content import content_of
from abl.syntax.readers.literals import plain_value


@dataclass(frozen=True, slots=True)
class StatePlan:
    """The variables of STATE as objects by namespace; ``types`` and ``required`` are by ``namespace.name``."""

    variables: dict[str, VariablePlan]
    types: dict[str, str]
    required: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PolicyPlan:
    """A condition of POLICIES. ``allowed``: it should hold; else it should not."""

    name: str
    allowed: bool
    when: Formula
    signal: str | None
    behavior: str | None
    span: Any


def state_plan(program: AgentText) -> StatePlan:
    """STATE."""
    section = program.agent.section("STATE")
    variables, types, required = {}, {}, []
    for space in content_of(section.block).members if section is not None and section.block is not None else ():
        initial = {}
        for variable in space.members:
            name = f"{space.key}.{variable.key}"
            given = Entry.at("state_variable", variable.block)
            if (default := _default(variable)) is not None:
                initial[variable.key] = plain_value(default)
            types[name] = given.value("type") or variable.word("type") or variable.word_of()
            if given.value("required"):
                required.append(name)
        variables[space.key] = VariablePlan(space.key, None, initial or None, None, "per_session", program.span(space))
    return StatePlan(variables, types, tuple(required))


def _default(variable: nodes.Content) -> nodes.Text | None:
    """The text of the default, by whatever name its key is written."""
    wanted = key_at("state_variable", "default")
    return next((m.text for m in reversed(variable.members) if key_at("state_variable", m.key) == wanted), None)


def policy_plans(program: AgentText) -> tuple[PolicyPlan, ...]:
    """POLICIES, a plan for each condition."""
    section = program.agent.section("POLICIES")
    found = []
    for policy in entries("policy", section.block if section is not None else None):
        name = policy.given.text("NAME") or ""
        below = policy.given.lines("RULES")
        for rule in entries("policy_rules", below):
            for key, allowed in (("allowedWhen", True), ("forbiddenWhen", False)):
                if (text := rule.given.text(key)) is not None:
                    found.append(
                        PolicyPlan(
                            name,
                            allowed,
                            condition(text),
                            rule.given.text("triggerSignal"),
                            rule.given.text("behavior"),
                            program.span(rule.block),
                        )
                    )
    return tuple(found)


def return_handlers(program: AgentText) -> dict[str, tuple[Entry, nodes.Block]]:
    """RETURN_HANDLERS by name."""
    section = program.agent.section("RETURN_HANDLERS")
    lines = section.block.children if section is not None and section.block is not None else ()
    return {line.key: (entry_at("return_handler", line), line) for line in lines if line.colon and not line.item}
