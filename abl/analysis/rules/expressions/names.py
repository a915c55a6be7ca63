"""Names that are read but never, or not yet, set (docs/spec 02 §7, 05 §3-4, 10 §1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from abl.analysis import fixes
from abl.analysis.conditions.judgement import holds_unset, never_set
from abl.analysis.conditions.literal_words import intended_literal
from abl.analysis.conditions.other_notations import TODAY, TODAYS
from abl.analysis.fixes.memory_entries import declare_variable
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex, ExpressionUse, Read, Write
from abl.analysis.index.names import SYSTEM_NAMES
from abl.analysis.index.profiles import attaching
from abl.analysis.index.project import Index
from abl.analysis.index.views import origins
from abl.analysis.index.visible_names import state_variables
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.agents.targets import is_handed_on
from abl.diagnostics import Edit, Fix
from abl.expressions import nodes as en
from abl.expressions.builtins import find
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.readers.constraints import STEP_PHASE

_COMPARING = frozenset({"==", "!=", "IN", "NOT IN", "contains", "startsWith", "endsWith"})
_MOST_ITEMS = 50
"""Items of a list that are looked at: beyond, each is reported by itself."""
_SET_IN_FLOW = frozenset({"set", "as", "transform", "gather"})
_ANYWHERE_IN_STEP = frozenset(
    {"COMPLETE_WHEN", "EXIT_WHEN", "IF", "CONDITION", "ACTIVATION", "VALIDATE", "CONTENT", "SHOWN"}
)


_RUNTIME_NAMES = frozenset([name for name in SYSTEM_NAMES if not name.startswith("_")])
_ITEM_NAMES = frozenset({"this", "@index", "@first", "@last"})  # outside of #each they are ABL257


def _written(agent: AgentIndex) -> tuple[str, ...]:
    state = agent.derive(state_variables).values()
    results = (f"last_{tool}_result" for tool in agent.tools)
    return tuple(sorted(agent.write_paths.union(results, *state)))


class _Asked:
    """The agents of which one should have a name: the agent itself, or those that use a profile."""

    def __init__(self, agents: tuple[AgentIndex, ...], project: Index) -> None:
        self.agents = agents
        self._project = project
        self._quotable: dict[int, tuple[ExpressionUse, Mapping[Span, Mapping[Span, str]]]] = {}

    @cached_property
    def names(self) -> list[str]:
        """What has a value in them: names of their own, names that others give them, and those of the runtime."""
        own = {name for agent in self.agents for name in agent.derive(_written)}
        return sorted(own.union(_RUNTIME_NAMES, *[self._project.received(agent) for agent in self.agents]))

    def quotable(self, use: ExpressionUse) -> Mapping[Span, Mapping[Span, str]]:
        """The words of a condition that may be texts, by where they stand: each with those that are quoted with it.

        Found once for a condition, as each of its names asks for it.
        """
        known = self._quotable.get(id(use))
        if known is None:
            known = self._quotable[id(use)] = use, _compared(use, self.names)
        return known[1]


def _unanswered(agent: AgentIndex, project: Index) -> Iterator[tuple[Read, _Asked]]:
    """The reads that nothing answers; a profile reads what the agents have that use it."""
    profile = agent.agent.profile if isinstance(agent.agent, nodes.Fragment) else None
    users = attaching(profile, agent, project) if profile is not None else ()
    known = [project.known_names(user) for user in users]
    asked = _Asked(users or (agent,), project)
    for read in project.undeclared(agent) if profile is None or users else ():
        if not any(read.path in names for names in known):
            yield read, asked


def _undeclared(agent: AgentIndex, read: Read, asked: _Asked, message: str) -> Found:
    """A name that is not declared, with names that are like it; ``message`` is for a profile."""
    literal = intended_literal(read.path)
    if literal:
        return found(read.span, *fixes.rename_fixes(read.span, [literal]), name=read.path, y=literal)
    best, renames = _renames(read, asked)
    if asked.agents == (agent,):
        quoted = _quoted(read, asked) if not best or best in asked.names else ()
        if quoted and read.path[:1].isupper() and best.casefold() != read.path.casefold():
            best, renames = "", ()  # a word with a capital is a text, not a name that is a little like it
        renames = renames or _ending_so(agent, read)
        return found(read.span, *renames, *quoted, *declare_variable(agent, read.path), name=read.path, y=best)
    words = f"{message} declared in `{{agent}}`, which uses this profile. Did you mean `{{y}}`?"
    return found(read.span, *renames, name=read.path, y=best, agent=asked.agents[0].name, wording=words)


def _ending_so(agent: AgentIndex, read: Read) -> tuple[Fix, ...]:
    """Declared paths whose last segment is the word that was written."""
    paths = [path for path in agent.persistent if path.rpartition(".")[2] == read.path]
    return fixes.rename_fixes(read.span, sorted(paths)) if "." not in read.path else ()


def _quoted(read: Read, asked: _Asked) -> tuple[Fix, ...]:
    """A word that a value is compared with, or that SET gives one, may be a text; of a list all that are like it."""
    use = read.use
    if use is None or "." in read.path:
        return ()
    if use.place == "SET":
        alone = read.path[:1].isupper() and use.reading.text.strip() == read.path
        return (_in_quotes({read.span: read.path}),) if alone else ()
    words = asked.quotable(use).get(read.span)
    return (_in_quotes(words),) if words else ()


def _compared(use: ExpressionUse, names: Sequence[str]) -> dict[Span, Mapping[Span, str]]:
    """What the names of a condition are compared with, if it is a word or a list that holds words."""
    found: dict[Span, Mapping[Span, str]] = {}
    known = frozenset(names)
    for test in use.reading.tests:
        if test.op not in _COMPARING or test.right is None:
            continue
        if isinstance(test.right, en.Path):
            span = use.span_of(test.right)
            found.setdefault(span, {span: ".".join(test.right.parts)})
            continue
        words = {use.span_of(word): word.parts[0] for word in _words(test.right, known)}
        for span in words:
            found.setdefault(span, words)
    return found


def _words(node: en.Node, names: Collection[str]) -> list[en.Path]:
    """The items of a list that are words without quotes and no names."""
    items = node.items[:_MOST_ITEMS] if isinstance(node, en.ListNode) else ()
    return [each for each in items if isinstance(each, en.Path) and len(each.parts) == 1 and each.parts[0] not in names]


def _in_quotes(words: Mapping[Span, str]) -> Fix:
    edits = tuple(Edit(span, f'"{word}"') for span, word in words.items())
    return Fix("Put it in quotes" if len(edits) == 1 else "Put them in quotes", edits)


def _renames(read: Read, asked: _Asked) -> tuple[str, tuple[Fix, ...]]:
    """Names that are like it, or the function that lacks its parentheses."""
    if read.path.upper() in TODAYS:
        return TODAY, fixes.rename_fixes(read.span, (TODAY,))
    function = find(read.path, False)
    if function is not None and function.accepts(0):
        call = f"{read.path}()"
        return call, fixes.rename_fixes(read.span, (call,))
    return fixes.rename_to(read.span, read.path, asked.names)


@rule(
    "ABL214",
    "undeclared-name",
    "warning",
    "`{name}` is not declared or set anywhere. Did you mean `{y}`?",
    over=AgentIndex,
    project=True,
)
def undeclared_name(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: An expression reads a name that nothing declares or sets.
    Why: It is always unset: comparisons fail or count it as 0, and values come out null.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - open_loans
        CONSTRAINTS:
          - REQUIRE open_laons < 3
            ON_FAIL: "Too many loans."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - open_loans
        CONSTRAINTS:
          - REQUIRE open_loans < 3
            ON_FAIL: "Too many loans."
    """
    in_list: set[Span] = set()
    for read, asked in _unanswered(agent, project):
        use = read.use
        if read.span in in_list:
            continue  # the first of the list says it of all
        if use is not None and (use.mode == "tag" or _reported_elsewhere(use, agent, project)):
            continue
        if is_handed_on(read):
            continue  # ABL514
        if isinstance(read.owner, nodes.Transform) and use is not None and read.owner.item is None:
            continue  # the name of the item is missing: ABL386
        if (use is None and isinstance(read.owner, nodes.Handoff)) or _gate_says_it(read, agent):
            continue
        problem = _undeclared(agent, read, asked, "`{name}` is not")
        in_list.update(edit.span for fix in problem.fixes if len(fix.edits) > 1 for edit in fix.edits)
        yield problem


