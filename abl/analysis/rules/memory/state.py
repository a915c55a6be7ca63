"""38x: SET, CLEAR, TRANSFORM (docs/spec 03 §7, 05 §6)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.reading import Reading
from abl.analysis.conditions.types import value_type
from abl.analysis.fixes.entries import has_own_lines, remember_edit
from abl.analysis.incremental.parts import Part, Placed, owned
from abl.analysis.index.model import AgentIndex, Write
from abl.analysis.index.names import is_stored, paths_above
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.memory.facts import access_of, scope_of
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.incremental.relocation import first_of


@rule("ABL380", "bad-assignment", "error", "SET needs `name = expression`")
def bad_assignment() -> None:
    """
    What: A SET line has no `=`, one of its sides is empty, or it assigns what is neither a variable nor a path, such as
        `loans[0]` or `loans +`.
    Why: Nothing is assigned.
    Bad:
        SET: open_loans 3
    Good:
        SET: open_loans = 3
    """


@rule("ABL381", "set-changes-type", "warning", "SET of `{n}` changes type from {a} to {b}", over=AgentIndex)
def set_changes_type(agent: AgentIndex) -> Iterator[Found]:
    """
    What: SET gives a variable a value of another type than it was declared with or had before.
    Why: Comparisons that fitted the old type no longer do.
    Bad:
        MEMORY:
          session:
            - open_loans
              TYPE: number
        ON_START:
          SET: open_loans = "none"
    Good:
        MEMORY:
          session:
            - open_loans
              TYPE: number
        ON_START:
          SET: open_loans = 0
    """
    known = {name: kind for name, kind in agent.types.declared.items() if kind is not None}
    initial: dict[str, str | None] = {}
    for name, kind in agent.items(_initial_types):
        initial.setdefault(name, kind)
    known = {name: kind for name, kind in initial.items() if kind is not None} | known
    for placed, assigned in agent.each(_assigned):
        for target, reading, assignment in assigned:
            kind = agent.types.of_reading(reading)
            if kind in (None, "null") or target in agent.persistent:
                continue
            before = known.setdefault(target, kind or "")
            if assignment.value is not None and not _goes_with(before, kind or ""):
                yield found(placed.at(assignment.value.span), node=assignment.path, n=target, a=before, b=kind)


def _initial_types(part: Part) -> list[tuple[str, str | None]]:
    """Variables with the type of their INITIAL, if nothing else gives them a type."""
    pairs: list[tuple[str, str | None]] = []
    for variable in part.all(nodes.SessionVariable):
        literal = variable.initial
        kind = value_type(literal.value) if literal is not None and literal.dynamic is None else None
        pairs.append((variable.name.value, kind if kind != "null" and variable.type is None else None))
    return pairs


def _assigned(part: Part) -> list[tuple[str, Reading, nodes.Assignment]]:
    """Names with what they are set to, in order."""
    uses = part.derive(owned)
    return [
        (line.target.value, use.reading, line)
        for line in part.all(nodes.Assignment)
        if line.target is not None and line.target.value
        for use in [use for use in uses.get(id(first_of(line)), ()) if use.place == "SET"][:1]
    ]


def _goes_with(before: str, now: str) -> bool:
    return before == now or {before, now} <= {"date", "datetime", "string"}


@rule("ABL382", "set-below-value", "warning", "Dotted SET replaces non-object `{n}`", over=nodes.Assignment)
def set_below_value(assignment: nodes.Assignment, agent: AgentIndex) -> Iterator[Found]:
    """
    What: SET writes below a name that holds no object.
    Why: The value that stood there is replaced by an object and lost.
    Bad:
        MEMORY:
          session:
            - loan
              TYPE: string
        ON_START:
          SET: loan.total = 3
    Good:
        MEMORY:
          session:
            - loan
              TYPE: object
        ON_START:
          SET: loan.total = 3
    """
    target = assignment.target
    if target is None or "." not in target.value or target.value in agent.persistent:
        return
    for parent in paths_above(target.value):
        if agent.types.of_path(parent) in ("string", "number", "boolean", "date", "datetime", "array"):
            span = Span(target.span.start, target.span.start + len(parent))
            yield found(span, node=assignment.path, n=parent)
            return


@rule("ABL383", "set-order", "warning", "SET uses `{n}` assigned later in the same block", over=nodes.SetVariables)
def set_order(block: nodes.SetVariables, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A SET line reads a name that only a later line of the block sets.
    Why: Lines run from top to bottom, so the name has no value yet.
    Bad:
        ON_START:
          SET:
            - total = fee + 1
            - fee = 2
    Good:
        ON_START:
          SET:
            - fee = 2
            - total = fee + 1
    """
    lines = block.assignments
    first = {line.target.value: i for i, line in reversed(list(enumerate(lines))) if line.target is not None}
    own = {id(line) for line in lines}
    elsewhere: dict[str, bool] = {}
    for i, line in enumerate(lines):
        for use in agent.expressions_of(line):
            for name in use.reading.names:
                later = first.get(name.path)
                if later is None or later <= i:
                    continue
                if name.root not in elsewhere:
                    elsewhere[name.root] = _has_other_source(name.root, own, agent)
                if elsewhere[name.root]:
                    continue
                repairs = _moved_up(agent, line, lines[later])
                yield found(use.span(name.start, name.end), *repairs, node=line.path, n=name.path)


