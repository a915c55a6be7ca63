"""6xx about where a flow leads: ends, retries, conditions that never hold (docs/spec 06 §4, §5.7, 10 §1-§2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from abl.analysis import fixes
from abl.analysis.conditions.judgement import holds_unset, never_set
from abl.analysis.flow.graph import FlowGraph
from abl.analysis.flow.moves import Move, moves_of
from abl.analysis.incremental.parts import Part, Placed
from abl.analysis.index.available_tools import known_tools
from abl.analysis.index.imported_tools import profiles_used
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.analysis.index.names import SYSTEM_NAMES
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.flow.collecting import fields_of
from abl.diagnostics import Fix
from abl.syntax import nodes

_FAILURES = frozenset({"on_fail", "on_failure", "on_result"})
_LEAVES_BY_TOOL = frozenset({"THEN", "GOTO", "HANDOFF", "DELEGATE", "RETURN", "COMPLETE", "ESCALATE"})
_TRANSFERS = frozenset({"call_transfer", "transfer_to_agent"})
"""Tools that give the conversation away; a model in a reasoning step can end a flow by these only."""
_GIVES_UP = frozenset({"handoff", "escalate"})


@rule("ABL603", "no-end", "warning", "No path from the entry leads to an end", over=nodes.Flow)
def no_end(flow: nodes.Flow, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Every step that can be reached leads to another, and nothing else ends the flow.
    Why: The conversation goes round for ever.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            RESPOND: "I note {{title}}."
            THEN: again
          again:
            REASONING: false
            GATHER:
              - author: required
            RESPOND: "By {{author}}."
            THEN: ask
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            RESPOND: "I note {{title}}."
            THEN: again
          again:
            REASONING: false
            GATHER:
              - author: required
            RESPOND: "By {{author}}."
            THEN: COMPLETE
    """
    if not flow.steps or agent.fragment or not agent.graph.endless or _ended_otherwise(agent, flow):
        return
    at = flow.block.key_span if flow.block is not None else flow.span
    yield found(at, later=partial(_ended, flow, agent))


def _ended(flow: nodes.Flow, agent: AgentIndex) -> tuple[Fix, ...]:
    """The last step with a THEN as the end."""
    last = next((agent.steps[name] for name in reversed(flow.order) if _is_passed(name, agent)), None)
    then = last.then.target if last is not None and last.then is not None else None
    return (fixes.replace(then.span, "COMPLETE", "End in the last step", preferred=False),) if then else ()


def _is_passed(name: str, agent: AgentIndex) -> bool:
    """True for a step that the flow gets to: an end in another one would change nothing."""
    return name in agent.graph.reachable and name in agent.steps and agent.steps[name].then is not None


def _ended_otherwise(agent: AgentIndex, flow: nodes.Flow) -> bool:
    """True when something beside the steps may end the flow: conditions of the agent, a tool, a handler, a rule."""
    tree = agent.agent
    if tree.completions or tree.handoffs or tree.action_handlers:
        return True
    if any(tree.section(keyword) for keyword in ("ESCALATE", "DELEGATE", "ON_ERROR", "ROUTING")):
        return True
    hooks = tree.section("HOOKS")
    if hooks is not None and hooks.block is not None and _gives_away(hooks.block):
        return True
    if any(isinstance(a, nodes.Transition) for handler in flow.digressions for a in handler.actions):
        return True
    named = {*agent.tools, *agent.mentions, *(ref.name.value for ref in agent.tool_refs)}
    if not _TRANSFERS.isdisjoint(named) or agent.union(_ways_to_end):
        return True
    return any(handler.prop("HANDOFF") for handler in flow.digressions)


def _ways_to_end(part: Part) -> frozenset[str]:
    """What in a part may end the flow or give the conversation away, beside its transitions."""
    found: set[str] = {action.form for action in part.all(nodes.OnFail) if action.form in _GIVES_UP}
    found.update(setting.keyword for setting in part.all(nodes.Setting) if setting.keyword in ("ON_ERROR", "DELEGATE"))
    for tool in part.all(nodes.Tool):
        outcomes = (prop.block for prop in tool.props if prop.key in ("ON_RESULT", "ON_ERROR"))
        found.update(word for outcome in outcomes for word in _gives_away(outcome))
    return frozenset(found)


def _gives_away(block: nodes.Block) -> frozenset[str]:
    """The keys at and below a line that may end the flow or give the conversation away."""
    return _LEAVES_BY_TOOL.intersection(line.key.upper() for line in block.walk())


