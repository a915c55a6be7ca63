"""ENTITIES and NLU.entities: what a field takes over from the entity that it names (docs/spec 09 §10, 07 §2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from abl.language.entry import Entry, members
from abl.language.written import Lines, items_of
from abl.runtime.plan.agent_text import AgentText
from abl.runtime.plan.fields import FieldPlan
from abl.runtime.plan.listed import entries, named


@dataclass(frozen=True, slots=True)
class EntityPlan:
    """A kind of value: ``synonyms`` are other words, each with the value that it stands for."""

    name: str
    type: str
    values: tuple[str, ...] = ()
    synonyms: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    pattern: str | None = None
    validation: str | None = None
    sensitive: bool = False
    hints: tuple[str, ...] = ()


def entity_plans(program: AgentText) -> dict[str, EntityPlan]:
    """The entities of an agent by name; those of ENTITIES before those of NLU."""
    section, nlu = program.agent.section("ENTITIES"), program.agent.section("NLU")
    plans = [
        _plan(given.name, given.given) for given in named("entity", section.block if section is not None else None)
    ]
    below = next((each for each in members(nlu.block) if each.key.lower() == "entities"), None) if nlu else None
    plans += [_plan(found.text("NAME") or "", found) for found in _of_nlu(below)]
    return {plan.name: plan for plan in reversed(plans) if plan.name}


def _of_nlu(block: Lines | None) -> Iterator[Entry]:
    yield from (each.given for each in entries("nlu_entity", block))


def _plan(name: str, given: Entry) -> EntityPlan:
    values = given.texts("VALUES")
    kind = str(given.value("TYPE") or "string")
    return EntityPlan(
        name=name,
        type={"pattern": "string", "free_text": "string"}.get(kind, kind),
        values=tuple(values),
        synonyms=MappingProxyType(dict(_synonyms(given.lines("SYNONYMS")))),
        pattern=given.text("PATTERN"),
        validation=given.text("VALIDATION"),
        sensitive=bool(given.value("SENSITIVE")),
        hints=tuple(given.texts("EXTRACTION_HINTS")) if "EXTRACTION_HINTS" in given else (),
    )


def _synonyms(block: Lines | None) -> Iterator[tuple[str, str]]:
    """``value: [word, word]`` for each value."""
    for member in members(block):
        yield from ((word.casefold(), member.key) for word in items_of(member))


def with_entity(plan: FieldPlan, entities: Mapping[str, EntityPlan]) -> FieldPlan:
    """The field as its entity describes it; what the field says itself comes first, hints are added to those."""
    entity = entities.get(plan.entity or "")
    if entity is None:
        return plan
    values = plan.options or entity.values or tuple(dict.fromkeys(entity.synonyms.values()))
    kind = "enum" if values and entity.type == "string" else entity.type
    return replace(
        plan,
        type=kind if plan.type == "string" else plan.type,
        options=values,
        synonyms=entity.synonyms,
        pattern=plan.pattern or entity.pattern,
        validate=plan.validate if plan.validate or plan.structured else entity.validation,
        sensitive=plan.sensitive or entity.sensitive,
        hints=(*plan.hints, *entity.hints) if plan.hints or not plan.own_hints else (),
    )
