"""``project.yaml`` as data, and what is wrong with it: every problem names field, value and what would be right."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from posixpath import basename
from typing import Any, Final

import yaml

from abl.analysis.project_file.scalars import problem_of, scalar, shown
from abl.diagnostics import Edit, Finding, Fix
from abl.language.project_file import NAME, PROJECT_FILE, ValueType
from abl.limits import MAX_PROJECT_TEXT
from abl.source import Span
from abl.syntax.recovery.suggest import closest
from abl.yaml_reader import BoundedLoader, UnreadableYaml, compose_yaml, yaml_problem

UNREADABLE, UNKNOWN_KEY, REPEATED_KEY, BAD_VALUE = "ABL1081", "ABL1082", "ABL1083", "ABL1084"
ENTRY_PLACES: Final = ("entry", "settings.entry")
_MERGE: Final = "tag:yaml.org,2002:merge"
_NULL: Final = "tag:yaml.org,2002:null"
_JSON: Final = ValueType("any", "a text, a finite number, true, false or null")


@dataclass(frozen=True, slots=True)
class Named:
    """What the file names: an agent or a tool of the documents, a bank of ``banks``; ``place`` is the field."""

    kind: str  # agent | tool | bank
    name: str
    place: str
    span: Span


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """What a text says. ``data`` holds what could be read, ``findings`` what could not."""

    data: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    names: tuple[Named, ...] = ()

    def value(self, key: str) -> Any:
        """The value of a key, or of its older place in ``settings``; None without it."""
        if self.data.get(key) is not None:
            return self.data[key]
        older = self.data.get("settings") or {}
        run = older.get("run") or {}
        found = older.get("mocks") if key == "tools" else older.get(key, run.get(key))
        return found if key not in ("settings", "mocks", "run") else None


def is_project_file(path: str) -> bool:
    """True for the path of a project's own file."""
    return basename(path.replace("\\", "/")) == NAME


@lru_cache(maxsize=32)
def read_project_file(text: str) -> ProjectFile:
    """What the text of a project file says. Never raises."""
    if len(text) > MAX_PROJECT_TEXT:
        why = f"has {len(text):,} characters; at most {MAX_PROJECT_TEXT:,} are read"
        return ProjectFile(findings=(Finding(UNREADABLE, Span(0, 0), {"why": why}),))
    try:
        root = compose_yaml(text)
    except UnreadableYaml as error:
        return ProjectFile(findings=(Finding(UNREADABLE, _broken_at(error, text), {"why": yaml_problem(error)}),))
    if root is None or root.tag == _NULL:
        return ProjectFile()
    if not isinstance(root, yaml.MappingNode):
        why = f"is {shown(root)}; {PROJECT_FILE.right} are right"
        return ProjectFile(findings=(Finding(UNREADABLE, _span(root), {"why": why}),))
    reader = _Reader()
    data = reader.value(root, PROJECT_FILE, "")
    return ProjectFile(data, tuple(reader.findings), tuple(reader.names))


def _broken_at(error: UnreadableYaml, text: str) -> Span:
    mark = getattr(error.__cause__, "problem_mark", None)
    at = min(mark.index, len(text)) if mark is not None else 0
    end = text.find("\n", at)
    return Span(at, end if end >= 0 else len(text))


def _span(node: yaml.Node) -> Span:
    """Where a node stands; of one of several lines its first line at most."""
    start, end = node.start_mark, node.end_mark
    return Span(start.index, end.index if end.line == start.line else start.index + 1)


