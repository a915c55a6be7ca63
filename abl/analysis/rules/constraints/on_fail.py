"""4xx about what a rule does when it fails: messages, handoffs, single words (docs/spec 04 §5, 05 §7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance.required_keys import without_target
from abl.analysis.fixes.on_fail_words import intended_actions
from abl.analysis.incremental.parts import Placed
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.constraints.on_fail_exits import goto_block, is_verdict, leads_on
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.vocabulary import ON_FAIL_ACTIONS

_CURLY = re.compile("[“„](.*)[”“]", re.DOTALL)
_ACTION_LIKE = re.compile(r"[A-Z][A-Z_]+:?")
_FIRST_WORD = re.compile(r"[A-Za-z_]+")
_KNOWN_WORDS = (*ON_FAIL_ACTIONS, "GOTO")
_FAILING = (nodes.Rule, nodes.Check, nodes.Call)
_Failing = nodes.Rule | nodes.Check | nodes.Call


def _quoted(span: Span, text: str) -> Fix:
    curly = _CURLY.fullmatch(text.strip())
    text = curly[1] if curly is not None else text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return Fix("Put the message in quotes", (Edit(span, f'"{escaped}"'),), preferred=True)


def _responding(value: nodes.Text) -> Fix:
    """The message under RESPOND, as the YAML form needs it for one that begins like an action (01 §9)."""
    edits = _quoted(value.span, value.value).edits
    return Fix("Put the message under `respond`", (Edit(value.span, f"{{respond: {edits[0].text}}}"),))


def _single_word(action: nodes.OnFail, agent: AgentIndex) -> nodes.Name | None:
    """A word that stands alone and is no step."""
    alone = action.form == "step" and action.target is not None and action.target.value not in agent.steps
    return action.target if alone else None


def _in_yaml_quotes(word: nodes.Name, agent: AgentIndex) -> bool:
    """True for a word whose quotes are those of YAML, which are no part of it (01 §9)."""
    return agent.source.text[max(word.span.start - 1, 0) : word.span.start] in ('"', "'")


@rule(
    "ABL406",
    "unknown-on-fail-action",
    "warning",
    "Unknown ON_FAIL action `{x}`; sent as text. Did you mean `{y}`?",
    over=_FAILING,
)
def unknown_on_fail_action(checked: _Failing, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL of a rule, a CHECK or a CALL begins with a word in capitals that is no action.
    Why: The whole line is then sent to the user as a message.
    Bad:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOF Librarian
    Good:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOFF Librarian
    """
    action = checked.on_fail
    if action is None:
        return
    in_rule = isinstance(checked, nodes.Rule)  # elsewhere a single word is a step: ABL501
    word = action.target if action.form == "unknown" else _single_word(action, agent) if in_rule else None
    if word is None or not _ACTION_LIKE.fullmatch(word.value):
        return
    best, renames = fixes.rename_to(word.span, word.value, _KNOWN_WORDS)
    written = action.message
    whole = action.block.value if action.block is not None else None
    if whole is not None and checked.block is not None and checked.block.key.islower():  # of the YAML form
        quote = _responding(whole)
    else:
        quote = _quoted(written.span, written.value) if written is not None else _quoted(word.span, word.value)
    own = intended_actions(action, agent) if in_rule else ()
    if own:
        best, renames = "", ()  # `REJECT` is like `REDACT`, but means BLOCK
    quote = Fix(quote.title, quote.edits, preferred=not (renames or own))
    yield found(word.span, *own, *renames, quote, node=action.path, x=word.value, y=best)


