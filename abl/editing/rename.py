"""``rename``: another name for a variable, path, step, tool, agent … wherever it stands (docs/spec 12 §1, 05 §9)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from abl.analysis import check
from abl.analysis.corrected import corrected_symbol
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.names import BUILT_IN_TOOLS, SYSTEM_NAMES, is_runtime_name
from abl.analysis.index.project import Index, index_of
from abl.analysis.index.shared_names import WORDS, Symbol, SymbolKind, homes_of, word_of_name
from abl.analysis.reporting.render import range_dict
from abl.analysis.symbols.agent_links import theirs_of
from abl.analysis.symbols.kinds import occurrences
from abl.analysis.symbols.local_names import RETURN_ACTIONS, plain
from abl.analysis.symbols.places import places_of
from abl.diagnostics import Diagnostic, Edit
from abl.editing.edits import applied
from abl.editing.leftovers import left_alone
from abl.editing.refusals import (
    Refused,
    library_tools,
    not_a_known_key,
    not_bound_by_name,
    not_hidden,
    not_in_other_cases,
    not_of_a_currency,
    not_of_a_survey,
    not_of_an_item,
    not_of_unknown_catalogues,
    not_read_beside,
    not_set_out_of_sight,
    not_taken_by_name,
)
from abl.editing.refusals_results import Reach, not_read_otherwise
from abl.expressions import nodes as en
from abl.language.memory import SCOPE_OF_SEGMENT
from abl.source import Span
from abl.syntax import nodes, vocabulary
from abl.syntax.incremental.collector import collector_paused

_PATTERNS: Final[dict[SymbolKind, tuple[str, str]]] = {
    "agent": (vocabulary.AGENT_NAME_PATTERN, "a letter, then letters, digits and _"),
    "table": (r"[a-z_][a-z0-9_]*", "a small letter or _, then small letters, digits and _"),
    "text": (r"[\w-]+(\.[\w-]+)*", "words of letters, digits, _ and -, joined by dots"),
    "path": (rf"{vocabulary.NAME_PATTERN}(\.{vocabulary.NAME_PATTERN})+", "two or more names joined by dots"),
}
_WORDS: Final = (r"\w+([ .-]\w+)*", "words joined by blanks, - or .")
_FREE: Final[frozenset[SymbolKind]] = frozenset({"intent", "action"})
"""Kinds whose names may be written as words, such as ``opening hours``; one that is a name stays one."""
_NAME: Final = (vocabulary.NAME_PATTERN, "a letter or _, then letters, digits and _")
_ONE_SPACE: Final[tuple[frozenset[SymbolKind], ...]] = (
    frozenset({"variable", "path", "tool"}),
    frozenset({"agent", "alias"}),
)
"""Kinds of which one name in one agent may mean only one thing."""


@collector_paused()
def rename(files: Mapping[str, str], path: str, line: int, column: int, name: str) -> dict[str, Any]:
    """The edits that give the name at a 1-based position another ``name``, in all files.

    ``{"edits": {path: [{range, text}]}, "refused": None, "left": [{path, range}]}``, or no edits and in ``refused`` the
    reason: nothing to rename there, no name, taken, built in, a place that cannot be changed safely, or the project
    would have errors that it has not now. In ``left`` the word still stands, as something else.
    """
    try:
        index, symbol = _renamable(files, path, line, column)
        _legal(symbol, name)
        if name == symbol.word:
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
    return {"range": found, "name": symbol.word, "kind": symbol.kind, "refused": None}


def _as_dicts(index: Index, path: str, edits: list[Edit]) -> list[dict[str, Any]]:
    source = index.source(path)
    return [{"range": range_dict(source, edit.span), "text": edit.text} for edit in edits]


def _renamable(files: Mapping[str, str], path: str, line: int, column: int) -> tuple[Index, Symbol]:
    index, symbol = corrected_symbol(files, path, line, column)
    if index is None or symbol is None:
        raise Refused("No name stands here that could be renamed.")
    if symbol.kind == "function":
        raise Refused(f"`{symbol.name}` is a built-in function.")
    if symbol.kind == "tool" and symbol.name in BUILT_IN_TOOLS:
        raise Refused(f"`{symbol.name}` is a tool of the runtime.")
    if symbol.kind == "parameter" and symbol.name.partition(".")[0] in BUILT_IN_TOOLS:
        raise Refused(f"`{symbol.word}` is a parameter of a tool of the runtime.")
    if symbol.kind == "variable" and re.fullmatch(vocabulary.NAME_PATTERN, symbol.name, re.ASCII) is None:
        raise Refused(f"`{symbol.name}` is no name of a variable.")
    if symbol.kind == "variable" and (symbol.name in SYSTEM_NAMES or is_runtime_name(symbol.name)):
        raise Refused(f"`{symbol.name}` is set by the runtime.")
    if symbol.kind == "variable" and symbol.name in SCOPE_OF_SEGMENT and symbol.name not in symbol.agent.session:
        raise Refused(f"`{symbol.name}` is a scope of facts; a path below it can be renamed where it is declared.")
    return index, symbol


def _legal(symbol: Symbol, name: str) -> None:
    free = symbol.kind in _FREE and re.fullmatch(vocabulary.NAME_PATTERN, symbol.name, re.ASCII) is None
    pattern, words = _WORDS if free else _PATTERNS.get(symbol.kind, _NAME)
    if re.fullmatch(pattern, name, re.UNICODE if free else re.ASCII) is None:
        kind = WORDS.get(symbol.kind, symbol.kind)
        article = "an" if kind[0] in "aeiou" else "a"
        raise Refused(f"`{name}` is not a name for {article} {kind}: it has to be {words}.")
    reserved = vocabulary.RESERVED_NAMES | SYSTEM_NAMES
    if symbol.kind in ("variable", "path", "item") and name in reserved:
        raise Refused(f"`{name}` is a name of the language or the runtime.")
    if symbol.kind == "variable" and is_runtime_name(name):
        raise Refused(f"`{name}` begins with _, as the names of the runtime do.")
    if symbol.kind == "step" and name in vocabulary.TERMINALS:
        raise Refused(f"`{name}` is a word of the language: THEN: {name} would no longer mean the step.")
    if symbol.kind == "tool" and name in BUILT_IN_TOOLS:
        raise Refused(f"`{name}` is a tool of the runtime.")
    if symbol.kind == "handler" and name in RETURN_ACTIONS:
        raise Refused(f"`{name}` is a word of the language: ON_RETURN: {name} would no longer mean the handler.")


# Whether the name is free ---------------------------------------------------------------------------------------


def _free(index: Index, symbol: Symbol, name: str) -> None:
    """Raises when the name already means something where the symbol is used."""
    homes = homes_of(index, symbol)
    if symbol.kind == "text":
        not_a_known_key(index, name)
    if symbol.kind == "item":
        not_read_beside(symbol, name)
    if symbol.kind == "alias" and name in index.agents:
        raise Refused(f"`{name}` is taken: {index.agents[name].source.path} has the agent `{name}`.")
    for agent in homes:
        for kind, taken, span, _ in places_of(agent, index):
            if _means_the_same(symbol, kind, taken, symbol.renamed(name)):
                line, word = agent.source.position(span.start).line, WORDS.get(kind, kind)
                raise Refused(
                    f"`{name}` is taken: {agent.source.path}:{line} has the {word} `{word_of_name(kind, taken)}`."
                )
        if symbol.kind == "variable":
            _not_captured(agent, symbol.name, name)


def _means_the_same(symbol: Symbol, kind: SymbolKind, taken: str, name: str) -> bool:
    """True when a taken name cannot be beside the new one."""
    if kind != symbol.kind and not any({kind, symbol.kind} <= together for together in _ONE_SPACE):
        return False
    if taken == name:
        return True
    if kind == "intent":  # which digressions find by its letters
        return taken != symbol.name and plain(taken) == plain(name)
    return kind == "path" and _overlaps(taken, name) and taken != symbol.name


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
    if symbol.kind == "result":
        reach = Reach(index, symbol)
        not_read_otherwise(index, symbol, reach)
        homes = reach.agents
    not_hidden(index, symbol, homes)
    not_of_unknown_catalogues(index, symbol)
    not_in_other_cases(index, symbol, homes)
    not_bound_by_name(index, symbol, homes)
    not_set_out_of_sight(index, symbol, homes)
    not_of_an_item(symbol, homes)
    not_of_a_currency(symbol, homes)
    not_of_a_survey(symbol, homes)
    not_taken_by_name(index, symbol, homes)
    written = {
        (agent.source.path, span): f"{key}: {name}"
        for agent in homes
        for key, span in _shorthands(index, agent, symbol)
    }
    written |= _split(index, symbol, name, homes)
    edits: dict[str, list[Edit]] = {}
    for occurrence in occurrences(index, symbol):
        source = index.source(occurrence.path)
        standing = source.text[slice(*occurrence.span)]
        as_usual = written.get((occurrence.path, occurrence.span), name)
        text = as_usual if standing == symbol.word else _nested_key(symbol, standing, name)
        if not text:
            line = source.position(occurrence.span.start).line
            raise Refused(f"{occurrence.path}:{line} writes `{symbol.word}` in another way; change it by hand first.")
        edits.setdefault(occurrence.path, []).append(Edit(occurrence.span, text))
    return {path: _apart(found) for path, found in edits.items()}


def _nested_key(symbol: Symbol, standing: str, name: str) -> str:
    """What becomes of ``ask`` below ``order`` when the key ``order.ask`` gets a name; empty if it moves elsewhere."""
    (above, _, last), (new_above, _, new) = symbol.name.rpartition("."), name.rpartition(".")
    return new if symbol.kind == "text" and standing == last and above == new_above else ""


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


# The project after the rename -------------------------------------------------------------------------------------


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
