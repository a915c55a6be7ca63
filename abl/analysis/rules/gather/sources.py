"""7xx about where the value of a field comes from: entities, tables, tools, models (docs/spec 07 §2-§8, 10 §3)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.fixes.entries import create_in_section
from abl.analysis.index.available_tools import known_tools
from abl.analysis.index.fields import (
    is_in_step,
    is_set,
    members_of,
    own_or_inherited,
    process_of,
    validation_of,
)
from abl.analysis.index.model import AgentIndex, is_true, value_of
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.language import value_of_text
from abl.source import Span
from abl.syntax import nodes

_OWNED = ("TYPE", "OPTIONS", "ENUM_VALUES")
_MODEL_STRATEGIES = frozenset({"llm", "ml"})


def _entries(section: nodes.Section | None) -> dict[str, nodes.Block]:
    """What a section declares, by name: ``name:`` with a block, or ``- NAME: x``."""
    children = section.block.children if section is not None and section.block is not None else ()
    found: dict[str, nodes.Block] = {}
    for child in children:
        if child.item and child.key.upper() == "NAME" and child.value is not None:
            found[child.value.value.strip()] = child
        elif child.key and not child.item:
            found[child.key] = child
    return found


@rule(
    "ABL710",
    "unknown-entity",
    "error",
    "Entity `{e}` is not declared. Did you mean `{y}`?",
    over=nodes.GatherField,
    needs="ENTITY_REF",
)
def unknown_entity(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `entity_ref` names an entity that neither ENTITIES nor NLU declares.
    Why: The field has no type, values and rule then.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ENTITIES:
          branch:
            TYPE: enum
            VALUES: [central, harbour]
        GATHER:
          where:
            prompt: "Which branch?"
            entity_ref: brnach
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ENTITIES:
          branch:
            TYPE: enum
            VALUES: [central, harbour]
        GATHER:
          where:
            prompt: "Which branch?"
            entity_ref: branch
    """
    text = value_of(field, "ENTITY_REF")
    if text is None or agent.fragment or not text.value.strip():
        return
    known = set(_entries(agent.agent.section("ENTITIES")))
    nlu = agent.agent.section("NLU")
    for child in nlu.block.children if nlu is not None and nlu.block is not None else ():
        if child.key.lower() == "config_file":
            return  # which may declare any
        if child.key.lower() == "entities":
            entries = [generic.by_key(agent.source, entry) for entry in generic.entries(agent.source, child)]
            known.update(generic.word(entry.get("name")) for entry in entries)
            known.update(b.key for b in generic.members(agent.source, child) if b.key)
    name = text.value.strip()
    if name not in known:
        best, renames = fixes.rename_to(text.inner, name, sorted(known))
        yield found(text.inner, *renames, create_in_section(agent, "ENTITIES", name, "TYPE: string"), e=name, y=best)


