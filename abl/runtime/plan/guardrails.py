"""GUARDRAILS prepared for running (docs/spec 09 §11)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from abl.expressions import nodes as en
from abl.expressions.builtins import call_problem
from abl.expressions.functions.guardrail_templates import OF_REPLIES, TEMPLATES
from abl.expressions.polarity import fires_on
from abl.runtime.evaluation import Formula, guard, value
from abl.runtime.plan.listed import entry_at
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.plan.agent_text import AgentText

TIERS = ("provider", "llm_check")
"""Tiers that are judged by a service or a model instead of a check."""


@dataclass(frozen=True)
class GuardPlan:
    """A guardrail. ``tier`` is ``check``, or who else judges; ``action`` is what happens when it fires."""

    name: str
    kind: str
    tier: str
    check: Formula
    action: str
    message: str | None
    priority: int
    strategy: str | None
    fix: Formula
    max_reasks: int
    min_length: int
    span: Any

    @cached_property
    def fires_on(self) -> bool:
        """The verdict of the check on which it fires."""
        return bool(self.check.node is not None and fires_on(self.check.node))

    @cached_property
    def problem(self) -> str | None:
        """Why the check cannot run at all; None when it can."""
        for formula in (self.check, self.fix):
            if formula.node is None:
                if formula.text:
                    return f"{formula.text!r} cannot be read"
                continue
            for call in en.walk(formula.node):
                if isinstance(call, en.Call):
                    why = call_problem(call.name, call.prefixed, len(call.args), guardrail=True)
                    if why is not None:
                        return why
        return None

    def looks_at(self, kind: str) -> bool:
        """Whether it is for messages, replies, calls or handoffs, as ``kind`` says."""
        return self.kind == kind or (self.kind == "both" and kind in {"input", "output"})

    def name_at(self, kind: str) -> str:
        """Its name in the trace; one for both sides has two."""
        return f"{self.name}_{kind}" if self.kind == "both" else self.name


def guard_plans(program: AgentText) -> tuple[GuardPlan, ...]:
    """The guardrails of an agent, lower priority first, then as declared."""
    section = program.agent.section("GUARDRAILS")
    listed = section.described if section is not None else ()
    plans = [_plan(program, node) for node in listed if isinstance(node, nodes.Guardrail)]
    return tuple(sorted(plans, key=lambda plan: plan.priority))


def _plan(program: AgentText, node: nodes.Guardrail) -> GuardPlan:
    given = entry_at("guardrail", node.content.block)
    words = (node.name.value, node.content.word_of(), given.value("template"))
    template = next((word for word in words if word in TEMPLATES), None)
    check = given.text("check") or (f"{template}(content)" if template is not None else "")
    tier = next((tier for tier in TIERS if tier in given), "check")
    return GuardPlan(
        name=node.name.value,
        kind=given.given("kind") or ("output" if template in OF_REPLIES else "input"),
        tier=tier,
        check=guard(check) if check.strip() else value(""),
        action=given.given("action") or ("redact" if template in OF_REPLIES else "warn"),
        message=given.text("message"),
        priority=given.value("priority"),
        strategy=given.value("fix_strategy"),
        fix=guard(given.text("fix_expression") or "") if given.text("fix_expression") else Formula("", None),
        max_reasks=given.value("max_reasks"),
        min_length=given.value("filter_min_length") or 0,
        span=program.span(node),
    )
