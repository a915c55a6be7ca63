"""9xx about DELEGATE: who may delegate, what goes in and what comes back (docs/spec 09 §4, §6, 10 §5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.fixes.calls import listed
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.incremental.parts import Part
from abl.analysis.index.delegating import delegations, given, keys_in, target
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix, Related
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.recovery.suggest import closest

_MOST_MISSING = 20  # fields of one delegation that are reported


@rule("ABL933", "delegating-role", "error", "DELEGATE needs role orchestrator", over=nodes.Section)
def delegating_role(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An agent delegates, but its role is router or assistant.
    Why: A router never answers and an assistant works alone, so neither can use what another agent returns.
    Bad:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        BEHAVIOR:
          role: router
        HANDOFF:
          - TO: Lending
            WHEN: true
        DELEGATE:
          - AGENT: Catalogue
            WHEN: title IS SET
            PURPOSE: "Find the book"
            INPUT: {title}
            RETURNS: {id: book_id}
            USE_RESULT: "Say where the book is"
    Good:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        BEHAVIOR:
          role: orchestrator
        HANDOFF:
          - TO: Lending
            WHEN: true
        DELEGATE:
          - AGENT: Catalogue
            WHEN: title IS SET
            PURPOSE: "Find the book"
            INPUT: {title}
            RETURNS: {id: book_id}
            USE_RESULT: "Say where the book is"
    """
    if section.keyword != "DELEGATE":
        return
    role = generic.section_keys(agent, "BEHAVIOR").get("role")
    if role is not None and generic.value("behavior", "role", role) in ("router", "assistant"):
        where = Related(agent.source.path, generic.span_of(role), "the role")
        fix = fixes.replace(generic.span_of(role), "orchestrator", "Set role orchestrator", preferred=False)
        yield found(section.key_span, fix, related=(where,))


