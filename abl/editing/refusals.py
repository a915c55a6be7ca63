"""Why a name cannot be renamed everywhere: each function raises ``Refused``, which names the place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.index.shared_names import Symbol
from abl.analysis.results.items import full_name, uses_within
from abl.analysis.symbols.case_names import names_in_case
from abl.analysis.symbols.catalogue_keys import keys_in
from abl.analysis.symbols.kinds import case_uses, occurrences
from abl.source import Span
from abl.syntax import nodes

_CURRENCY: Final = "_currency"
_IN_EXPRESSIONS: Final = ("variable", "path", "tool", "item", "parameter", "result", "intent", "action")


class Refused(Exception):
    """Why a rename is not done, for people."""


def word_of(name: str) -> re.Pattern[str]:
    """A name as a word of its own, and not below another."""
    return re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")


# Texts that cannot be read --------------------------------------------------------------------------------------


def not_hidden(index: Index, symbol: Symbol, homes: Collection[AgentIndex]) -> None:
    """Raises where the word is in an expression, text or test case that cannot be read."""
    word = word_of(symbol.word)
    for agent in homes if symbol.kind in _IN_EXPRESSIONS else ():
        for span in _unreadable(agent):
            if word.search(agent.source.text, *span):
                line = agent.source.position(span.start).line
                raise Refused(f"{agent.source.path}:{line} cannot be read and may hold `{symbol.word}`; mend it first.")
    for path, text in index.naming_files.items():
        match = word.search(text)
        if match is not None and names_in_case(text) is None:
            line = index.source(path).position(match.start()).line
            raise Refused(f"{path}:{line} holds `{symbol.word}`, and the file cannot be read; mend it first.")


def not_set_out_of_sight(index: Index, symbol: Symbol, homes: Collection[AgentIndex]) -> None:
    """Raises for a variable that nothing sets but, perhaps, a section or key that is not known."""
    found = occurrences(index, symbol) if symbol.kind == "variable" else []
    if not found or any(occurrence.role != "read" for occurrence in found):
        return
    word, read = word_of(symbol.name), {(occurrence.path, occurrence.span.start) for occurrence in found}
    for agent in homes:
        for span in (placed.at(span) for placed in agent.parts for span in placed.part.mentioned):
            match = word.search(agent.source.text, *span)
            if match is not None and (agent.source.path, match.start()) not in read:
                line = agent.source.position(match.start()).line
                raise Refused(f"{agent.source.path}:{line} may set `{symbol.name}` and cannot be read; mend it first.")


def _unreadable(agent: AgentIndex) -> Iterator[Span]:
    """Expressions with a syntax error, and texts from a placeholder on that is not closed."""
    for use in agent.expressions:
        if use.reading.error is not None and not use.is_sentence:
            yield use.whole
    for placed in agent.parts:
        for text in map(placed.template, placed.part.templates):
            for problem in text.template.problems if "{{" in text.value else ():
                if problem.code == "ABL250":
                    yield text.span(problem.start, len(text.value))


# Test cases -----------------------------------------------------------------------------------------------------


def not_in_other_cases(index: Index, symbol: Symbol, homes: Collection[AgentIndex]) -> None:
    """Raises where a test case runs several agents and its word means something in more than these."""
    for use in case_uses(index, symbol, homes):
        path, span, _ = use.occurrence
        place = f"{path}:{index.source(path).position(span.start).line}"
        if use.others:
            others = ", ".join(use.others)
            raise Refused(f"{place} may mean `{symbol.word}` of {others} as well; change it by hand first.")
        if not use.plain:
            raise Refused(f"{place} writes `{symbol.word}` in another way; change it by hand first.")


# Locale catalogues ------------------------------------------------------------------------------------------------


def not_a_known_key(index: Index, key: str) -> None:
    """Raises where a catalogue has a text, or texts, under a key already."""
    for path, text in index.locales.items():
        for known in keys_in(text) or ():
            if known.name == key or known.name.startswith(f"{key}.") or key.startswith(f"{known.name}."):
                line = index.source(path).position(known.span.start).line
                raise Refused(f"`{key}` is taken: {path}:{line} has the text key `{known.name}`.")


def not_of_unknown_catalogues(index: Index, symbol: Symbol) -> None:
    """Raises for a key whose catalogues are not all there to be changed with it."""
    if symbol.kind != "text":
        return
    for path, text in index.locales.items():
        if keys_in(text) is None:
            raise Refused(f"{path} cannot be read and may hold `{symbol.name}`; mend it first.")
    if not any(occurrence.role == "declaration" for occurrence in occurrences(index, symbol)):
        raise Refused(f"No catalogue here has a text for `{symbol.name}`; one elsewhere may have it.")


# Items of lists -------------------------------------------------------------------------------------------------


def not_read_beside(symbol: Symbol, name: str) -> None:
    """Raises where the pipeline of an item reads a variable of the new name, or the agent has one, which it would hide
    (06 §5.5)."""
    agent = symbol.agent
    spans = (
        transform.span for transform in agent.all(nodes.Transform) if full_name(transform, symbol.word) == symbol.name
    )
    uses = [use for span in spans for use in uses_within(agent).get(span, ())]
    declared = [write.span for write in agent.writes if write.root == name]
    declared += [use.span(read.start, read.end) for use in uses for read in use.reading.names if read.root == name]
    if declared:
        line = agent.source.position(min(declared).start).line
        raise Refused(f"`{name}` is taken: {agent.source.path}:{line} has the variable `{name}`.")


def not_of_an_item(symbol: Symbol, homes: Collection[AgentIndex]) -> None:
    """Raises where a variable of that name is read inside ``#each``: a field of the item goes before it (02 §9)."""
    for agent in homes if symbol.kind == "variable" else ():
        for read in agent.reads:
            if read.root == symbol.name and read.use is not None and read.use.each_depth and read.use.mode == "tag":
                line = agent.source.position(read.span.start).line
                raise Refused(
                    f"{agent.source.path}:{line} reads `{symbol.name}` inside `#each`, where it may be a field of the "
                    f"item; write `this.{symbol.name}` there, or change it by hand first."
                )


