"""4xx about rules that stop the work that would let them hold (docs/spec 04 §5.1, §6.2, 05 §7)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from abl.analysis import fixes
from abl.analysis.conditions.judgement import (
    assignments_of,
    behind_question,
    condition_of,
    fields_waited_for,
    gathered_roots,
    holds_at_start,
    unset_at_start,
    value_at_start,
)
from abl.analysis.fixes.entries import add_property, is_yaml
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex, ExpressionUse, Write
from abl.analysis.index.names import SYSTEM_NAMES
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.tools.effects import changing_tools
from abl.diagnostics import Fix
from abl.syntax import nodes

_TALKS_ONLY = frozenset({"message", "respond", "block", "redact", "unknown"})
_BY_WORK = frozenset({"set", "as", "transform", "tool", "return"})


class _Deadlock(NamedTuple):
    names: tuple[str, ...]
    step: str  # the step that would set them
    wording: str


@rule(
    "ABL448",
    "blocks-until-set",
    "warning",
    "Blocks every turn until `{names}` is set, so that step `{step}`, which sets it, is never reached",
    over=nodes.Rule,
    project=True,
)
def blocks_until_set(checked: nodes.Rule, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A rule that only responds fails before the step that would let it hold, or reads a name that only steps set:
    once it fails, every later message is refused.
    Why: The conversation gets stuck. Judged before the tools that change something, the rule guards as much and lets
    the dialogue continue.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - verified
        TOOLS:
          issue_loan(book: string) -> {due: date}
        CONSTRAINTS:
          - REQUIRE verified == true
            ON_FAIL: "You have to be verified."
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - code: required
                prompt: "Your code?"
            THEN: verify
          verify:
            REASONING: false
            SET: verified = LENGTH(code) == 6
            CALL: issue_loan(code)
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - verified
        TOOLS:
          issue_loan(book: string) -> {due: date}
        CONSTRAINTS:
          - REQUIRE verified == true BEFORE calling issue_loan
            ON_FAIL: "You have to be verified."
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - code: required
                prompt: "Your code?"
            THEN: verify
          verify:
            REASONING: false
            SET: verified = LENGTH(code) == 6
            CALL: issue_loan(code)
            THEN: COMPLETE
    """
    use = _judged_always(checked, agent)
    stuck = _stuck(checked, use, agent, project.received(agent)) if use is not None else None
    if use is not None and stuck is not None:
        repairs = partial(_repairs, checked, agent, use, stuck)
        names = ", ".join(stuck.names)
        yield found(use.whole, later=repairs, node=checked.path, names=names, step=stuck.step, wording=stuck.wording)


_FIRST = "Blocks every turn until `{names}` is set, so that step `{step}`, which sets it, is never reached"
_WITHIN = "Blocks every turn until `{names}` is set, and step `{step}` sets it only behind its question"
_CALLED = "Refuses every tool call before step `{step}` asks for `{names}`"
_LATER = "Once it fails, every later message is refused: only step `{step}` sets `{names}`"


def _judged_always(checked: nodes.Rule, agent: AgentIndex) -> ExpressionUse | None:
    """The condition of a rule that is judged in every turn and only responds."""
    if checked.before is not None or checked.whens or checked.is_warning or not _only_talks(checked.on_fail):
        return None
    use = condition_of(checked, agent)
    if use is None or agent.fragment or agent.agent.flow is None or use.reading.node is None or use.step is not None:
        return None
    return use


def _stuck(checked: nodes.Rule, use: ExpressionUse, agent: AgentIndex, received: frozenset[str]) -> _Deadlock | None:
    return _at_start(checked, use, agent, received) or _before_a_call(use, agent) or _for_good(use, agent, received)


def _at_start(checked: nodes.Rule, use: ExpressionUse, agent: AgentIndex, received: frozenset[str]) -> _Deadlock | None:
    """The rule fails at the first message, whatever that answers."""
    if fields_waited_for(use, agent):
        return None
    for waiting in _first_waits(agent):
        here = _collected_in(agent, waiting)
        known = {
            name.path: value
            for name in use.reading.names
            if name.path.partition(".")[0] not in here | received
            for is_known, value in [value_at_start(agent, name.path)]
            if is_known
        }
        if not known or holds_at_start(use.reading, known) is not (checked.kind.value == "RESTRICT"):
            continue
        writes = [write for path in known for write in _setting_writes(agent, path)]
        step = next((w.step for w in writes if w.step != waiting or behind_question(agent, w)), None)
        if step is not None:
            return _Deadlock(tuple(known), step, _WITHIN if step == waiting else _FIRST)
    return None


