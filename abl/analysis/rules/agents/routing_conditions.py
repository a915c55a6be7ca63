"""9xx about conditions that route: sentences, catch-alls, circles (docs/spec 09 §4-§5, 10 §5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.reading import SHOUTED, is_true_literal
from abl.analysis.conformance import generic
from abl.analysis.fixes import braces
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix, Related
from abl.syntax import nodes
from abl.syntax.nodes import Block

_ROUTE = re.compile(r"ROUTE_TO\s+([A-Za-z]\w*)")
_PLAIN_ROUTE = frozenset({"name", "description", "priority", "when", "then"})


@rule(
    "ABL923",
    "shouted-sentence",
    "warning",
    "Upper-case {words} turns this sentence into an expression that fails",
    over=ExpressionUse,
    needs="condition",
)
def shouted_sentence(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A quoted routing sentence holds AND, OR, NOT, IN, IS, SET or IMPLIES in upper case.
    Why: These words make it an expression, which cannot be read, so it never holds.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: "the user is upset OR asks for a person"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: "the user is upset or asks for a person"
    """
    if use.routing and use.reading.shouted:
        words = list(SHOUTED.finditer(use.text.value))
        edits = tuple(Edit(use.text.span_of(*match.span()), match[0].lower()) for match in words)
        shown = ", ".join(dict.fromkeys(match[0] for match in words))
        yield found(use.text.span, Fix("Write it in lower case", edits, True), words=shown)


@rule("ABL936", "no-catch-all", "hint", "No catch-all route", over=AgentIndex)
def no_catch_all(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A supervisor that only routes has no route that always applies, and none that a model judges at the end.
    Why: What no condition meets leads nowhere.
    Bad:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        HANDOFF:
          - TO: Cashier
            WHEN: fines > 0
    Good:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        HANDOFF:
          - TO: Cashier
            WHEN: fines > 0
          - TO: Lending
            WHEN: true
    """
    routes = agent.agent.handoffs
    if agent.agent.kind != "supervisor" or not routes or agent.steps:
        return
    behavior = generic.section_keys(agent, "BEHAVIOR")
    role = generic.value("behavior", "role", behavior.get("role"))
    answers = role == "orchestrator" or generic.value(
        "behavior", "canRespondDirectly", behavior.get("canresponddirectly")
    )
    elsewhere = any(agent.agent.section(keyword) is not None for keyword in ("ROUTING", "USE_BEHAVIOR_PROFILE"))
    if answers or elsewhere or any(_always(route) for route in routes):
        return
    last = routes[-1]
    if any(use.is_sentence for use in agent.expressions_of(last)):
        return
    section = agent.agent.section("HANDOFF")
    yield found(section.key_span if section is not None else last.span, *_with_catch_all(last, agent))


def _always(handoff: nodes.Handoff) -> bool:
    return handoff.when is not None and is_true_literal(handoff.when.value, handoff.when.style)


def _with_catch_all(last: nodes.Handoff, agent: AgentIndex) -> tuple[Fix, ...]:
    block = last.block
    if block is None or not block.item or last.to is None:
        return ()
    indent = " " * (block.column - 1)
    text = f"{indent}- TO: {last.to.value}\n{indent}  WHEN: true"
    return (fixes.insert_line_below(agent.source, last.span, text, "Add a catch-all", preferred=False),)


@rule(
    "ABL938",
    "endless-handoff",
    "warning",
    "{a} and {b} hand off to each other unconditionally",
    over=nodes.Handoff,
    project=True,
)
def endless_handoff(handoff: nodes.Handoff, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: Two agents hand over to each other with `WHEN: true`, and neither expects a return.
    Why: The conversation goes to and fro until the limit of handoffs ends it.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: true
        AGENT: Librarian
        GOAL: "Advise readers"
        HANDOFF:
          - TO: Desk
            WHEN: true
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_advice == true
        AGENT: Librarian
        GOAL: "Advise readers"
        HANDOFF:
          - TO: Desk
            WHEN: true
    """
    if handoff.to is None or not _moves_on(handoff):
        return
    other = project.agents.get(handoff.to.value)
    if other is None or other.name <= agent.name or agent.steps:
        return  # said once, where the first of both by name stands
    if other.steps or agent.name not in other.union(_unconditional):
        return
    for back in other.first(nodes.Handoff):
        if back.to is not None and back.to.value == agent.name and _moves_on(back):
            where = Related(other.source.path, other.here(back).span, "and back")
            yield found(handoff.to.span, related=(where,), a=agent.name, b=other.name)
            return


def _unconditional(part: Part) -> frozenset[str]:
    """The agents that a handoff always leads to."""
    return frozenset([h.to.value for h in part.all(nodes.Handoff) if h.to is not None and _moves_on(h)])


def _moves_on(handoff: nodes.Handoff) -> bool:
    expected = handoff.typed.value("EXPECT_RETURN")
    return _always(handoff) and not expected


@rule(
    "ABL943", "routing-section", "warning", "Use HANDOFF instead of ROUTING", over=nodes.Section, tags=("portability",)
)
def routing_section(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Routes are in a ROUTING section.
    Why: Not every version reads it. HANDOFF says the same, and can pass a context.
    Bad:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        ROUTING:
          - NAME: pay
            WHEN: fines > 0
            THEN: ROUTE_TO Cashier
    Good:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        HANDOFF:
          - TO: Cashier
            WHEN: fines > 0
          - TO: Lending
            WHEN: true
    """
    if section.keyword == "ROUTING":
        yield found(section.key_span, *_as_handoff(section, agent))


def _as_handoff(section: nodes.Section, agent: AgentIndex) -> tuple[Fix, ...]:
    """The section as HANDOFF, if every entry is a condition and an agent; names and descriptions are left out."""
    if agent.agent.section("HANDOFF") is not None:
        return ()
    if section.block is None or section.block.value is not None:
        return ()
    edits = [Edit(section.key_span, "HANDOFF")]
    for entry in generic.entries(agent.source, section.block):
        listed = generic.members(agent.source, entry)
        keys = {generic.plain(member.key): member for member in listed}
        target = _ROUTE.fullmatch(generic.word(keys.get("then")))
        if target is None or set(keys) - _PLAIN_ROUTE or not entry.colon or any(member.children for member in listed):
            return ()
        if braces.extent(agent.source, listed[0].key_span) is not None:
            return ()
        for at, member in enumerate(listed):
            edits += _converted(member, at == 0, keys["then"], target[1], agent)
    return (Fix("Write it as HANDOFF", tuple(edits), True),) if len(edits) > 1 else ()


def _converted(member: Block, is_first: bool, then: Block, target: str, agent: AgentIndex) -> list[Edit]:
    """``THEN: ROUTE_TO A`` becomes ``TO: A``, which takes the place of a name on the first line."""
    dropped = generic.plain(member.key) in ("name", "description")
    if member is then:
        lines = Edit(fixes.whole_lines(agent.source, member.span), "")
        return [Edit(member.span, f"TO: {target}")] if is_first or not _begins_with_name(then, agent) else [lines]
    if not dropped:
        return []
    if is_first:
        return [Edit(member.span, f"TO: {target}")]
    return [Edit(fixes.whole_lines(agent.source, member.span), "")]


def _begins_with_name(then: Block, agent: AgentIndex) -> bool:
    """True when the entry that holds a THEN begins with a name, whose place the target took."""
    line = agent.source.position(then.span.start).line
    while line > 1 and not agent.source.line_text(line).lstrip().startswith("- "):
        line -= 1
    first = agent.source.line_text(line).lstrip("- \t").upper()
    return first.startswith(("NAME", "DESCRIPTION"))
