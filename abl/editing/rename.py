"""``rename``: another name for a variable, path, step, tool, agent … wherever it stands (docs/spec 12 §1, 05 §9)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from abl.analysis import check
from abl.analysis.entry_fixes import SCOPE_OF_SEGMENT
from abl.analysis.links import theirs_of
from abl.analysis.model import AgentIndex
from abl.analysis.names import BUILT_IN_TOOLS, SYSTEM_NAMES, is_runtime_name
from abl.analysis.project import Index, index_of
from abl.analysis.render import range_dict
from abl.analysis.sharing import Symbol, SymbolKind, homes_of
from abl.analysis.symbols import occurrences, places_of
from abl.diagnostics import Diagnostic, Edit
from abl.editing.edits import applied
from abl.editing.leftovers import left_alone
from abl.editing.navigate import symbol_of
from abl.editing.refusals import (
    Refused,
    library_tools,
    not_bound_by_name,
    not_hidden,
    not_in_other_cases,
    not_of_a_currency,
    not_of_an_item,
)
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes, vocabulary

_PATTERNS: Final[dict[SymbolKind, tuple[str, str]]] = {
    "agent": (vocabulary.AGENT_NAME_PATTERN, "a letter, then letters, digits and _"),
    "path": (rf"{vocabulary.NAME_PATTERN}(\.{vocabulary.NAME_PATTERN})+", "two or more names joined by dots"),
}
_NAME: Final = (vocabulary.NAME_PATTERN, "a letter or _, then letters, digits and _")
_ONE_SPACE: Final[frozenset[SymbolKind]] = frozenset({"variable", "path", "tool"})
"""Kinds of which one name in one agent may mean only one thing."""


def rename(files: Mapping[str, str], path: str, line: int, column: int, name: str) -> dict[str, Any]:
    """The edits that give the name at a 1-based position another ``name``, in all files.

    ``{"edits": {path: [{range, text}]}, "refused": None, "left": [{path, range}]}``, or no edits and in ``refused`` the
    reason: nothing to rename there, no name, taken, built in, a place that cannot be changed safely, or the project
    would have errors that it has not now. In ``left`` the word still stands, as something else.
    """
    try:
        index, symbol = _renamable(files, path, line, column)
        _legal(symbol, name)
        if name == symbol.name:
            return {"edits": {}, "refused": None, "left": []}
        _free(index, symbol, name)
        edits = _edits(index, symbol, name)
        _still_right(files, edits)
    except Refused as refused:
        return {"edits": {}, "refused": str(refused), "left": []}
    left = left_alone(index, symbol, homes_of(index, symbol), edits)
    return {"edits": {p: _as_dicts(index, p, changes) for p, changes in edits.items()}, "refused": None, "left": left}


def renamable(files: Mapping[str, str], path: str, line: int, column: int) -> dict[str, Any]:
    """What ``rename`` would act on: ``{"range", "name", "kind", "refused"}``; a range of None goes with a reason."""
    try:
        index, symbol = _renamable(files, path, line, column)
    except Refused as refused:
        return {"range": None, "name": "", "kind": "", "refused": str(refused)}
    found = index.sources[path].range(symbol.span).as_dict()
    return {"range": found, "name": symbol.name, "kind": symbol.kind, "refused": None}


def _as_dicts(index: Index, path: str, edits: list[Edit]) -> list[dict[str, Any]]:
    source = index.source(path)
    return [{"range": range_dict(source, edit.span), "text": edit.text} for edit in edits]


def _renamable(files: Mapping[str, str], path: str, line: int, column: int) -> tuple[Index, Symbol]:
    index, symbol = symbol_of(files, path, line, column)
    if index is None or symbol is None:
        raise Refused("No name stands here that could be renamed.")
    if symbol.kind == "function":
        raise Refused(f"`{symbol.name}` is a built-in function.")
    if symbol.kind == "tool" and symbol.name in BUILT_IN_TOOLS:
        raise Refused(f"`{symbol.name}` is a tool of the runtime.")
    if symbol.kind == "variable" and (symbol.name in SYSTEM_NAMES or is_runtime_name(symbol.name)):
        raise Refused(f"`{symbol.name}` is set by the runtime.")
    if symbol.kind == "variable" and symbol.name in SCOPE_OF_SEGMENT and symbol.name not in symbol.agent.session:
        raise Refused(f"`{symbol.name}` is a scope of facts; a path below it can be renamed where it is declared.")
    return index, symbol


def _legal(symbol: Symbol, name: str) -> None:
    pattern, words = _PATTERNS.get(symbol.kind, _NAME)
    if re.fullmatch(pattern, name, re.ASCII) is None:
        article = "an" if symbol.kind == "agent" else "a"
        raise Refused(f"`{name}` is not a name for {article} {symbol.kind}: it has to be {words}.")
    reserved = vocabulary.RESERVED_NAMES | SYSTEM_NAMES
    if symbol.kind in ("variable", "path") and name in reserved:
        raise Refused(f"`{name}` is a name of the language or the runtime.")
    if symbol.kind == "variable" and is_runtime_name(name):
        raise Refused(f"`{name}` begins with _, as the names of the runtime do.")
    if symbol.kind == "step" and name in vocabulary.TERMINALS:
        raise Refused(f"`{name}` is a word of the language: THEN: {name} would no longer mean the step.")
    if symbol.kind == "tool" and name in BUILT_IN_TOOLS:
        raise Refused(f"`{name}` is a tool of the runtime.")


# Whether the name is free ---------------------------------------------------------------------------------------


def _free(index: Index, symbol: Symbol, name: str) -> None:
    """Raises when the name already means something where the symbol is used."""
    homes = homes_of(index, symbol)
    for agent in homes:
        for kind, known, span, _ in places_of(agent, index):
            same = kind == symbol.kind or {kind, symbol.kind} <= _ONE_SPACE
            if same and (known == name or (kind == "path" and _overlaps(known, name) and known != symbol.name)):
                line = agent.source.position(span.start).line
                raise Refused(f"`{name}` is taken: {agent.source.path}:{line} has the {kind} `{known}`.")
        if symbol.kind == "variable":
            _not_captured(agent, symbol.name, name)


def _overlaps(path: str, name: str) -> bool:
    return path.startswith(f"{name}.") or name.startswith(f"{path}.")


def _not_captured(agent: AgentIndex, old: str, name: str) -> None:
    """Raises when an expression that reads the variable has an item variable of the new name."""
    for use in agent.expressions:
        if name in use.locals and any(read.root == old for read in use.reading.names):
            line = agent.source.position(use.whole.start).line
            raise Refused(f"`{name}` is taken: {agent.source.path}:{line} names the items of a list so.")


# The edits ------------------------------------------------------------------------------------------------------


def _edits(index: Index, symbol: Symbol, name: str) -> dict[str, list[Edit]]:
    homes = homes_of(index, symbol)
    not_hidden(index, symbol, homes)
    not_in_other_cases(index, symbol, homes)
    not_bound_by_name(index, symbol, homes)
    not_of_an_item(symbol, homes)
    not_of_a_currency(symbol, homes)
    written = {
        (agent.source.path, span): f"{key}: {name}"
        for agent in homes
        for key, span in _shorthands(index, agent, symbol)
    }
    written |= _split(index, symbol, name, homes)
    edits: dict[str, list[Edit]] = {}
    for occurrence in occurrences(index, symbol):
        source = index.source(occurrence.path)
        if source.text[slice(*occurrence.span)] != symbol.name:
            line = source.position(occurrence.span.start).line
            raise Refused(f"{occurrence.path}:{line} writes `{symbol.name}` in another way; change it by hand first.")
        text = written.get((occurrence.path, occurrence.span), name)
        edits.setdefault(occurrence.path, []).append(Edit(occurrence.span, text))
    return {path: _apart(found) for path, found in edits.items()}


def _split(index: Index, symbol: Symbol, name: str, homes: list[AgentIndex]) -> dict[tuple[str, Span], str]:
    """``{a}`` in what is handed over, where only one side is renamed: ``{a: b}``, their name first."""
    found: dict[tuple[str, Span], str] = {}
    names = {agent.name for agent in homes if agent.name}
    for agent in index.each() if symbol.kind == "variable" else ():
        for theirs in agent.derive(theirs_of):
            one, other = agent in homes, theirs.agent in names
            if theirs.split and theirs.name.value == symbol.name and one != other:
                text = f"{symbol.name}: {name}" if one else f"{name}: {symbol.name}"
                found[agent.source.path, theirs.name.span] = text
    return found


def _apart(edits: list[Edit]) -> list[Edit]:
    """Edits in order, each place once."""
    return sorted({edit.span: edit for edit in edits}.values(), key=lambda edit: edit.span)


def _shorthands(index: Index, agent: AgentIndex, symbol: Symbol) -> Iterator[tuple[str, Span]]:
    """Places where a name is a key as well: ``{a}`` means ``{a: a}``, an argument may be named by its value."""
    if symbol.kind not in ("variable", "path"):
        return
    for use in agent.expressions:
        for node in use.reading.nodes:
            if isinstance(node, en.ObjectNode):
                for key, value in zip(node.keys, node.values, strict=True):
                    if use.reading.text[: value.start].rstrip()[-1:] in ("{", ","):
                        yield key, use.span_of(value)
    library = library_tools(index)
    for call in agent.all(nodes.Call):
        known = call.tool is not None and (call.tool.value in agent.tools or call.tool.value in library)
        for argument in (*(() if known else call.arguments), *call.with_):
            if argument.value is not None and argument.name is None:
                yield argument.value.value.rpartition(".")[2], argument.value.span


# What became of the project -------------------------------------------------------------------------------------


def _still_right(files: Mapping[str, str], edits: Mapping[str, list[Edit]]) -> None:
    """Raises when the renamed project has errors that it has not now."""
    texts = {path: applied(text, edits.get(path, ())) for path, text in files.items()}
    before = Counter(d.code for d in _errors(files))
    for problem in _errors(texts):
        if not before[problem.code]:
            line = index_of(texts).sources[problem.path].position(problem.span.start).line
            raise Refused(f"{problem.path}:{line} would have a new problem: {problem.message}")
        before[problem.code] -= 1


def _errors(files: Mapping[str, str]) -> list[Diagnostic]:
    return [problem for problem in check(files).diagnostics if problem.severity == "error"]