def _reported_elsewhere(use: ExpressionUse, agent: AgentIndex, project: Index) -> bool:
    """True where another rule names the name: ABL633 for COMPLETE_WHEN, ABL450 for a CHECK that names a
    phase, ABL349 for triggers that can never fire."""
    if use.place != "REMEMBER":
        return use.place == "COMPLETE_WHEN" or (use.place == "CHECK" and use.reading.text.strip() in agent.phases)
    return holds_unset(use.reading, lambda path: never_set(agent, project, path)) is False


def _gate_says_it(read: Read, agent: AgentIndex) -> bool:
    """True for a STORE value whose trigger's WHEN reads the same name: ABL349 reports it there."""
    trigger = agent.derive(_triggers).get(id(read.owner)) if isinstance(read.owner, nodes.Store) else None
    if trigger is None or trigger.store is not read.owner:
        return False
    return any(name.root == read.root for use in agent.expressions_of(trigger) for name in use.reading.names)


def _triggers(agent: AgentIndex) -> dict[int, nodes.RememberTrigger]:
    """The triggers by the id of their STORE, which they keep alive."""
    return {id(trigger.store): trigger for trigger in agent.all(nodes.RememberTrigger) if trigger.store is not None}


@rule(
    "ABL253",
    "undeclared-placeholder",
    "warning",
    "`{name}` in this message is not declared. Did you mean `{y}`?",
    over=AgentIndex,
    project=True,
)
def undeclared_placeholder(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A message shows a name that nothing declares or sets.
    Why: The placeholder is printed as nothing.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - open_loans
        CONSTRAINTS:
          - REQUIRE open_loans < 3
            ON_FAIL: "You have {{open_laons}} loans."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - open_loans
        CONSTRAINTS:
          - REQUIRE open_loans < 3
            ON_FAIL: "You have {{open_loans}} loans."
    """
    for read, asked in _unanswered(agent, project):
        if read.use is not None and read.use.mode == "tag" and read.root not in _ITEM_NAMES:
            yield _undeclared(agent, read, asked, "`{name}` in this message is not")


@rule(
    "ABL215", "used-before-set", "warning", "`{name}` is set only after it is used here", over=AgentIndex, project=True
)
def used_before_set(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A step reads a name that only later or unreachable steps set.
    Why: At this point the name has no value yet.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [tell, count]
          tell:
            REASONING: false
            RESPOND: "You have {{open_loans}} loans."
            THEN: count
          count:
            REASONING: false
            SET: open_loans = 3
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [count, tell]
          count:
            REASONING: false
            SET: open_loans = 3
            THEN: tell
          tell:
            REASONING: false
            RESPOND: "You have {{open_loans}} loans."
            THEN: COMPLETE
    """
    if agent.fragment or not agent.steps:
        return
    otherwise = agent.union(_set_otherwise) | agent.mentions
    suspects = agent.given_roots - otherwise - project.received(agent)
    for placed, reads in agent.each(_maybe_too_early):
        for root, kept in reads:
            if root not in suspects or (kept.use is not None and kept.use.place == "COMPLETE_WHEN"):
                continue  # COMPLETE_WHEN is ABL634
            sources = agent.origins_of(root)
            read = placed.read(kept)
            if any(_comes_before(o.write.step, o.write.order + o.placed.before, read, agent) for o in sources):
                continue
            if read.step in agent.graph.reachable and not _asks_whether_set(read):
                yield found(read.span, name=read.path)


def _maybe_too_early(part: Part) -> list[tuple[str, Read]]:
    """Reads in steps of names that the same step does not set before."""
    first: dict[tuple[str, str | None], int] = {}
    for write in part.writes:
        if _is_in_flow(write):
            first.setdefault((write.root, write.step), write.order)
    reads = [
        (read.root, read) for read in part.reads if read.step is not None and read.certain and read.use is not None
    ]
    return [(root, read) for root, read in reads if first.get((root, read.step), read.order) >= read.order]


def _set_otherwise(part: Part) -> frozenset[str]:
    """First segments of names that something outside of the steps gives a value."""
    return frozenset([root for root, write in part.derive(origins) if not _is_in_flow(write)])


def _is_in_flow(write: Write) -> bool:
    return write.kind in _SET_IN_FLOW and write.step is not None


def _comes_before(step: str | None, order: int, read: Read, agent: AgentIndex) -> bool:
    again = agent.graph.leads_to(step or "", read.step or "")
    if step == read.step:
        anywhere = read.use is not None and read.use.place in _ANYWHERE_IN_STEP
        return order < read.order or anywhere or again or f".{STEP_PHASE}" in read.owner.path
    return again and step in agent.graph.reachable


def _asks_whether_set(read: Read) -> bool:
    """True when the expression guards against an unset name: IS SET, EMPTY, COALESCE, has()."""
    for node in read.use.reading.nodes if read.use is not None else ():
        asks = isinstance(node, en.Test) and node.op.startswith(("IS", "EMPTY"))
        falls_back = isinstance(node, en.Call) and node.name.upper() in ("COALESCE", "FIRST_NON_EMPTY", "HAS")
        if (asks or falls_back) and any(isinstance(n, en.Path) and n.parts[0] == read.root for n in en.walk(node)):
            return True
    return False
