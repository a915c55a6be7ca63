"""9xx about ON_START (docs/spec 09 §9, 10 §6)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.collect.records import Read
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.incremental.parts import Placed
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.names import SYSTEM_NAMES
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix, Related
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes

_GREETINGS = (
    "hello",
    "hi",
    "hey",
    "welcome",
    "good morning",
    "good afternoon",
    "good evening",
    "good day",
    "greetings",
)


def _start_branches(agent: AgentIndex) -> Iterator[nodes.Outcome]:
    return (d for d in agent.agent.on_start if isinstance(d, nodes.Outcome) and d.keyword == "BRANCHES")


@rule("ABL967", "action-in-start-branch", "error", "ON_START branch cannot {kw}", over=AgentIndex)
def action_in_start_branch(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A branch of ON_START sets a variable, calls a tool or delegates.
    Why: Branches only choose what is said; the action is not run.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_START:
          BRANCHES:
            - IF: channel == "voice"
              SET: spoken = true
              RESPOND: "Hello, this is the desk."
            - ELSE:
              RESPOND: "Hello."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_START:
          SET: spoken = channel == "voice"
          BRANCHES:
            - IF: channel == "voice"
              RESPOND: "Hello, this is the desk."
            - ELSE:
              RESPOND: "Hello."
    """
    for outcome in _start_branches(agent):
        for branch in outcome.branches:
            for action in branch.actions:
                if isinstance(action, nodes.SetVariables | nodes.Call) or action.keyword == "DELEGATE":
                    yield found(action.key_span, *_moved_up(action, outcome, agent), kw=action.keyword)


def _moved_up(action: nodes.Directive, outcome: nodes.Outcome, agent: AgentIndex) -> tuple[Fix, ...]:
    """The action above the branches, for every start: if it takes one line of its own."""
    source = agent.source
    if not has_own_lines(source, action.span) or "\n" in source.text[slice(*action.span)]:
        return ()
    lines = fixes.whole_lines(source, action.span)
    if source.text[lines.start : action.span.start].strip():
        return ()
    at = source.line_starts[source.position(outcome.key_span.start).line - 1]
    text = fixes.indent_of(source, outcome.key_span.start) + source.text[slice(*action.span)] + "\n"
    return (Fix("Move it above the branches", (Edit(Span(at, at), text), Edit(lines, "")), False),)


@rule("ABL971", "silent-start", "warning", "ON_START branches have no ELSE and no RESPOND", over=AgentIndex)
def silent_start(agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_START of an agent without a flow speaks only under conditions.
    Why: When none of them holds, the user is met with silence.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_START:
          BRANCHES:
            - IF: channel == "voice"
              RESPOND: "Hello, this is the desk."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_START:
          BRANCHES:
            - IF: channel == "voice"
              RESPOND: "Hello, this is the desk."
            - ELSE:
              RESPOND: "Hello."
    """
    if agent.steps or agent.fragment or agent.agent.gather is not None:
        return
    if any(isinstance(d, nodes.Respond) or d.keyword == "MESSAGE_KEY" for d in agent.agent.on_start):
        return
    for outcome in _start_branches(agent):
        if outcome.branches and not any(branch.is_else for branch in outcome.branches):
            last = outcome.branches[-1].block
            add: tuple[Fix, ...] = ()
            if last is not None and last.item:
                indent = " " * (last.column - 1)
                text = f'{indent}- ELSE:\n{indent}  RESPOND: "…"'
                add = (fixes.insert_line_below(agent.source, last.span, text, "Add ELSE", preferred=False),)
            yield found(outcome.key_span, *add)


@rule("ABL972", "two-greetings", "hint", 'ON_START and "{entry}" both greet', over=AgentIndex)
def two_greetings(agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_START greets the user, and so does the first step of the flow.
    Why: Both are said at the start, one after the other.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_START:
          RESPOND: "Hello, this is the lending desk."
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello! How can we help?"
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_START:
          RESPOND: "Hello, this is the lending desk."
        FLOW:
          ask:
            REASONING: false
            RESPOND: "How can we help?"
            THEN: COMPLETE
    """
    said = next((d for d in agent.agent.on_start if isinstance(d, nodes.Respond)), None)
    if said is None or said.text is None or not _greets(said.text.value):
        return
    entry = agent.steps.get(agent.graph.entry or "")
    if entry is None or entry.setting("WHEN") is not None:
        return
    for directive in entry.directives:
        if isinstance(directive, nodes.Gather | nodes.OnInput):
            return
        if isinstance(directive, nodes.Respond) and directive.text is not None and _greets(directive.text.value):
            where = Related(agent.source.path, said.text.span, "said first")
            yield found(directive.text.span, related=(where,), s=entry.name.value, entry=entry.name.value)
            return


def _greets(text: str) -> bool:
    """True for a message that begins with a greeting."""
    start = text.lstrip().lower()
    return any(start.startswith(word) and not start[len(word) : len(word) + 1].isalpha() for word in _GREETINGS)


@rule("ABL973", "not-there-at-start", "warning", "`{v}` is not available at startup", over=AgentIndex, project=True)
def not_there_at_start(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: ON_START reads a name that only a step of the flow, or a question to the user, gives a value.
    Why: ON_START runs before them, so the name is unset there.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_START:
          RESPOND: "Hello {{reader}}."
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - reader: required
                prompt: "Your name?"
            RESPOND: "Thank you, {{reader}}."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_START:
          RESPOND: "Hello."
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - reader: required
                prompt: "Your name?"
            RESPOND: "Thank you, {{reader}}."
            THEN: COMPLETE
    """
    section = agent.agent.section("ON_START")
    if section is None or agent.fragment:
        return
    reads = [r for placed in agent.parts if not placed.part.unit for r in _reads_within(placed, section.span)]
    guarded = {read.root for read in reads if _is_guarded(read)}
    for read in reads:
        if read.root in guarded or read.root in SYSTEM_NAMES or read.root in agent.mentions:
            continue
        writes = [(origin.write.kind, origin.write.step) for origin in agent.origins_of(read.root)]
        late = all(
            kind == "gather" or (step is not None and kind in ("set", "as", "transform")) for kind, step in writes
        )
        if writes and late and read.root not in project.received(agent):
            yield found(read.span, v=read.path)


def _reads_within(placed: Placed, span: Span) -> Iterator[Read]:
    return (read for read in placed.reads if span.start <= read.span.start < span.end)


def _is_guarded(read: Read) -> bool:
    """True for a read that reckons with an unset name."""
    use = read.use
    if use is None:
        return False
    asks = any(isinstance(node, en.Call) and node.name in ("COALESCE", "DEFAULT") for node in use.reading.nodes)
    return asks or use.role == "if" or any("SET" in test.op or "EMPTY" in test.op for test in use.reading.tests)
