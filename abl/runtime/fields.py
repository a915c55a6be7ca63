"""Gather fields with what they inherit (docs/spec 07 §1, §2): step over top-level field over session variable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from abl.runtime.scalars import boolean, integer, literal, members, words_of
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
    structured: Mapping[str, str] | None = None  # validate: {type, rule, error, max_retries}
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
    mask: Mapping[str, Any] | None = None
    pii_type: str | None = None
    transient: bool = False
    infer: bool = False
    entity: str | None = None
    temporal: str = "any"
    lookup: str | None = None
    semantics: tuple[str, ...] = ()

    @property
    def spaced(self) -> str:
        """The name as people say it."""
        return self.name.replace("_", " ")

    @property
    def is_text(self) -> bool:
        """True when any text is a value of it."""
        return self.type in STRING_TYPES and not self.options and not self.pattern


def field_plans(
    step_fields: Iterable[nodes.GatherField],
    library: Mapping[str, nodes.GatherField],
    variable_types: Mapping[str, str],
) -> tuple[FieldPlan, ...]:
    """The fields of a GATHER; ``library`` is the top-level one, ``variable_types`` the TYPEs of session variables."""
    return tuple(_plan(f, library.get(f.name.value), variable_types) for f in step_fields)


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

    def text(self, key: str) -> str | None:
        found = self.node(key)
        return found.value.value if found is not None and found.value is not None else None

    def listed(self, key: str) -> tuple[str, ...]:
        found = self.node(key)
        return words_of(found) if found is not None else ()

    def given(self, attribute: str) -> Any:
        return next((v for layer in self._layers if (v := getattr(layer, attribute)) is not None), None)


def _plan(own: nodes.GatherField, base: nodes.GatherField | None, variable_types: Mapping[str, str]) -> FieldPlan:
    layers = _Layers(own, base)
    name = own.name.value
    written = layers.given("type")
    declared = variable_types.get(name)
    kind = written.value.strip() if written is not None else TYPE_OF_VARIABLE.get(declared or "", declared or "string")
    activation, when = _activation(layers)
    default = layers.given("default")
    semantics = _semantics(layers.node("SEMANTICS"))
    options = layers.given("options")
    structured = _structured(layers.node("VALIDATE"))
    return FieldPlan(
        name=name,
        span=own.span,
        type=kind.removesuffix("[]"),
        required=own.required,
        prompt=_value(layers.given("prompt")),
        has_default=default is not None,
        default=literal(default) if default is not None else None,
        options=tuple(literal(o) for o in options) if options else _values(kind, semantics, layers, structured),
        validate=None if structured else _value(layers.given("validate")),
        structured=structured,
        validation_process=(layers.text("VALIDATION_PROCESS") or "").upper() or None,
        retry_prompt=_value(layers.given("retry_prompt")),
        max_retries=integer(layers.text("MAX_RETRIES")),
        prompt_mode=(layers.text("PROMPT_MODE") or "ask").strip(),
        strategy=(layers.text("STRATEGY") or "auto").strip(),
        pattern=_value(layers.given("extraction_pattern")),
        group=integer(layers.text("EXTRACTION_GROUP")) or 0,
        hints=layers.listed("EXTRACTION_HINTS"),
        range=boolean(layers.text("RANGE")),
        list=boolean(layers.text("LIST")) or (written is None and declared == "array") or kind.endswith("[]"),
        preferences=boolean(layers.text("PREFERENCES")),
        activation=activation,
        active_when=when,
        depends_on=layers.listed("DEPENDS_ON"),
        satisfied_by=layers.listed("SATISFIED_BY"),
        sensitive=boolean(layers.text("SENSITIVE")),
        display=(layers.text("SENSITIVE_DISPLAY") or "redact").strip(),
        mask=mask_config(layers.node("MASK_CONFIG")),
        pii_type=layers.text("PII_TYPE"),
        transient=boolean(layers.text("TRANSIENT")),
        infer=boolean(layers.text("INFER")),
        entity=layers.text("ENTITY_REF"),
        temporal=semantics.get("TEMPORAL", "any"),
        lookup=semantics.get("LOOKUP"),
        semantics=tuple(semantics),
    )


def _value(text: nodes.Text | None) -> str | None:
    return text.value if text is not None else None


def _listed(text: str) -> list[str]:
    return [part.strip().strip("\"'") for part in text.strip("[] ").split(",") if part.strip()]


def _values(
    kind: str, semantics: Mapping[str, str], layers: _Layers, structured: Mapping[str, str] | None
) -> tuple[str, ...]:
    """Allowed values that are not written as options: ``enum_set``, for type enum those of its rule (07 §3)."""
    if "ENUM_SET" in semantics or kind != "enum":
        return tuple(_listed(semantics.get("ENUM_SET", "")))
    if structured is not None:
        return tuple(_listed(structured.get("RULE", ""))) if structured.get("TYPE") == "enum" else ()
    rule = ENUM_RULE.fullmatch((_value(layers.given("validate")) or "").strip())
    return tuple(_listed(rule[1])) if rule is not None else ()


def _activation(layers: _Layers) -> tuple[str, str | None]:
    """(activation, condition): ``activation: {when: "c"}`` and the block form both give ``when``."""
    found = layers.node("ACTIVATION")
    if found is None:
        return "required", None
    given = {key.upper(): text for key, text in members(found).items()}
    if "WHEN" in given:
        return "when", given["WHEN"]
    return (found.value.value if found.value is not None else "required").strip(), None


def _structured(found: nodes.Property | None) -> dict[str, str] | None:
    return {key.upper(): text for key, text in members(found).items()} or None


def _semantics(found: nodes.Property | None) -> dict[str, str]:
    return {key.upper(): text for key, text in members(found).items()}


def mask_config(found: nodes.Property | None) -> dict[str, Any] | None:
    """``{showfirst, showlast, char}`` from its inline or block form; None when it is not given."""
    config: dict[str, Any] = {}
    for key, text in members(found).items():
        name = key.lower().replace("_", "")
        if name in {"showfirst", "showlast"} and integer(text) is not None:
            config[name] = integer(text)
        elif name == "char" and text:
            config[name] = text[0]
    return config or None
