"""7xx about the use of collected values: conflicts, retries, old forms (docs/spec 07, 10 §3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from abl.analysis import fixes
from abl.analysis.conditions.types import same_type
from abl.analysis.fixes.entries import create_in_section
from abl.analysis.incremental.parts import Part
from abl.analysis.index.fields import is_in_step, type_word
from abl.analysis.index.model import AgentIndex, Read
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.memory.session_memory import reset_of
from abl.diagnostics import Edit, Fix, Related
from abl.language import value_of_text
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.readers.outcomes import gathers_of

_ENTRY = re.compile(r":(\w+):")
_STEP = re.compile(r"flow\.(\w+)\.GATHER")
_JUDGED_BY = ("OPTIONS", "VALIDATE", "ENTITY_REF", "SEMANTICS", "EXTRACTION_PATTERN", "SATISFIED_BY", "ENUM_VALUES")
_SPACES = ("session.", "context.", "gather.")
_FREE_TEXT = frozenset({"string", "text", "free_text"})


@rule(
    "ABL725",
    "unused-field",
    "warning",
    "Required field `{f}` is collected but never used",
    over=AgentIndex,
    project=True,
    tags=("unnecessary",),
)
def unused_field(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A step asks for a value that no condition, message, call, handoff or memory entry reads.
    Why: The user is asked for nothing; or the name is misspelt where it should be read.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
                prompt: "Which book?"
            RESPOND: "Thank you."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
                prompt: "Which book?"
            RESPOND: "Thank you for asking for {{title}}."
            THEN: COMPLETE
    """
    if agent.fragment or agent.reasoning:
        return
    known = agent.union(_read_roots) | agent.mentions | agent.parameters
    unused = [(placed, f) for placed, names in agent.each(_asked) for name, f in names if name not in known]
    if not unused or _may_read_anything(agent):
        return
    elsewhere = _named_elsewhere(agent, project) | _behind_spaces(agent)
    for placed, field in unused:
        name = field.name.value
        if name in project.mentioned:  # another agent may ask this one for it
            continue
        if name not in elsewhere and not agent.path_of(name) and f"{name}_currency" not in known:
            yield found(placed.at(field.name.span), f=name)


def _read_roots(part: Part) -> frozenset[str]:
    """First segments of what is read, but for a field that only its own rule looks at."""
    return frozenset([read.root for read in part.reads if not _is_own_rule(read)])


def _is_own_rule(read: Read) -> bool:
    own = isinstance(read.owner, nodes.GatherField) and read.owner.name.value == read.root
    return own and read.use is not None and read.use.place == "VALIDATE"


def _asked(part: Part) -> list[tuple[str, nodes.GatherField]]:
    """The required fields of steps, but for those whose ON_INPUT looks at the answer itself."""
    steps = part.all(nodes.Step)
    judged = {step.name.value for step in steps if any(isinstance(d, nodes.OnInput) for d in step.directives)}
    asked = [w.node for w in part.writes if w.kind == "gather" and w.step is not None and w.step not in judged]
    return [(f.name.value, f) for f in asked if isinstance(f, nodes.GatherField) and f.required]


def _may_read_anything(agent: AgentIndex) -> bool:
    """True when a tool whose parameters are not known here is called: it may take a variable by name."""
    return any(name not in agent.tools for name in agent.items(_called))


def _called(part: Part) -> list[str]:
    return [ref.name.value for ref in part.tool_refs if ref.call is not None]


def _behind_spaces(agent: AgentIndex) -> set[str]:
    """Names that are read through a name for all variables, such as ``session.title``."""
    return {path.split(".")[1] for path in agent.read_paths if path.startswith(_SPACES)}


def _named_elsewhere(agent: AgentIndex, project: Index) -> set[str]:
    """Names in recall events, and those that other agents give or take."""
    memory = agent.agent.memory
    events = [recall.on.value for recall in memory.recall if recall.on is not None] if memory is not None else []
    named = {name for event in events for name in _ENTRY.findall(event)}
    named |= project.returned(agent) | project.received(agent)
    return named


