"""Rules prepared for judging: those of CONSTRAINTS and those of a reasoning step (docs/spec 04 §3, §7)."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING

from abl.expressions.nodes import Call, Path, Test, walk
from abl.runtime.evaluation import Formula, template
from abl.runtime.events.recorder import cut_text
from abl.runtime.plan.parts import RulePlan
from abl.syntax import nodes
from abl.syntax.readers.constraints import STEP_PHASE

if TYPE_CHECKING:
    from abl.runtime.plan.agent_text import AgentText


def rule_plan(program: AgentText, rule: nodes.Rule, *, rule_id: str, phase: str, index: int) -> RulePlan:
    """A rule with the part of its trace record that never changes. ``index`` is its place in the judged list."""
    core = program.condition(rule.condition)
    gate = program.condition(rule.when) if rule.when is not None else None
    message = rule.on_fail.message or rule.on_fail.reason if rule.on_fail is not None else None
    text = message.value if message is not None else None
    return RulePlan(
        id=rule_id,
        rule=rule,
        condition=core,
        gate=gate,
        kind=rule.kind.value,
        warning=rule.is_warning,
        checkpoint=rule.before.kind if rule.before else None,
        tool=rule.before.tool.value if rule.before and rule.before.tool else None,
        message=template(text) if text is not None else None,
        record={
            "source": "constraint",
            "agent": program.name,
            "phase": phase,
            "index": index,
            "path": rule.path,
            "range": program.source.range(rule.span).as_dict(),
            "kind": rule.kind.value,
            "severity": "warning" if rule.is_warning else "error",
            "condition_text": rule.condition.value if rule.condition else "",
            "when_text": rule.when.value if rule.when else None,
            "before_text": rule.before.text.value if rule.before else None,
            "lowered_text": lowered(rule),
            "message_template": cut_text(text) if text is not None else None,
        },
        names=tuple(dict.fromkeys((*core.names, *(gate.names if gate else ())))),
        span=program.span(rule),
    )


def step_rules(program: AgentText, step: nodes.Step, first: int) -> tuple[tuple[RulePlan, ...], tuple[str, ...]]:
    """STEP_CONSTRAINTS of a step: its rules, numbered from ``first``, and the lines that are no rules."""
    setting = step.setting("STEP_CONSTRAINTS") if step.reasoning else None
    if setting is None:
        return (), ()
    rules = [entry for entry in setting.rules if isinstance(entry, nodes.Rule)]
    plans = tuple(
        rule_plan(program, rule, rule_id=f"{program.name}:{step.name.value}:{at}", phase=STEP_PHASE, index=first + at)
        for at, rule in enumerate(rules)
    )
    sentences = [entry.text.value for entry in setting.rules if isinstance(entry, nodes.Sentence) and entry.text.value]
    value = setting.value
    inline = [value.value] if value is not None and value.value.strip() and not setting.rules else []
    return plans, (*inline, *sentences)


def lowered(rule: nodes.Rule) -> str:
    """The effective rule ``NOT (checkpoint) OR NOT (gate) OR (core)`` as text (docs/spec 04 §3)."""
    core = rule.condition.value if rule.condition else "true"
    if rule.before is not None and rule.before.kind == "other":
        return "true"
    text = f"NOT ({core})" if rule.kind.value == "RESTRICT" else core
    parts = []
    if rule.before is not None:
        parts.append(f"NOT ({rule.before.text.value})")
    if rule.when is not None:
        parts.append(f"NOT ({rule.when.value})")
    return " OR ".join([*parts, f"({text})"]) if parts else text


def fields_read(plan: RulePlan, fields: Collection[str]) -> tuple[str, ...]:
    """The gather fields that a rule reads and does not ask for itself."""
    if plan.checkpoint is not None:
        return ()
    asked = asked_by(plan.condition) | (asked_by(plan.gate) if plan.gate is not None else frozenset())
    roots = dict.fromkeys(name.split(".", 1)[0] for name in plan.names)
    return tuple(root for root in roots if root in fields and root not in asked)


@lru_cache(maxsize=1024)
def asked_by(formula: Formula) -> frozenset[str]:
    """First segments of the names that a condition tests by IS SET or IS NOT SET."""
    tested = formula.node and [
        part.left if isinstance(part, Test) else part.args[0]
        for part in walk(formula.node)
        if (isinstance(part, Test) and part.op in {"IS SET", "IS NOT SET"})
        or (isinstance(part, Call) and part.name == "has" and part.args)
    ]
    return frozenset(path.parts[0] for path in tested or () if isinstance(path, Path))
