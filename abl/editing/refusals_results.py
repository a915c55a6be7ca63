"""Why a field of a tool's result cannot be given another name: places that may read it, but not for certain.

What a tool returned goes from name to name: by AS, SET, TRANSFORM, to other agents and back. Wherever it may have come
to, a field of that word may be its field (docs/spec 06 §5.5, §5.8, 08 §7).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from abl.analysis.collect.records import ExpressionUse
from abl.analysis.conditions.chains import chains_of
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.index.shared_names import Symbol, shared_path
from abl.analysis.results.fields import placed, sorted_by, tool_and_fields, with_lists
from abl.analysis.results.latest import RESULT_NAMES
from abl.analysis.results.owners import Owners, agents_sharing, owners_of, without_scope
from abl.analysis.results.returned import declared_tool
from abl.analysis.symbols.agent_links import theirs_of
from abl.analysis.symbols.case_names import agents_of_case, names_in_case
from abl.analysis.symbols.mentions import mentioned_words
from abl.analysis.symbols.places import places_of
from abl.editing.refusals import Refused, not_in_code
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import same_key

_COPIES: Final = frozenset({"set", "transform", "return", "tool", "remember"})
_DROPPED: Final = frozenset({"FILTER", "TRANSFORM_LIMIT"})
"""Places of expressions that choose, and give nothing."""
_IN_CASES: Final = r"(?<![\w.])(?:result|variables)\b[\w.\[\]]*\."


class Reach:
    """The names, by agent, that what a tool returns may come to."""

    def __init__(self, index: Index, symbol: Symbol) -> None:
        self.index = index
        self.tool = tool_and_fields(symbol.name).partition(".")[0]
        self.names: dict[int, set[str]] = {}
        self.agents: list[AgentIndex] = []
        self._copied: dict[int, dict[str, set[str]]] = {}
        for agent in index.each():
            declared = declared_tool(self.tool, agent, index)
            if declared is not None and symbol.name.startswith(f"{declared.name_of(())}."):
                for name in (self.tool, f"last_{self.tool}_result", *RESULT_NAMES, *self._bound(agent)):
                    self._add(agent, name)

    def of(self, agent: AgentIndex) -> Collection[str]:
        """The names of an agent."""
        return self.names.get(id(agent), ())

    def _bound(self, agent: AgentIndex) -> Iterator[str]:
        for call in agent.all(nodes.Call):
            if call.as_ is not None and call.tool is not None and call.tool.value == self.tool:
                yield call.as_.value

    def _add(self, agent: AgentIndex, name: str) -> None:
        if id(agent) not in self.names:
            self.agents.append(agent)
        open_ = [(agent, name)]
        while open_:
            one, known = open_.pop()
            names = self.names.setdefault(id(one), set())
            if one not in self.agents:
                self.agents.append(one)
            if known not in names:
                names.add(known)
                open_ += self._further(one, known)

    def _further(self, agent: AgentIndex, name: str) -> Iterator[tuple[AgentIndex, str]]:
        """Where a name takes its value next."""
        yield from ((other, name) for other in agents_sharing(name, agent, self.index))
        for target in self._copies(agent).get(name, ()):
            path = shared_path(target, self.index) if "." in target else ""
            root = target.partition(".")[0]
            yield from ((other, root) for other in (self.index.each() if path else (agent,)))
        for theirs in agent.derive(theirs_of):
            other = self.index.agents.get(theirs.agent)
            root = theirs.name.value.partition(".")[0]
            if theirs.given and other is not None and (root == name or not theirs.shared):
                yield other, root
        for other in self.index.each():
            if any(t.agent == agent.name and not t.given and t.name.value == name for t in other.derive(theirs_of)):
                yield from ((other, write.root) for write in other.writes if write.kind == "return")

    def _copies(self, agent: AgentIndex) -> dict[str, set[str]]:
        """For each name what is made from its value."""
        found = self._copied.get(id(agent))
        if found is None:
            found = self._copied[id(agent)] = {}
            read = _sources(agent, owners_of(agent, self.index))
            for write in agent.writes:
                for root in read.get(write.node.span, ()) if write.kind in _COPIES else ():
                    found.setdefault(root, set()).add(write.path)
        return found


def _sources(agent: AgentIndex, owners: Owners) -> dict[Span, set[str]]:
    """What each value is made of; of a text, a number or the like that a result holds no field is left."""
    found: dict[Span, set[str]] = {}
    for use in agent.expressions:
        for chain in chains_of(use.reading) if use.place not in _DROPPED else ():
            held = owners.led_to(chain, use)
            source = use.owner.source if isinstance(use.owner, nodes.Transform) else None
            root = without_scope(chain).root
            root = source.value.partition(".")[0] if chain.root in use.locals and source is not None else root
            if held is None or not held.plain:
                found.setdefault(use.owner.span, set()).add(root)
    for read in agent.reads:
        if read.use is None and not (isinstance(read.owner, nodes.Transform) and read.owner.mapping):
            found.setdefault(read.owner.span, set()).add(read.root)
    return found


def not_read_otherwise(index: Index, symbol: Symbol, reach: Reach) -> None:
    """Raises for the first place that may read the field, and is none of its places for certain."""
    for agent in reach.agents:
        known = {span.start for kind, _, span, _ in places_of(agent, index) if kind == "result"}
        unsure = sorted(span for span in _unsure(agent, symbol, reach) if span.start not in known)
        if unsure:
            place = f"{agent.source.path}:{agent.source.position(unsure[0].start).line}"
            raise Refused(f"{place} may read `{symbol.word}` of what `{reach.tool}` returns; change it by hand first.")
        for tool in agent.all(nodes.Tool):
            if tool.name.value == reach.tool:
                not_in_code(symbol.word, reach.tool, agent)
    for agent in index.each():
        for theirs in agent.derive(theirs_of):
            other = index.agents.get(theirs.agent)
            is_same = other in reach.agents and not theirs.given and theirs.name.value == symbol.word
            if is_same and other is not None and symbol.word not in other.written_roots:
                place = f"{agent.source.path}:{agent.source.position(theirs.name.span.start).line}"
                raise Refused(f"{place} takes `{symbol.word}` of what `{reach.tool}` returns by its name alone.")
    _not_in_cases(index, symbol, reach)


def _unsure(agent: AgentIndex, symbol: Symbol, reach: Reach) -> Iterator[Span]:
    word, names = symbol.word, reach.of(agent)
    lists = {t.span for t in agent.all(nodes.Transform) if t.source and t.source.value.partition(".")[0] in names}
    for use, around in with_lists(agent):
        in_list = any(read.root in names for each in around for read in each.reading.names)
        yield from _in_expression(use, word, names, in_list or use.owner.span in lists)
        yield from (use.span(r.start, r.end) for r in use.reading.names if in_list and r.root == word)
    for read in reach.index.found_in_results(agent):
        if read.root == word:
            yield read.span
    for read in agent.reads:
        dotted = read.use is None and _is_below(read.path, word, names)
        by_item = not read.certain and read.root == word and (read.use is None or not read.use.each_depth)
        if dotted or by_item:
            yield _word_in(agent, word, read.span)
    for write in agent.writes:
        if _is_below(write.path, word, names):
            yield _word_in(agent, word, write.span)
    for path, span in mentioned_words(agent):
        if _is_below(path, word, names):
            yield _word_in(agent, word, span)
    for transform in agent.all(nodes.Transform):
        name = sorted_by(transform) if transform.span in lists else None
        if name is not None and name.value == word:
            yield name.span
    yield from _columns(agent, word, names)


def _in_expression(use: ExpressionUse, word: str, names: Collection[str], in_list: bool) -> Iterator[Span]:
    if word not in use.reading.text:
        return
    is_near = False
    for chain in chains_of(use.reading):
        if in_list or chain.root in names or any(step.name in names for step in chain.steps):
            is_near = True
            yield from (placed(use, step).span for step in chain.steps if step.name == word)
    for node in use.reading.nodes if is_near else ():
        if isinstance(node, en.Literal) and node.form == "string" and node.value == word:
            yield use.span(node.start + 1, node.end - 1)


def _is_below(path: str, word: str, names: Collection[str]) -> bool:
    """True for ``offer.price`` and ``session.offer.price``."""
    parts = path.split(".")
    return word in parts[1:] and any(part in names for part in parts[: parts.index(word, 1)])


def _columns(agent: AgentIndex, word: str, names: Collection[str]) -> Iterator[Span]:
    """Columns of tables, which name the fields of their rows (09 §14)."""
    shown = {read.owner.span for read in agent.reads if read.root in names and isinstance(read.owner, nodes.Format)}
    for format_ in agent.all(nodes.Format):
        for below in format_.content.walk() if format_.span in shown else ():
            if same_key(below.key) == "key" and below.text is not None and below.text.value.strip() == word:
                yield below.text.inner


def _word_in(agent: AgentIndex, word: str, span: Span) -> Span:
    """Where a word stands at the end of a place, or the place."""
    match = re.search(rf"\b{re.escape(word)}\b", agent.source.text[span.start : span.end])
    return Span(span.start + match.start(), span.start + match.end()) if match is not None else span


def _not_in_cases(index: Index, symbol: Symbol, reach: Reach) -> None:
    """Raises for test cases that name the field in the value of a variable, or in the latest result of any tool."""
    pattern = re.compile(rf"{_IN_CASES}{re.escape(symbol.word)}\b")
    for path, text in index.naming_files.items():
        agents = [agent for agent in agents_of_case(index, path) if agent in reach.agents]
        if not agents:
            continue
        reached = {"", *(name for agent in agents for name in reach.of(agent))}
        values = [name for name in names_in_case(text) or () if name.kind == "value"]
        starts = [
            name.span.start
            for name in values
            if name.name.endswith(f".{symbol.word}") and name.name.partition(".")[0] in reached
        ]
        starts += [match.start() for match in pattern.finditer(text)]
        if starts:
            line = index.source(path).position(min(starts)).line
            raise Refused(
                f"{path}:{line} may mean `{symbol.word}` of what `{reach.tool}` returns; change it by hand first."
            )