class _Reader:
    """Walks the nodes of a text beside the declaration."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.names: list[Named] = []
        self._loader = BoundedLoader("")

    def value(self, node: yaml.Node, value_type: ValueType, place: str) -> Any:
        """The value of a node, checked; None where it cannot be taken."""
        if value_type.kind in ("keys", "map", "list") and node.tag == _NULL:
            return [] if value_type.kind == "list" else {}
        if value_type.kind == "any":
            return self._anything(node, place)
        if place.endswith(".error") and isinstance(node, yaml.ScalarNode):
            return node.value  # the subtype alone
        wanted = {"keys": yaml.MappingNode, "map": yaml.MappingNode, "list": yaml.SequenceNode}
        if not isinstance(node, wanted.get(value_type.kind, yaml.ScalarNode)):
            self._bad(node, value_type, place)
            return None
        if isinstance(node, yaml.SequenceNode):
            item = value_type.item or value_type
            read = [self.value(each, item, f"{place}[{at}]") for at, each in enumerate(node.value)]
            return [each for each in read if each is not None]
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, value_type, place)
        return self._scalar(node, value_type, place) if isinstance(node, yaml.ScalarNode) else None

    # mappings -------------------------------------------------------------------------------------------------------

    def _mapping(self, node: yaml.MappingNode, value_type: ValueType, place: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        meant: set[str] = set()
        for key, value in self._pairs(node, place):
            name = key.value
            if value_type.kind == "map":
                self._name(value_type.names, name, place, key)
                below = value_type.item
            else:
                entry = value_type.entry(name)
                below = entry.value_type if entry is not None else None
                if below is None:
                    meant.update(self._unknown(key, value_type, place, {each.value for each, _ in _written(node)}))
            if below is not None:
                found.setdefault(name, self.value(value, below, f"{place}.{name}" if place else name))
        self._complete(node, value_type, place, {*found, *meant})
        return {name: value for name, value in found.items() if value is not None}

    def _pairs(self, node: yaml.MappingNode, place: str) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
        """Keys and values, those merged in (``<<``) last; tells of keys that cannot be one, or stand twice."""
        seen: dict[str, int] = {}
        merged: list[yaml.MappingNode] = []
        for key, value in node.value:
            if key.tag == _MERGE:
                mappings = [each for each in _merged(value) if isinstance(each, yaml.MappingNode)]
                if not mappings:
                    self._tell(BAD_VALUE, value, field=_of(place, "<<"), value=shown(value), right="a mapping is right")
                merged += mappings
            elif not isinstance(key, yaml.ScalarNode):
                self._tell(BAD_VALUE, key, field=f"a key of {place or NAME}", value=shown(key), right="a text is right")
            elif key.value in seen:
                self._tell(REPEATED_KEY, key, k=key.value, place=place or NAME, line=seen[key.value])
            else:
                seen[key.value] = key.start_mark.line + 1
                yield key, value
        for each in merged:
            yield from ((key, value) for key, value in self._pairs(each, place) if key.value not in seen)

    def _unknown(self, key: yaml.ScalarNode, value_type: ValueType, place: str, given: set[str]) -> list[str]:
        """Tells of a key; those that it may be meant for."""
        meant = [entry.name for entry in value_type.keys if key.value.casefold() in entry.slips]
        near = meant or closest(key.value, [entry.name for entry in value_type.keys])
        free = [name for name in near if name not in given]
        fixes = [Fix(f"Write {name}", (Edit(_span(key), name),), len(free) == 1) for name in free]
        known = ", ".join([entry.name for entry in value_type.keys])
        wording = "Unknown key `{k}` in {place}; known are {known}" if not near else None
        data = {"k": key.value, "place": place or NAME, "known": known, "y": near[0] if near else ""}
        data |= {"wording": wording} if wording else {}
        self.findings.append(Finding(UNKNOWN_KEY, _span(key), data, fixes=tuple(fixes)))
        return list(near)

    def _complete(self, node: yaml.Node, value_type: ValueType, place: str, found: Collection[str]) -> None:
        """Tells what is missing, and what excludes each other."""
        for entry in value_type.keys:
            if entry.required and entry.name not in found:
                right = f"{entry.value_type.right} is right there"
                self._tell(BAD_VALUE, node, field=place, value=f"without `{entry.name}`", right=right)
        for group in value_type.needs:
            given = [key for key in group if key in found]
            if len(given) != 1:
                value = f"without {' and '.join(group)}" if not given else f"with {' and '.join(given)}"
                self._tell(BAD_VALUE, node, field=place, value=value, right=f"{' or '.join(group)} is right")

    # scalars --------------------------------------------------------------------------------------------------------

    def _scalar(self, node: yaml.ScalarNode, value_type: ValueType, place: str) -> Any:
        fits, value = scalar(node, value_type, self._loader)
        if not fits:
            self._bad(node, value_type, place)
            return None
        if value_type.kind == "text":
            self._name(value_type.names, value, place, node)
        return value

    def _bad(self, node: yaml.Node, value_type: ValueType, place: str) -> None:
        right, fixes = problem_of(node, value_type)
        data = {"field": place or NAME, "value": shown(node), "right": right}
        made = [Fix(f"Write {text}", (Edit(_span(node), text),), len(fixes) == 1) for text in fixes]
        self.findings.append(Finding(BAD_VALUE, _span(node), data, fixes=tuple(made)))

    def _name(self, kind: str, name: str, place: str, node: yaml.Node) -> None:
        if kind in ("agent", "tool", "bank"):
            self.names.append(Named(kind, name, place, _span(node)))

    def _anything(self, node: yaml.Node, place: str) -> Any:
        """The value of nodes that nothing is declared for; what JSON has no word for is told."""
        if isinstance(node, yaml.MappingNode):
            return {key.value: self._anything(value, _of(place, key.value)) for key, value in self._pairs(node, place)}
        if isinstance(node, yaml.SequenceNode):
            return [self._anything(each, f"{place}[{at}]") for at, each in enumerate(node.value)]
        if not isinstance(node, yaml.ScalarNode):
            return None  # there are no other nodes
        fits, value = scalar(node, _JSON, self._loader)
        if not fits:
            self._bad(node, _JSON, place)
        return value

    def _tell(self, code: str, node: yaml.Node, **data: Any) -> None:
        self.findings.append(Finding(code, _span(node), data))


def _of(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _written(node: yaml.MappingNode) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    yield from ((key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode))


def _merged(node: yaml.Node) -> list[yaml.Node]:
    """The mappings that ``<<`` takes in."""
    if isinstance(node, yaml.SequenceNode):
        return list(node.value)
    return [node] if isinstance(node, yaml.MappingNode) else []
