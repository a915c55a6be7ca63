"""4xx about actions of ON_FAIL that say or do less than they seem to (docs/spec 04 §4-§5, 05 §7)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest

_ACTION_FORMS = frozenset({"handoff", "escalate", "block", "redact", "then"})


@rule("ABL423", "escalate-without-section", "info", "ESCALATE used but no ESCALATE section", over=AgentIndex)
def escalate_without_section(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A rule escalates, but the agent has no ESCALATE section.
    Why: The section tells the human what they get to see; without it only the reason is passed on.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: ESCALATE "No member"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: ESCALATE "No member"
        ESCALATE:
          triggers:
            - WHEN: tries > 3
              REASON: "Too many attempts"
    """
    if agent.agent.section("ESCALATE") is not None:
        return
    for placed, actions in agent.each(_escalating):
        for action in actions:
            yield found(_value_span(placed.at(action)), _add_section(agent), node=action.path)
            return  # one section is missing, however many rules would use it


def _add_section(agent: AgentIndex) -> Fix:
    section = 'ESCALATE:\n  context_for_human:\n    - NAME: conversation\n      TEMPLATE: "…"'
    return fixes.insert_line_below(agent.source, agent.agent.span, section, "Add an ESCALATE section", preferred=False)


def _escalating(part: Part) -> list[nodes.OnFail]:
    actions = (checked.on_fail for checked in part.all(nodes.Rule))
    return [action for action in actions if action is not None and action.form == "escalate"]


def _value_span(action: nodes.OnFail) -> Span:
    return action.block.value.span if action.block is not None and action.block.value is not None else action.span


@rule(
    "ABL454",
    "handoff-without-entry",
    "hint",
    "HANDOFF has no entry for {a}: only variables that {a} declares under the same name go along",
    over=nodes.Rule,
    project=True,
    needs="handoff",
)
def handoff_without_entry(checked: nodes.Rule, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: ON_FAIL hands over to an agent that no HANDOFF entry names.
    Why: An entry says what is passed. Without one, the values of session variables that both agents declare go along
    with the history, and nothing else.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOFF Librarian
        AGENT: Librarian
        GOAL: "Advise readers"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOFF Librarian
        HANDOFF:
          - TO: Librarian
            WHEN: is_member == false
            PASS: [is_member]
        AGENT: Librarian
        GOAL: "Advise readers"
    """
    action = checked.on_fail
    if action is None or action.form != "handoff" or action.target is None or checked.is_warning or agent.fragment:
        return
    name = action.target.value
    listed = any(entry.to is not None and entry.to.value == name for entry in agent.agent.handoffs)
    if not listed and (project.alone or name in project.agents):  # else ABL409 reports it
        yield found(action.target.span, node=action.path, a=name)


@rule("ABL424", "silent-block", "info", "BLOCK gives the user no message", over=nodes.Rule, needs="block")
def silent_block(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL is BLOCK without a text.
    Why: The user gets no answer and does not know why.
    Bad:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: BLOCK
    Good:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: BLOCK "Members only."
    """
    action = checked.on_fail
    if action is not None and action.form == "block" and action.message is None and not checked.is_warning:
        span = _value_span(action)
        yield found(span, fixes.replace(span, '"…"', "Write a message", preferred=False), node=action.path)


@rule(
    "ABL425",
    "redact-undocumented",
    "warning",
    "REDACT is not documented for constraints",
    over=nodes.Rule,
    needs="redact",
)
def redact_undocumented(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL of a rule is REDACT.
    Why: REDACT belongs to guardrails; here it stops like BLOCK and hides nothing.
    Bad:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: REDACT "Hidden."
    Good:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: BLOCK "Hidden."
    """
    action = checked.on_fail
    if action is not None and action.form == "redact":
        span = _value_span(action)
        word = Span(span.start, span.start + len("REDACT"))
        yield found(word, fixes.replace(word, "BLOCK"), node=action.path)


@rule(
    "ABL442",
    "action-under-warn",
    "warning",
    "Actions under WARN are not executed; only the message is logged",
    over=nodes.Rule,
)
def action_under_warn(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A rule that only warns has an action in ON_FAIL.
    Why: A warning continues without doing anything; its message is logged.
    Bad:
        CONSTRAINTS:
          - WARN fines < 20
            ON_FAIL: HANDOFF Cashier
    Good:
        CONSTRAINTS:
          - WARN fines < 20
            ON_FAIL: "High fines: {{fines}}"
    """
    action = checked.on_fail
    if action is None or not checked.is_warning:
        return
    keys = {prop.key for prop in action.props} - {"RESPOND"}
    if action.form in _ACTION_FORMS or (action.form == "structured" and keys):
        span = action.props[0].key_span if action.form == "structured" else _value_span(action)
        yield found(span, *_message_form(action, agent), node=action.path)


def _message_form(action: nodes.OnFail, agent: AgentIndex) -> tuple[Fix, ...]:
    text = action.message or action.reason
    if text is None or text.style not in ("double", "single") or action.block is None:
        return ()
    whole = Span(action.block.key_span.end, action.block.span.end)
    message = agent.source.text[slice(*text.span)]
    return (Fix("Keep the message only", (Edit(whole, f": {message}"),), preferred=True),)


@rule(
    "ABL449",
    "name-beside-condition",
    "warning",
    "Message mentions `{name}` that the condition never uses. Did you mean `{y}`?",
    over=nodes.Rule,
    project=True,
)
def name_beside_condition(checked: nodes.Rule, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: The message shows a name that looks like a slip of one in the condition.
    Why: Both names exist, so the message shows a value that has nothing to do with the rule.
    Bad:
        MEMORY:
          session:
            - open_loans
            - open_loan
        CONSTRAINTS:
          - LIMIT open_loans < 3
            ON_FAIL: "You have {{open_loan}} loans."
    Good:
        MEMORY:
          session:
            - open_loans
            - open_loan
        CONSTRAINTS:
          - LIMIT open_loans < 3
            ON_FAIL: "You have {{open_loans}} loans."
    """
    action = checked.on_fail
    if action is None or action.message is None or "{{" not in action.message.value:
        return
    used = {name.path for use in agent.expressions_of(checked) for name in use.reading.names}
    for use in agent.expressions_of(action):
        node = use.reading.node
        if use.mode != "tag" or not isinstance(node, en.Path):
            continue
        name = ".".join(node.parts)
        if name in used or node.parts[0] not in agent.written_roots:
            continue
        if not any(_is_slip(name, other) for other in used):
            continue
        known = project.known_names(agent)  # the others are ABL214, and they change nothing
        slips = [other for other in closest(name, [n for n in used if n in known]) if _is_slip(name, other)]
        if slips:
            repairs = fixes.rename_fixes(use.span_of(node), slips)
            yield found(use.span_of(node), *repairs, node=action.path, name=name, y=slips[0])


def _is_slip(one: str, other: str) -> bool:
    """One letter more or less: closer than names that differ on purpose, such as ``min_age`` and ``max_age``."""
    longer, shorter = sorted((one, other), key=len, reverse=True)
    if longer.casefold().replace("_", "") == shorter.casefold().replace("_", ""):
        return True
    added = [i for i in range(len(longer)) if longer[:i] + longer[i + 1 :] == shorter]
    return bool(added) and not longer[added[0]].isdigit()
