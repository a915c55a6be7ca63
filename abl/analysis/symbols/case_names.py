"""Names in test cases, each with its place: agents, tools, parameters, steps, variables … (docs/spec 12 §3)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

import yaml

from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.project_file.reading import is_project_file
from abl.source import Span
from abl.yaml_reader import UnreadableYaml, compose_yaml

CaseKind = Literal["agent", "tool", "step", "phase", "action", "parameter", "result", "value", "name"]


class CaseName(NamedTuple):
    """A name; kind ``name`` is a variable or path, and that of a parameter or of a field of a result begins with its
    tool's; ``value`` is a key within the value of a variable or fact, whose name comes
    before it, or of an argument.

    ``span`` holds it as it is, unless it is not ``plain``: a text in quotes with escapes, or over several lines.
    """

    kind: CaseKind
    name: str
    span: Span
    writes: bool = False
    plain: bool = True


class _Keys(NamedTuple):
    """An object whose keys are names; those below ``absent`` too."""

    kind: CaseKind
    writes: bool = False


_CaseSchema: TypeAlias = "CaseKind | _Keys | Mapping[str, _CaseSchema]"

_EXPECT: Final[_CaseSchema] = {
    "step": "step", "agent": "agent", "constraints": {"phase": "phase", "agent": "agent"}, "calls": {"tool": "tool"},
    "no_calls": "tool", "session": _Keys("name"), "facts": _Keys("name"), "memory": {"bank": _Keys("agent")},
}  # fmt: skip
_CASE: Final[Mapping[str, _CaseSchema]] = {
    "entry": "agent",
    "facts": dict.fromkeys(("user", "project", "execution_tree"), _Keys("name", writes=True)),
    "session": _Keys("name", writes=True),
    "tools": _Keys("tool"),
    "model": {"call": "tool"},
    "memory": {"bank": _Keys("agent"), "blocks": {"agent": "agent"}},
    "start": {"expect": _EXPECT},
    "turns": {"act": {"id": "action"}, "set": _Keys("name", writes=True), "expect": _EXPECT},
}
_ARGUMENT: Final = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w*\s*\()")
_STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z)")
_COMPUTED: Final = re.compile(
    r"(?<![\w.])(?:results\.(?P<tool>[A-Za-z_]\w*)(?P<fields>(?:\.\w+)*)|variables\.(?P<name>[A-Za-z_]\w*))"
)
_FIELD: Final = re.compile(r"[A-Za-z_]\w*")


@lru_cache(maxsize=64)
def names_in_case(text: str) -> tuple[CaseName, ...] | None:
    """Every name of a test case; None if it cannot be read."""
    try:
        tree = compose_yaml(text)
        if tree is None:
            return ()
        return tuple(sorted({*_names(tree, _CASE, text, set()), *_parameters(tree, text, set())}))
    except (UnreadableYaml, RecursionError):
        return None


def agents_of_case(index: Index, path: str) -> list[AgentIndex]:
    """The agents and fragments of the files that a test case runs: those that it lists, or all of its folder.

    ``project.yaml`` speaks for all.
    """
    if is_project_file(path):
        return list(index.each())
    folder = posixpath.dirname(path)
    listed = {posixpath.normpath(posixpath.join(folder, name)) for name in _listed(index.cases[path])}
    return [
        agent
        for agent in index.each()
        if (agent.source.path in listed if listed else posixpath.dirname(agent.source.path) == folder)
    ]


@lru_cache(maxsize=64)
def _listed(text: str) -> tuple[str, ...]:
    try:
        tree = compose_yaml(text)
    except (UnreadableYaml, RecursionError):
        return ()
    for key, value in tree.value if isinstance(tree, yaml.MappingNode) else ():
        if key.value == "agents" and isinstance(value, yaml.SequenceNode):
            return tuple([item.value for item in value.value if isinstance(item, yaml.ScalarNode)])
    return ()


def _names(node: yaml.Node, shape: _CaseSchema, text: str, seen: set[tuple[int, int]]) -> Iterator[CaseName]:
    """What a node holds by its shape; a list holds what its items do. An alias is the node that it stands for."""
    if (id(node), id(shape)) in seen:
        return
    seen.add((id(node), id(shape)))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _names(item, shape, text, seen)
    elif isinstance(shape, str):
        yield from _name(node, shape, False, text)
    else:
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(shape, _Keys):
                if key.value == "absent" and isinstance(value, yaml.SequenceNode):
                    yield from _names(value, shape.kind, text, seen)
                else:
                    yield from _name(key, shape.kind, shape.writes, text)
                    if shape.kind == "name":
                        yield from _inside(value, str(key.value), text, set())
            elif isinstance(key.value, str) and key.value in shape:
                yield from _names(value, shape[key.value], text, seen)
                if shape is _CASE and key.value == "model":
                    yield from _computed(text, value.start_mark.index, value.end_mark.index)


def _name(node: yaml.Node, kind: CaseKind, writes: bool, text: str) -> Iterator[CaseName]:
    if not isinstance(node, yaml.ScalarNode) or not node.value:
        return
    quoted = 1 if node.style in ("'", '"') else 0
    span = Span(node.start_mark.index + quoted, node.end_mark.index - quoted)
    yield CaseName(kind, node.value, span, writes, text[span.start : span.end] == node.value)


def _computed(text: str, start: int, end: int) -> Iterator[CaseName]:
    """Names in the texts of a scripted model, such as ``{{results.TOOL}}``."""
    for match in _COMPUTED.finditer(text, start, end):
        kind: CaseKind = "tool" if match["tool"] is not None else "name"
        yield CaseName(kind, match[kind], Span(*match.span(kind)))
        full = match["tool"] or ""
        for field in _FIELD.finditer(text, *match.span("fields")) if match["fields"] else ():
            full = f"{full}.{field[0]}"
            yield CaseName("result", full, Span(*field.span()))


def _parameters(node: yaml.Node, text: str, seen: set[int]) -> Iterator[CaseName]:
    """The parameters that calls give, expected ones and those of a scripted model, and that mocks look at."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _parameters(item, text, seen)
    elif isinstance(node, yaml.MappingNode):
        below = {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}
        tool, given = below.get("tool") or below.get("call"), below.get("args")
        if isinstance(tool, yaml.ScalarNode) and isinstance(given, yaml.MappingNode):
            for key, value in given.value:
                yield from (_of_tool(tool.value, name) for name in _name(key, "parameter", False, text))
                yield from _inside(value, "", text, set())
        mocks = below.get("tools")
        for key, cases in mocks.value if isinstance(mocks, yaml.MappingNode) else ():
            yield from _in_mocks(key, cases, text)
        for value in below.values():
            yield from _parameters(value, text, seen)


