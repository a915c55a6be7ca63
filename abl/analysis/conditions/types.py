"""Best-effort static types (docs/spec 02 §11). An unknown type is None and turns every check off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache

from abl.analysis.conditions.chains import Chain, Fields, type_at, unwrapped
from abl.analysis.conditions.reading import Reading
from abl.analysis.incremental.parts import AgentParts, Part
from abl.analysis.incremental.recent import Recent
from abl.expressions import nodes as en
from abl.expressions.builtins import METHODS, find
from abl.expressions.dates import is_date_only, read_moment
from abl.source import Source
from abl.syntax import nodes
from abl.syntax.lines.texts import bare_text
from abl.syntax.nodes import TypeRef
from abl.syntax.readers.context import Context
from abl.syntax.readers.tools import read_type

# Type tags: string number boolean date datetime array object null; None is "any".
_MEANING = {
    "text": "string", "free_text": "string", "email": "string", "phone": "string", "enum": "string",
    "pattern": "string",
    "integer": "number", "float": "number", "currency": "number", "int": "number", "bool": "boolean",
    "string": "string", "number": "number", "boolean": "boolean", "date": "date", "datetime": "datetime",
    "array": "array", "object": "object",
}  # fmt: skip


def canonical_type(written: str) -> str | None:
    """The type tag of a declared type, generics by their outer word; None for unknown, union and nullable types."""
    word = written.strip().lower()
    if word.endswith("[]"):
        return "array"
    word = re.split(r"[<{\s]", word, maxsplit=1)[0] or "object"
    return _MEANING.get(word)


def same_type(one: str, two: str) -> bool:
    """True when two declared types go together; unknown ones go with everything."""
    first, second = canonical_type(one), canonical_type(two)
    return first is None or second is None or first == second or {first, second} == {"date", "datetime"}


def value_type(value: object) -> str | None:
    """The tag of a literal value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        if read_moment(value) is None:
            return "string"
        return "date" if is_date_only(value) else "datetime"
    return "array" if isinstance(value, list | tuple) else "object" if isinstance(value, dict) else None


def fits(value: object, declared: str) -> bool:
    """True when a literal value is of a declared type; null fits every type, unknown types take everything."""
    wanted, given = canonical_type(declared), value_type(value)
    if wanted is None or given in (None, "null", wanted):
        return True
    if wanted == "string":
        return isinstance(value, str)
    if wanted in ("date", "datetime"):
        return given in ("date", "datetime") or (isinstance(value, str) and "{{" in value)
    return isinstance(value, str) and "{{" in value


class Types:
    """The declared types of one agent's names, and the types of expressions over them."""

    def __init__(self, declared: dict[str, str | None], results: dict[str, TypeRef], memory: dict[str, str]) -> None:
        self.declared = declared
        self.results = results
        self.fields = Fields()
        self._memory = memory
        self._known: dict[str, str | None] = {}
        self._of_readings: dict[Reading, str | None] = {}

    def of_path(self, path: str, locals_: frozenset[str] = frozenset()) -> str | None:
        """Type of a dotted name."""
        if locals_ and path.partition(".")[0] in locals_:
            return None
        if path not in self._known:
            self._known[path] = self._of_path(path)
        return self._known[path]

    def _of_path(self, path: str) -> str | None:
        root, _, rest = path.partition(".")
        if root in ("input", "recent_input", "match", "action"):
            return None
        if path in self.declared:
            return self.declared[path]
        if path.endswith(".length"):
            inner = path.removesuffix(".length")
            if inner.endswith(".length") and inner not in self.declared:  # a number, which has no length
                return None
            return "number" if self.of_path(inner) in ("array", "string") else None
        reference = self.results.get(root)
        return _below(reference, rest, self.fields) if reference is not None and root not in self.declared else None

    def options_of(self, chain: Chain) -> tuple[str, ...]:
        """The texts that a path may have by its declared ``enum`` type; none when that does not say."""
        names = (chain.root, *(step.name for step in chain.steps))
        for count in range(len(names), 0, -1):
            path = ".".join(name or "" for name in names[:count])
            whole = _read(self._memory[path]) if path in self._memory else None
            if whole is None and count == 1 and chain.root not in self.declared:
                whole = self.results.get(chain.root)
            if whole is not None:
                type_ = type_at(whole, names[count:])
                options = type_.options if type_ is not None and type_.name == "enum" else ()
                return options if all(isinstance(option, str) for option in options) else ()
        return ()

    def of(self, node: en.Node, locals_: frozenset[str] = frozenset()) -> str | None:
        """Type of an expression."""
        match node:
            case en.Literal(form="string", value=value):
                return "string" if "{{" in value else value_type(value)
            case en.Literal():
                return value_type(node.value)
            case en.Path():
                return self.of_path(".".join(node.parts), locals_)
            case en.Call():
                return self._call(node, locals_)
            case en.Method():
                return "boolean" if node.name in METHODS else None
            case en.Unary():
                return "number" if node.op == "-" else "boolean"
            case en.Test():
                return "boolean"
            case en.Logical():
                return "boolean"
            case en.Binary():
                return self._binary(node, locals_)
            case en.ListNode():
                return "array"
            case en.ObjectNode():
                return "object"
            case en.Ternary():
                return self._either(node.then, node.otherwise, locals_)
        return None

    def of_reading(self, reading: Reading) -> str | None:
        """Type of an expression without names of its own, remembered."""
        if reading not in self._of_readings:
            self._of_readings[reading] = self.of(reading.node) if reading.node is not None else None
        return self._of_readings[reading]

    def _call(self, node: en.Call, locals_: frozenset[str]) -> str | None:
        name = node.name.upper()
        if name == "IF" and len(node.args) == 3:
            return self._either(node.args[1], node.args[2], locals_)
        if name in ("COALESCE", "FIRST_NON_EMPTY") and node.args:
            kinds = {self.of(argument, locals_) for argument in node.args} - {"null"}
            return kinds.pop() if len(kinds) == 1 else None
        function = find(node.name, node.prefixed)
        return function.result_type if function is not None and function.result_type != "any" else None

    def _binary(self, node: en.Binary, locals_: frozenset[str]) -> str | None:
        if node.op != "+":
            return "number"
        sides = {self.of(node.left, locals_), self.of(node.right, locals_)}
        return "number" if sides == {"number"} else "string" if "string" in sides and None not in sides else None

    def _either(self, one: en.Node, two: en.Node, locals_: frozenset[str]) -> str | None:
        first, second = self.of(one, locals_), self.of(two, locals_)
        return first if first == second else None


