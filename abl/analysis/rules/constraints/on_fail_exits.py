"""4xx about where a block of ON_FAIL leads: GOTO, THEN, RETRY (docs/spec 04 §5, 05 §7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abl.analysis import fixes
from abl.analysis.conditions.judgement import condition_of, gate_of
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes.entries import remove_property
from abl.analysis.flow.graph import is_terminal
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Name
from abl.syntax.readers.entries import flag
from abl.syntax.vocabulary import ON_FAIL_THEN


def block_of(checked: nodes.Rule) -> nodes.OnFail | None:
    """ON_FAIL of a rule, if it is a block."""
    return checked.on_fail if checked.on_fail is not None and checked.on_fail.form == "structured" else None


def names_read(checked: nodes.Rule, agent: AgentIndex) -> tuple[str, ...]:
    """The names that condition and gate read, each once."""
    uses = [use for use in (condition_of(checked, agent), gate_of(checked, agent)) if use is not None]
    return tuple(dict.fromkeys(name.path for use in uses for name in use.reading.names))


def _retries(action: nodes.OnFail) -> bool:
    return flag(action.retry) is True


@rule("ABL412", "goto-unknown-step", "error", "GOTO to unknown step `{s}`. Did you mean `{y}`?", over=nodes.Rule)
def goto_unknown_step(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: GOTO in ON_FAIL names a step that the flow does not define.
    Why: The jump fails when the rule does.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL:
              GOTO: jion
        FLOW:
          join:
            REASONING: false
            RESPOND: "Become a member first."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL:
              GOTO: join
        FLOW:
          join:
            REASONING: false
            RESPOND: "Become a member first."
            THEN: COMPLETE
    """
    action = checked.on_fail  # of CHECK and CALL it is ABL501
    step = _jump_of(action)
    if action is None or step is None or not agent.steps or leads_on(step.value, agent):
        return
    best, renames = fixes.rename_to(step.span, step.value, agent.steps)
    if action.form == "then":
        renames = goto_block(action, (best,), agent) if best else ()
    yield found(step.span, *renames, node=action.path, s=step.value, y=best)


def leads_on(step: str, agent: AgentIndex) -> bool:
    """True for a step that is defined or listed, and for a terminal word."""
    flow = agent.agent.flow
    listed = flow.listed if flow is not None else ()
    return step in agent.steps or is_terminal(step, agent.steps) or any(name.value == step for name in listed)


def is_verdict(action: nodes.OnFail) -> bool:
    """True for ``THEN continue`` and ``THEN retry`` on one line."""
    return action.form == "then" and action.target is not None and action.target.value in ON_FAIL_THEN


def goto_block(action: nodes.OnFail, targets: Sequence[str], agent: AgentIndex, key: str = "GOTO") -> tuple[Fix, ...]:
    """Fixes that write a one-line ON_FAIL as a block with one of the targets."""
    block = action.block
    if block is None or block.value is None:
        return ()
    indent = fixes.indent_of(agent.source, block.key_span.start) + "  "
    span = Span(block.key_span.end, block.value.span.end)
    return tuple(
        Fix(f"Write a block with {key}", (Edit(span, f":\n{indent}{key}: {target}"),), preferred=len(targets) == 1)
        for target in targets
    )


def _jump_of(action: nodes.OnFail | None) -> Name | None:
    """The step that ON_FAIL of a rule names behind GOTO, in a block or, as only CHECK may, on one line."""
    if action is None or is_verdict(action):
        return None
    return action.target if action.form == "then" else action.goto if action.form == "structured" else None


