"""6xx about the results of calls: who looks at them, whose they are (docs/spec 06 §5.8, §6.2, 10 §2)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from abl.analysis import fixes
from abl.analysis.collect.records import Read
from abl.analysis.incremental.parts import Part, Placed
from abl.analysis.index.model import AgentIndex, first_line
from abl.analysis.index.names import SYSTEM_NAMES
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.results.latest import (
    ALWAYS_THERE,
    RESULT_NAMES,
    Called,
    calls_of,
    comes_before,
    latest_calls,
    result_fields,
    through_name,
)
from abl.diagnostics import Fix
from abl.syntax import nodes
from abl.syntax.readers.outcomes import gathers_of

_ABOUT_CALLS = frozenset({"call_result", "result", "error", "_error", "tool_failures"})


@rule("ABL619", "branch-without-then", "hint", "Branch has no THEN; {what}", over=Placed)
def branch_without_then(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Some branches of a call leave the step and another does not, although nothing follows the call. So it is
        with ON_SUCCESS and ON_RESULT of a GATHER; where its ON_FAILURE does not leave, the user is asked again.
    Why: That one takes the THEN of the step, which may not be meant.
    Bad:
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title)
            ON_SUCCESS:
              RESPOND: "Here it is."
            ON_FAILURE:
              THEN: ESCALATE
            THEN: COMPLETE
    Good:
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title)
            ON_SUCCESS:
              RESPOND: "Here it is."
              THEN: COMPLETE
            ON_FAILURE:
              THEN: ESCALATE
            THEN: COMPLETE
    """
    branched = bool(part.part.all(nodes.Call)) or bool(part.part.all(nodes.Outcome))
    for step in part.part.all(nodes.Step) if branched else ():
        yield from _without_then(part.at(step), agent)


def _without_then(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    gathers = {} if step.reasoning else {id(each.gather): each for each in gathers_of(step.directives)}
    for number, directive in enumerate(step.directives):
        call = directive if isinstance(directive, nodes.Call) else gathers.get(id(directive))
        if call is None or any(isinstance(d, _WORK) for d in step.directives[number + 1 :]):
            continue  # what follows the call is what the branch continues with
        failed = call.on_failure if isinstance(call, nodes.Call) else ()
        branches = [*call.on_success, *failed, *call.on_result]
        open_ = [branch for branch in branches if not any(map(_leaves, branch.actions))]
        if not open_ or len(open_) == len(branches):
            continue
        target = step.then.target if step.then is not None else None
        what = "the step's THEN is used" if target is not None else "the flow ends behind it"
        for branch in open_:
            if not branch.actions or (branch in call.on_success and call.on_result):
                continue  # an idle branch has a code of its own; ON_RESULT follows ON_SUCCESS
            yield found(first_line(branch), *_leave(branch, target, agent), what=what)


_WORK = (
    nodes.Respond, nodes.SetVariables, nodes.Clear, nodes.Transform, nodes.Log, nodes.Gather, nodes.Call, nodes.Check,
    nodes.OnInput,
)  # fmt: skip


def _leaves(action: nodes.Directive) -> bool:
    return isinstance(action, nodes.Transition)


def _leave(branch: nodes.Branch, target: nodes.Name | None, agent: AgentIndex) -> tuple[Fix, ...]:
    """THEN as the step has it, behind the last action."""
    last = branch.actions[-1]
    if target is None or last.block is None:
        return ()
    pad = " " * (last.block.column - 1)
    below = fixes.insert_line_below(
        agent.source, last.span, f"{pad}THEN: {target.value}", f"Add `THEN: {target.value}`"
    )
    return (below,)


@rule("ABL627", "result-not-looked-at", "warning", "No ON_RESULT condition looks at `{result}`", over=nodes.Call)
def result_not_looked_at(call: nodes.Call, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_RESULT has conditions, but none of them reads the result of the call.
    Why: Which branch is taken does not depend on what the tool said.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - found
              INITIAL: true
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title: "Emma") AS book
            ON_RESULT:
              - IF: found == true
                THEN: COMPLETE
              - ELSE:
                THEN: ESCALATE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title: "Emma") AS book
            ON_RESULT:
              - IF: book.found == true
                THEN: COMPLETE
              - ELSE:
                THEN: ESCALATE
    """
    conditions = [branch for branch in call.on_result if branch.condition is not None]
    if not conditions or call.tool is None or agent.fragment:
        return
    tool = call.tool.value
    own = {tool, f"last_{tool}_result", *_ABOUT_CALLS, *_set_in(call)}
    if call.as_ is not None:
        own.add(call.as_.value)
    roots = {name.root for branch in conditions for use in agent.expressions_of(branch) for name in use.reading.names}
    if not roots or roots & own or any(_may_be_a_field(root, agent) for root in roots):
        return
    place = call.as_.span if call.as_ is not None else first_line(call.on_result[0])
    yield found(place, result=call.as_.value if call.as_ is not None else "call_result")


def _set_in(call: nodes.Call) -> Iterator[str]:
    """Names that ON_SUCCESS and ON_FAILURE set, perhaps from the result."""
    for branch in (*call.on_success, *call.on_failure):
        for action in branch.actions:
            if isinstance(action, nodes.SetVariables):
                yield from (a.target.value.partition(".")[0] for a in action.assignments if a.target is not None)


def _may_be_a_field(root: str, agent: AgentIndex) -> bool:
    """True for a name that a tool may set, or that nothing else has: it is looked up in the result."""
    if root in agent.mentions or root in agent.union(_set_by_tools):
        return True
    return root not in agent.written_roots and root not in SYSTEM_NAMES


def _set_by_tools(part: Part) -> frozenset[str]:
    """First segments of what tools set when they are done (08 §7)."""
    return frozenset([write.root for write in part.writes]) if part.all(nodes.Tool) else frozenset()


@rule(
    "ABL653",
    "field-of-last-result",
    "hint",
    "`{root}` is found only in the last tool result",
    over=AgentIndex,
    project=True,
)
def field_of_last_result(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A name that nothing declares or sets is a field of what a tool returned before.
    Why: It is looked up there at last, and means another thing as soon as another tool is called.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {shelf: string}
            description: "Find a book."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title: "Emma") AS book
            RESPOND: "On shelf {{shelf}}."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {shelf: string}
            description: "Find a book."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title: "Emma") AS book
            RESPOND: "On shelf {{book.shelf}}."
            THEN: COMPLETE
    """
    fallbacks = project.found_in_results(agent)
    if not fallbacks:
        return
    givers: dict[str, list[nodes.Call]] = {}
    for called in calls_of(agent):
        for field in (called.call.tool is not None and result_fields(called.call.tool.value, agent)) or ():
            givers.setdefault(field, []).append(called.call)
    for read in fallbacks:
        calls = givers[read.root]
        earlier = bisect_left(calls, read.span.start, key=_start) - 1  # the last one if there is none: -1
        yield found(read.span, through_name(calls[earlier], read.span, read.path, agent), root=read.root)


