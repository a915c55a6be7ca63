"""4xx about BEFORE, and about CHECK beside the rules (docs/spec 04 §3, §9, 05 §7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.reading import read_value
from abl.analysis.index.available_tools import lists_tools, unknown_tools
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest

_ANSWERING = re.compile(
    r"(?:(?:returning|return|sending|giving)\s+)?(?:the\s+|an?\s+)?"
    r"(?:response|responding|respond|reply|replying|answer|answering|results?|returning|return)",
    re.IGNORECASE,
)
"""Words for what `returning results` says: right before a reply leaves (04 §3)."""
_MOST_JOINED = 5
_CALL_LIKE = re.compile(r"(?:(?:call|calls|calling|tool|running|using)\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*(?:\(\s*\))?")


@rule(
    "ABL430",
    "unknown-checkpoint",
    "warning",
    "`BEFORE {target}` is not a structural checkpoint; the rule has no effect",
    over=nodes.Rule,
    project=True,
)
def unknown_checkpoint(checked: nodes.Rule, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: BEFORE is followed by something else than `calling` and a tool, or `returning results`.
    Why: Such a rule is never checked. A state of affairs belongs in WHEN.
    Bad:
        CONSTRAINTS:
          - REQUIRE is_member BEFORE checkout
            ON_FAIL: "Members only."
    Good:
        CONSTRAINTS:
          - REQUIRE is_member BEFORE calling issue_loan
            ON_FAIL: "Members only."
    """
    before = checked.before
    if before is not None and before.kind == "other":
        repairs = _checkpoint_fixes(before.text, agent, project)
        yield found(before.text.span, *repairs, node=checked.path, target=before.text.value)


def _checkpoint_fixes(text: nodes.Text, agent: AgentIndex, project: Index) -> tuple[Fix, ...]:
    if closest(text.value, ("returning results", "returning result", "return results")):
        return (fixes.replace(text.span, "returning results"),)
    if _ANSWERING.fullmatch(text.value) and text.value not in agent.written_roots:
        return (fixes.replace(text.span, "returning results"),)
    tool = _CALL_LIKE.fullmatch(text.value)
    tools = {*agent.tools, *project.called_tools}
    if tool is not None and tool[1] in tools:
        return (fixes.replace(text.span, f"calling {tool[1]}"),)
    written = agent.source.text
    start = max(written.rfind("BEFORE", 0, text.span.start), written.rfind("before", 0, text.span.start))
    reading = read_value(text.value)
    if start < 0 or written[start + 6 : text.span.start].strip() not in ("", ":") or reading.node is None:
        return ()
    gate = text.value if isinstance(reading.node, en.Test | en.Logical) else f"{text.value} == true"
    edits = (Edit(Span(start, start + 6), "WHEN"), Edit(text.span, gate))
    return (Fix(f"Make it a gate: `WHEN {gate}`", edits),)


