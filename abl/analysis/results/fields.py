"""Fields of what tools return: where signatures declare them and where they are read (docs/spec 06 §5.8, 08 §1, §7).

Such a name is that of its tool with the place of its declaration, a dot, and the fields that lead to it; arrays count
nothing: ``desk.abl@52:find_tables.tables.seats``. The places hold the last word. A place is one only where the value is
certainly what this tool returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from abl.analysis.collect.records import ExpressionUse
from abl.analysis.conditions.chains import Chain, Step, chains_of, unwrapped
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.results.owners import Owners, keys_in, owners_of, stand_ins, without_scope
from abl.analysis.results.returned import Held, Returned
from abl.analysis.symbols.local_names import LabelRole
from abl.source import Span
from abl.syntax import nodes, vocabulary
from abl.syntax.nodes import Name, TypeRef
from abl.syntax.readers.content import content_of

_NAME: Final = re.compile(vocabulary.NAME_PATTERN, re.ASCII)
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_KEPT: Final = re.compile(r"(?<![\w.])(?P<path>[A-Za-z_][\w.]*+(?:\[[^\[\]]*+\][\w.]*+)*+)\s*+(?:->|→)\s*[A-Za-z_]")
_SORTED: Final = re.compile(r"\s*(?:(?P<item>[A-Za-z_]\w*)\.)?(?P<field>[A-Za-z_]\w*)(?=\s|$)")
_THIS: Final = "this"
_STEPS: Final = frozenset(".[")
"""What a path has that leads into a value."""


class FieldPlace(NamedTuple):
    """A field of a result at a place."""

    name: str
    span: Span
    role: LabelRole


def tool_and_fields(name: str) -> str:
    """``find_tables.tables.seats`` of a full name."""
    return name.rpartition(":")[2]


def field_type(type_: TypeRef | None, fields: Sequence[str]) -> tuple[TypeRef | None, bool]:
    """The declared type of a field below a return type, and whether the field is always there."""
    required = True
    for name in fields:
        type_ = unwrapped(type_)
        while type_ is not None and type_.item is not None:
            type_ = unwrapped(type_.item)
        known = next((field for field in type_.fields if field[0] == name), None) if type_ is not None else None
        type_, required = (known[2], known[1]) if known is not None else (None, True)
    return type_, required


def results_of(agent: AgentIndex, index: Index) -> list[FieldPlace]:
    """Every field of a tool's result that is in an agent or fragment; each place once."""
    found: dict[Span, FieldPlace] = {}
    for place in _places(agent, index):
        found.setdefault(place.span, place)
    return list(found.values())


def _places(agent: AgentIndex, index: Index) -> Iterator[FieldPlace]:
    for tool in agent.all(nodes.Tool):
        if tool.returns is not None:
            held = Held(Returned(agent.source.path, tool), (), tool.returns)
            yield from _declared(held, tool.returns, ())
            yield from _in_properties(held, tool, agent)
    owners = owners_of(agent, index)
    if owners.any:
        yield from _in_expressions(agent, owners)
        yield from _in_names(agent, owners)
        yield from _sorted(agent, owners)
        for write, use in stand_ins(agent):
            whole = owners.at(write.root, write.step, write.span)
            for inner, key in (keys_in(whole, use) or ()) if whole is not None else ():
                yield FieldPlace(inner.returned.name_of(inner.fields), key.span, "write")


def _declared(held: Held, type_: TypeRef, above: tuple[str, ...]) -> Iterator[FieldPlace]:
    inner = unwrapped(type_)
    if inner is None:
        return
    if inner.item is not None:
        yield from _declared(held, inner.item, above)
    for name, (_, _, kind) in zip(inner.names, inner.fields, strict=False):
        if _NAME.fullmatch(name.value):
            fields = (*above, name.value)
            yield FieldPlace(held.returned.name_of(fields), name.span, "declaration")
            yield from _declared(held, kind, fields)


# Within the tool -------------------------------------------------------------------------------------------------


def _in_properties(held: Held, tool: nodes.Tool, agent: AgentIndex) -> Iterator[FieldPlace]:
    """Paths into the result: secrets, what the history keeps and what later calls of the model see (08 §2, §5)."""
    for prop in tool.props:
        content = content_of(prop.block)
        match prop.key:
            case "RESULT_SECRETS":
                for match in _KEPT.finditer(agent.source.text, *prop.block.span):
                    yield from _path_in(held, agent.source.text, *match.span("path"))
            case "MODEL_CONTEXT" | "COMPACTION":
                listed = content.get("fields", "essential_fields")
                for text in listed.texts() if listed is not None else ():
                    yield from _path_in(held, agent.source.text, *text.inner)
            case "PROCESS":
                after = content.get("after")
                given = after.get("result") if after is not None else None
                for member in given.members if given is not None else ():
                    yield from _along(held, (Name(member.key, member.key_span),), "write")


def _path_in(held: Held, text: str, start: int, end: int) -> Iterator[FieldPlace]:
    """Fields of a path such as ``rows[].price``."""
    words = [Name(word[0], Span(*word.span())) for word in _WORD.finditer(text, start, end)]
    return _along(held, words, "read", arrays=False)


