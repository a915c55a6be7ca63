"""6xx about buttons, handlers and attachments of a step (docs/spec 06 §5.10, §6.4, 10 §2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance.values import unfit
from abl.analysis.flow.cross_agent_queries import words_in
from abl.analysis.incremental.parts import Placed
from abl.analysis.index.elements import elements_of, ids_in, shown_blocks
from abl.analysis.index.imported_tools import profiles_used
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.analysis.symbols.local_names import labels_of
from abl.diagnostics import Fix, Severity
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest

_ELEMENTS = re.compile(r"\b(?:actions|buttons|elements|id)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_DECLARES = ("action", "declaration")
_SENT_AT_ONCE = frozenset({"button", "select"})


@rule("ABL645", "unhandled-action", "warning", "Action `{id}` has no handler", over=Placed, needs=nodes.Elements)
def unhandled_action(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step shows a button that no ON_ACTION, ACTION_HANDLERS or ON_INPUT answers.
    Why: Pressing it does nothing.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Shall I lend it?"
            ACTIONS:
              - id: lend
                type: button
                label: "Yes"
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Shall I lend it?"
            ACTIONS:
              - id: lend
                type: button
                label: "Yes"
            ON_ACTION:
              - ACTION: lend
                RESPOND: "Here it is."
                THEN: COMPLETE
    """
    for step in part.part.all(nodes.Step) if part.part.all(nodes.Elements) else ():
        yield from _unhandled(part.at(step), agent)


