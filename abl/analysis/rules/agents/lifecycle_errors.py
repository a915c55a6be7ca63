"""9xx about ON_ERROR of agents and steps (docs/spec 09 §8, 10 §6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block, Text
from abl.syntax.vocabulary import ERROR_TERMINALS

_NO_TYPES = frozenset({"respond", "then", "retry", "subtype", "set", "log"})
_SUBTYPES = (
    "rate_limit", "auth_failure", "network_error", "tool_timeout", "missing_argument", "invalid_argument",
    "unknown_tool", "declined", "blocked", "http_4xx", "http_5xx", "circuit_open", "mock_missing", "process_failed",
    "delegate_needs_input",
)  # fmt: skip
_STATUS = re.compile(r"http_[45]\d\d")
_OF_RETRY = ("retrydelay", "retrybackoff", "retrymaxdelay")
_SectionOrSetting = nodes.Section | nodes.Setting


class _Handler(NamedTuple):
    """One entry of ON_ERROR: its properties, and THEN or what an inline entry says."""

    keys: dict[str, Block]
    action: Text | None

    @property
    def word(self) -> str:
        """The first word of the action."""
        return next(iter(self.action.value.split()), "") if self.action is not None else ""


def _handlers(node: _SectionOrSetting, agent: AgentIndex) -> Iterator[_Handler]:
    if node.keyword != "ON_ERROR" or node.block is None:
        return
    for child in node.block.children:
        if not child.colon or generic.plain(child.key) in _NO_TYPES:
            continue
        keys = generic.by_key(agent.source, child)
        then = keys.get("then")
        inline = child.value if not child.item and not keys else None
        yield _Handler(keys, then.value if then is not None else inline)


def _first_word(text: Text) -> Span:
    start = len(text.value) - len(text.value.lstrip())
    return text.span_of(start, start + len(text.value.split()[0]))


def _insert_below(agent: AgentIndex, block: Block, text: str, *, preferred: bool) -> tuple[Fix, ...]:
    if not has_own_lines(agent.source, block.span):
        return ()
    line = f"{' ' * (block.column - 1)}{text}"
    return (fixes.insert_line_below(agent.source, block.span, line, f"Add `{text}`", preferred=preferred),)


@rule(
    "ABL961",
    "step-as-error-action",
    "error",
    "ON_ERROR THEN takes an action, not {what}. Did you mean `{y}`?",
    over=(nodes.Section, nodes.Setting),
    needs="ON_ERROR",
)
def step_as_error_action(node: _SectionOrSetting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: THEN of an error handler names a step, or no action of the language.
    Why: A handler continues, ends, escalates, hands over, or goes back with `BACKTRACK` and `BACKTRACK_TO`.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            RESPOND: "Once more, please."
            THEN: look
        FLOW:
          look:
            REASONING: false
            GATHER:
              - title: required
                prompt: "Which book?"
            RESPOND: "{{title}}"
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            RESPOND: "Once more, please."
            THEN: BACKTRACK
            BACKTRACK_TO: look
        FLOW:
          look:
            REASONING: false
            GATHER:
              - title: required
                prompt: "Which book?"
            RESPOND: "{{title}}"
            THEN: COMPLETE
    """
    for handler in _handlers(node, agent):
        word, text = handler.word, handler.action
        if text is None or not word or word in ERROR_TERMINALS or "{" in word:
            continue
        span = _first_word(text)
        if word.upper() in ERROR_TERMINALS:
            fix = fixes.replace(span, word.upper())
            yield found(span, fix, severity="warning", what=f"`{word}`", y=word.upper())
        elif word in agent.steps:
            then = handler.keys.get("then")
            back: tuple[Fix, ...] = ()
            if then is not None and has_own_lines(agent.source, then.span) and "backtrackto" not in handler.keys:
                text_ = f"BACKTRACK\n{' ' * (then.column - 1)}BACKTRACK_TO: {word}"
                back = (fixes.replace(text.span, text_, "Write it with BACKTRACK_TO"),)
            yield found(span, *back, what=f"the step `{word}`")
        else:
            best, renames = fixes.rename_to(span, word, ERROR_TERMINALS)
            yield found(span, *renames, what=f"`{word}`", y=best)