Declared = tuple[str, str | None]
_UNTYPED = "untyped"  # a variable that says nothing about its type


def types_of(agent: AgentParts) -> Types:
    """The types of an agent's names; the same object for the same names of the same types."""
    declared: dict[str, str | None] = {}
    for kind in (_path_types, _field_types, _variable_types):
        declared |= _first_of_each(agent, kind)
    results = dict(_result_names(agent))
    texts = {name: result.text for name, result in results.items()}
    memory = _memory_types(agent)
    return _recent().get((declared, texts, memory), lambda _: Types(declared, results, memory))


@cache
def _recent() -> Recent[tuple[dict[str, str | None], dict[str, str], dict[str, str]], Types]:
    return Recent(32)


def _first_of_each(agent: AgentParts, kind: Callable[[Part], list[Declared]]) -> dict[str, str | None]:
    """Of two with one name the first counts; names without a type are left out."""
    first: dict[str, str | None] = dict(reversed(agent.items(kind)))
    return {name: given for name, given in first.items() if given is not _UNTYPED}


def _path_types(part: Part) -> list[Declared]:
    paths = part.all(nodes.PersistentPath)
    return [(path.name.value, canonical_type(path.type.value) if path.type else None) for path in paths]


def _field_types(part: Part) -> list[Declared]:
    return [(field.name.value, _field_type(field)) for field in part.all(nodes.GatherField)]


def _variable_types(part: Part) -> list[Declared]:
    variables = part.all(nodes.SessionVariable)
    return [(v.name.value, canonical_type(v.type.value) if v.type else _UNTYPED) for v in variables]


def _field_type(field: nodes.GatherField) -> str | None:
    for key in ("LIST", "PREFERENCES", "RANGE"):
        if field.typed.value(key):
            return "array" if key == "LIST" else "object"
    return canonical_type(field.type.value) if field.type else None


def _result_names(agent: AgentParts) -> Iterator[tuple[str, TypeRef]]:
    """Names that hold a tool's result, with the declared return type; a name bound to two tools is not known."""
    found: dict[str, TypeRef | None] = {}
    own: dict[str, nodes.Tool] = {}
    for tool in agent.first(nodes.Tool):
        own.setdefault(tool.name.value, tool)
    tools = {**agent.imported_tools, **own}
    for tool in tools.values():
        if tool.returns is not None:
            found[f"last_{tool.name.value}_result"] = tool.returns
            found.setdefault(tool.name.value, tool.returns)
    for call in agent.first(nodes.Call):
        if call.as_ is not None:
            declared = tools.get(call.tool.value) if call.tool else None
            returns = declared.returns if declared else None
            found[call.as_.value] = None if call.as_.value in found else returns
    for name, returns in found.items():
        if returns is not None:
            yield name, returns


def _below(reference: TypeRef, path: str, fields: Fields) -> str | None:
    current: TypeRef | None = unwrapped(reference)
    for part in path.split(".") if path else ():
        if current is None or not current.fields:
            return None
        current = unwrapped(fields.of(current).get(part))
    if current is None:
        return None
    if current.item is not None:
        return "array"
    return "object" if current.fields else canonical_type(current.name)


@lru_cache(maxsize=1_024)
def _read(written: str) -> TypeRef | None:
    """A type as written; its places count in it."""
    text = bare_text(written, 0, len(written))
    return read_type(Context(Source(written), written), text) if text is not None else None


def _memory_types(agent: AgentParts) -> dict[str, str]:
    """The types of variables and paths that say more than one word, as written."""
    return dict(reversed([item for kind in (_path_texts, _variable_texts) for item in agent.items(kind)]))


def _path_texts(part: Part) -> list[tuple[str, str]]:
    return _texts_of(part.all(nodes.PersistentPath))


def _variable_texts(part: Part) -> list[tuple[str, str]]:
    return _texts_of(part.all(nodes.SessionVariable))


def _texts_of(declared: Iterable[nodes.SessionVariable | nodes.PersistentPath]) -> list[tuple[str, str]]:
    typed = ((node.name.value, node.type.value) for node in declared if node.type is not None)
    return [(name, text) for name, text in typed if any(mark in text for mark in "<{[")]
