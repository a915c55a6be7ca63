"""8xx about what is read of the results of tools (docs/spec 06 §5.8, 08 §1, 10 §4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from abl.analysis import fixes
from abl.analysis.conditions.chains import Chain, Missing, chains_of, missing_step, unwrapped
from abl.analysis.incremental.parts import Placed
from abl.analysis.index.imported_tools import profiles_used
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.analysis.index.names import first_below
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.results.fields import sorted_by
from abl.analysis.results.latest import ALWAYS_THERE, RESULT_NAMES, calls_of, only_holds_result, result_fields
from abl.analysis.results.starts import Start, in_lists, item_in, named, start_of
from abl.syntax import nodes
from abl.syntax.nodes import Text, TypeRef
from abl.syntax.readers.content import content_of

_IN_FAILURES: Final = frozenset({"success", "error"})
_KEPT: Final = {"MODEL_CONTEXT": "fields", "COMPACTION": "essential_fields"}
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_OF_ITEM: Final = "An item of the list has no field `{f}`. Did you mean `{y}`?"


@rule(
    "ABL825",
    "unknown-result-field",
    "warning",
    "Result of `{t}` has no field `{f}`. Did you mean `{y}`?",
    over=Placed,
    project=True,
)
def unknown_result_field(part: Placed, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A path below a tool's result, or below an item of a list in it, names a field that its declared return type
        does not have. The variable that holds the result may be declared, if nothing else gives it a value.
    Why: The value is always unset.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string, shelf: string}
            description: "Find a book."
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma") AS book
            RESPOND: "It is on shelf {{book.shelff}}."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string, shelf: string}
            description: "Find a book."
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma") AS book
            RESPOND: "It is on shelf {{book.shelf}}."
            THEN: COMPLETE
    """
    if not agent.types.results:
        return
    for use, lists in in_lists((part.use(use) for use in part.part.uses), agent):
        if not use.is_sentence and (lists or _may_begin(use, agent)):
            yield from _unknown_in(use, lists, agent, project)
    for read in part.reads:
        root, *names = read.path.split(".")
        start = named(root, tuple(names), read.step, read.span, agent) if read.use is None and names else None
        missing = _missing(start, root, agent, project) if start is not None else None
        if missing is not None:
            best, _ = fixes.rename_to(read.span, names[missing.number], missing.fields)
            yield found(read.span, t=root, f=names[missing.number], y=best)
    steps = {id(read.owner): read.step for read in part.part.reads}
    for transform in part.part.all(nodes.Transform):
        yield from _unknown_order(part.at(transform), steps.get(id(transform)), agent)
    for tool in part.part.all(nodes.Tool):
        yield from _unknown_kept(part.at(tool), agent)


def _may_begin(use: ExpressionUse, agent: AgentIndex) -> bool:
    """False for the many expressions in which nothing is named that could hold a result."""
    results, locals_ = agent.types.results, use.locals
    roots = [name.root for name in use.reading.names]
    return any(root in results or root in RESULT_NAMES or root in locals_ for root in roots)


def _unknown_kept(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """What the history keeps of a result, and what later calls of the model see: paths such as ``rows[].price``."""
    for key, within in _KEPT.items():
        prop = tool.prop(key)
        listed = content_of(prop.block).get(within) if prop is not None else None
        for text in listed.texts() if listed is not None and tool.returns is not None else ():
            yield from _unknown_path(text.value, text, tool, agent)


def _unknown_path(path: str, text: Text, tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    type_ = unwrapped(tool.returns)
    for word in _WORD.finditer(path):
        while type_ is not None and type_.item is not None:
            type_ = unwrapped(type_.item)
        if type_ is None or not type_.fields:
            return
        fields = agent.types.fields.of(type_)
        if word[0] not in fields:
            span = text.span_of(*word.span())
            best, renames = fixes.rename_to(span, word[0], fields)
            yield found(span, *renames, t=tool.name.value, f=word[0], y=best)
            return
        type_ = unwrapped(fields[word[0]])


def _unknown_order(transform: nodes.Transform, step: str | None, agent: AgentIndex) -> Iterator[Found]:
    """SORT_BY without MAP names a field of the item (06 §5.5)."""
    name = sorted_by(transform)
    item = item_in(transform, step, agent) if name is not None else None
    missing = missing_step(item, [name.value], agent.types.fields) if item is not None and name is not None else None
    if missing is not None and name is not None:
        best, renames = fixes.rename_to(name.span, name.value, missing.fields)
        yield found(name.span, *renames, f=name.value, y=best, wording=_OF_ITEM)


def _unknown_in(
    use: ExpressionUse, lists: Sequence[TypeRef | None], agent: AgentIndex, project: Index
) -> Iterator[Found]:
    """The paths of an expression that name fields which are not there."""
    for chain in chains_of(use.reading):
        start = start_of(chain, use, lists, agent)
        missing = _missing(start, chain.root, agent, project) if start is not None and start.names else None
        if start is None or missing is None:
            continue
        name, end = _at(chain, missing.number - start.inside)
        place = use.span(end - len(name), end)
        best, renames = fixes.rename_to(place, name, missing.fields)
        repairs = renames if use.reading.text.endswith(name, 0, end) else ()  # in quotes it ends before
        said: dict[str, Any] = {} if start.whole else {"wording": _OF_ITEM}
        yield found(use.span_of(chain.node), *repairs, t=start.of, f=name, y=best, **said)


def _at(chain: Chain, number: int) -> tuple[str, int]:
    """A step of a path, or its root (-1), and where that ends in the text."""
    if number < 0:
        return chain.root, chain.node.start + len(chain.root)
    return chain.steps[number].name or "", chain.steps[number].end


def _missing(start: Start, root: str, agent: AgentIndex, project: Index) -> Missing | None:
    """The step behind a result that its type does not have and nothing sets."""
    always = ALWAYS_THERE if start.of in RESULT_NAMES else _IN_FAILURES
    if start.whole and start.names[:1] and start.names[0] in always:
        return None
    missing = missing_step(start.type, start.names, agent.types.fields)
    if missing is None or not start.whole:
        return missing
    if root in RESULT_NAMES and missing.number == 0 and start.names[0] in agent.derive(_given_by_calls):
        return None  # ABL654
    if root in agent.types.declared and not _is_result(root, agent, project):
        return None
    path = ".".join((root, *(name or "" for name in start.names[: missing.number + 1])))
    return None if _set_below(agent, path) else missing


def _given_by_calls(agent: AgentIndex) -> frozenset[str]:
    """The fields of all results that calls of the agent give."""
    tools = {called.call.tool.value for called in calls_of(agent) if called.call.tool is not None}
    return frozenset().union(*[result_fields(tool, agent) or () for tool in tools])


def _is_result(root: str, agent: AgentIndex, project: Index) -> bool:
    """True for a declared variable that certainly holds what its CALL gave it: no other agent or profile may set it."""
    return only_holds_result(root, agent) and not agent.derive(profiles_used) and root not in project.received(agent)


def _set_below(agent: AgentIndex, path: str) -> bool:
    return path in agent.write_paths or path in agent.derive(_above_writes)


def _above_writes(agent: AgentIndex) -> dict[str, str]:
    return first_below(agent.write_paths)