@rule("ABL407", "unquoted-message", "hint", "Quote the message", over=_FAILING)
def unquoted_message(checked: _Failing, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The message of ON_FAIL stands without quotes. Of a CHECK or a CALL, whose ON_FAIL is a step or an action, a
        warning.
    Why: In quotes it cannot be taken for an action, whatever its first word.
    Bad:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: Members only.
    Good:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: "Members only."
    """
    action = checked.on_fail
    if action is None:
        return
    text = action.message if action.form in ("message", "respond") else None
    if not isinstance(checked, nodes.Rule):
        if text is not None and text.style == "bare" and action.form == "message":
            yield _no_target(text, action, agent)
        return
    word = _single_word(action, agent)
    if text is not None and text.style == "bare":
        yield _unquoted(text.span, text.value, action, agent)
    elif word is not None and not _ACTION_LIKE.fullmatch(word.value) and not _in_yaml_quotes(word, agent):
        yield _unquoted(word.span, word.value, action, agent)


def _no_target(text: nodes.Text, action: nodes.OnFail, agent: AgentIndex) -> Found:
    """Words that are no step and no action; a step of nearly that name may be meant (06 §5.9)."""
    _, renames = fixes.rename_to(text.span, text.value.strip(), agent.steps)
    quote = _quoted(text.span, text.value)
    repairs = (*renames, Fix(quote.title, quote.edits, preferred=not renames))
    wording = "ON_FAIL takes a step, an action or a block; this is sent as text"
    return found(text.span, *repairs, severity="warning", node=action.path, wording=wording)


def _unquoted(span: Span, text: str, action: nodes.OnFail, agent: AgentIndex) -> Found:
    """A message without quotes; one that begins like an action, but for its small letters, may be meant as that."""
    quote = _quoted(span, text)
    own = intended_actions(action, agent)
    word = _FIRST_WORD.match(text.strip())
    if not own or word is None or action.form == "respond":
        return found(span, quote, node=action.path)
    wording = "Sent as a message; the action is `{action}`"
    said = word[0].upper() if word[0].upper() in _KNOWN_WORDS else own[0].title.partition("`")[2].split()[0].strip("`")
    own = tuple(Fix(fix.title, fix.edits) for fix in own)
    return found(span, *own, Fix(quote.title, quote.edits), node=action.path, wording=wording, action=said)


def _handoff(checked: nodes.Rule) -> nodes.OnFail | None:
    return checked.on_fail if checked.on_fail is not None and checked.on_fail.form == "handoff" else None


@rule(
    "ABL408",
    "handoff-without-target",
    "error",
    "HANDOFF without target",
    over=(nodes.OnFail, nodes.Transition, nodes.Handoff, nodes.Section),
    project=True,
)
def handoff_without_target(
    action: nodes.OnFail | nodes.Transition | nodes.Handoff | nodes.Section, agent: AgentIndex, project: Index
) -> Iterator[Found]:
    """
    What: HANDOFF in ON_FAIL, or as the exit of a step, or an entry of HANDOFF or DELEGATE, names no agent.
    Why: Nobody takes over; platforms fall back to an agent that may not exist.
    Bad:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOFF
    Good:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOFF Librarian
    """
    if isinstance(action, nodes.Handoff | nodes.Section):
        yield from without_target(action, agent, [name for name in project.agents if name != agent.name])
        return
    if isinstance(action, nodes.Transition):
        exits = action.target is not None and action.target.value == "HANDOFF" and "HANDOFF" not in agent.steps
        if action.target is None or not exits or action.agent is not None or agent.fragment:
            return
        span = action.target.span
    else:
        lacks = action.form == "handoff" and action.target is None
        if not lacks or action.block is None or action.block.value is None:
            return
        span = action.block.value.span
    others = [name for name in project.agents if name != agent.name]  # asked last: who asks is asked again
    inserts = (fixes.replace(span, f"HANDOFF {name}", preferred=len(others) == 1) for name in others[:3])
    yield found(span, *inserts, node=action.path)


@rule(
    "ABL409",
    "handoff-to-unknown",
    "error",
    "HANDOFF to unknown agent `{a}`. Did you mean `{y}`?",
    over=nodes.OnFail,
    project=True,
)
def handoff_to_unknown(action: nodes.OnFail, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: ON_FAIL hands off to an agent that the project does not have. In a project of one agent this is a warning.
    Why: The handoff fails when it is needed.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOFF Libarian

        AGENT: Librarian
        GOAL: "Help"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOFF Librarian

        AGENT: Librarian
        GOAL: "Help"
    """
    target = action.target if action.form == "handoff" else None
    if target is None or target.value in project.agents or "{{" in target.value:
        return
    others = [name for name in project.agents if name != agent.name]
    best, renames = fixes.rename_to(target.span, target.value, others)
    sent_to = _behind_to(action)
    if sent_to is not None and action.block is not None and action.block.value is not None:
        best, renames = sent_to, (fixes.replace(action.block.value.span, f"HANDOFF {sent_to}"),)
    severity = "warning" if project.alone else None
    yield found(target.span, *renames, severity=severity, node=action.path, a=target.value, y=best)  # type: ignore[arg-type]


def _behind_to(action: nodes.OnFail) -> str | None:
    """The agent of `HANDOFF TO Agent`."""
    value = action.block.value if action.block is not None else None
    words = re.fullmatch(r"\s*HANDOFF:?\s+(?i:to):?\s+(\w+)\s*", value.value) if value is not None else None
    return words[1] if words is not None else None


@rule(
    "ABL410",
    "handoff-not-listed",
    "warning",
    "`{a}` exists but is not listed under HANDOFF here",
    over=nodes.Rule,
    project=True,
    needs="handoff",
)
def handoff_not_listed(checked: nodes.Rule, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: ON_FAIL hands off to an agent that the HANDOFF section of this agent does not list.
    Why: The section says to whom the agent may hand over, and what it takes along.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOFF Librarian
        HANDOFF:
          - TO: Cashier
            WHEN: fines > 0

        AGENT: Librarian
        GOAL: "Help"

        AGENT: Cashier
        GOAL: "Take fines"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOFF Librarian
        HANDOFF:
          - TO: Librarian
            WHEN: needs_advice == true

        AGENT: Librarian
        GOAL: "Help"
    """
    action = _handoff(checked)
    target = action.target if action is not None else None
    if action is None or target is None or target.value == agent.name:
        return
    handoffs = agent.agent.handoffs
    if not handoffs:
        return
    if target.value not in project.agents or any(h.to is not None and h.to.value == target.value for h in handoffs):
        return
    last = handoffs[-1]
    indent = fixes.indent_of(agent.source, last.span.start)
    lines = f'{indent}- TO: {target.value}\n{indent}  WHEN: "a rule asks for it"'
    entry = fixes.insert_line_below(agent.source, last.span, lines, f"List `{target.value}`", preferred=False)
    yield found(target.span, entry, node=action.path, a=target.value)


@rule("ABL411", "handoff-to-self", "error", "Agent hands off to itself", over=Placed, needs="agent_refs")
def handoff_to_self(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A handoff, a delegation or an ON_FAIL names the agent that it is in.
    Why: Everything begins anew there, and nothing gets ahead.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: HANDOFF Desk
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: ESCALATE
    """
    if part.part.agent_refs and agent.name:
        for ref in part.agent_refs:
            if ref.name.value == agent.name:
                yield found(ref.name.span, node=ref.owner.path)


@rule(
    "ABL426", "step-as-action", "error", "`{s}` is a step; write `GOTO: {s}`", over=nodes.Rule, needs=("step", "then")
)
def step_as_action(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL of a rule is the bare name of a step.
    Why: That form exists for CHECK only; here the word is sent as a message.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: join
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
    action = checked.on_fail
    if action is None or action.form not in ("step", "then") or action.target is None:
        return
    step = action.target.value
    if is_verdict(action):
        repairs = goto_block(action, (step,), agent, key="THEN")
        wording = "`THEN: {s}` needs a block"
        yield found(action.target.span, *repairs, node=action.path, s=step, wording=wording)
    elif step in agent.steps or (action.form == "then" and _is_only_misplaced(step, agent)):
        repairs = goto_block(action, (step,), agent)
        wording = "`{s}` is a step; write `GOTO: {s}`" if step in agent.steps else "`GOTO: {s}` needs a block"
        yield found(action.target.span, *repairs, node=action.path, s=step, wording=wording)


def _is_only_misplaced(step: str, agent: AgentIndex) -> bool:
    """True for a jump to where one can go; one to nowhere is ABL412 or ABL413. A fragment does not know its steps."""
    return leads_on(step, agent) if agent.steps else isinstance(agent.agent, nodes.Fragment)