def not_of_a_currency(symbol: Symbol, homes: Collection[AgentIndex]) -> None:
    """Raises for the names that come with each other: ``fee_currency`` is set with the field ``fee`` (07 §5)."""
    for agent in homes if symbol.kind == "variable" else ():
        field = agent.fields.get(symbol.name.removesuffix(_CURRENCY))
        if field is None or field.type_word != "currency":
            continue
        if symbol.name != field.name.value:
            raise Refused(f"`{symbol.name}` comes with the field `{field.name.value}`.")
        for read in agent.reads:
            if read.root == symbol.name + _CURRENCY:
                line = agent.source.position(read.span.start).line
                raise Refused(f"{agent.source.path}:{line} reads `{read.root}`, which comes with the field.")


def not_of_a_survey(symbol: Symbol, homes: Collection[AgentIndex]) -> None:
    """Raises for what only the rules of a survey read, and nothing sets: the survey knows it (09 §14)."""
    if symbol.kind != "variable" or any(symbol.name in agent.written_roots for agent in homes):
        return
    for agent in homes:
        for read in agent.reads:
            if read.root == symbol.name and not read.certain and isinstance(read.owner, nodes.Format):
                line = agent.source.position(read.span.start).line
                raise Refused(f"{agent.source.path}:{line} reads `{symbol.name}`, which is a word of the survey there.")


# Tools ----------------------------------------------------------------------------------------------------------


def not_bound_by_name(index: Index, symbol: Symbol, homes: Collection[AgentIndex]) -> None:
    """Raises where a variable is what it is by its name: a field of a tool's result that is read by its name, or what
    a parameter takes that a CALL does not give (docs/spec 06 §5.8)."""
    if symbol.kind != "variable":
        return
    library = library_tools(index)
    is_given = any(occurrence.role != "read" for occurrence in occurrences(index, symbol))
    for agent in homes:
        if not is_given:
            _no_result_field(symbol.name, agent)
        for call in agent.all(nodes.Call):
            name = call.tool.value if call.tool is not None else ""
            tool = agent.tools.get(name) or library.get(name)
            if tool is not None and symbol.name in _not_given(call, tool):
                line = agent.source.position(call.span.start).line
                raise Refused(
                    f"{agent.source.path}:{line} calls `{name}`, whose parameter `{symbol.name}` takes the variable of "
                    f"its name; write `{symbol.name}: {symbol.name}` there first."
                )


def not_taken_by_name(index: Index, symbol: Symbol, homes: Collection[AgentIndex]) -> None:
    """Raises where a parameter is what it is by its word: the tool is another's, a CALL leaves it to the variable of
    that name, or the code of the tool uses it."""
    if symbol.kind != "parameter":
        return
    name = symbol.name.partition(".")[0]
    if not any(occurrence.role == "declaration" for occurrence in occurrences(index, symbol)):
        raise Refused(f"`{symbol.word}` is a parameter of `{name}`, which is not declared in this project.")
    library = library_tools(index)
    for agent in homes:
        declared = agent.tools.get(name) or library.get(name)
        for call in agent.all(nodes.Call) if declared is not None and symbol.word in agent.written_roots else ():
            is_called = call.tool is not None and call.tool.value == name
            if is_called and declared is not None and symbol.word in _not_given(call, declared):
                place = f"{agent.source.path}:{agent.source.position(call.span.start).line}"
                raise Refused(
                    f"{place} gives `{name}` no `{symbol.word}`, which takes the variable of its name; write "
                    f"`{symbol.word}: {symbol.word}` there first."
                )
        not_in_code(symbol.word, name, agent)


def not_in_code(word: str, name: str, agent: AgentIndex) -> None:
    """Raises where the code of a tool uses a word."""
    for tool in agent.all(nodes.Tool):
        code = tool.prop("CODE") if tool.name.value == name else None
        match = word_of(word).search(agent.source.text, *code.block.span) if code is not None else None
        if match is not None:
            line = agent.source.position(match.start()).line
            raise Refused(f"{agent.source.path}:{line} is code that uses `{word}`; change it by hand first.")


def library_tools(index: Index) -> dict[str, nodes.Tool]:
    """The tools of tool files and profiles, by name."""
    return {tool.name.value: tool for agent in index.each() if agent.fragment for tool in agent.tools.values()}


def _no_result_field(name: str, agent: AgentIndex) -> None:
    for tool in agent.tools.values():
        if tool.returns is not None and any(field == name for field, _, _ in tool.returns.fields):
            raise Refused(f"`{name}` is a field of what `{tool.name.value}` returns; its signature names it.")


def _not_given(call: nodes.Call, tool: nodes.Tool) -> set[str]:
    """The parameters that take the variable of their name."""
    given = {argument.name.value for argument in (*call.arguments, *call.with_) if argument.name is not None}
    by_place = sum(1 for argument in call.arguments if argument.name is None)
    return {p.name.value for p in tool.parameters[by_place:] if p.default is None} - given