@rule(
    "ABL934",
    "delegate-must-ask",
    "error",
    "`{child}` needs `{f}`, and a delegate cannot ask",
    over=nodes.Section,
    project=True,
)
def delegate_must_ask(section: nodes.Section, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: Another agent is asked for a result, and its first question is for a value that INPUT does not pass.
    Why: A delegate has no user to ask, so it fails. A HANDOFF that expects a return can ask.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        DELEGATE:
          - AGENT: Catalogue
            WHEN: wanted IS SET
            PURPOSE: "Find the book"
            INPUT: {branch}
            RETURNS: {title: book}
            USE_RESULT: "Say where the book is"
        AGENT: Catalogue
        GOAL: "Find books"
        GATHER:
          title:
            prompt: "Which title?"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        DELEGATE:
          - AGENT: Catalogue
            WHEN: wanted IS SET
            PURPOSE: "Find the book"
            INPUT: {title: wanted}
            RETURNS: {title: book}
            USE_RESULT: "Say where the book is"
        AGENT: Catalogue
        GOAL: "Find books"
        GATHER:
          title:
            prompt: "Which title?"
    """
    for keys in delegations(section, agent):
        asked = target(keys)
        child = project.agents.get(generic.word(asked))
        if asked is None or child is None or child.name == agent.name:
            continue
        passed = given(keys)
        names = {name.value for name in keys_in(passed, agent)}
        asks = (field for field in _asked_first(child) if field.name.value not in names)
        missing = {field.name.value: field for field in islice(asks, _MOST_MISSING)}
        if not missing:
            continue
        where = tuple([Related(child.source.path, field.name.span, "asked here") for field in missing.values()])
        data = {"child": child.name, "f": next(iter(missing))}
        if len(missing) > 1:
            data |= {"f": listed(list(missing)), "wording": "`{child}` needs {f}, and a delegate cannot ask"}
        add = _slip(passed, list(missing), child, agent) or _pass_on(passed, list(missing), asked, agent)
        yield found(generic.span_of(asked), *add, related=where, **data)  # type: ignore[arg-type]


def _asked_first(child: AgentIndex) -> Iterator[nodes.GatherField]:
    """The required fields that the agent asks for whatever happens, and that nothing else can fill."""
    gather = child.agent.gather
    if child.steps:
        entry = child.steps.get(child.graph.entry or "")
        if entry is None or entry.setting("WHEN") is not None:
            return
        first = next((d for d in entry.directives if isinstance(d, nodes.Gather | nodes.Call | nodes.Check)), None)
        gather = first if isinstance(first, nodes.Gather) else None
    for field in gather.fields if gather is not None else ():
        asked = field.required and field.default is None
        silent = any(
            field.prop(key) is not None for key in ("INFER", "PROMPT_MODE", "SATISFIED_BY", "ACTIVATION", "DEPENDS_ON")
        )
        root = field.name.value.partition(".")[0]
        if asked and not silent and all(origin.write.kind == "gather" for origin in child.origins_of(root)):
            yield field


def _slip(passed: Block | None, names: list[str], child: AgentIndex, agent: AgentIndex) -> tuple[Fix, ...]:
    """The name for which the one that is missing was meant: one like it, that the other agent does not know."""
    unknown = [name for name in keys_in(passed, agent) if name.value not in child.written_roots | child.read_roots]
    slips = [name for name in unknown if closest(name.value, names) == (names[0],)] if len(names) == 1 else []
    if len(slips) != 1 or slips[0].value in agent.written_roots:
        return ()
    return (fixes.replace(slips[0].span, names[0], f"Change `{slips[0].value}` to `{names[0]}`"),)


def _pass_on(passed: Block | None, names: list[str], target: Block, agent: AgentIndex) -> tuple[Fix, ...]:
    title, row = f"Pass {listed(names)}", ", ".join(names)
    source = agent.source
    if passed is None:
        if not has_own_lines(source, Span(target.key_span.start, generic.span_of(target).end)):
            return ()
        line = f"{' ' * (target.column - 1)}INPUT: {{{row}}}"
        return (fixes.insert_line_below(source, target.key_span, line, title, preferred=False),)
    if passed.children:
        first = passed.children[0]
        pad = " " * (first.column - 1)
        lines = "\n".join([f"{pad}- {name}" if first.item else f"{pad}{name}: {name}" for name in names])
        return (fixes.insert_line_below(source, passed.children[-1].span, lines, title, preferred=False),)
    value = passed.value
    if value is None or value.raw[-1:] not in ("}", "]"):
        return ()
    inside = value.raw[1:-1].strip()
    return (fixes.insert(value.inner.end - 1, f"{', ' if inside else ''}{row}", title, preferred=False),)


@rule(
    "ABL935",
    "unproduced-return",
    "warning",
    "`{child}` never produces `{f}`. Did you mean `{y}`?",
    over=(nodes.Section, nodes.Handoff),
    project=True,
)
def unproduced_return(node: nodes.Section | nodes.Handoff, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: RETURNS, or `map` of ON_RETURN, takes a value that the other agent never sets.
    Why: The variable here stays unset.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        DELEGATE:
          - AGENT: Catalogue
            WHEN: title IS SET
            PURPOSE: "Find the book"
            INPUT: {title}
            RETURNS: {shelf: where_it_is}
            USE_RESULT: "Say where the book is"
        AGENT: Catalogue
        GOAL: "Find books"
        MEMORY:
          session:
            - place
              TYPE: string
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        DELEGATE:
          - AGENT: Catalogue
            WHEN: title IS SET
            PURPOSE: "Find the book"
            INPUT: {title}
            RETURNS: {place: where_it_is}
            USE_RESULT: "Say where the book is"
        AGENT: Catalogue
        GOAL: "Find books"
        MEMORY:
          session:
            - place
              TYPE: string
    """
    for name, block, inputs in _returned(node, agent):
        child = project.agents.get(name)
        if child is None or child.name == agent.name:
            continue
        known = project.known_names(child)
        for field in keys_in(block, agent):
            root = field.value.partition(".")[0]
            if field.value in known or root in known or field.value in inputs or _in_some_result(child, root):
                continue
            best, renames = fixes.rename_to(field.span, field.value, generic.some(child.written_roots))
            yield found(field.span, *renames, child=child.name, f=field.value, y=best)


def _returned(
    node: nodes.Section | nodes.Handoff, agent: AgentIndex
) -> Iterator[tuple[str, Block | None, frozenset[str]]]:
    """For each agent that gives something back: its name, the block that says what, and what it was given."""
    if isinstance(node, nodes.Handoff):
        if node.to is not None and node.on_return is not None:
            yield node.to.value, generic.by_key(agent.source, node.on_return).get("map"), frozenset()
        return
    for keys in delegations(node, agent):
        inputs = frozenset(name.value for name in keys_in(given(keys), agent))
        yield generic.word(target(keys)), keys.get("returns"), inputs


_ANY = "*"


def _result_fields(part: Part) -> frozenset[str]:
    """The fields that tools return; ``*`` where that is not known."""
    types = [tool.returns for tool in part.all(nodes.Tool)]
    return frozenset([name for type_ in types for name in _fields_of(type_)])


def _fields_of(type_: nodes.TypeRef | None) -> list[str]:
    return [name for name, _, _ in type_.fields] if type_ is not None and type_.fields else [_ANY]


def _in_some_result(child: AgentIndex, field: str) -> bool:
    """True when some tool of the agent returns a field of that name, which is found in ``call_result``."""
    return not child.union(_result_fields).isdisjoint((field, _ANY))


@rule(
    "ABL949",
    "failure-without-message",
    "warning",
    "Delegate failure `respond` needs FAILURE_MESSAGE",
    over=nodes.Section,
)
def failure_without_message(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A delegation answers the user when it fails, and no text is given.
    Why: The user hears nothing.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        DELEGATE:
          - AGENT: Catalogue
            WHEN: title IS SET
            PURPOSE: "Find the book"
            INPUT: {title}
            RETURNS: {id: book_id}
            USE_RESULT: "Say where the book is"
            ON_FAIL: respond
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        DELEGATE:
          - AGENT: Catalogue
            WHEN: title IS SET
            PURPOSE: "Find the book"
            INPUT: {title}
            RETURNS: {id: book_id}
            USE_RESULT: "Say where the book is"
            ON_FAIL: respond
            FAILURE_MESSAGE: "The catalogue does not answer."
    """
    for keys in delegations(section, agent):
        action = generic.first_of(keys, ("onfail", "onfailure"))
        if (
            action is not None
            and generic.value("delegate", "ON_FAIL", action) == "respond"
            and "failuremessage" not in keys
        ):
            line = f'{" " * (action.column - 1)}FAILURE_MESSAGE: "…"'
            own = has_own_lines(agent.source, action.span)
            add = (fixes.insert_line_below(agent.source, action.span, line, "Add FAILURE_MESSAGE"),) if own else ()
            yield found(generic.span_of(action), *add)
