"""8xx about what tools change, who is asked, and calls that are made twice (docs/spec 08 §2, §6, 10 §4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.index.model import AgentIndex, value_of
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.tools.properties import binding_of
from abl.diagnostics import Fix
from abl.language.tools import READ_ONLY_METHODS, READ_ONLY_OPERATIONS
from abl.syntax import nodes
from abl.syntax.vocabulary import words

_READING_NAMES = (
    "get_", "find_", "fetch_", "load_", "list_", "look_", "lookup_", "read_", "search_", "query_", "check_", "verify_",
    "validate_", "calculate_", "compute_", "estimate_", "count_",
)  # fmt: skip
"""Beginnings of the names of tools that read."""
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")
_TAKEN_HEADERS = words(
    """authorization proxy-authorization cookie set-cookie x-api-key api-key host content-length content-type
    transfer-encoding connection upgrade te trailer keep-alive expect signature signature-input digest content-digest
    x-signature x-hub-signature x-amz-date x-amz-security-token date"""
)
"""Headers of credentials, transport and signatures."""


def stated_effect(tool: nodes.Tool) -> str | None:
    """The effect that the tool states, if it does (08 §2)."""
    given = tool.typed
    effect = given.value("EFFECT")
    if effect is not None:
        return str(effect)
    changes = given.given("SIDE_EFFECTS")
    if changes is None:
        changes = given.below("HINTS").given("side_effects")
    return None if changes is None else "side_effect" if changes else "read_only"


def effect_of(tool: nodes.Tool, agent: AgentIndex) -> str | None:
    """The effect that the tool states or its binding implies; None where it can only be guessed (08 §2)."""
    stated = stated_effect(tool)
    if stated is not None:
        return stated
    given = tool.typed
    kind, method = given.value("TYPE"), given.value("METHOD")
    if kind == "http":
        return "read_only" if method in READ_ONLY_METHODS else "side_effect" if method else None
    operations = tool.prop("OPERATIONS")
    names = {name.value for name in generic.names(agent.source, operations.block)} if operations is not None else set()
    if kind in ("searchai", "table"):
        return "read_only" if names <= READ_ONLY_OPERATIONS else "side_effect"
    return None


def is_reading(tool: nodes.Tool, agent: AgentIndex) -> bool:
    """True for a tool that only reads: by what it states, by ``cacheable``, by its name, else by its binding."""
    stated = stated_effect(tool)
    if stated is not None:
        return stated == "read_only"
    if tool.typed.below("HINTS").given("cacheable") or tool.name.value.startswith(_READING_NAMES):
        return True
    return effect_of(tool, agent) == "read_only"


def changing_tools(agent: AgentIndex) -> list[str]:
    """Names of the declared tools that change something, or may."""
    return [name for name, tool in agent.tools.items() if not is_reading(tool, agent)]


def _confirmation(tool: nodes.Tool, agent: AgentIndex) -> str:
    """The word that says when the user is asked; empty without one."""
    given = tool.typed
    return str(given.value("CONFIRM") or given.below("CONFIRMATION").given("require") or "")


def _add(tool: nodes.Tool, agent: AgentIndex, lines: tuple[str, ...], title: str, *, preferred: bool = True) -> Fix:
    """New property lines below those that are there, or below the signature."""
    last = tool.props[-1].block if tool.props else None
    indent = " " * (last.column - 1) if last is not None else fixes.indent_of(agent.source, tool.name.span.start) + "  "
    text = "\n".join(indent + line for line in lines)
    below = last.span if last is not None else tool.span
    return fixes.insert_line_below(agent.source, below, text, title, preferred=preferred)


def _is_asked_for(tool: str, agent: AgentIndex) -> bool:
    """True for a tool that is called only by steps to which nothing but an answer or a button of the user leads."""
    flow, graph = agent.agent.flow, agent.graph
    if flow is None or any(step.reasoning for step in flow.steps):
        return False
    steps = [step.name.value for step in flow.steps for each in step.directives if _calls(each, tool)]
    if not steps or len(steps) < sum(_calls(call, tool) for call in agent.all(nodes.Call)):
        return False  # in a branch or a hook nobody has asked
    ways = [edge.kind for edge in graph.edges if edge.target in steps and edge.source not in steps]
    alone = graph.entry not in steps and graph.globals.isdisjoint(steps)
    return alone and bool(ways) and set(ways) <= {"on_input", "on_action"}


def _calls(node: nodes.Node, tool: str) -> bool:
    return isinstance(node, nodes.Call) and node.tool is not None and node.tool.value == tool


@rule("ABL820", "unconfirmed-change", "hint", "`{t}` changes data and asks nobody", over=nodes.Tool)
def unconfirmed_change(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A tool has a side effect and does not say whether the user is asked first, and the flow does not ask: a
        step that calls it is reached by more than the branches that an answer or a button picks.
    Why: Without `confirmation` it is called at once. `confirm: never` says that this is meant.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(book_id: string) -> {due: date}
            description: "Lend a book."
            effect: side_effect
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(book_id: string) -> {due: date}
            description: "Lend a book."
            effect: side_effect
            confirm: always
    """
    if is_reading(tool, agent) or _is_asked_for(tool.name.value, agent):
        return
    if not _confirmation(tool, agent) and effect_of(tool, agent) == "side_effect":
        lines = ("confirmation:", "  require: always")
        yield found(tool.name.span, _add(tool, agent, lines, "Ask the user first", preferred=False), t=tool.name.value)


