"""6xx about what digressions, sub-intents and handlers of elements do (docs/spec 06 §6.4, §7, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from abl.analysis import fixes
from abl.analysis.fixes import braces
from abl.analysis.fixes.entries import has_own_lines, remove_entry
from abl.analysis.incremental.parts import Part, Placed
from abl.analysis.index.model import AgentIndex, first_line
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix, Related
from abl.language import value_of_text
from abl.source import Span
from abl.syntax import nodes, vocabulary

_Handler = nodes.IntentHandler | nodes.ActionHandler
_HANDLERS = (nodes.IntentHandler, nodes.ActionHandler)
_Listed = Sequence[nodes.Branch | nodes.Directive]
_HEADS = frozenset({"INTENT", "KEYWORDS", "CONDITION", "ACTION", "DO"})
_KNOWN = vocabulary.STEP_DIRECTIVES | vocabulary.HANDLER_KEYS


@rule(
    "ABL623",
    "dead-actions",
    "warning",
    "Actions after {terminal} never run",
    over=(*_HANDLERS, nodes.DoList),
    tags=("unnecessary",),
)
def dead_actions(handler: _Handler | nodes.DoList, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A DO list, of a handler or of a tool, continues behind RESUME, GOTO, HANDOFF or COMPLETE.
    Why: These end the list; what is below them never happens.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: "opening hours"
                DO:
                  - RESUME
                  - RESPOND: "We open at nine."
            RESPOND: "Looking for {{title}}."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: "opening hours"
                DO:
                  - RESPOND: "We open at nine."
                  - RESUME
            RESPOND: "Looking for {{title}}."
            THEN: COMPLETE
    """
    if isinstance(handler, nodes.DoList):
        inner = [entry.actions for entry in handler.actions if isinstance(entry, nodes.Branch)]
        for listed in (handler.actions, *inner):
            yield from _dead(listed, agent)
    elif handler.ordered:
        yield from _dead(handler.actions, agent)


def _dead(listed: _Listed, agent: AgentIndex) -> Iterator[Found]:
    ends = next((n for n in range(len(listed)) if _ends(listed, n)), len(listed))
    dead = listed[ends + 1 :]
    if not dead:
        return
    last, source = listed[ends], agent.source
    whole = Span(dead[0].span.start, dead[-1].span.end)
    repairs: tuple[Fix, ...] = ()
    if has_own_lines(source, whole) and has_own_lines(source, last.span) and isinstance(last, nodes.Directive):
        lines = fixes.whole_lines(source, whole)
        text = source.text[slice(*lines)]
        above = fixes.whole_lines(source, last.span).start
        moved = (Edit(Span(above, above), text if text.endswith("\n") else f"{text}\n"), Edit(lines, ""))
        removal = Fix("Remove them", (Edit(lines, ""),), preferred=False)
        repairs = (Fix(f"Move them above {last.keyword}", moved, preferred=True), removal)
    terminal = last.keyword if isinstance(last, nodes.Directive) else "the branches"
    span = dead[0].key_span if isinstance(dead[0], nodes.Directive) else first_line(dead[0])
    yield found(span, *repairs, terminal=terminal)


def _ends(listed: _Listed, number: int) -> bool:
    """True for an action that ends its list, and for the ELSE of branches each of which does."""
    action = listed[number]
    if isinstance(action, nodes.Branch):
        others = takewhile(lambda entry: isinstance(entry, nodes.Branch) and not entry.is_else, listed[:number][::-1])
        branches = [action, *(entry for entry in others if isinstance(entry, nodes.Branch))]
        return action.is_else and all(any(_is_exit(each) for each in branch.actions) for branch in branches)
    return _is_exit(action)


def _is_exit(action: nodes.Directive) -> bool:
    """True for an action that ends a DO list."""
    if isinstance(action, nodes.Setting):
        return action.keyword == "RESUME" and value_of_text("digression_action", "RESUME", action.value) is not False
    return isinstance(action, nodes.Transition) and action.keyword not in ("ON_EXHAUSTED", "ON_TIMEOUT")