def _has_other_source(root: str, own: set[int], agent: AgentIndex) -> bool:
    if root in agent.mentions or root in agent.collected:
        return True
    return any(id(write.node) not in own for write in agent.sources_of(root))


def _moved_up(agent: AgentIndex, line: nodes.Assignment, later: nodes.Assignment) -> tuple[Fix, ...]:
    source = agent.source
    if not has_own_lines(source, line.span) or not has_own_lines(source, later.span):
        return ()
    whole = fixes.whole_lines(source, later.span)
    text = source.text[slice(*whole)]
    start = fixes.whole_lines(source, line.span).start
    edits = (Edit(Span(start, start), text if text.endswith("\n") else f"{text}\n"), Edit(whole, ""))
    return (Fix("Move the later line up", edits),)


@rule(
    "ABL384",
    "clear-of-unknown",
    "warning",
    "CLEAR of unknown `{n}`. Did you mean `{y}`?",
    over=AgentIndex,
    project=True,
)
def clear_of_unknown(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: CLEAR names something that nothing declares or sets.
    Why: Nothing is cleared; what should have been keeps its value.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        GATHER:
          title:
            prompt: "Which book?"
            type: string
        FLOW:
          again:
            REASONING: false
            CLEAR: [titel]
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        GATHER:
          title:
            prompt: "Which book?"
            type: string
        FLOW:
          again:
            REASONING: false
            CLEAR: [title]
            THEN: COMPLETE
    """
    known = project.known_names(agent) if agent.cleared else ()
    for name, owner in agent.cleared:
        if name.value and name.value not in known and name.value not in agent.collected and not is_stored(name.value):
            candidates = sorted(agent.write_paths)
            best, renames = fixes.rename_to(name.span, name.value, candidates)
            yield found(name.span, *renames, node=owner.path, n=name.value, y=best)


@rule("ABL385", "clear-is-not-reset", "info", "CLEAR does not restore INITIAL nor re-prompt by itself", over=AgentIndex)
def clear_is_not_reset(agent: AgentIndex) -> Iterator[Found]:
    """
    What: CLEAR removes a variable with INITIAL, or a gather field that no step behind it asks for again.
    Why: The variable is undefined afterwards, and a field is asked for only when its step is entered again.
    Bad:
        MEMORY:
          session:
            - tries
              INITIAL: 0
        FLOW:
          again:
            REASONING: false
            CLEAR: [tries]
            THEN: COMPLETE
    Good:
        MEMORY:
          session:
            - tries
              INITIAL: 0
        FLOW:
          again:
            REASONING: false
            SET: tries = 0
            THEN: COMPLETE
    """
    in_handlers = {id(action) for handler in agent.all(nodes.IntentHandler) for action in handler.actions}
    where = _steps_of_clears(agent) if agent.cleared else {}
    for name, owner in agent.cleared:
        if isinstance(owner, nodes.OnFail) or id(owner) in in_handlers:
            continue
        variable = agent.session.get(name.value)
        initial = variable.initial if variable is not None else None
        has_initial = initial is not None and (initial.value is not None or initial.dynamic is not None)
        if has_initial or _not_asked_again(name.value, where.get(id(owner)), agent):
            yield found(name.span, node=owner.path)


def _steps_of_clears(agent: AgentIndex) -> dict[int, str]:
    """The step in which each CLEAR stands, by id."""
    starts = sorted((step.span.start, step.span.end, step.name.value) for step in agent.all(nodes.Step))
    found_: dict[int, str] = {}
    for clear in agent.all(nodes.Clear):
        at = bisect_right(starts, (clear.span.start, clear.span.end + 1, "")) - 1
        if at >= 0 and clear.span.start < starts[at][1]:
            found_[id(clear)] = starts[at][2]
    return found_


def _not_asked_again(name: str, step: str | None, agent: AgentIndex) -> bool:
    gather_steps = {write.step for write in agent.sources_of(name) if write.kind == "gather"}
    if not gather_steps or step is None or None in gather_steps:
        return False
    return not any(agent.graph.leads_to(step, target or "") for target in gather_steps)


_OF_FACT = "SET writes persistent path `{p}`; the value outlives the session"
_OF_TREE = "SET writes persistent path `{p}`; the value ends with the tree"


@rule(
    "ABL390",
    "set-of-fact",
    "info",
    "SET writes persistent path `{p}`; the value outlives the session",
    over=Placed,
    needs="writes",
)
def set_of_fact(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: SET writes a declared persistent path.
    Why: Unlike other SETs this one stores a fact. A remember trigger says so in the open, and can have a TTL.
    Bad:
        MEMORY:
          persistent:
            - user.branch
              SCOPE: user
        ON_START:
          SET: user.branch = "central"
    Good:
        MEMORY:
          persistent:
            - user.branch
              SCOPE: user
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
        ON_START:
          SET: branch = "central"
    """
    for kept in part.part.writes if agent.persistent else ():
        path = agent.path_of(kept.path) if kept.kind == "set" else None
        if path is not None and access_of(path) != "read":
            write = part.write(kept)
            wording = _OF_TREE if scope_of(path) == "execution_tree" else _OF_FACT
            repairs = _as_trigger(write, agent)
            yield found(write.span, *repairs, node=write.node.path, p=path.name.value, wording=wording)


def _as_trigger(write: Write, agent: AgentIndex) -> tuple[Fix, ...]:
    """SET a variable of the session, and store that with a trigger, unless there is one already."""
    name = write.path.rpartition(".")[2]
    if name in agent.derive(_remembered).get(write.path, ()):
        stored: tuple[Edit, ...] = ()
    else:
        if name in agent.written_roots or name in agent.read_roots:
            name = write.path.replace(".", "_")
        edit = remember_edit(agent, name, write.path)
        if edit is None or name in agent.written_roots:
            return ()
        stored = (edit,)
    if agent.source.text[slice(*write.span)] != write.path:
        return ()
    return (Fix(f"SET `{name}`, and remember it", (Edit(write.span, name), *stored)),)


def _remembered(agent: AgentIndex) -> dict[str, set[str]]:
    """The plain names that triggers store, by target."""
    found_: dict[str, set[str]] = {}
    for store in agent.first(nodes.Store):
        if store.target is not None and store.value is not None:
            found_.setdefault(store.target.value, set()).add(store.value.value.strip())
    return found_