def _along(held: Held, steps: Iterable[Name], role: LabelRole, *, arrays: bool = True) -> Iterator[FieldPlace]:
    """The declared fields that the steps of a path name, as far as they do; an index has no name and no place."""
    for name in steps:
        following = held.below(name.value or None, arrays=arrays)
        if following is None:
            return
        if following.fields != held.fields:
            yield FieldPlace(following.returned.name_of(following.fields), name.span, role)
        held = following


# Where they are read --------------------------------------------------------------------------------------------


def _in_expressions(agent: AgentIndex, owners: Owners) -> Iterator[FieldPlace]:
    items: dict[int, Held | None] = {}  # what the items are that each ``#each`` goes through
    for use, around in with_lists(agent):
        if not around and use.role != "each" and _STEPS.isdisjoint(use.reading.text):
            continue
        lists = [items.get(id(each)) for each in around]
        chains = list(chains_of(use.reading))
        for chain in chains if around else [chain for chain in chains if chain.steps]:
            held, steps = _start(use, chain, owners, lists)
            if held is not None:
                yield from _along(held, steps, "read")
        if use.role == "each":
            whole = _whole(use, chains[0], owners, lists) if len(chains) == 1 else None
            items[id(use)] = whole.item if whole is not None else None


def with_lists(agent: AgentIndex) -> Iterator[tuple[ExpressionUse, list[ExpressionUse]]]:
    """Every expression with what the ``#each`` around it go through, outermost first."""
    return lists_around(agent.expressions)


def lists_around(uses: Iterable[ExpressionUse]) -> Iterator[tuple[ExpressionUse, list[ExpressionUse]]]:
    """The same of some expressions in order, among them all of each text."""
    around: list[ExpressionUse] = []
    at: Span | None = None
    for use in uses:
        if use.text.span != at:
            around, at = [], use.text.span
        del around[use.each_depth :]
        around += [use] * (use.each_depth - len(around))  # in a text that is no template
        yield use, list(around)
        if use.role == "each":
            around.append(use)


def _whole(use: ExpressionUse, chain: Chain, owners: Owners, lists: Sequence[Held | None]) -> Held | None:
    """What a path leads to."""
    held, steps = _start(use, chain, owners, lists)
    for step in steps:
        held = held.below(step.value or None) if held is not None else None
    return held


def _start(
    use: ExpressionUse, chain: Chain, owners: Owners, lists: Sequence[Held | None]
) -> tuple[Held | None, list[Name]]:
    """The value in which a path begins, and the steps from there on, of which the first may name a field of an item."""
    steps = [placed(use, step) for step in chain.steps]
    for item in reversed(lists):
        if chain.root == _THIS:
            return item, steps
        if item is None:
            return None, []  # which may have any field
        if item.below(chain.root) is not None:
            begin = chain.node.start
            return item, [Name(chain.root, use.span(begin, begin + len(chain.root))), *steps]
    inner = without_scope(chain)
    return owners.at(inner.root, use.step, use.whole, use), steps[len(chain.steps) - len(inner.steps) :]


def placed(use: ExpressionUse, step: Step) -> Name:
    """A step with its place in the source: the word of ``.price``, what stands within ``["price"]``."""
    word = step.name or ""
    start = use.reading.text.rfind(word, 0, step.end) if word else step.end
    return Name(word, use.span(start, start + len(word)))


def _in_names(agent: AgentIndex, owners: Owners) -> Iterator[FieldPlace]:
    """Dotted names outside of expressions: what a pipeline goes through, what is handed over, what is set."""
    for read in agent.reads:
        if isinstance(read.owner, nodes.Transform) and read.use is None:
            owners.item_in(read.owner, read.step)
        if read.use is None and "." in read.path:
            yield from _dotted(read.path, read.span, read.step, "read", owners)
    for write in agent.writes:
        if "." in write.path and write.kind == "set":
            yield from _dotted(write.path, write.span, write.step, "write", owners)


def _dotted(path: str, span: Span, step: str | None, role: LabelRole, owners: Owners) -> Iterator[FieldPlace]:
    root, *names = path.split(".")
    held = owners.at(root, step, span) if span.end - span.start == len(path) else None
    if held is None:
        return
    at, steps = span.start + len(root) + 1, []
    for name in names:
        steps.append(Name(name, Span(at, at + len(name))))
        at += len(name) + 1
    yield from _along(held, steps, role)


def _sorted(agent: AgentIndex, owners: Owners) -> Iterator[FieldPlace]:
    for transform in agent.all(nodes.Transform):
        name = sorted_by(transform)
        held = owners.item_in(transform, None) if name is not None else None
        if held is not None and name is not None:
            yield from _along(held, (name,), "read")


def sorted_by(transform: nodes.Transform) -> Name | None:
    """What SORT_BY names where that is a field of the item: MAP, which runs before it, makes others (06 §5.5)."""
    text = transform.sort_by
    match = _SORTED.match(text.value) if text is not None else None
    if text is None or match is None or transform.mapping:
        return None
    item = transform.item.value if transform.item is not None else None
    return Name(match["field"], text.span_of(*match.span("field"))) if match["item"] in (None, item) else None
