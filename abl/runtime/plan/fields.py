"""Gather fields with what they inherit (docs/spec 07 §1, §2): step over top-level field over session variable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from abl.analysis.index.languages import is_tag
from abl.language import key_at
from abl.language.entry import Entry
from abl.language.written import listed
from abl.runtime.gather.lookups import LookupTable
from abl.source import Span
from abl.syntax import nodes

TYPE_OF_VARIABLE = {"array": "string", "object": "string"}
ENUM_RULE = re.compile(r"enum\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
STRING_TYPES = frozenset({"string", "text", "free_text", "location", "object", "array"})


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """One field, ready to collect."""

    name: str
    span: Span
    type: str = "string"
    required: bool = True
    prompt: str | None = None
    has_default: bool = False
    default: Any = None
    options: tuple[Any, ...] = ()
    validate: str | None = None
    structured: Entry | None = None  # validate: {type, rule, error, max_retries}
    validation_process: str | None = None
    retry_prompt: str | None = None
    max_retries: int | None = None
    prompt_mode: str = "ask"
    strategy: str = "auto"
    pattern: str | None = None
    group: int = 0
    hints: tuple[str, ...] = ()
    range: bool = False
    list: bool = False
    preferences: bool = False
    activation: str = "required"  # required optional progressive when
    active_when: str | None = None
    depends_on: tuple[str, ...] = ()
    satisfied_by: tuple[str, ...] = ()
    sensitive: bool = False
    display: str = "redact"
    mask: Entry | None = None
    pii_type: str | None = None
    transient: bool = False
    infer: bool = False
    entity: str | None = None
    temporal: str = "any"
    locale: str | None = None  # as it is written
    unit: str | None = None
    convert_to: str | None = None
    lookup: str | None = None
    table: LookupTable | None = None  # of ``lookup``, where its values are known
    synonyms: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({})
    )  # other words for options, in lower case
    own_hints: bool = False  # EXTRACTION_HINTS is written, if only to have none

    @property
    def spaced(self) -> str:
        """The name as people say it."""
        return self.name.replace("_", " ")

    @property
    def language(self) -> str | None:
        """The language of ``locale`` that answers are read by; None without one, or where that is no language tag."""
        tag = (self.locale or "").replace("_", "-").lower()
        return tag if is_tag(tag) else None

    @property
    def is_text(self) -> bool:
        """True when any text is a value of it."""
        return self.type in STRING_TYPES and not self.options and not self.pattern


def field_plans(
    step_fields: Iterable[nodes.GatherField],
    library: Mapping[str, nodes.GatherField],
    variable_types: Mapping[str, str],
    tables: Mapping[str, LookupTable | None] = MappingProxyType({}),
) -> tuple[FieldPlan, ...]:
    """The fields of a GATHER; ``library`` is the top-level one, ``variable_types`` the TYPEs of session variables."""
    plans = [_plan(f, library.get(f.name.value), variable_types) for f in step_fields]
    return tuple(_with_table(plan, tables.get(plan.lookup or "")) for plan in plans)


def _with_table(plan: FieldPlan, table: LookupTable | None) -> FieldPlan:
    """A field whose values are the keys of a table; options of its own come first."""
    if table is None:
        return plan
    return replace(plan, table=table, options=plan.options or tuple(table.values))


def ad_hoc_field(name: str, variable_types: Mapping[str, str], span: Span) -> FieldPlan:
    """A field for a COLLECT name that is no gather field (docs/spec 04 §5)."""
    kind = variable_types.get(name, "string")
    return FieldPlan(name=name, span=span, type=TYPE_OF_VARIABLE.get(kind, kind), list=kind == "array")


class _Layers:
    """Properties of a field, its own before those it inherits."""

    def __init__(self, own: nodes.GatherField, base: nodes.GatherField | None) -> None:
        self._layers = [layer for layer in (own, base if base is not own else None) if layer is not None]

    def node(self, key: str) -> nodes.Property | None:
        return next((found for layer in self._layers if (found := layer.prop(key)) is not None), None)

    def value(self, key: str) -> Any:
        """As it is declared; its default where no layer has it."""
        declared, found = key_at("field", key), self.node(key)
        return declared.read(found.block if found is not None else None) if declared is not None else None

    def below(self, key: str, place: str) -> Entry:
        """The mapping of a property."""
        found = self.node(key)
        return Entry.at(place, found.block if found is not None else None)

    def given(self, attribute: str) -> Any:
        return next((v for layer in self._layers if (v := getattr(layer, attribute)) is not None), None)


def _plan(own: nodes.GatherField, base: nodes.GatherField | None, variable_types: Mapping[str, str]) -> FieldPlan:
    layers = _Layers(own, base)
    name = own.name.value
    written = layers.given("type")
    declared = variable_types.get(name)
    kind = (
        _type_of(written.value) if written is not None else TYPE_OF_VARIABLE.get(declared or "", declared or "string")
    )
    activation, when = _activation(layers)
    default = layers.given("default")
    semantics = layers.below("SEMANTICS", "semantics")
    options = layers.given("options")
    structured = layers.below("VALIDATE", "validation") or None
    return FieldPlan(
        name=name,
        span=own.span,
        type=kind.removesuffix("[]"),
        required=own.required,
        prompt=_value(layers.given("prompt")),
        has_default=default is not None,
        default=default.value if default is not None else None,
        options=tuple(option.value for option in options) if options else _values(kind, semantics, layers, structured),
        validate=None if structured else _value(layers.given("validate")),
        structured=structured,
        validation_process=layers.value("VALIDATION_PROCESS"),
        retry_prompt=_value(layers.given("retry_prompt")),
        max_retries=layers.value("MAX_RETRIES"),
        prompt_mode=layers.value("PROMPT_MODE"),
        strategy=layers.value("STRATEGY") or "auto",
        pattern=_value(layers.given("extraction_pattern")),
        group=layers.value("EXTRACTION_GROUP") or 0,
        hints=layers.value("EXTRACTION_HINTS") or (),
        range=layers.value("RANGE"),
        list=layers.value("LIST") or (written is None and declared == "array") or kind.endswith("[]"),
        preferences=layers.value("PREFERENCES"),
        activation=activation,
        active_when=when,
        depends_on=layers.value("DEPENDS_ON") or (),
        satisfied_by=layers.value("SATISFIED_BY") or (),
        sensitive=layers.value("SENSITIVE"),
        display=layers.value("SENSITIVE_DISPLAY"),
        mask=layers.below("MASK_CONFIG", "mask_config"),
        pii_type=layers.value("PII_TYPE"),
        transient=layers.value("TRANSIENT"),
        infer=layers.value("INFER"),
        entity=layers.value("ENTITY_REF"),
        temporal=semantics.value("temporal") or "any",
        locale=semantics.text("locale"),
        unit=semantics.text("unit"),
        convert_to=semantics.text("convert_to"),
        lookup=semantics.value("lookup"),
        own_hints=layers.node("EXTRACTION_HINTS") is not None,
    )


def _value(text: nodes.Text | None) -> str | None:
    return text.value if text is not None else None


def _type_of(written: str) -> str:
    """A type as the declaration spells it; one that is not known stays as it is."""
    name = written.strip()
    declared, plural = key_at("field", "TYPE"), "[]" if name.endswith("[]") else ""
    known = declared.type.read_word(name.removesuffix("[]")) if declared is not None else None
    return f"{known}{plural}" if known is not None else name


def _values(kind: str, semantics: Entry, layers: _Layers, structured: Entry | None) -> tuple[str, ...]:
    """Allowed values that are not written as options: ``enum_set``, for type enum those of its rule (07 §3)."""
    if "enum_set" in semantics or kind != "enum":
        return semantics.value("enum_set") or ()
    if structured is not None:
        return structured.value("rule") or () if structured.value("type") == "enum" else ()
    rule = ENUM_RULE.fullmatch((_value(layers.given("validate")) or "").strip())
    return tuple(listed(rule[1])) if rule is not None else ()


def _activation(layers: _Layers) -> tuple[str, str | None]:
    """(activation, condition): ``activation: {when: "c"}`` and the block form both give ``when``."""
    given = layers.below("ACTIVATION", "activation")
    if "when" in given:
        return "when", given.text("when")
    return layers.value("ACTIVATION") or "required", None
