"""``hover``: what the thing under the cursor means, its type and default, and where it is set and read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from abl.analysis.model import AgentIndex
from abl.analysis.project import Index, index_of
from abl.analysis.registry import lookup
from abl.analysis.sharing import Symbol
from abl.analysis.symbols import Occurrence, occurrences, symbol_at
from abl.editing.meanings import MEANINGS
from abl.editing.place import place_at, read_line
from abl.expressions.builtins import find
from abl.source import Source, Span
from abl.syntax import vocabulary

_WORD = re.compile(r"[A-Za-z_][\w-]*")
SHOWN_PLACES = 5
Seen = Callable[[Symbol], str | None]


def hover(
    files: Mapping[str, str], path: str, line: int, column: int, seen: Seen | None = None
) -> dict[str, Any] | None:
    """``{range, title, text}`` for a 1-based position, or None where there is nothing to say.

    ``seen`` tells the last value of a variable or path, as text for people, where the caller knows of runs.
    """
    index = index_of(files)
    document = index.documents.get(path)
    if document is None:
        return None
    source = document.source
    offset = source.offset(line, column)
    symbol = symbol_at(index, path, offset)
    if symbol is not None:
        title, text = _symbol(symbol, index)
        last = seen(symbol) if seen is not None and symbol.kind in ("variable", "path") else None
        return _answer(source, symbol.span, title, f"{text}\nlast seen: {last}" if last else text)
    return _keyword(source, line, offset)


def _answer(source: Source, span: Span, title: str, text: str) -> dict[str, Any]:
    return {"range": source.range(span).as_dict(), "title": title, "text": text}


def _symbol(symbol: Symbol, index: Index) -> tuple[str, str]:
    match symbol.kind:
        case "function":
            function = find(symbol.name, symbol.name.islower(), guardrail=True)
            return (function.signature, function.doc) if function is not None else (symbol.name, "unknown function")
        case "path":
            return _path(symbol), "\n".join(_path_lines(symbol, index))
        case "variable":
            kind = symbol.agent.types.of_path(symbol.name)
            return f"{symbol.name}: {kind}" if kind else symbol.name, "\n".join(_variable_lines(symbol, index))
        case "tool":
            return _tool(symbol.agent, symbol.name)
        case "step":
            return f"step {symbol.name}", "\n".join(_places(index, symbol))
    agent = index.agents.get(symbol.name)
    goal = agent.agent.goal.value if agent is not None and agent.agent.goal is not None else ""
    return f"agent {symbol.name}", goal if agent is not None else "not in this project"


def _path(symbol: Symbol) -> str:
    declared = symbol.agent.persistent.get(symbol.name)
    return f"{symbol.name}: {declared.type.value}" if declared is not None and declared.type else symbol.name


def _path_lines(symbol: Symbol, index: Index) -> list[str]:
    lines = ["persistent path"]
    declared = symbol.agent.persistent.get(symbol.name)
    if declared is not None:
        lines.append(f"scope {declared.scope.value if declared.scope else 'user'}")
        lines.append(f"access {declared.access.value if declared.access else 'readwrite'}")
        if declared.default is not None:
            lines.append(f"default {declared.default.value!r}")
        if declared.description is not None:
            lines.append(declared.description.value)
    return lines + _places(index, symbol)


def _variable_lines(symbol: Symbol, index: Index) -> list[str]:
    variable = symbol.agent.session.get(symbol.name)
    field = symbol.agent.fields.get(symbol.name)
    lines = ["session variable" if variable is not None else "gather field" if field is not None else "variable"]
    if variable is not None:
        initial = variable.initial
        if initial is not None:
            lines.append(f"initial {initial.dynamic.value if initial.dynamic else initial.value!r}")
        lines.append(f"reset {variable.reset.value if variable.reset else 'per_session'}")
        if variable.description is not None:
            lines.append(variable.description.value)
    if field is not None and field.prompt is not None:
        lines.append(f"asked as: {field.prompt.value}")
    return lines + _places(index, symbol)


def _places(index: Index, symbol: Symbol) -> list[str]:
    found = occurrences(index, symbol)
    titles = {"declaration": "declared", "write": "set", "read": "read"}
    lines = []
    for role, title in titles.items():
        places = [_place(index, occurrence) for occurrence in found if occurrence.role == role]
        if places:
            more = f" and {len(places) - SHOWN_PLACES} more" if len(places) > SHOWN_PLACES else ""
            lines.append(f"{title}: {', '.join(places[:SHOWN_PLACES])}{more}")
    if symbol.kind in ("variable", "path") and not any(o.role == "read" for o in found):
        lines.append("never read")
    return lines


def _place(index: Index, occurrence: Occurrence) -> str:
    line = index.source(occurrence.path).position(occurrence.span.start).line
    return f"{occurrence.path}:{line}"


def _tool(agent: AgentIndex, name: str) -> tuple[str, str]:
    tool = agent.tools.get(name)
    if tool is None:
        return f"tool {name}", "not declared in this agent"
    parameters = ", ".join(
        f"{p.name.value}{'' if p.required else '?'}: {p.type.text if p.type else 'any'}" for p in tool.parameters
    )
    returns = f" -> {tool.returns.text}" if tool.returns is not None else ""
    return f"{name}({parameters}){returns}", tool.description.value if tool.description else ""


def _keyword(source: Source, line: int, offset: int) -> dict[str, Any] | None:
    """A keyword's meaning, or what a diagnostic code in a comment stands for."""
    start = source.line_starts[source.position(offset).line - 1]
    text = source.line_text(source.position(offset).line)
    word = next((m for m in _WORD.finditer(text) if m.start() <= offset - start <= m.end()), None)
    if word is None:
        return None
    span = Span(start + word.start(), start + word.end())
    if text.lstrip().startswith("#"):
        known = lookup(word.group())
        return _answer(source, span, f"{known.code} {known.name}", known.page.what) if known is not None else None
    here = read_line(text)
    place = place_at(source, source.position(offset).line, here.indent, here.item)
    key = vocabulary.canonical_key(word.group())
    meaning = MEANINGS.get(f"{place.block}.{key}") or MEANINGS.get(key) or _value_meaning(here.key, word.group())
    return _answer(source, span, word.group(), meaning) if meaning else None


def _value_meaning(key: str, value: str) -> str:
    return MEANINGS.get(f"{vocabulary.canonical_key(key)}.{value}", "")