def _before_a_call(use: ExpressionUse, agent: AgentIndex) -> _Deadlock | None:
    """A field that is not asked yet is no failure, but before a tool call it is (04 §6.2)."""
    for name in fields_waited_for(use, agent):
        setting_steps = {write.step for write in _setting_writes(agent, name) if write.step is not None}
        if not setting_steps or agent.graph.entry in setting_steps:
            continue
        before = {agent.graph.entry}
        open_ = [agent.graph.entry]
        while open_:
            for edge in agent.graph.outgoing.get(open_.pop() or "", ()):
                if edge.target not in before | setting_steps and edge.kind != "constraint":
                    before.add(edge.target)
                    open_.append(edge.target)
        if any(ref.call is not None and ref.step in before for ref in agent.tool_refs):
            return _Deadlock((name,), min(setting_steps), _CALLED)
    return None


def _for_good(use: ExpressionUse, agent: AgentIndex, received: frozenset[str]) -> _Deadlock | None:
    """Nothing that the user says changes what the rule reads."""
    roots = dict.fromkeys(name.path.partition(".")[0] for name in use.reading.names)
    known = [root for root in roots if root not in SYSTEM_NAMES]
    collected = agent.union(_collected_roots)
    if not known or any(root in collected or root in received for root in known):
        return None
    for root in known:
        opening = agent.opening_steps
        for write in _setting_writes(agent, root):
            if write.step is not None and (write.step not in opening or behind_question(agent, write)):
                return _Deadlock((root,), write.step, _LATER)
    return None


def _first_waits(agent: AgentIndex) -> list[str]:
    """The steps in which the flow may wait for the first message."""
    graph = agent.graph
    seen, open_, found_ = set[str](), [graph.entry], []
    while open_:
        step = open_.pop()
        if step is None or step in seen:
            continue
        seen.add(step)
        if step in graph.waits:
            found_.append(step)
        else:
            open_.extend(edge.target for edge in graph.outgoing.get(step, ()) if edge.kind != "constraint")
    return found_


def _collected_in(agent: AgentIndex, waiting: str) -> frozenset[str]:
    """First segments of what a message at a waiting step can fill before the rules are judged."""
    own = {write.root for write in agent.writes if write.kind == "gather" and write.step in (waiting, None)}
    return frozenset(own) | agent.union(_answered_roots)


def _setting_writes(agent: AgentIndex, path: str) -> list[Write]:
    """What gives a name a value in steps, in the order of the text."""
    writes = [origin.write for origin in agent.origins_of(path.partition(".")[0])]
    kinds = _BY_WORK | {"gather"}
    return [w for w in sorted(writes, key=lambda w: w.order) if w.step is not None and w.kind in kinds]


def _only_talks(action: nodes.OnFail | None) -> bool:
    """True when a failure leads nowhere: neither to a step, nor to a question, nor to somebody else."""
    if action is None or action.form in _TALKS_ONLY:
        return True
    return action.form == "structured" and action.goto is None and not action.collect and not action.sets


def _answered_roots(part: Part) -> frozenset[str]:
    """First segments of the names that branches on input and handlers set."""
    actions = [branch.actions for on_input in part.all(nodes.OnInput) for branch in on_input.branches]
    actions += [handler.actions for handler in part.all(nodes.ActionHandler)]
    actions += [handler.actions for handler in part.all(nodes.IntentHandler)]
    lines = [line for directives in actions for line in assignments_of(directives)]
    return frozenset([line.target.value.partition(".")[0] for line in lines if line.target is not None])


def _collected_roots(part: Part) -> frozenset[str]:
    """First segments of the names that an answer of the user sets."""
    return _answered_roots(part) | gathered_roots(part)