@rule("ABL726", "conflicting-fields", "warning", "`{f}` is {t1} here and {t2} in {place}", over=nodes.GatherField)
def conflicting_fields(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Two gathers collect one name with types that do not go together.
    Why: Both fill one variable, which then holds now the one, now the other.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - copies: required
                type: number
            THEN: confirm
          confirm:
            REASONING: false
            GATHER:
              - copies: required
                type: date
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - copies: required
                type: number
            THEN: confirm
          confirm:
            REASONING: false
            GATHER:
              - copies: required
                type: integer
            THEN: COMPLETE
    """
    if field.type is None:
        return
    first = agent.fields.get(field.name.value)
    if first is None or first is field or first.type is None:
        return
    if not same_type(field.type.value, first.type.value):
        step = _STEP.search(first.path)
        place = f"step `{step[1]}`" if step else "the top-level GATHER"
        where = Related(agent.source.path, first.type.span, "the other type")
        here, there = field.type.value.strip(), first.type.value.strip()
        align = fixes.replace(field.type.span, there, preferred=False)
        yield found(field.type.span, align, related=(where,), f=field.name.value, t1=here, t2=there, place=place)


@rule(
    "ABL727",
    "retries-without-handler",
    "hint",
    "max_retries without an ON_ERROR validation_error handler",
    over=nodes.GatherField,
    needs="MAX_RETRIES",
)
def retries_without_handler(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field bounds its retries, but nothing handles the error that follows the last one: neither ON_ERROR, nor
        ON_FAILURE or a condition of ON_RESULT below the GATHER.
    Why: The user gets the general error message and is asked the same again.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        GATHER:
          copies:
            prompt: "How many?"
            type: number
            max_retries: 3
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        GATHER:
          copies:
            prompt: "How many?"
            type: number
            max_retries: 3
        ON_ERROR:
          validation_error:
            RESPOND: "Let us leave that."
            THEN: ESCALATE
    """
    prop = field.prop("MAX_RETRIES")
    if prop is None or agent.fragment:
        return
    section = agent.agent.section("ON_ERROR")
    if _handles_validation(section.block if section is not None else None):
        return
    step = _STEP.search(field.path)
    own = agent.steps.get(step[1]) if step else None
    if _taken_by_branches(field, (own,) if own is not None else tuple(agent.steps.values())):
        return
    handlers = [d.block for d in own.directives if d.keyword == "ON_ERROR"] if own is not None else []
    if not any(_handles_validation(block) for block in handlers):
        lines = ('RESPOND: "…"', "THEN: CONTINUE")
        yield found(prop.key_span, create_in_section(agent, "ON_ERROR", "validation_error", *lines))


def _taken_by_branches(field: nodes.GatherField, steps: Iterable[nodes.Step]) -> bool:
    """True when every GATHER of a field has branches that may take its failure (06 §6.2)."""
    gathers = [each for step in steps for each in gathers_of(step.directives)]
    collecting = [each for each in gathers if any(f.name.value == field.name.value for f in each.gather.fields)]
    return bool(collecting) and all(
        each.on_failure or any(branch.condition is not None for branch in each.on_result) for each in collecting
    )


def _handles_validation(block: nodes.Block | None) -> bool:
    """True for handlers by type, or with a TYPE, that take validation errors."""
    for child in block.walk() if block is not None else ():
        is_type = child.key.lower() == "type"
        kind = value_of_text("error_handler", "TYPE", child.value) if is_type else child.key.lower()
        if kind in ("validation_error", "default"):
            return True
    return False


@rule("ABL728", "nothing-to-retry", "hint", "{p} without a rule to fail", over=nodes.GatherField)
def nothing_to_retry(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field for free text has retry settings, but no type, options or validation.
    Why: Any text is accepted, so there is nothing to try again.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
            retry_prompt: "That is no title."
    Good:
        GATHER:
          title:
            prompt: "Which book?"
            validate: pattern(^[A-Z])
            retry_prompt: "A title begins with a capital letter."
    """
    settings = [prop for prop in field.props if prop.key in ("MAX_RETRIES", "RETRY_PROMPT")]
    if not settings or any(field.prop(key) for key in _JUDGED_BY) or type_word(field, agent) not in _FREE_TEXT:
        return
    inherited = agent.fields.get(field.name.value)
    if inherited is not None and inherited is not field and any(inherited.prop(key) for key in _JUDGED_BY):
        return
    edits = tuple(Edit(fixes.whole_lines(agent.source, prop.block.span), "") for prop in settings)
    removal = Fix("Remove the retry settings", edits, preferred=False)
    own_lines = not any(prop.block.item for prop in settings)
    yield found(settings[0].key_span, *((removal,) if own_lines else ()), p=settings[0].written)


@rule(
    "ABL730",
    "reset-field",
    "warning",
    "`{f}` resets each step, so its value is lost after this step",
    over=nodes.GatherField,
)
def reset_field(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step collects a variable with `RESET: per_step`, and something outside of the step reads it.
    Why: On entering the next step the variable goes back to INITIAL.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - title
              TYPE: string
              RESET: per_step
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            THEN: tell
          tell:
            REASONING: false
            RESPOND: "You want {{title}}."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - title
              TYPE: string
              RESET: per_session
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            THEN: tell
          tell:
            REASONING: false
            RESPOND: "You want {{title}}."
            THEN: COMPLETE
    """
    name = field.name.value
    if name not in agent.session or not is_in_step(field):
        return
    variable = agent.session[name]
    if variable.reset is None or reset_of(variable) != "per_step":
        return
    step = _STEP.search(field.path)
    if step is not None and any(root == name and place != step[1] for root, place in agent.items(_read_in)):
        yield found(field.name.span, fixes.replace(variable.reset.inner, "per_session", "Reset per session"), f=name)


def _read_in(part: Part) -> list[tuple[str, str | None]]:
    """The first segments of the names that are read, with the steps."""
    return [(read.root, read.step) for read in part.reads]


@rule("ABL736", "old-collect", "hint", "{kw} is the old form", over=nodes.Gather)
def old_collect(gather: nodes.Gather, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step collects with COLLECT, perhaps with PROMPT beside it.
    Why: GATHER does the same and more; platforms may drop the old form.
    Bad:
        FLOW:
          ask:
            REASONING: false
            COLLECT: title
            PROMPT: "Which book?"
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
                prompt: "Which book?"
            THEN: COMPLETE
    """
    block = gather.block
    if block is None or block.key.upper() != "COLLECT":
        return
    beside = [prop for prop in gather.props if prop.block.column == block.column]
    kw = "COLLECT/PROMPT" if any(prop.key == "PROMPT" for prop in beside) else "COLLECT"
    yield found(gather.key_span, *_as_gather(gather, block, beside, agent), kw=kw)


def _as_gather(
    gather: nodes.Gather, block: nodes.Block, beside: list[nodes.Property], agent: AgentIndex
) -> tuple[Fix, ...]:
    """GATHER with a list of fields, the prompt with its field."""
    title = "Convert to GATHER"
    if block.value is None:
        return (fixes.replace(gather.key_span, "GATHER", title),) if not beside else ()
    source, pad = agent.source, " " * (block.column - 1)
    if block.children or len(beside) > 1 or (beside and (len(gather.fields) != 1 or beside[0].key != "PROMPT")):
        return ()
    lines = [f"{pad}GATHER:", *(f"{pad}  - {field.name.value}: required" for field in gather.fields)]
    edits = []
    for prop in beside:
        if prop.value is None or prop.value.style == "pipe":
            return ()
        lines.append(f"{pad}    prompt: {source.text[slice(*prop.value.span)]}")
        edits.append(Edit(fixes.whole_lines(source, prop.block.span), ""))
    start = source.line_starts[source.position(block.span.start).line - 1]
    return (Fix(title, (Edit(Span(start, block.span.end), "\n".join(lines)), *edits), preferred=True),)