@rule("ABL605", "unbounded-retry", "hint", "Retry loop {cycle} has no bound", over=Placed, needs="step_refs")
def unbounded_retry(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: After a failure the flow goes straight back to where it asked, without counting how often.
    Why: A user who cannot answer is asked for ever.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - copies: required
                type: number
            CHECK: copies < 9
            ON_FAIL: ask
            RESPOND: "You get {{copies}}."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            MAX_ATTEMPTS: 3
            ON_EXHAUSTED: ESCALATE
            GATHER:
              - copies: required
                type: number
            CHECK: copies < 9
            ON_FAIL: ask
            RESPOND: "You get {{copies}}."
            THEN: COMPLETE
    """
    graph = agent.graph
    if not any(ref.kind in _FAILURES and _asks(ref.name.value, ref.source_step, graph) for ref in part.part.step_refs):
        return
    for step in part.part.all(nodes.Step):
        name = step.name.value
        reported: set[str] = set()
        for move in moves_of(part.at(step)):
            target = move.target.value
            if not move.failed or target in reported or target not in agent.steps:
                continue
            reported.add(target)
            cycle = [name, target] if name != target else [name]
            if _asks(target, name, graph) and not _bounded(cycle, agent):
                yield found(move.target.span, _bound(agent.steps[target], agent), cycle=" → ".join([*cycle, name]))


def _asks(target: str, step: str | None, graph: FlowGraph) -> bool:
    """True for a step that asks, and that leads straight back to where it failed."""
    return target in graph.waits and (target == step or graph.goes_to(target, step or ""))


def _bounded(cycle: list[str], agent: AgentIndex) -> bool:
    """True when a step of a cycle counts its attempts, or sets what a condition of the cycle reads."""
    if any(agent.steps[name].setting("MAX_ATTEMPTS") for name in cycle):
        return True
    parts = agent.derive(_parts_of_steps)
    there = [parts[name] for name in cycle if name in parts]
    changed = frozenset().union(*[part.derive(_set) for part in there])
    return any(not changed.isdisjoint(part.derive(_tested)) for part in there)


def _parts_of_steps(agent: AgentIndex) -> dict[str, Part]:
    return {name: placed.part for placed, names in agent.each(_steps) for name in names}


def _steps(part: Part) -> list[str]:
    return [step.name.value for step in part.all(nodes.Step)]


def _set(part: Part) -> frozenset[str]:
    """First segments of the names that SET gives a value."""
    return frozenset([write.root for write in part.writes if write.kind == "set"])


def _tested(part: Part) -> frozenset[str]:
    """First segments of the names that conditions read."""
    return frozenset([read.root for read in part.reads if read.use is not None and read.use.mode == "condition"])


def _bound(step: nodes.Step, agent: AgentIndex) -> Fix:
    first = step.directives[0]
    pad = fixes.indent_of(agent.source, first.span.start)
    lines = f"{pad}MAX_ATTEMPTS: 3\n{pad}ON_EXHAUSTED: ESCALATE"
    title = f"Bound the attempts of `{step.name.value}`"
    return fixes.insert_line_below(agent.source, first.span, lines, title, preferred=False)


@rule(
    "ABL611",
    "exit-never-true",
    "warning",
    "EXIT_WHEN can never become true: nothing assigns `{v}`",
    over=ExpressionUse,
    needs="EXIT_WHEN",
    project=True,
)
def exit_never_true(use: ExpressionUse, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A reasoning step ends when a name has a value, but nothing gives it one: no field, SET, call or tool.
    Why: The step continues until its turns are used up.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        MEMORY:
          session:
            - chosen
        FLOW:
          talk:
            REASONING: true
            EXIT_WHEN: chosen IS SET
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            on_result:
              set:
                chosen: result.id
        MEMORY:
          session:
            - chosen
        FLOW:
          talk:
            REASONING: true
            EXIT_WHEN: chosen IS SET
            THEN: COMPLETE
    """
    if agent.fragment or use.is_sentence or agent.derive(profiles_used) or known_tools(agent, project) is None:
        return
    unset = {name.path for name in use.reading.names if never_set(agent, project, name.path)}
    unset -= project.result_fields  # a name that is none else is looked up there (docs/spec 06 §5.8)
    if not unset or holds_unset(use.reading, lambda path: path in unset) is not False:
        return
    name = next(name for name in use.reading.names if name.path in unset)
    yield found(use.span(name.start, name.end), v=name.path)


@rule(
    "ABL634",
    "complete-when-never-true",
    "warning",
    "COMPLETE_WHEN cannot become true in this step: `{f}` is not collected here",
    over=ExpressionUse,
    needs="COMPLETE_WHEN",
    project=True,
)
def complete_when_never_true(use: ExpressionUse, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: COMPLETE_WHEN needs a variable that this step does not collect and nothing before it sets.
    Why: Collecting never ends.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            COMPLETE_WHEN: title IS SET AND branch IS SET
            THEN: where
          where:
            REASONING: false
            GATHER:
              - branch: required
            RESPOND: "{{title}} in {{branch}}."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
              - branch: required
            COMPLETE_WHEN: title IS SET AND branch IS SET
            RESPOND: "{{title}} in {{branch}}."
            THEN: COMPLETE
    """
    step = agent.steps.get(use.step or "") if not agent.fragment else None
    fields = fields_of(step) if step is not None else {}
    if step is None or not fields:
        return
    names = [name for name in use.reading.names if name.root not in fields]
    unset = {name.path for name in names if _unset_in(step.name.value, name.path, agent, project)}
    if unset and holds_unset(use.reading, lambda path: path in unset) is False:
        name = next(name for name in names if name.path in unset)
        yield found(use.span(name.start, name.end), *_collect(name.path, fields, agent), f=name.path)


def _unset_in(step: str, path: str, agent: AgentIndex, project: Index) -> bool:
    """True for a known name that surely has no value while a step collects."""
    root = path.partition(".")[0]
    if root in SYSTEM_NAMES or root in agent.mentions or agent.path_of(path) is not None:
        return False
    if path not in project.known_names(agent) or root in project.received(agent) or root in agent.collected:
        return False
    if root not in agent.session and root not in agent.given_roots:
        return False
    top = agent.agent.gather
    if top is not None and any(field.name.value == root for field in top.fields):
        return False  # which may be filled ahead of time
    writes = [origin.write for origin in agent.origins_of(root)]
    return all(w.step is not None and w.step != step and not agent.graph.leads_to(w.step, step) for w in writes)


def _collect(name: str, fields: dict[str, nodes.GatherField], agent: AgentIndex) -> tuple[Fix, ...]:
    """A new field behind the last one of a list."""
    last = list(fields.values())[-1]
    if last.block is None or not last.block.item or "." in name:
        return ()
    pad = " " * (last.block.column - 1)
    line = f"{pad}- {name}: required"
    return (fixes.insert_line_below(agent.source, last.block.span, line, f"Collect `{name}`", preferred=False),)


@rule("ABL657", "asked-again", "hint", "Re-entering `{s}` asks its fields again", over=Placed, needs="cleared")
def asked_again(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A transition clears some fields of an earlier step and goes back there.
    Why: A step that is entered again asks all of its fields again, those that were not cleared, too.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
              - branch: required
            THEN: confirm
          confirm:
            REASONING: false
            RESPOND: "{{title}} in {{branch}}?"
            ON_INPUT:
              - IF: input == "no"
                CLEAR: [title]
                THEN: ask
              - ELSE:
                THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
              - branch: required
            THEN: confirm
          confirm:
            REASONING: false
            RESPOND: "{{title}} in {{branch}}?"
            ON_INPUT:
              - IF: input == "no"
                CLEAR: [title, branch]
                THEN: ask
              - ELSE:
                THEN: COMPLETE
    """
    for step in part.part.all(nodes.Step) if part.part.cleared else ():
        for move in moves_of(part.at(step)):
            target = agent.steps.get(move.target.value)
            if target is None or not move.cleared or move.collects:
                continue
            asked = [name for name, field in fields_of(target).items() if field.required and field.default is None]
            cleared = {name.value for name in move.cleared}
            kept = [name for name in asked if name not in cleared]
            back = agent.graph.leads_to(target.name.value, step.name.value)
            if kept and len(kept) < len(asked) and back:
                yield found(move.target.span, *_clear_all(move, kept, agent), s=target.name.value)


def _clear_all(move: Move, kept: list[str], agent: AgentIndex) -> tuple[Fix, ...]:
    at = move.cleared[-1].span.end
    line = agent.source.line_text(agent.source.position(at).line)
    if "CLEAR" not in line.upper():
        return ()
    return (fixes.insert(at, "".join(f", {name}" for name in kept), "Clear the others, too", preferred=False),)
