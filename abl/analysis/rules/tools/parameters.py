"""8xx about where the values of parameters come from (docs/spec 08 §4, §6, 10 §4)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.index.model import AgentIndex, called_tool
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.language import type_at
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block

_SOURCE = type_at("parameter", "source")


def _enrichment(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Block]:
    """The entries of `parameters` by parameter name; none for the list that declares parameters itself."""
    prop = tool.prop("PARAMETERS")
    if prop is not None and not any(child.item for child in prop.block.children):
        yield from generic.members(agent.source, prop.block)


def _described(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Block]:
    """The entries of `parameters` in either form."""
    prop = tool.prop("PARAMETERS")
    if prop is not None and any(child.item for child in prop.block.children):
        yield from generic.entries(agent.source, prop.block)
    else:
        yield from _enrichment(tool, agent)


def _source(entry: Block, agent: AgentIndex) -> Block | None:
    return generic.first_of(generic.by_key(agent.source, entry), ("source", "defaultsource"))


@rule("ABL805", "positional-mix-up", "hint", "Positional argument `{x}` goes to parameter `{p}`", over=nodes.Call)
def positional_mix_up(call: nodes.Call, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A variable stands at the place of one parameter and has the name of another.
    Why: Arguments without names go by position; the order is probably wrong.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, branch: string) -> {id: string}
            description: "Find a book."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            CALL: find_book(branch, title)
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, branch: string) -> {id: string}
            description: "Find a book."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title, branch)
            THEN: COMPLETE
    """
    positional = [a for a in call.arguments if a.name is None and a.value is not None]
    tool = called_tool(call, agent) if positional else None
    if tool is None or len(positional) != len(call.arguments):
        return
    parameters = [parameter.name.value for parameter in tool.parameters]
    words = [a.value.value.strip() if a.value is not None and a.value.style == "bare" else "" for a in positional]
    for argument, word, parameter in zip(positional, words, parameters, strict=False):
        if word in parameters and word != parameter and argument.value is not None:
            by_name = set(words) <= set(parameters) and len(set(words)) == len(words)
            swap = (_named(positional, words, "Give each to the parameter of its name", True),) if by_name else ()
            as_it_is = _named(positional, parameters, "Name the arguments as they go now", False)
            yield found(argument.value.span, *swap, as_it_is, x=word, p=parameter)
            return


def _named(arguments: list[nodes.Argument], names: list[str], title: str, preferred: bool) -> Fix:
    starts = [argument.value.span.start for argument in arguments if argument.value is not None]
    edits = (Edit(Span(at, at), f"{name}: ") for at, name in zip(starts, names, strict=False))
    return Fix(title, tuple(edits), preferred)


@rule("ABL838", "unknown-enrichment", "error", "{problem}. Did you mean `{y}`?", over=nodes.Tool)
def unknown_enrichment(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `parameters` describes a parameter that the signature lacks, or names a source that does not exist.
    Why: The description belongs to nothing; where the value comes from is not known.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            parameters:
              titel:
                description: "As printed on the cover"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            parameters:
              title:
                description: "As printed on the cover"
    """
    names = dict.fromkeys(parameter.name.value for parameter in tool.parameters)
    for entry in _enrichment(tool, agent):
        if entry.key not in names and names:
            best, renames = fixes.rename_to(entry.key_span, entry.key, generic.some(names))
            yield found(entry.key_span, *renames, problem=f"Enrichment for unknown parameter `{entry.key}`", y=best)
    for entry in _described(tool, agent):
        source = _source(entry, agent)
        if source is not None and generic.word(source) and _SOURCE.read_word(generic.word(source)) is None:
            yield from unfit(source.value, "parameter", "source", problem=f"Unknown source `{generic.word(source)}`")


@rule("ABL839", "ignored-argument", "warning", "`{p}` comes from {source}; this argument is ignored", over=nodes.Call)
def ignored_argument(call: nodes.Call, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A call gives a value for a parameter that takes its value from elsewhere.
    Why: The declared source wins.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, branch: string) -> {id: string}
            description: "Find a book."
            effect: read_only
            parameters:
              branch:
                source: config
                key: HOME_BRANCH
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title: "Emma", branch: "harbour")
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, branch: string) -> {id: string}
            description: "Find a book."
            effect: read_only
            parameters:
              branch:
                source: config
                key: HOME_BRANCH
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title: "Emma")
            THEN: COMPLETE
    """
    given = (*call.arguments, *call.with_)
    tool = agent.tools.get(call.tool.value) if call.tool is not None and given else None
    if tool is None or tool.prop("PARAMETERS") is None:
        return
    described = {entry.key: _source(entry, agent) for entry in _enrichment(tool, agent)}
    sources = {name: generic.value("parameter", "source", source) for name, source in described.items()}
    positional = [a for a in call.arguments if a.name is None]
    places = {id(a): p.name.value for a, p in zip(positional, tool.parameters, strict=False)}
    for argument in given:
        name = argument.name.value if argument.name is not None else places.get(id(argument), "")
        source = sources.get(name, "")
        if source not in ("", None, "model"):
            named = argument.name is not None and has_own_lines(agent.source, argument.span)
            fix = (fixes.remove_lines(agent.source, argument.span, "Remove the argument"),) if named else ()
            span = argument.name.span if argument.name is not None else argument.span
            yield found(span, *fix, p=name, source=f"`{source}`")


@rule(
    "ABL840",
    "unknown-immutable-parameter",
    "error",
    "immutable_params names unknown parameter `{p}`. Did you mean `{y}`?",
    over=nodes.Tool,
)
def unknown_immutable_parameter(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `confirmation.immutable_params` lists a name that the tool does not take.
    Why: A value that changes after the user was asked would not be noticed.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(book_id: string) -> {due: date}
            description: "Lend a book."
            confirmation:
              require: always
              immutable_params: [book]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(book_id: string) -> {due: date}
            description: "Lend a book."
            confirmation:
              require: always
              immutable_params: [book_id]
    """
    confirmation = tool.prop("CONFIRMATION")
    if confirmation is None:
        return
    names = dict.fromkeys(parameter.name.value for parameter in tool.parameters)
    listed = generic.by_key(agent.source, confirmation.block).get("immutableparams")
    for name in generic.names(agent.source, listed):
        if name.value not in names:
            best, renames = fixes.rename_to(name.span, name.value, generic.some(names))
            yield found(name.span, *renames, p=name.value, y=best)