@rule("ABL821", "retried-change", "warning", "`{t}` retries a side effect without idempotency_header", over=nodes.Tool)
def retried_change(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A request that changes something is made again when it fails, and nothing marks it as the same.
    Why: If only the answer was lost, the change happens twice.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(book_id: string) -> {due: date}
            description: "Lend a book."
            type: http
            endpoint: "/loans"
            method: POST
            confirm: always
            retry: 2
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(book_id: string) -> {due: date}
            description: "Lend a book."
            type: http
            endpoint: "/loans"
            method: POST
            confirm: always
            retry: 2
            idempotency_header: "Idempotency-Key"
    """
    if binding_of(tool) != "http" or tool.prop("IDEMPOTENCY_HEADER") is not None:
        return
    simple, policy = tool.prop("RETRY"), tool.prop("RETRY_POLICY")
    prop = policy or simple
    if prop is None:
        return
    count = generic.by_key(agent.source, prop.block).get("maxretries") if policy is not None else prop.block
    retries = generic.number(generic.word(count))
    if retries is not None and retries > 0 and effect_of(tool, agent) != "read_only":
        fix = _add(tool, agent, ('idempotency_header: "Idempotency-Key"',), "Add `idempotency_header`")
        yield found(prop.key_span, fix, t=tool.name.value)


@rule("ABL822", "bad-idempotency-header", "warning", 'idempotency_header "{h}" is not usable', over=nodes.Tool)
def bad_idempotency_header(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `idempotency_header` is no header name, longer than 128 characters, or a header with another meaning.
    Why: The server would not see that two requests are the same one.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(book_id: string) -> {due: date}
            description: "Lend a book."
            type: http
            endpoint: "/loans"
            method: POST
            confirm: always
            idempotency_header: Authorization
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(book_id: string) -> {due: date}
            description: "Lend a book."
            type: http
            endpoint: "/loans"
            method: POST
            confirm: always
            idempotency_header: "Idempotency-Key"
    """
    header = value_of(tool, "IDEMPOTENCY_HEADER")
    if header is None or "{{" in header.value:
        return
    name = header.value.strip()
    if not _HEADER.fullmatch(name) or name.lower() in _TAKEN_HEADERS:
        yield found(header.span, fixes.replace(header.span, '"Idempotency-Key"'), h=name)


@rule("ABL823", "no-effect-declared", "hint", "`{t}` declares no effect", off=True, over=nodes.Tool)
def no_effect_declared(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Neither `effect` nor the binding tells whether a tool changes anything.
    Why: It is then taken as one that does: its results are not kept, and calls are not made again.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            effect: read_only
    """
    if effect_of(tool, agent) is None and not _confirmation(tool, agent) and tool.prop("EFFECT") is None:
        fix = _add(tool, agent, ("effect: side_effect",), "Add `effect: side_effect`", preferred=False)
        yield found(tool.name.span, fix, t=tool.name.value)