@rule(
    "ABL711",
    "owned-by-entity",
    "warning",
    "`{p}` is ignored: the entity owns it",
    over=nodes.GatherField,
    needs="ENTITY_REF",
)
def owned_by_entity(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field that refers to an entity has a type or options of its own.
    Why: Both come from the entity; what stands here has no effect.
    Bad:
        ENTITIES:
          branch:
            TYPE: enum
            VALUES: [central, harbour]
        GATHER:
          where:
            prompt: "Which branch?"
            entity_ref: branch
            type: string
    Good:
        ENTITIES:
          branch:
            TYPE: enum
            VALUES: [central, harbour]
        GATHER:
          where:
            prompt: "Which branch?"
            entity_ref: branch
    """
    if field.prop("ENTITY_REF") is None:
        return
    for prop in field.props:
        if prop.key in _OWNED:
            removal = fixes.remove_lines(agent.source, prop.block.span, f"Remove `{prop.written}`")
            yield found(prop.key_span, *(() if prop.block.item else (removal,)), p=prop.written)


@rule(
    "ABL723",
    "unknown-lookup-table",
    "error",
    "Lookup table `{t}` is not declared. Did you mean `{y}`?",
    over=nodes.GatherField,
    needs="SEMANTICS",
)
def unknown_lookup_table(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `semantics.lookup` names a table that LOOKUP_TABLES does not declare.
    Why: The value cannot be matched; any text is taken.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        LOOKUP_TABLES:
          branches:
            values: [central, harbour]
        GATHER:
          branch:
            prompt: "Which branch?"
            semantics:
              lookup: branch
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        LOOKUP_TABLES:
          branches:
            values: [central, harbour]
        GATHER:
          branch:
            prompt: "Which branch?"
            semantics:
              lookup: branches
    """
    prop = field.prop("SEMANTICS")
    lookup = members_of(agent.source, prop).get("LOOKUP") if prop is not None and not agent.fragment else None
    if lookup is None:
        return
    tables = _entries(agent.agent.section("LOOKUP_TABLES"))
    name = lookup.value.value.strip()
    if name and name not in tables:
        best, renames = fixes.rename_to(lookup.value.inner, name, tables)
        creation = create_in_section(agent, "LOOKUP_TABLES", name, "values: []")
        yield found(lookup.value.inner, *renames, creation, t=name, y=best)


@rule(
    "ABL731",
    "no-source",
    "warning",
    "No allowed source can fill `{f}`",
    over=nodes.GatherField,
    needs="SATISFIED_BY",
    project=True,
)
def no_source(field: nodes.GatherField, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: `satisfied_by` leaves out the user, and no tool provides the field and nothing sets it.
    Why: The field can never get a value that counts, so that collecting never ends.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_member(card: string) -> {name: string}
            description: "Find a member."
        GATHER:
          member_name:
            prompt: "Who are you?"
            satisfied_by: [authoritative_tool]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_member(card: string) -> {name: string}
            description: "Find a member."
            provides: [member_name]
        GATHER:
          member_name:
            prompt: "Who are you?"
            satisfied_by: [authoritative_tool]
    """
    prop = field.prop("SATISFIED_BY")
    sources = set(field.typed.given("SATISFIED_BY") or ())
    if prop is None or not sources or not sources <= {"authoritative_tool", "system"} or agent.fragment:
        return
    if field.default is not None or (sources >= {"system"} and _set_elsewhere(field, agent, project)):
        return
    if "authoritative_tool" in sources and _may_be_provided(field, agent, project):
        return
    yield found(prop.key_span, *_allow_user(prop), f=field.name.value)


def _set_elsewhere(field: nodes.GatherField, agent: AgentIndex, project: Index) -> bool:
    """True when something other than collecting gives the name of the field a value."""
    name = field.name.value
    by_agent = any(origin.write.kind != "gather" for origin in agent.origins_of(name)) or name in agent.mentions
    return by_agent or name in project.received(agent)


def _may_be_provided(field: nodes.GatherField, agent: AgentIndex, project: Index) -> bool:
    tools = (*agent.tools.values(), *agent.imported_tools.values())
    if not tools or known_tools(agent, project) is None:
        return True  # by a tool that is declared elsewhere
    return any(field.name.value in (tool.typed.given("PROVIDES") or ()) for tool in tools)


def _allow_user(prop: nodes.Property) -> tuple[Fix, ...]:
    value = prop.value
    if value is None or value.raw[:1] != "[":
        return ()
    at = value.span.start + 1
    return (Fix("Add `user_input`", (Edit(Span(at, at), "user_input, "),)),)


@rule(
    "ABL734",
    "needs-model",
    "info",
    "`{p}` needs a model; the local runner {instead} instead",
    over=(nodes.GatherField, nodes.Gather),
)
def needs_model(node: nodes.GatherField | nodes.Gather, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field is found, inferred, sorted or judged by a model.
    Why: Without a configured model a local run does something simpler, so that it may go another way.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
            infer: true
    Good:
        GATHER:
          title:
            prompt: "Which book?"
    """
    strategy = node.prop("STRATEGY")
    if strategy is not None and strategy.value is not None:
        word = value_of_text("field", "STRATEGY", strategy.value)
        if word in _MODEL_STRATEGIES:
            yield found(strategy.value.span, p=f"{strategy.written}: {word}", instead="uses patterns")
    if isinstance(node, nodes.Gather):
        return
    for key, instead in (("INFER", "asks"), ("PREFERENCES", "sorts by cue words")):
        prop = node.prop(key)
        if prop is not None and is_true(node, key):
            yield found(prop.key_span, p=prop.written, instead=instead)
    judged = _judged_by_model(node, agent)
    if judged is not None:
        yield found(judged, p="validation", instead="accepts every value")


def _judged_by_model(field: nodes.GatherField, agent: AgentIndex) -> Span | None:
    """Where a field says that a model judges its rule."""
    prop = field.prop("VALIDATE")
    if prop is None:
        return None
    if process_of(field) == "LLM":
        validation = validation_of(field, agent)
        return prop.key_span if validation is not None and validation.form == "sentence" else None
    return prop.key_span if field.typed.below("VALIDATE").value("type") == "llm" else None


@rule("ABL735", "attachment-field", "warning", "Attachments inside GATHER are not collected", over=nodes.Gather)
def attachment_field(gather: nodes.Gather, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field has the type attachment.
    Why: GATHER reads text; a step waits for a file with AWAIT_ATTACHMENT.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - photo: required
                type: attachment
                prompt: "Please send a photo."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            AWAIT_ATTACHMENT:
              NAME: photo
              PROMPT: "Please send a photo."
            THEN: COMPLETE
    """
    for field in gather.fields:
        if field.type is not None and field.type_word == "attachment":
            yield found(field.type.span, *_await(gather, field, agent))


def _await(gather: nodes.Gather, field: nodes.GatherField, agent: AgentIndex) -> tuple[Fix, ...]:
    """AWAIT_ATTACHMENT in place of the field, or of the whole GATHER when that has no other."""
    if gather.block is None or field.block is None or not is_in_step(field) or not field.block.item:
        return ()
    source, pad = agent.source, " " * (gather.block.column - 1)
    lines = [f"{pad}AWAIT_ATTACHMENT:", f"{pad}  NAME: {field.name.value}"]
    if field.prompt is not None:
        lines.append(f"{pad}  PROMPT: {source.text[slice(*field.prompt.span)]}")
    if not field.required:
        lines.append(f"{pad}  REQUIRED: false")
    text = "\n".join(lines) + "\n"
    whole = fixes.whole_lines(source, gather.block.span)
    if len(gather.fields) == 1:
        if whole.end == len(source.text) and not source.text.endswith("\n"):
            text = text[:-1]
        edits: tuple[Edit, ...] = (Edit(whole, text),)
    else:
        edits = (Edit(Span(whole.start, whole.start), text), Edit(fixes.whole_lines(source, field.block.span), ""))
    return (Fix("Convert to AWAIT_ATTACHMENT", edits, preferred=True),)


@rule(
    "ABL738",
    "never-asked",
    "warning",
    "extract_only field `{f}` is required but can never be asked",
    over=nodes.GatherField,
    needs="PROMPT_MODE",
    project=True,
)
def never_asked(field: nodes.GatherField, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A required field is never asked for, and has neither `infer` nor a pattern nor a default.
    Why: If the user does not happen to say it, the step waits without a word.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
            prompt_mode: extract_only
    Good:
        GATHER:
          title:
            prompt: "Which book?"
            prompt_mode: ask
    """
    mode = value_of(field, "PROMPT_MODE")
    if mode is None or field.typed.value("PROMPT_MODE") != "extract_only" or not field.required:
        return
    ways = ("EXTRACTION_PATTERN", "DEFAULT", "ENTITY_REF", "SATISFIED_BY")
    if is_set(field, agent, "INFER") or any(own_or_inherited(field, agent, way) is not None for way in ways):
        return
    if field.typed.value("ACTIVATION") == "optional":
        return
    if not _set_elsewhere(field, agent, project) and not _provided(field, agent):
        yield found(mode.span, fixes.replace(mode.inner, "ask"), f=field.name.value)


def _provided(field: nodes.GatherField, agent: AgentIndex) -> bool:
    return any(field.name.value in (tool.typed.given("PROVIDES") or ()) for tool in agent.tools.values())
