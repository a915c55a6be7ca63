"""4xx about what a block of ON_FAIL collects, clears and cannot do (docs/spec 04 §5, 05 §7)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.fixes.entries import remove_property
from abl.analysis.fixes.on_fail import without_clear
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.constraints.on_fail_exits import block_of, names_read
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest
from abl.syntax.vocabulary import ON_FAIL_INERT_KEYS


@rule(
    "ABL417",
    "collect-unknown-field",
    "warning",
    "COLLECT field `{f}` is not a gather field. Did you mean `{y}`?",
    over=nodes.Rule,
    needs="structured",
)
def collect_unknown_field(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: COLLECT names something that is neither a gather field nor a declared session variable.
    Why: There is no prompt, type or validation for it: any text is taken.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        GATHER:
          card:
            prompt: "Your card?"
            type: string
        CONSTRAINTS:
          - REQUIRE card IS SET
            ON_FAIL:
              COLLECT: [crad]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        GATHER:
          card:
            prompt: "Your card?"
            type: string
        CONSTRAINTS:
          - REQUIRE card IS SET
            ON_FAIL:
              COLLECT: [card]
    """
    action = block_of(checked)
    for name in (action.collect or ()) if action is not None else ():
        if name.value not in agent.fields and name.value not in agent.session:
            best, renames = fixes.rename_to(name.span, name.value, (*agent.fields, *agent.session))
            yield found(name.span, *renames, node=checked.path, f=name.value, y=best)


@rule(
    "ABL418",
    "collect-beside-condition",
    "info",
    "COLLECT `{f}` is not referenced by the condition; re-check may fail again",
    over=nodes.Rule,
    needs="structured",
)
def collect_beside_condition(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL collects a field and checks again, but the condition does not read the field.
    Why: The answer changes nothing, so the rule fails again.
    Bad:
        CONSTRAINTS:
          - LIMIT days <= 30
            ON_FAIL:
              COLLECT: [title]
              THEN: retry
    Good:
        CONSTRAINTS:
          - LIMIT days <= 30
            ON_FAIL:
              COLLECT: [days]
              THEN: retry
    """
    action = block_of(checked)
    if action is None or action.goto is not None or (action.then_word != "retry" and action.then is not None):
        return
    read = {path.partition(".")[0] for path in names_read(checked, agent)}
    for name in (action.collect or ()) if read else ():
        if name.value.partition(".")[0] not in read and not _is_misspelt(name.value, agent):
            yield found(name.span, node=action.path, f=name.value)


def _is_misspelt(name: str, agent: AgentIndex) -> bool:
    """True for a name that ABL417 reports; in a fragment, which has no fields to compare with, for none."""
    known = (*agent.fields, *agent.session)
    return name not in known and bool(not agent.fragment or closest(name, known))


@rule(
    "ABL419",
    "clear-in-on-fail",
    "warning",
    "CLEAR in ON_FAIL is not supported everywhere",
    over=nodes.Rule,
    tags=("portability",),
    needs="structured",
)
def clear_in_on_fail(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL of a rule clears variables.
    Why: Some platforms do not know CLEAR here; a step that the rule goes to can clear everywhere.
    Bad:
        CONSTRAINTS:
          - LIMIT days <= 30
            ON_FAIL:
              RESPOND: "At most 30 days."
              CLEAR: [days]
    Good:
        CONSTRAINTS:
          - LIMIT days <= 30
            ON_FAIL:
              RESPOND: "At most 30 days."
              COLLECT: [days]
              THEN: retry
    """
    action = block_of(checked)
    prop = action.prop("CLEAR") if action is not None else None
    if action is not None and prop is not None:
        yield found(prop.key_span, *without_clear(agent, action, prop), node=checked.path)


@rule(
    "ABL420",
    "action-in-block",
    "warning",
    "`{k}` is not executed inside an ON_FAIL block",
    over=nodes.Rule,
    needs="structured",
)
def action_in_block(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: HANDOFF, ESCALATE, BLOCK or SET is in the ON_FAIL block of a rule.
    Why: The first three exist on one line only, and SET only in the ON_FAIL of a CHECK; here they are passed over.
    Bad:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL:
              RESPOND: "Members only."
              ESCALATE: "No member"
    Good:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: ESCALATE "No member"
    """
    action = block_of(checked)
    for prop in action.props if action is not None else ():
        if action is not None and prop.key in ON_FAIL_INERT_KEYS:
            yield found(prop.key_span, *_one_line(action, prop, agent), node=action.path, k=prop.key)
        elif action is not None and prop.key == "SET":
            words = "`{k}` is not executed when a rule fails, only in ON_FAIL of a CHECK"
            yield found(prop.key_span, *remove_property(agent, prop), node=action.path, k="SET", wording=words)


def _one_line(action: nodes.OnFail, prop: nodes.Property, agent: AgentIndex) -> tuple[Fix, ...]:
    if action.block is None or (prop.value is not None and prop.value.style == "pipe"):
        return ()
    value = f" {agent.source.text[slice(*prop.value.span)]}" if prop.value is not None else ""
    whole = Span(action.block.key_span.end, action.block.span.end)
    return (Fix(f"Write `ON_FAIL: {prop.key}{value}`", (Edit(whole, f": {prop.key}{value}"),)),)
