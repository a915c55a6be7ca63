"""What ``hover`` says about a name: what it is, what it holds, where it is declared, set and read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from abl.analysis.index.aliases import aliases_of
from abl.analysis.index.model import AgentIndex, value_of
from abl.analysis.index.project import Index
from abl.analysis.index.shared_names import WORDS, Symbol, SymbolKind, homes_of
from abl.analysis.index.vocabularies import entities_of
from abl.analysis.results.fields import field_type, tool_and_fields
from abl.analysis.results.returned import declared_tool
from abl.analysis.rules.content.guardrail_checks import fires_when
from abl.analysis.symbols.kinds import Occurrence, catalogue_keys, occurrences
from abl.analysis.symbols.local_names import labels_of
from abl.editing.meanings import runtime_meaning
from abl.expressions.builtins import find
from abl.syntax import nodes
from abl.syntax.nodes import Content

SHOWN_PLACES = 5
_SHOWN_TEXT: Final = 200
_TITLES: Final = {"declaration": "declared", "write": "set", "read": "read"}
_USED: Final = {**_TITLES, "read": "used"}
_TITLES_OF: Final[Mapping[SymbolKind, Mapping[str, str]]] = {
    "variable": _TITLES,
    "path": _TITLES,
    "item": _TITLES,
    "intent": {"declaration": "declared", "write": "handled", "read": "used"},
    "action": {"declaration": "shown", "write": "handled", "read": "used"},
}
_SAID: Final = ("label", "description", "source", "patterns", "values", "kind", "action", "check", "respond")
"""Keys of an entry that say what it is."""


def about(symbol: Symbol, index: Index) -> tuple[str, str]:
    """A title and lines about a name at a place."""
    match symbol.kind:
        case "function":
            function = find(symbol.name, symbol.name.islower(), guardrail=True)
            return (function.signature, function.doc) if function is not None else (symbol.name, "unknown function")
        case "path":
            return _path(symbol, index), "\n".join(_path_lines(symbol, index))
        case "variable":
            return _variable(symbol, index)
        case "tool":
            return _tool(symbol, index)
        case "item":
            return symbol.word, "\n".join(["item of TRANSFORM", *_places(index, symbol)])
        case "parameter":
            return _parameter(symbol, index)
        case "result":
            return _result(symbol, index)
    word = WORDS.get(symbol.kind, symbol.kind)
    return f"{word} {symbol.name}", "\n".join([*_said(symbol, index), *_places(index, symbol)])


def _said(symbol: Symbol, index: Index) -> Iterator[str]:
    """What the declaration of a name says about it."""
    name = symbol.name
    match symbol.kind:
        case "agent":
            agent = index.agents.get(name)
            goal = agent.agent.goal if agent is not None else None
            yield _short(goal.value if goal is not None else "") if agent is not None else "not in this project"
        case "alias":
            alias = symbol.agent.derive(aliases_of).get(name)
            yield from (f"stands for {each.stands_for}" for each in (alias,) if each is not None and each.stands_for)
        case "template":
            yield from (_short(text.value) for known, text in symbol.agent.agent.templates if known.value == name)
        case "text":
            yield from (f"{path}: {_short(key.text)}" for path, key in catalogue_keys(index, name))
        case "phase":
            count = sum(rule.phase == name for rule in symbol.agent.all(nodes.Rule))
            yield f"{count} rule{'' if count == 1 else 's'}"
        case "profile":
            profile = index.profiles[name][1] if name in index.profiles else None
            yield from _profile(profile) if profile is not None else ("not in this project",)
        case _:
            agents = (symbol.agent, *index.each())
            labels = (label for agent in agents for label in agent.derive(labels_of) if label.entry is not None)
            same = (label.entry for label in labels if (label.kind, label.name) == (symbol.kind, name))
            entry = next(same, None)
            yield from _entry(entry) if entry is not None else ()
            yield from _fires(agents, entry) if symbol.kind == "guardrail" else ()


def _profile(profile: nodes.Profile) -> Iterator[str]:
    if profile.priority is not None:
        yield f"priority {profile.priority.value.strip()}"
    if profile.when is not None:
        yield f"when {profile.when.value}"


def _entry(entry: Content) -> Iterator[str]:
    """A description, or the properties that matter most."""
    if entry.word_of():
        yield _short(entry.word_of().strip("\"'"))
    for key in _SAID:
        member = entry.get(key)
        words = [text.value for text in member.texts()] if member is not None else []
        if words:
            yield f"{key} {_short(', '.join(words))}"


def _fires(agents: Iterable[AgentIndex], entry: Content | None) -> Iterator[str]:
    """On which verdict a guardrail fires (09 §11)."""
    guardrails = (guardrail for agent in agents for guardrail in agent.all(nodes.Guardrail))
    verdict = next((fires_when(guardrail) for guardrail in guardrails if guardrail.content is entry), None)
    if verdict is not None:
        yield f"fires when its check is {'true' if verdict else 'false'}"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_TEXT else f"{text[:_SHOWN_TEXT]}…"


def _path(symbol: Symbol, index: Index) -> str:
    own = symbol.agent.persistent.get(symbol.name)
    declared = [own, *(path for _, path in index.declared_paths.get(symbol.name, ()))]
    types = (path.type.value for path in declared if path is not None and path.type is not None)
    return next((f"{symbol.name}: {type_}" for type_ in types), symbol.name)


def _declared_path(symbol: Symbol, index: Index) -> nodes.PersistentPath | None:
    """The declaration of the agent itself, else the first of the project."""
    declared = symbol.agent.persistent.get(symbol.name)
    others = index.declared_paths.get(symbol.name, ())
    return declared or next((path for _, path in others), None)


def _path_lines(symbol: Symbol, index: Index) -> list[str]:
    declared = _declared_path(symbol, index)
    meaning = runtime_meaning(symbol.name) if declared is None else ""
    lines = [f"set by the runtime: {meaning}" if meaning else "persistent path"]
    if declared is not None:
        lines.append(f"scope {declared.scope.value if declared.scope else 'user'}")
        lines.append(f"access {declared.access.value if declared.access else 'readwrite'}")
        if declared.default is not None:
            lines.append(f"default {declared.default.value!r}")
        if declared.description is not None:
            lines.append(declared.description.value)
    return lines + _places(index, symbol)


def _variable(symbol: Symbol, index: Index) -> tuple[str, str]:
    homes = homes_of(index, symbol)
    agent = next((home for home in homes if symbol.name in home.session or symbol.name in home.fields), symbol.agent)
    kind = symbol.agent.types.of_path(symbol.name) or agent.types.of_path(symbol.name)
    title = f"{symbol.name}: {kind}" if kind else symbol.name
    return title, "\n".join([*_variable_lines(symbol.name, agent), *_places(index, symbol)])


def _entities(agent: AgentIndex) -> frozenset[str]:
    sections = agent.all(nodes.Understanding)
    return frozenset([name.value for section in sections for name, _ in entities_of(section)])


def _variable_lines(name: str, agent: AgentIndex) -> list[str]:
    variable = agent.session.get(name)
    field = agent.fields.get(name)
    kinds = (("session variable", variable), ("gather field", field), ("entity", name in agent.derive(_entities)))
    meaning = runtime_meaning(name)
    unknown = f"set by the runtime: {meaning}" if meaning else "variable"
    lines = [next((kind for kind, known in kinds if known), unknown)]
    if variable is not None:
        initial = variable.initial
        if initial is not None:
            lines.append(f"initial {initial.dynamic.value if initial.dynamic else initial.value!r}")
        lines.append(f"reset {variable.reset.value if variable.reset else 'per_session'}")
        if variable.description is not None:
            lines.append(variable.description.value)
    if field is not None:
        lines += [f"{key.lower()} {text.value}" for key in ("DEFAULT", "REQUIRED") if (text := value_of(field, key))]
        lines += [f"asked as: {field.prompt.value}"] if field.prompt is not None else []
    return lines


def _places(index: Index, symbol: Symbol) -> list[str]:
    found = occurrences(index, symbol)
    titles = _TITLES_OF.get(symbol.kind, _USED)
    lines = []
    for role, title in titles.items():
        places = [occurrence for occurrence in found if occurrence.role == role]
        if places:
            shown = ", ".join(_place(index, occurrence) for occurrence in places[:SHOWN_PLACES])
            more = f" and {len(places) - SHOWN_PLACES} more" if len(places) > SHOWN_PLACES else ""
            lines.append(f"{title}: {shown}{more}")
    if symbol.kind in ("variable", "path") and not any(o.role == "read" for o in found):
        lines.append("never read")
    return lines


def _place(index: Index, occurrence: Occurrence) -> str:
    line = index.source(occurrence.path).position(occurrence.span.start).line
    return f"{occurrence.path}:{line}"


def _parameter(symbol: Symbol, index: Index) -> tuple[str, str]:
    name = symbol.name.partition(".")[0]
    tool = _declared_tool(symbol, name, index)
    known = tool.parameters if tool is not None else ()
    declared = next((parameter for parameter in known if parameter.name.value == symbol.word), None)
    lines = [f"parameter of {name}"]
    if declared is None:
        return symbol.word, "\n".join([*lines, "not declared in this project", *_places(index, symbol)])
    lines.append("required" if declared.required else "optional")
    lines += [f"default {declared.default.value!r}"] if declared.default is not None else []
    type_ = declared.type.text if declared.type is not None else "any"
    return f"{symbol.word}: {type_}", "\n".join([*lines, *_places(index, symbol)])


def _result(symbol: Symbol, index: Index) -> tuple[str, str]:
    """A field of what a tool returns: its type, whether it may be missing, and what leads to it."""
    name, *fields = tool_and_fields(symbol.name).split(".")
    tools = (declared_tool(name, agent, index) for agent in (symbol.agent, *index.each()))
    tool = next((each.tool for each in tools if each is not None and each.name_of(fields) == symbol.name), None)
    kind, required = field_type(tool.returns, fields) if tool is not None else (None, True)
    title = f"{symbol.word}: {kind.text}" if kind is not None else symbol.word
    whole = f"field of what {name} returns" if len(fields) == 1 else f"field of what {name} returns: {'.'.join(fields)}"
    return title, "\n".join([whole, *([] if required else ["optional"]), *_places(index, symbol)])


def _declared_tool(symbol: Symbol, name: str, index: Index) -> nodes.Tool | None:
    tools = (home.tools.get(name) for home in homes_of(index, symbol))
    return next((tool for tool in tools if tool is not None), None)


def _tool(symbol: Symbol, index: Index) -> tuple[str, str]:
    tool = _declared_tool(symbol, symbol.name, index)
    if tool is None:
        return f"tool {symbol.name}", "\n".join(["not declared in this project", *_places(index, symbol)])
    parameters = ", ".join(
        f"{p.name.value}{'' if p.required else '?'}: {p.type.text if p.type else 'any'}" for p in tool.parameters
    )
    returns = f" -> {tool.returns.text}" if tool.returns is not None else ""
    description = [tool.description.value] if tool.description is not None else []
    return f"{symbol.name}({parameters}){returns}", "\n".join([*description, *_places(index, symbol)])