def _start(call: nodes.Call) -> int:
    return call.span.start


def _gives(call: nodes.Call, field: str, agent: AgentIndex) -> bool:
    fields = result_fields(call.tool.value, agent) if call.tool is not None else None
    return fields is not None and field in fields


@rule(
    "ABL654",
    "other-result",
    "warning",
    "`{path}` here belongs to CALL {t}, not {u}",
    over=AgentIndex,
)
def other_result(agent: AgentIndex) -> Iterator[Found]:
    """
    What: `call_result` is read for a field of one tool, but another tool was called in between.
    Why: `call_result` and `result` hold the latest result only; the field is not in it.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {shelf: string}
            description: "Find a book."
            effect: read_only
          count_loans(card: string) -> {total: number}
            description: "Count loans."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title: "Emma")
            THEN: count
          count:
            REASONING: false
            CALL: count_loans(card: "12")
            RESPOND: "On shelf {{call_result.shelf}}."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {shelf: string}
            description: "Find a book."
            effect: read_only
          count_loans(card: string) -> {total: number}
            description: "Count loans."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title: "Emma")
            AS: book
            THEN: count
          count:
            REASONING: false
            CALL: count_loans(card: "12")
            RESPOND: "On shelf {{book.shelf}}, {{call_result.total}} loans."
            THEN: COMPLETE
    """
    if RESULT_NAMES.isdisjoint(agent.read_roots) or not agent.tools:
        return
    calls = calls_of(agent)
    for placed, reads in agent.each(_of_results):
        for kept in reads:
            read = placed.read(kept)
            step = agent.steps.get(read.step or "") if read.root not in agent.written_roots else None
            latest = latest_calls(step, read.span, agent) if step is not None else None
            if latest:
                yield from _not_its_own(read, latest, calls, agent)


def _of_results(part: Part) -> list[Read]:
    """Reads of a field of the latest result."""
    return [read for read in part.reads if read.certain and read.root in RESULT_NAMES and "." in read.path]


def _not_its_own(
    read: Read, latest: Iterable[nodes.Call], calls: Iterable[Called], agent: AgentIndex
) -> Iterator[Found]:
    rest = read.path.partition(".")[2]
    field = rest.partition(".")[0]
    if field in ALWAYS_THERE:
        return
    latest = list(latest)
    wrong = next((call for call in latest if not _gives(call, field, agent) and _known(call, agent)), None)
    if wrong is None or wrong.tool is None:
        return
    for called in calls:
        intended = called.call
        if intended.tool is None or not _gives(intended, field, agent):
            continue
        if intended in latest or comes_before(called, read.span, read.step, agent):
            fix = through_name(intended, read.span, rest, agent)
            yield found(read.span, fix, path=read.path, t=wrong.tool.value, u=intended.tool.value)
            return


def _known(call: nodes.Call, agent: AgentIndex) -> bool:
    return call.tool is not None and result_fields(call.tool.value, agent) is not None