def _unhandled(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    blocks = [block for block in shown_blocks(step) if block.key.upper() == "ACTIONS"]
    if not blocks or _text_is_heard(step, agent):
        return
    handled = {handler.action.value for handler in agent.first(nodes.ActionHandler) if handler.action is not None}
    known = {element_id for block in shown_blocks(step) for element_id in ids_in(block)}
    misspelt = sorted(handled - known)
    for block in blocks:
        elements = elements_of(block) or ()
        form = any(child.key.replace("_", "").upper() == "SUBMITID" for child in block.children)
        for element in elements:
            if element.id in handled or element.link or element.kind not in _SENT_AT_ONCE or form:
                continue
            if closest(element.id, misspelt):
                continue  # ABL646, at the handler
            yield found(element.span, _handler(step, block, element.id, agent), id=element.id)


def _text_is_heard(step: nodes.Step, agent: AgentIndex) -> bool:
    """True when the text of a button, sent as a message, is looked at: in this step or in those it leads to."""
    flow = agent.agent.flow
    if agent.fragment or flow is None or flow.digressions:
        return True
    graph = agent.graph
    seen: set[str] = set()
    open_ = [step.name.value]
    while open_:
        name = open_.pop()
        here = agent.steps.get(name)
        if name in seen or here is None:
            continue
        seen.add(name)
        if here.reasoning or any(isinstance(d, _LISTENING) for d in here.directives):
            return True
        if name not in graph.waits or here is step:
            open_.extend(edge.target for edge in graph.outgoing[name])
    return False


_LISTENING = (nodes.OnInput, nodes.Gather, nodes.IntentHandlers)


def _handler(step: nodes.Step, block: nodes.Block, action: str, agent: AgentIndex) -> Fix:
    """A new entry of ON_ACTION, which is added where there is none."""
    title = f"Create a handler for `{action}`"
    lists = [d for d in step.directives if isinstance(d, nodes.ActionHandlers) and d.handlers]
    last = lists[-1].handlers[-1] if lists else None
    if last is not None and last.block is not None:
        pad = " " * (last.block.column - 1)
        head = f"{pad}- ACTION: {action}" if last.block.item else f"{pad}{action}:"
        below = f'{head}\n{pad}  RESPOND: "…"'
        return fixes.insert_line_below(agent.source, last.span, below, title, preferred=False)
    pad = fixes.indent_of(agent.source, step.directives[0].span.start)
    lines = f'{pad}ON_ACTION:\n{pad}  - ACTION: {action}\n{pad}    RESPOND: "…"'
    return fixes.insert_line_below(agent.source, block.span, lines, title, preferred=False)


@rule(
    "ABL646",
    "unknown-action",
    "error",
    "ON_ACTION names unknown action `{id}`. Did you mean `{y}`?",
    over=(Placed, nodes.ActionHandler),
)
def unknown_action(part: Placed | nodes.ActionHandler, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A handler is for an action that no element of the agent has as its id. In ACTION_HANDLERS, which are for all
    of the agent, one whose id is not near any that is shown is a warning.
    Why: It never runs.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Shall I lend it?"
            ACTIONS:
              - id: lend
                type: button
                label: "Yes"
            ON_ACTION:
              - ACTION: lned
                THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Shall I lend it?"
            ACTIONS:
              - id: lend
                type: button
                label: "Yes"
            ON_ACTION:
              - ACTION: lend
                THEN: COMPLETE
    """
    if isinstance(part, nodes.ActionHandler):
        if part.path.startswith("action_handlers"):
            yield from _never_shown(part, agent)
        return
    for step in part.part.all(nodes.Step) if part.part.all(nodes.ActionHandlers) else ():
        yield from _unknown(part.at(step), agent)


def _never_shown(handler: nodes.ActionHandler, agent: AgentIndex) -> Iterator[Found]:
    """An entry of ACTION_HANDLERS for what nothing in the agent shows, where all that it shows is known (09 §14)."""
    name, ids = handler.action, agent.derive(_ids_shown)
    if name is None or not ids or name.value in ids or agent.fragment or agent.derive(profiles_used):
        return
    written = words_in(agent.source.text)
    if all(written[word] > 1 for word in _WORD.findall(name.value)):  # in a card of a channel, or in a text
        return
    best, renames = fixes.rename_to(name.span, name.value, sorted(ids))
    words = "ACTION_HANDLERS names unknown action `{id}`" + (". Did you mean `{y}`?" if best else "")
    severity: Severity | None = None if best else "warning"
    yield found(name.span, *renames, severity=severity, id=name.value, y=best, wording=words)


def _ids_shown(agent: AgentIndex) -> frozenset[str]:
    """The ids of all elements of an agent; none where some come from a path."""
    shown = [node.content for node in (*agent.all(nodes.Elements), *agent.all(nodes.Format))]
    if any(below.get("from") is not None for content in shown for below in content.walk()):
        return frozenset()
    ids = frozenset([label.name for label in agent.derive(labels_of) if (label.kind, label.role) == _DECLARES])
    return ids if not any("{{" in each for each in ids) else frozenset()


def _unknown(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    handlers = [handler for d in step.directives if isinstance(d, nodes.ActionHandlers) for handler in d.handlers]
    if not handlers or _may_show_anything(step, agent):
        return
    known: set[str] = set()
    for block in shown_blocks(step):
        if block.key.upper() == "ACTIONS" and elements_of(block) is None:
            return
        known |= ids_in(block)
    if agent.fragment and not known:
        return
    for handler in handlers:
        name = handler.action
        if name is not None and name.value not in known and name.value not in agent.mentions:
            best, renames = fixes.rename_to(name.span, name.value, sorted(known))
            yield found(name.span, *renames, id=name.value, y=best)


def _may_show_anything(step: nodes.Step, agent: AgentIndex) -> bool:
    """True for a step with a template that may hold elements: one with ACTIONS, or from elsewhere."""
    shown = [d.template.value for d in step.directives if isinstance(d, nodes.Respond) and d.template is not None]
    return bool(shown) and not agent.derive(_templates_of_text).issuperset(shown)


def _templates_of_text(agent: AgentIndex) -> frozenset[str]:
    """The agent's templates in which no element can stand."""
    section = agent.agent.section("TEMPLATES")
    children = section.block.children if section is not None and section.block is not None else ()
    text = agent.source.text
    return frozenset([child.key for child in children if child.key and not _ELEMENTS.search(text, *child.span)])


@rule(
    "ABL647",
    "bad-attachment",
    "error",
    "AWAIT_ATTACHMENT {what}. Did you mean `{y}`?",
    over=nodes.Setting,
    needs="AWAIT_ATTACHMENT",
)
def bad_attachment(setting: nodes.Setting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: AWAIT_ATTACHMENT does not name the variable for the file, or its category does not exist.
    Why: The file could not be found again, or no file could be sent.
    Bad:
        FLOW:
          ask:
            REASONING: false
            AWAIT_ATTACHMENT:
              PROMPT: "Please send a photo."
              CATEGORY: image
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            AWAIT_ATTACHMENT:
              NAME: photo
              PROMPT: "Please send a photo."
              CATEGORY: image
            THEN: COMPLETE
    """
    if setting.keyword != "AWAIT_ATTACHMENT" or setting.block is None or not setting.block.children:
        return
    given = {child.key.upper(): child for child in setting.block.children}
    if "NAME" not in given:
        close = closest("NAME", [child.key for child in setting.block.children if len(child.key) > 3])
        pad = " " * (setting.block.children[0].column - 1)
        addition = fixes.insert_line_below(
            agent.source, setting.key_span, f"{pad}NAME: attachment", "Insert NAME", preferred=not close
        )
        yield found(setting.key_span, addition, what="needs NAME")
    category = given.get("CATEGORY")
    if category is not None and category.value is not None:
        written = category.value.value.strip()
        what = f"has an unknown CATEGORY `{written}`"
        yield from unfit(category.value, "await_attachment", "CATEGORY", setting.path, what=what)


@rule(
    "ABL648",
    "timeout-without-exit",
    "warning",
    "TIMEOUT without ON_TIMEOUT",
    over=nodes.Setting,
    needs="AWAIT_ATTACHMENT",
)
def timeout_without_exit(setting: nodes.Setting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step waits for a file for a limited time, but does not say where to go then.
    Why: When the time is over nothing happens.
    Bad:
        FLOW:
          ask:
            REASONING: false
            AWAIT_ATTACHMENT:
              NAME: photo
              TIMEOUT: 120
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            AWAIT_ATTACHMENT:
              NAME: photo
              TIMEOUT: 120
              ON_TIMEOUT: ESCALATE
            THEN: COMPLETE
    """
    if setting.keyword != "AWAIT_ATTACHMENT" or setting.block is None:
        return
    given = {child.key.upper(): child for child in setting.block.children}
    timeout = given.get("TIMEOUT")
    if timeout is None or "ON_TIMEOUT" in given:
        return
    step = setting.path.split(".")[-2]
    own = agent.steps.get(step)
    if own is not None and any(d.keyword == "ON_TIMEOUT" for d in own.directives):
        return
    pad = " " * (timeout.column - 1)
    then = own.then.target.value if own is not None and own.then is not None and own.then.target is not None else None
    targets = dict.fromkeys([then, "ESCALATE", "COMPLETE"])
    choices = (
        fixes.insert_line_below(
            agent.source, timeout.span, f"{pad}ON_TIMEOUT: {t}", f"Add `ON_TIMEOUT: {t}`", preferred=False
        )
        for t in targets
        if t is not None
    )
    yield found(timeout.key_span, *choices)
