"""DELEGATE prepared for running (docs/spec 09 §6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abl.language import value_of_text
from abl.language.entry import Entry, members
from abl.language.written import items_of, split_outside, unquoted
from abl.runtime.evaluation import Formula, condition
from abl.runtime.evaluation import value as value_formula
from abl.runtime.plan.agent_text import AgentText
from abl.runtime.plan.listed import Listed, entries


@dataclass(frozen=True, slots=True)
class DelegatePlan:
    """An entry of DELEGATE."""

    index: int
    agent: str
    when: Formula
    purpose: str
    inputs: tuple[tuple[str, Formula], ...]
    returns: tuple[tuple[str, str], ...]
    on_fail: str
    retries: int
    message: str | None
    use: str | None
    span: Any
    on_return: Any = None
    """The lines of ON_RETURN."""


def delegate_plans(program: AgentText) -> tuple[DelegatePlan, ...]:
    """DELEGATE in declaration order."""
    section = program.agent.section("DELEGATE")
    listed = entries("delegate", section.block if section is not None else None)
    return tuple(_plan(program, at, entry) for at, entry in enumerate(listed))


def _plan(program: AgentText, index: int, entry: Listed) -> DelegatePlan:
    given = entry.given
    when = given.lines("WHEN")
    on_fail, retries = _on_fail(given)
    return DelegatePlan(
        index=index,
        agent=given.text("AGENT") or given.text("TO") or "",
        when=program.condition(when.value if when is not None else None),  # type: ignore[arg-type]
        purpose=given.text("PURPOSE") or given.text("SUMMARY") or "",
        inputs=_inputs(given, "INPUT") or _inputs(given, "PASS"),
        returns=_returns(given),
        on_fail=on_fail,
        retries=retries,
        message=given.text("FAILURE_MESSAGE"),
        use=given.text("USE_RESULT"),
        span=program.span(entry.block),
        on_return=given.lines("ON_RETURN"),
    )


def plain_plan(agent: str, span: Any) -> DelegatePlan:
    """A call of an agent without an entry: it is given nothing and gives nothing back."""
    return DelegatePlan(-1, agent, condition(""), "", (), (), "continue", 0, None, None, span)


def _written(scalar: Any) -> str:
    if scalar.style not in {"double", "single"}:
        return str(scalar.value)
    quote = "'" if '"' in scalar.value else '"'
    return f"{quote}{scalar.value}{quote}"


def _inputs(given: Entry, key: str) -> tuple[tuple[str, Formula], ...]:
    """The child's names with our expressions; a name alone stands for both."""
    lines = given.lines(key)
    if lines is None:
        return ()
    pairs = [
        (member.key, value_formula(_written(member.value)))
        for member in members(lines)
        if member.value is not None and member.value.value.strip()
    ]
    return tuple(pairs) or tuple((name, value_formula(name)) for name in _names(lines))


def _names(lines: Any) -> list[str]:
    """``{a, b}``, ``[a, b]`` or a list."""
    if lines.value is not None and lines.value.value.strip()[:1] == "{":
        return [name for part in split_outside(lines.value.value.strip()[1:-1]) if (name := unquoted(part))]
    return list(items_of(lines))


def _returns(given: Entry) -> tuple[tuple[str, str], ...]:
    lines = given.lines("RETURNS")
    if lines is None:
        return ()
    pairs = [(m.key, m.value.value.strip()) for m in members(lines) if m.value is not None and m.value.value.strip()]
    return tuple(pairs) or tuple((name, name) for name in _names(lines))


def _on_fail(given: Entry) -> tuple[str, int]:
    """What happens after a failure, and how often the agent is asked again before."""
    key = "ON_FAIL" if "ON_FAIL" in given else "ON_FAILURE"
    lines = given.lines(key)
    below = Entry.at("delegate_failure", lines)
    text = lines.value if lines is not None else None
    word = below.value("type") if below else value_of_text("delegate", "ON_FAIL", text)
    return word or "continue", below.given("count") or 1 if word == "retry" else 0