@rule(
    "ABL962",
    "error-action-target",
    "error",
    "{problem}. Did you mean `{y}`?",
    over=(nodes.Section, nodes.Setting),
    needs="ON_ERROR",
)
def error_action_target(node: _SectionOrSetting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: BACKTRACK without a step to go back to, or HANDOFF without an agent.
    Why: The handler cannot do what it says.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            THEN: BACKTRACK
        FLOW:
          look:
            REASONING: false
            GATHER:
              - title: required
                prompt: "Which book?"
            RESPOND: "{{title}}"
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            THEN: BACKTRACK
            BACKTRACK_TO: look
        FLOW:
          look:
            REASONING: false
            GATHER:
              - title: required
                prompt: "Which book?"
            RESPOND: "{{title}}"
            THEN: COMPLETE
    """
    for handler in _handlers(node, agent):
        text, then = handler.action, handler.keys.get("then")
        if text is None:
            continue
        if handler.word.upper() == "BACKTRACK" and agent.steps:
            yield from _bad_step(handler, text, agent)
        elif handler.word.upper() == "HANDOFF" and len(text.value.split()) == 1 and "handofftarget" not in handler.keys:
            add = _insert_below(agent, then, "HANDOFF_TARGET: …", preferred=False) if then is not None else ()
            yield found(_first_word(text), *add, problem="HANDOFF needs a target")


def _bad_step(handler: _Handler, text: Text, agent: AgentIndex) -> Iterator[Found]:
    target, then = handler.keys.get("backtrackto"), handler.keys.get("then")
    if target is None or not generic.word(target):
        entry = agent.graph.entry or next(iter(agent.steps))
        add = _insert_below(agent, then, f"BACKTRACK_TO: {entry}", preferred=False) if then is not None else ()
        yield found(_first_word(text), *(add if target is None else ()), problem="BACKTRACK needs BACKTRACK_TO")
    elif generic.word(target) not in agent.steps and "{" not in generic.word(target):
        where, name = generic.span_of(target), generic.word(target)
        best, renames = fixes.rename_to(where, name, agent.steps)
        yield found(where, *renames, problem=f"BACKTRACK_TO names unknown step `{name}`", y=best)


@rule(
    "ABL963",
    "retry-detail-without-retry",
    "warning",
    "{k} without RETRY",
    over=(nodes.Section, nodes.Setting),
    needs="ON_ERROR",
)
def retry_detail_without_retry(node: _SectionOrSetting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An error handler says how long to wait between attempts, and not how many there are.
    Why: Without RETRY nothing is tried again.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            RETRY_DELAY: 500
            THEN: CONTINUE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            RETRY: 1
            RETRY_DELAY: 500
            THEN: CONTINUE
    """
    for handler in _handlers(node, agent):
        detail = generic.first_of(handler.keys, _OF_RETRY)
        if detail is None or "retry" in handler.keys:
            continue
        line = f"{' ' * (detail.column - 1)}RETRY: 1"
        own = has_own_lines(agent.source, detail.span)
        add = (fixes.insert_line_above(agent.source, detail.span, line, "Add `RETRY: 1`"),) if own else ()
        yield found(detail.key_span, *add, k=detail.key.upper())


@rule(
    "ABL964",
    "unknown-subtype",
    "hint",
    "Unknown subtype `{s}`. Did you mean `{y}`?",
    over=(nodes.Section, nodes.Setting),
    needs="ON_ERROR",
)
def unknown_subtype(node: _SectionOrSetting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An error handler is for a subtype that is not among the known ones.
    Why: A handler for a subtype that is never raised never runs.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            SUBTYPE: tool_timout
            THEN: CONTINUE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            SUBTYPE: tool_timeout
            THEN: CONTINUE
    """
    for handler in _handlers(node, agent):
        for key in ("subtype", "subtypes"):
            for name in generic.names(agent.source, handler.keys.get(key)):
                if name.value not in _SUBTYPES and not _STATUS.fullmatch(name.value) and "{" not in name.value:
                    best, renames = fixes.rename_to(name.span, name.value, _SUBTYPES)
                    yield found(name.span, *renames, s=name.value, y=best)


@rule(
    "ABL965",
    "escalate-in-handler",
    "error",
    "ESCALATE block inside a handler is not read",
    over=(nodes.Section, nodes.Setting),
    needs="ON_ERROR",
)
def escalate_in_handler(node: _SectionOrSetting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An error handler holds an ESCALATE block.
    Why: Such a block is not read there; `THEN: ESCALATE with REASON` is.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            ESCALATE:
              REASON: "The catalogue is down"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            THEN: ESCALATE with REASON: "The catalogue is down"
    """
    for handler in _handlers(node, agent):
        block = handler.keys.get("escalate")
        if block is None:
            continue
        reason = generic.by_key(agent.source, block).get("reason")
        text = reason.value if reason is not None else block.value
        words = f' with REASON: "{text.value.strip()}"' if text is not None and '"' not in text.value else ""
        fix = (fixes.replace(block.span, f"THEN: ESCALATE{words}", "Write it with THEN"),)
        yield found(block.key_span, *(fix if "then" not in handler.keys else ()))


@rule("ABL966", "step-action-without-flow", "warning", "{action} outside a flow", over=nodes.Section)
def step_action_without_flow(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An error handler goes back to a step, or runs one again, in an agent without FLOW.
    Why: There is no step to run.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            RESPOND: "That did not work."
            THEN: RETRY_STEP
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            RESPOND: "That did not work."
            THEN: CONTINUE
    """
    if section.keyword != "ON_ERROR" or agent.fragment or agent.agent.flow is not None:
        return
    if agent.agent.section("USE_BEHAVIOR_PROFILE") is not None:
        return
    for handler in _handlers(section, agent):
        if handler.word in ("RETRY_STEP", "BACKTRACK") and handler.action is not None:
            span = _first_word(handler.action)
            yield found(span, fixes.replace(span, "CONTINUE"), action=handler.word)