@rule(
    "ABL431",
    "checkpoint-unknown-tool",
    "error",
    "BEFORE calling unknown tool `{t}`. Did you mean `{y}`?",
    over=AgentIndex,
    project=True,
)
def checkpoint_unknown_tool(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: BEFORE calling names a tool that the agent does not have. Without TOOLS, where those of the project count, a
    warning.
    Why: The rule never applies, so what it should protect is open.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(title: string) -> {ok: boolean}
            description: "Lend a book."
        CONSTRAINTS:
          - REQUIRE is_member BEFORE calling isue_loan
            ON_FAIL: "Members only."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(title: string) -> {ok: boolean}
            description: "Lend a book."
        CONSTRAINTS:
          - REQUIRE is_member BEFORE calling issue_loan
            ON_FAIL: "Members only."
    """
    refs = [ref for ref in agent.tool_refs if ref.key == "BEFORE"] if not agent.fragment else []
    if not refs:
        return
    unknown, known = unknown_tools((ref.name.value for ref in refs), agent, project)
    for ref in refs if unknown else ():
        name, listed = ref.name.value, lists_tools(agent)
        if name not in unknown or (not listed and name in project.called_tools):
            continue
        best, renames = fixes.rename_to(ref.name.span, name, known if listed else known | project.called_tools)
        yield found(ref.name.span, *renames, severity=None if listed else "warning", t=name, y=best)


@rule("ABL432", "checkpoint-tool-not-called", "warning", "Tool `{t}` is never called", over=AgentIndex)
def checkpoint_tool_not_called(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A rule waits for the call of a tool that no step calls, and no model acts in this agent.
    Why: The rule is never checked.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(title: string) -> {ok: boolean}
            description: "Lend a book."
        CONSTRAINTS:
          - REQUIRE is_member BEFORE calling issue_loan
            ON_FAIL: "Members only."
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(title: string) -> {ok: boolean}
            description: "Lend a book."
        CONSTRAINTS:
          - REQUIRE is_member BEFORE calling issue_loan
            ON_FAIL: "Members only."
        FLOW:
          lend:
            REASONING: false
            CALL: issue_loan("Emma")
            THEN: COMPLETE
    """
    gated = [ref for ref in agent.tool_refs if ref.key == "BEFORE" and ref.name.value in agent.tools]
    if not gated or agent.reasoning:
        return
    called = {ref.name.value for ref in agent.tool_refs if ref.key != "BEFORE"}
    for ref in gated:
        if ref.name.value not in called and ref.name.value not in agent.mentions:
            yield found(ref.name.span, t=ref.name.value)


@rule(
    "ABL450",
    "check-names-phase",
    "warning",
    "CHECK names phase `{p}`; CHECK takes an expression",
    over=nodes.Check,
)
def check_names_phase(check: nodes.Check, agent: AgentIndex) -> Iterator[Found]:
    """
    What: CHECK holds the name of a phase of CONSTRAINTS.
    Why: Phases are labels. The word is read as a variable, which is unset, so the check always fails.
    Bad:
        CONSTRAINTS:
          lending:
            - REQUIRE is_member
              ON_FAIL: "Members only."
        FLOW:
          lend:
            REASONING: false
            CHECK: lending
            ON_FAIL: COMPLETE
            THEN: COMPLETE
    Good:
        CONSTRAINTS:
          lending:
            - REQUIRE is_member
              ON_FAIL: "Members only."
        FLOW:
          lend:
            REASONING: false
            CHECK: is_member == true
            ON_FAIL: COMPLETE
            THEN: COMPLETE
    """
    condition = check.condition
    if condition is None:
        return
    word = condition.value.strip()
    if word in agent.phases and word not in agent.written_roots:
        yield found(condition.inner, *_demanded(agent, word, condition), node=check.path, p=word)


def _demanded(agent: AgentIndex, name: str, condition: nodes.Text) -> tuple[Fix, ...]:
    """What the rules of a phase ask for, as one expression; a rule that does not always hold cannot be written so."""
    phase = agent.derive(_phases).get(name)
    if phase is None or len(phase.rules) > _MOST_JOINED:
        return ()
    rules = [each for each in phase.rules if each.kind.value != "WARN"]
    parts = [each.condition.value.strip() for each in rules if each.condition is not None]
    always = all(each.when is None and each.before is None for each in rules)
    if not parts or len(parts) != len(rules) or not always or condition.style != "bare":
        return ()
    if len(parts) > 1 or rules[0].kind.value == "RESTRICT":
        kinds = ["NOT " if each.kind.value == "RESTRICT" else "" for each in rules]
        parts = [f"{kind}({each})" for kind, each in zip(kinds, parts, strict=True)]
    text = " AND ".join(parts)
    return (fixes.replace(condition.inner, text, f"Write `{text}`", preferred=False),)


def _phases(agent: AgentIndex) -> dict[str, nodes.Phase]:
    constraints = agent.agent.constraints
    return {phase.name.value: phase for phase in constraints.phases} if constraints is not None else {}


@rule("ABL451", "check-without-on-fail", "warning", "CHECK without ON_FAIL halts the step when false", over=nodes.Check)
def check_without_on_fail(check: nodes.Check, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A CHECK does not say what happens when it is false.
    Why: The step then stops without a word.
    Bad:
        FLOW:
          lend:
            REASONING: false
            CHECK: open_loans < 3
            THEN: COMPLETE
    Good:
        FLOW:
          lend:
            REASONING: false
            CHECK: open_loans < 3
            ON_FAIL: "Too many loans."
            THEN: COMPLETE
    """
    if check.on_fail is None and check.condition is not None:
        indent = fixes.indent_of(agent.source, check.key_span.start)
        line = f'{indent}ON_FAIL: "…"'
        repair = fixes.insert_line_below(agent.source, check.span, line, "Insert ON_FAIL", preferred=False)
        yield found(Span(check.key_span.start, check.condition.span.end), repair, node=check.path)