@rule("ABL413", "goto-without-flow", "error", "GOTO needs FLOW", over=nodes.Rule)
def goto_without_flow(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL jumps to a step, but the agent has no steps.
    Why: There is nowhere to go.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL:
              GOTO: join
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: "Become a member first."
    """
    action = checked.on_fail
    step = _jump_of(action)
    if action is not None and step is not None and not agent.steps:
        yield found(step.span, node=action.path)


@rule(
    "ABL414",
    "bad-then",
    "error",
    "THEN must be continue or retry. Did you mean `{y}`?",
    over=nodes.Rule,
    needs="structured",
)
def bad_then(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: THEN in the ON_FAIL of a rule is neither continue nor retry.
    Why: After collecting, the rule is either left alone or checked again; to go to a step write GOTO.
    Bad:
        CONSTRAINTS:
          - REQUIRE card IS SET
            ON_FAIL:
              COLLECT: [card]
              THEN: retyr
    Good:
        CONSTRAINTS:
          - REQUIRE card IS SET
            ON_FAIL:
              COLLECT: [card]
              THEN: retry
    """
    action = block_of(checked)
    if action is None or action.then is None:
        return
    name, prop = action.then, action.prop("THEN")
    if name.value in agent.steps and prop is not None:
        goto = fixes.replace(prop.key_span, "GOTO", f"Write `GOTO: {name.value}`")
        yield found(name.span, goto, node=action.path)
    elif prop is not None:
        yield from unfit(prop.value, "on_fail", "THEN", action.path)


@rule(
    "ABL415",
    "then-without-collect",
    "warning",
    "`THEN: retry` without COLLECT has no effect",
    over=nodes.Rule,
    needs="structured",
)
def then_without_collect(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL has `THEN: retry` but collects nothing.
    Why: Nothing has changed when the rule is judged again. `THEN: continue` needs no COLLECT: it goes on at once.
    Bad:
        CONSTRAINTS:
          - REQUIRE card IS SET
            ON_FAIL:
              RESPOND: "I need your card."
              THEN: retry
    Good:
        CONSTRAINTS:
          - REQUIRE card IS SET
            ON_FAIL:
              RESPOND: "I need your card."
              COLLECT: [card]
              THEN: retry
    """
    action = block_of(checked)
    prop = action.prop("THEN") if action is not None else None
    if action is None or prop is None or action.then is None or action.collect or action.goto is not None:
        return
    if action.then_word != "retry":
        return
    repairs = []
    fields = [name for name in names_read(checked, agent) if name in agent.fields]
    if fields:
        indent = fixes.indent_of(agent.source, prop.key_span.start)
        line = f"{indent}COLLECT: [{', '.join(fields)}]"
        repairs.append(fixes.insert_line_above(agent.source, prop.key_span, line, "Insert COLLECT", preferred=False))
    if action.retry is None:
        whole = Span(prop.key_span.start, action.then.span.end)
        repairs.append(fixes.replace(whole, "RETRY: true", preferred=False))
    yield found(Span(prop.key_span.start, action.then.span.end), *repairs, node=action.path)


@rule(
    "ABL416",
    "conflicting-exits",
    "warning",
    "`{a}` and `{b}` conflict; only `{a}` runs",
    over=nodes.Rule,
    needs="structured",
)
def conflicting_exits(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL has two of GOTO, THEN and RETRY that exclude each other.
    Why: The first of GOTO, THEN, RETRY runs; the other is dead text.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL:
              GOTO: join
              RETRY: true
        FLOW:
          join:
            REASONING: false
            RESPOND: "Become a member first."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL:
              GOTO: join
        FLOW:
          join:
            REASONING: false
            RESPOND: "Become a member first."
            THEN: COMPLETE
    """
    action = block_of(checked)
    if action is None:
        return
    losers: list[tuple[str, str]] = []
    if action.goto is not None:
        losers += [("GOTO", "THEN")] if action.then is not None else []
        losers += [("GOTO", "RETRY")] if _retries(action) else []
    elif action.then_word == "continue" and _retries(action):
        losers.append(("THEN", "RETRY"))
    for winner, loser in losers:
        prop = action.prop(loser)
        if prop is not None:
            yield found(
                prop.key_span, *remove_property(agent, prop, preferred=True), node=action.path, a=winner, b=loser
            )


@rule("ABL421", "bad-retry", "error", "RETRY must be true or false", over=nodes.Rule, needs="structured")
def bad_retry(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: RETRY has another value than true or false.
    Why: Whether the step runs again is not known; how often is bounded by the runtime, not here.
    Bad:
        CONSTRAINTS:
          - REQUIRE card IS SET
            ON_FAIL:
              COLLECT: [card]
              RETRY: 3
    Good:
        CONSTRAINTS:
          - REQUIRE card IS SET
            ON_FAIL:
              COLLECT: [card]
              RETRY: true
    """
    action = block_of(checked)
    if action is not None:
        yield from unfit(action.retry, "on_fail", "RETRY", f"{action.path}.RETRY")


@rule(
    "ABL422",
    "retry-loop",
    "warning",
    "Retry may loop: nothing in ON_FAIL changes `{names}`",
    over=nodes.Rule,
    needs="structured",
)
def retry_loop(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL retries, but neither collects, clears nor sets anything.
    Why: The same state gives the same verdict again, until the bound on retries ends the turn.
    Bad:
        CONSTRAINTS:
          - LIMIT days <= 30
            ON_FAIL:
              RESPOND: "At most 30 days."
              RETRY: true
    Good:
        CONSTRAINTS:
          - LIMIT days <= 30
            ON_FAIL:
              RESPOND: "At most 30 days."
              COLLECT: [days]
              RETRY: true
    """
    action = block_of(checked)
    if action is None or not _retries(action) or action.goto is not None or action.then is not None:
        return
    names, prop = names_read(checked, agent), action.prop("RETRY")
    if action.collect or action.clear or action.sets or not names or prop is None:
        return
    fields = [name for name in names if name in agent.fields] or list(names[:1])
    indent = fixes.indent_of(agent.source, prop.key_span.start)
    line = f"{indent}COLLECT: [{', '.join(fields)}]"
    repair = fixes.insert_line_above(agent.source, prop.key_span, line, "Insert COLLECT", preferred=False)
    yield found(prop.block.line_span, repair, node=action.path, names=", ".join(names))
