"""What the properties of a gather field say: lists, objects, rules, the type it has in the end (docs/spec 07)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from abl.analysis.conditions.reading import read_value
from abl.analysis.index.model import AgentIndex, is_true
from abl.language.written import placed
from abl.source import Source
from abl.syntax import nodes
from abl.syntax.readers.literals import members_in_braces
from abl.syntax.readers.validations import functions

Form = Literal["structured", "functions", "expression", "sentence"]
DATE_TYPES = frozenset({"date", "datetime"})


class Member(NamedTuple):
    """One ``key: value`` of an object property, with its key in upper case."""

    key: nodes.Name
    value: nodes.Text


def names_in(prop: nodes.Property | None) -> list[nodes.Name]:
    """The names of a list property in any form, each with its place."""
    if prop is None:
        return []
    if prop.value is not None:
        return [*_names_of(prop.value)]
    names: list[nodes.Name] = []
    for child in prop.block.children:
        if child.colon and child.key:
            names.append(nodes.Name(child.key, child.key_span))
        elif child.value is not None:
            names.extend(_names_of(child.value))
    return names


def _names_of(text: nodes.Text) -> Iterator[nodes.Name]:
    return (nodes.Name(word, text.span_of(at, at + len(word))) for at, word in placed(text))


def members_of(source: Source, prop: nodes.Property | None) -> dict[str, Member]:
    """An object property by upper-case key, from its block or its inline form ``{a: x, b: "y"}``."""
    if prop is None:
        return {}
    if prop.block.children:
        children = prop.block.children
        return {c.key.upper(): Member(nodes.Name(c.key, c.key_span), c.value) for c in children if c.key and c.value}
    value = prop.value
    if value is None or value.style != "bare" or value.raw[:1] != "{":
        return {}
    return {
        child.key.upper(): Member(nodes.Name(child.key, child.key_span), child.value)
        for child in members_in_braces(source, value)
        if child.value is not None
    }


def type_word(field: nodes.GatherField, agent: AgentIndex) -> str | None:
    """The type a field has in the end, in lower case: its own, that of its name, or string; None when unknown.

    An entity owns the type of a field that refers to it.
    """
    if field.prop("ENTITY_REF") is not None:
        return None
    if field.type is not None:
        return field.type_word
    name = field.name.value
    inherited = agent.fields.get(name)
    if inherited is not None and inherited.prop("ENTITY_REF") is not None:
        return None
    if inherited is not None and inherited.type is not None:
        return inherited.type_word
    variable = agent.session.get(name)
    if variable is None:
        return "string"
    return agent.types.declared.get(name) if variable.type is not None else None


def is_in_step(field: nodes.GatherField) -> bool:
    """True for a field of a step's GATHER, False for one of the top-level GATHER."""
    return ".GATHER" in field.path


def inherited_from(field: nodes.GatherField, agent: AgentIndex) -> nodes.GatherField | None:
    """The top-level field whose properties a step's field of its name takes over where it has none (07 §1)."""
    return agent.derive(_top_level).get(field.name.value) if is_in_step(field) else None


def _top_level(agent: AgentIndex) -> dict[str, nodes.GatherField]:
    gather = agent.agent.gather
    return {field.name.value: field for field in gather.fields} if gather is not None else {}


def own_or_inherited(field: nodes.GatherField, agent: AgentIndex, key: str) -> nodes.Property | None:
    """A property of a field, or the one that it inherits."""
    own = field.prop(key)
    above = inherited_from(field, agent) if own is None else None
    return above.prop(key) if above is not None else own


def is_set(field: nodes.GatherField, agent: AgentIndex, key: str) -> bool:
    """True for a boolean property that is set here or inherited."""
    if field.prop(key) is not None:
        return is_true(field, key)
    above = inherited_from(field, agent)
    return above is not None and is_true(above, key)


class Validation(NamedTuple):
    """The rule of a field: its form (docs/spec 07 §4), the functions it is made of, what an object says."""

    form: Form
    text: nodes.Text | None
    calls: tuple[tuple[str, str], ...] = ()
    members: dict[str, Member] | None = None


def validation_of(field: nodes.GatherField, agent: AgentIndex) -> Validation | None:
    """The rule of a field, or None."""
    prop = field.prop("VALIDATE")
    if prop is None:
        return None
    members = members_of(agent.source, prop)
    if members:
        return Validation("structured", prop.value, (), members)
    text = prop.value
    if text is None or not text.value.strip():
        return None
    calls = functions(text.value.strip())
    if calls is not None:
        return Validation("functions", text, tuple(calls))
    reading = read_value(text.value)
    known = {field.name.value, "value"}
    if reading.node is not None and any(name.root in known for name in reading.names):
        return Validation("expression", text)
    return Validation("sentence", text)


def process_of(field: nodes.GatherField) -> str:
    """Who judges the rule: REGEX, CODE or LLM; empty without one of them."""
    return field.typed.value("VALIDATION_PROCESS") or ""