@rule(
    "ABL453",
    "detour-waits-for-remember",
    "warning",
    "GOTO waits for `{p}`, which a remember trigger writes when the turn is over",
    over=nodes.Rule,
)
def detour_waits_for_remember(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A rule leads to a step so that a fact changes, and only a remember trigger writes that fact.
    Why: Triggers run at the end of a turn. Until then the fact is unset, and the rule fails again behind the step.
    Bad:
        MEMORY:
          persistent:
            - user.verified
              SCOPE: user
          remember:
            - WHEN: verified == true
              STORE: verified -> user.verified
        CONSTRAINTS:
          - REQUIRE user.verified == true
            ON_FAIL:
              GOTO: verify
        FLOW:
          verify:
            REASONING: false
            SET: verified = true
            THEN: COMPLETE
    Good:
        MEMORY:
          persistent:
            - user.verified
              SCOPE: user
        CONSTRAINTS:
          - REQUIRE user.verified == true
            ON_FAIL:
              GOTO: verify
        FLOW:
          verify:
            REASONING: false
            SET: user.verified = true
            THEN: COMPLETE
    """
    use = condition_of(checked, agent)
    if use is None or checked.before is not None or checked.on_fail is None or checked.on_fail.goto is None:
        return
    for name in use.reading.names:
        path = agent.path_of(name.path)
        if path is None:
            continue
        fact = path.name.value
        writes = [w for w in agent.writes if agent.path_of(w.path) is path and w.kind not in ("persistent", "recall")]
        if writes and all(write.kind == "remember" for write in writes):
            repairs = _set_as_well(agent, writes[0].node, fact)
            yield found(use.span(name.start, name.end), *repairs, node=checked.path, p=fact)
            return


def _set_as_well(agent: AgentIndex, store: nodes.Node, fact: str) -> Iterator[Fix]:
    """SET of the fact below the SET of the variable that the trigger stores."""
    value = store.value.value.strip() if isinstance(store, nodes.Store) and store.value is not None else ""
    for directive in agent.all(nodes.SetVariables):
        if any(a.target is not None and a.target.value == value for a in directive.assignments) and not is_yaml(agent):
            indent = fixes.indent_of(agent.source, directive.span.start)
            line = f"{indent}SET: {fact} = {value}"
            yield fixes.insert_line_below(agent.source, directive.span, line, f"SET `{fact}` as well")
            return


# Fixes ------------------------------------------------------------------------------------------------------------


def _repairs(checked: nodes.Rule, agent: AgentIndex, use: ExpressionUse, stuck: _Deadlock) -> Iterator[Fix]:
    """What keeps the guard comes first; a gate, which is open while the name is unset, only where it guards no tool."""
    tools = changing_tools(agent)
    if len(tools) == 1:
        yield fixes.insert(use.whole.end, f" BEFORE calling {tools[0]}", f"Check before `{tools[0]}`")
    elif tools and not is_yaml(agent) and (copies := _for_each(checked, agent, use, tools)) is not None:
        yield copies
    action = checked.on_fail
    if stuck.wording != _CALLED and action is not None and not is_yaml(agent):
        yield from _go_to(agent, action, stuck.step, preferred=not tools)
    unset = all(unset_at_start(agent, name) for name in stuck.names)  # an INITIAL is set, a gate does not help
    if not tools and unset and stuck.wording in (_FIRST, _WITHIN):
        gate = "WHEN: " + " AND ".join(f"{name} IS SET" for name in stuck.names)
        for fix in add_property(agent, checked, gate):
            yield Fix(fix.title, fix.edits, preferred=False)


def _for_each(checked: nodes.Rule, agent: AgentIndex, use: ExpressionUse, tools: list[str]) -> Fix | None:
    """The rule once for each tool that changes something."""
    text = agent.source.text
    whole = fixes.lines_of(agent.source, checked.span)
    at = use.whole.end - whole.start
    lines = text[whole.start : whole.end].rstrip("\n")
    copies = [f"{lines[:at]} BEFORE calling {tool}{lines[at:]}" for tool in tools]
    title = "Check before the tools that change something"
    return fixes.replace(type(whole)(whole.start, whole.start + len(lines)), "\n".join(copies), title)


def _go_to(agent: AgentIndex, action: nodes.OnFail, step: str, *, preferred: bool) -> Iterator[Fix]:
    """ON_FAIL leads to the step that sets the name."""
    block, title = action.block, f"Go to `{step}`"
    if block is None:
        return
    if action.form == "structured" and action.props:
        indent = fixes.indent_of(agent.source, action.props[-1].key_span.start)
        below = action.props[-1].block.span
        yield fixes.insert_line_below(agent.source, below, f"{indent}GOTO: {step}", title, preferred=preferred)
    elif action.form == "message" and block.value is not None and block.value.style in {"double", "single"}:
        indent = fixes.indent_of(agent.source, block.span.start) + "  "
        said = agent.source.text[block.value.span.start : block.value.span.end]
        lines = f"\n{indent}RESPOND: {said}\n{indent}GOTO: {step}"
        start = agent.source.text.rindex(":", 0, block.value.span.start) + 1
        yield fixes.replace(type(block.value.span)(start, block.value.span.end), lines, title, preferred=preferred)