def _in_mocks(tool: yaml.Node, cases: yaml.Node, text: str) -> Iterator[CaseName]:
    """The names in the conditions of the cases of a tool, texts in quotes are none, and in what they give."""
    for case in cases.value if isinstance(cases, yaml.SequenceNode) else ():
        for key, value in case.value if isinstance(case, yaml.MappingNode) else ():
            if key.value == "result":
                yield from _given(value, tool.value, text, set())
            if key.value == "when" and isinstance(value, yaml.ScalarNode):
                start, end = value.start_mark.index, value.end_mark.index
                quoted = 1 if value.style in ("'", '"') else 0
                condition = _STRING.sub(lambda match: " " * len(match[0]), text[start + quoted : end - quoted])
                for match in _ARGUMENT.finditer(condition):
                    at = start + quoted + match.start()
                    yield CaseName("parameter", f"{tool.value}.{match[0]}", Span(at, at + len(match[0])))


def _given(node: yaml.Node, above: str, text: str, seen: set[int]) -> Iterator[CaseName]:
    """The fields of a result; lists count nothing."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _given(item, above, text, seen)
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        for name in _name(key, "result", True, text):
            yield name._replace(name=f"{above}.{name.name}")
            yield from _given(value, f"{above}.{name.name}", text, seen)


def _inside(node: yaml.Node, of: str, text: str, seen: set[int]) -> Iterator[CaseName]:
    """The keys of the objects in a value."""
    if id(node) in seen:
        return
    seen.add(id(node))
    for item in node.value if isinstance(node, yaml.SequenceNode) else ():
        yield from _inside(item, of, text, seen)
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        for name in _name(key, "value", False, text):
            yield name._replace(name=f"{of}.{name.name}")
        yield from _inside(value, of, text, seen)


def _of_tool(tool: str, name: CaseName) -> CaseName:
    return name._replace(name=f"{tool}.{name.name}")