@rule("ABL641", "do-and-flat-keys", "warning", "DO and flat keys are mixed; only DO runs", over=_HANDLERS)
def do_and_flat_keys(handler: _Handler, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A handler has actions beside its DO list.
    Why: Only the list runs.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: "opening hours"
                RESPOND: "We open at nine."
                DO:
                  - RESUME
            RESPOND: "Looking for {{title}}."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: "opening hours"
                DO:
                  - RESPOND: "We open at nine."
                  - RESUME
            RESPOND: "Looking for {{title}}."
            THEN: COMPLETE
    """
    if not handler.ordered:
        return
    flat = [prop for prop in handler.props if prop.key not in _HEADS and prop.key in _KNOWN]
    ordered = handler.prop("DO")
    if flat and ordered is not None:
        yield found(flat[0].key_span, *_into_list(flat, ordered.block, agent))


def _into_list(flat: list[nodes.Property], ordered: nodes.Block, agent: AgentIndex) -> tuple[Fix, ...]:
    """The flat keys as the first items of the list; RESUME and the like, which end it, as the last."""
    source = agent.source
    blocks = [prop.block for prop in flat]
    if not ordered.children or not all(has_own_lines(source, block.span) and not _is_head(block) for block in blocks):
        return ()
    if any(source.text[b.line_span.start : b.key_span.start].strip() for b in blocks):
        return ()
    pad = " " * (ordered.children[0].column - 1)
    first: list[str] = []
    last: list[str] = []
    edits: list[Edit] = []
    for block in blocks:
        lines = source.text[slice(*fixes.whole_lines(source, block.span))].splitlines()
        shown = [f"{pad}- {lines[0].lstrip()}", *(f"{pad}  {line[block.column - 1 :]}" for line in lines[1:])]
        (last if block.key.upper() in ("RESUME", "GOTO", "THEN", "HANDOFF", "COMPLETE") else first).extend(shown)
        edits.append(Edit(fixes.whole_lines(source, block.span), ""))
    begin = source.line_starts[source.position(ordered.children[0].span.start).line - 1]
    edits.append(Edit(Span(begin, begin), "".join(f"{line}\n" for line in first)))
    end = ordered.children[-1].span.end
    edits.append(Edit(Span(end, end), "".join(f"\n{line}" for line in last)))
    return (Fix("Merge them into DO", tuple(edit for edit in edits if edit.text or edit.span.end > edit.span.start)),)


def _is_head(block: nodes.Block) -> bool:
    return block.item


@rule(
    "ABL642",
    "intent-taken",
    "warning",
    "Intent `{i}` is already taken by {scope}, which wins",
    over=(Placed, nodes.Flow),
)
def intent_taken(node: Placed | nodes.Flow, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An intent has two handlers: twice in one list, in a step's SUB_INTENTS and DIGRESSIONS, or a global one that
        every waiting step has, too.
    Why: The first wins: sub-intents, then the digressions of the step, then the global ones.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            SUB_INTENTS:
              - INTENT: "opening hours"
                RESPOND: "We open at nine."
            DIGRESSIONS:
              - INTENT: opening_hours
                RESPOND: "We open at ten."
                RESUME: true
            RESPOND: "Looking for {{title}}."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: opening_hours
                RESPOND: "We open at nine."
                RESUME: true
            RESPOND: "Looking for {{title}}."
            THEN: COMPLETE
    """
    if isinstance(node, Placed):
        for step in node.part.all(nodes.Step) if node.part.all(nodes.IntentHandlers) else ():
            lists = [d for d in node.at(step).directives if isinstance(d, nodes.IntentHandlers)]
            lists.sort(key=lambda d: d.keyword != "SUB_INTENTS")
            entries = [(handler, f"{d.keyword} of this step", d) for d in lists for handler in d.handlers]
            yield from _taken(entries, {}, agent)
    elif node.digressions:
        yield from _taken(((handler, "this list", None) for handler in node.digressions), _handled_by_all(agent), agent)


def _taken(
    entries: Iterable[tuple[nodes.IntentHandler, str, nodes.IntentHandlers | None]],
    taken: dict[str, str],
    agent: AgentIndex,
) -> Iterator[Found]:
    """The handlers of intents that an earlier one, without a condition, takes."""
    first: dict[str, tuple[str, nodes.IntentHandler | None]] = {name: (scope, None) for name, scope in taken.items()}
    for handler, scope, within in entries:
        name = _plain(handler)
        if not name or handler.intent is None:
            continue
        if name in first:
            winner, other = first[name]
            related = (
                (Related(agent.source.path, other.intent.span, "it stands here"),) if other and other.intent else ()
            )
            alone = within is not None and len(within.handlers) == 1
            removal = remove_entry(agent, within if alone and within is not None else handler, "Remove this one")
            yield found(handler.intent.span, *removal, related=related, i=handler.intent.value, scope=winner)
        elif handler.condition is None:
            first[name] = (scope, handler)


def _plain(handler: nodes.IntentHandler) -> str:
    text = handler.intent.value if handler.intent is not None else ""
    return "".join(character for character in text.lower() if character not in " _-")


def _handled_by_all(agent: AgentIndex) -> dict[str, str]:
    """Intents that every waiting step handles itself, without a condition."""
    common: set[str] | None = None
    for name in agent.graph.waits & agent.graph.reachable:
        lists = [d for d in agent.steps[name].directives if isinstance(d, nodes.IntentHandlers)]
        own = {_plain(handler) for d in lists for handler in d.handlers if handler.condition is None}
        common = own if common is None else common & own
        if not common:
            return {}
    return dict.fromkeys(common or (), "every step that waits")


@rule(
    "ABL643",
    "kept-computation",
    "hint",
    "CLEAR drops `{a}` but keeps `{b}`, computed from it",
    over=Placed,
    needs="cleared",
)
def kept_computation(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: CLEAR takes a variable away from which SET computed another, and nothing computes that again.
    Why: The other one continues with the old value.
    Bad:
        FLOW:
          count:
            REASONING: false
            SET:
              - copies = 2
              - fee = copies * 3
            THEN: tell
          tell:
            REASONING: false
            CLEAR: [copies]
            RESPOND: "You pay {{fee}}."
            THEN: COMPLETE
    Good:
        FLOW:
          count:
            REASONING: false
            SET:
              - copies = 2
              - fee = copies * 3
            THEN: tell
          tell:
            REASONING: false
            CLEAR: [copies, fee]
            RESPOND: "Please start again."
            THEN: COMPLETE
    """
    if not part.part.cleared:
        return
    dropped = {name.value for name, _ in part.part.cleared}
    computed = agent.items(_computed)
    reported: set[str] = set()
    for name, _ in part.cleared:
        for target, roots, step in computed:
            if name.value not in roots or target in dropped or target in reported or target not in agent.read_roots:
                continue
            here = _step_of(part)
            if step is not None and (step == here or (here is not None and agent.graph.leads_to(here, step))):
                continue  # it is computed again
            reported.add(target)
            yield found(name.span, *_clear_too(name, target, agent), a=name.value, b=target)


def _computed(part: Part) -> list[tuple[str, frozenset[str], str | None]]:
    """What SET computes from other names: target, first segments of these names, step."""
    found: list[tuple[str, frozenset[str], str | None]] = []
    for use in part.uses:
        if use.place == "SET" and isinstance(use.owner, nodes.Assignment) and use.owner.target is not None:
            target = use.owner.target.value
            roots = frozenset(name.root for name in use.reading.names) - {target.partition(".")[0]}
            if roots:
                found.append((target.partition(".")[0], roots, use.step))
    return found


def _step_of(part: Placed) -> str | None:
    steps = part.part.all(nodes.Step)
    return steps[0].name.value if steps else None


def _clear_too(name: nodes.Name, other: str, agent: AgentIndex) -> tuple[Fix, ...]:
    """The other name behind the first, in a list on one line."""
    line = agent.source.line_text(agent.source.position(name.span.start).line)
    if line.lstrip().startswith("- ") and ":" not in line:
        pad = fixes.indent_of(agent.source, name.span.start)
        below = fixes.insert_line_below(agent.source, name.span, f"{pad}- {other}", f"Clear `{other}`, too")
        return (below,)
    return (Fix(f"Clear `{other}`, too", braces.listed_behind(agent.source, name.span, other), True),)


@rule(
    "ABL644",
    "delegate-without-return",
    "warning",
    "DELEGATE in a digression needs `RETURN: true`",
    over=nodes.IntentHandler,
)
def delegate_without_return(handler: nodes.IntentHandler, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A digression delegates to another agent without expecting it back.
    Why: A digression is a short way aside; without the return the interrupted step is lost.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: "opening hours"
                DELEGATE: Librarian
            RESPOND: "Looking for {{title}}."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: "opening hours"
                DELEGATE: Librarian
                RETURN: true
            RESPOND: "Looking for {{title}}."
            THEN: COMPLETE
    """
    delegate = next((action for action in handler.actions if action.keyword == "DELEGATE"), None)
    if delegate is None or delegate.block is None or any(_returns(action) for action in handler.actions):
        return
    children = delegate.block.children
    if any(child.key.upper() in ("RETURN", "EXPECT_RETURN") for child in children):
        return
    pad = " " * (delegate.block.column - 1 if not children else children[0].column - 1)
    given = next((a for a in handler.actions if a.keyword in ("RETURN", "EXPECT_RETURN")), None)
    if given is not None and isinstance(given, nodes.Setting) and given.value is not None:
        repair = fixes.replace(given.value.span, "true")
    else:
        below = first_line(delegate) if not children else children[-1].span
        repair = fixes.insert_line_below(agent.source, below, f"{pad}RETURN: true", "Insert `RETURN: true`")
    yield found(delegate.key_span, repair)


def _returns(action: nodes.Directive) -> bool:
    if not isinstance(action, nodes.Setting) or action.keyword not in ("RETURN", "EXPECT_RETURN"):
        return False
    return action.value is None or bool(value_of_text("digression", "RETURN", action.value))
