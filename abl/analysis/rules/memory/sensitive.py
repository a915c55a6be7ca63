"""3xx about values that must not be shown as they are (docs/spec 03 §3, 05 §5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis.conditions.types import canonical_type
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes.entries import add_property, set_property
from abl.analysis.index.model import AgentIndex, is_true
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes

_PERSONAL = re.compile(
    r"(^|_)(ssn|social_security|card|credit_card|card_number|passwords?|passwd|pin|cvv|cvc|dob|birthdate|date_of_birth|"
    r"birth_date|birthday|iban|passport|account_number|tax_id|national_id)(_(number|no|nr|code|hash))?$"
)


@rule(
    "ABL328",
    "bad-sensitive-display",
    "error",
    "SENSITIVE_DISPLAY must be redact, mask or replace",
    over=nodes.PersistentPath,
)
def bad_sensitive_display(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: SENSITIVE_DISPLAY has another value.
    Why: How to show the value is not known.
    Bad:
        MEMORY:
          persistent:
            - user.card
              SCOPE: user
              SENSITIVE: true
              SENSITIVE_DISPLAY: masked
    Good:
        MEMORY:
          persistent:
            - user.card
              SCOPE: user
              SENSITIVE: true
              SENSITIVE_DISPLAY: mask
    """
    yield from unfit(path.sensitive_display, "persistent", "SENSITIVE_DISPLAY", f"{path.path}.SENSITIVE_DISPLAY")


@rule(
    "ABL329",
    "display-without-sensitive",
    "warning",
    "SENSITIVE_DISPLAY/MASK_CONFIG without `SENSITIVE: true`",
    over=nodes.PersistentPath,
)
def display_without_sensitive(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A path says how to show a sensitive value, but is not marked as sensitive.
    Why: The value is shown as it is.
    Bad:
        MEMORY:
          persistent:
            - user.card
              SCOPE: user
              SENSITIVE_DISPLAY: mask
    Good:
        MEMORY:
          persistent:
            - user.card
              SCOPE: user
              SENSITIVE: true
              SENSITIVE_DISPLAY: mask
    """
    prop = path.prop("SENSITIVE_DISPLAY") or path.prop("MASK_CONFIG")
    if prop is not None and not is_true(path, "SENSITIVE"):
        yield found(prop.key_span, *set_property(agent, path, "SENSITIVE", "true"), node=path.path)


@rule(
    "ABL330",
    "mask-without-display",
    "warning",
    "MASK_CONFIG without `SENSITIVE_DISPLAY: mask`",
    over=nodes.PersistentPath,
)
def mask_without_display(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A path has MASK_CONFIG, but its display is not `mask`.
    Why: The configuration has no effect.
    Bad:
        MEMORY:
          persistent:
            - user.card
              SCOPE: user
              SENSITIVE: true
              MASK_CONFIG: {showLast: 4}
    Good:
        MEMORY:
          persistent:
            - user.card
              SCOPE: user
              SENSITIVE: true
              SENSITIVE_DISPLAY: mask
              MASK_CONFIG: {showLast: 4}
    """
    prop = path.prop("MASK_CONFIG")
    if prop is not None and path.typed.value("SENSITIVE_DISPLAY") != "mask":
        yield found(prop.key_span, *set_property(agent, path, "SENSITIVE_DISPLAY", "mask"), node=path.path)


@rule(
    "ABL331",
    "looks-personal",
    "warning",
    "Path looks personal (`{p}`); consider `SENSITIVE: true`",
    over=nodes.PersistentPath,
)
def looks_personal(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The name of a path suggests that its value identifies or protects a person, but it is not marked.
    Why: Marked values are masked wherever they are shown.
    Bad:
        MEMORY:
          persistent:
            - user.card_number
              SCOPE: user
    Good:
        MEMORY:
          persistent:
            - user.card_number
              SCOPE: user
              SENSITIVE: true
    """
    field = path.name.value.rpartition(".")[2].lower()
    flag = path.type is not None and canonical_type(path.type.value) == "boolean"
    if path.prop("SENSITIVE") is None and not flag and _PERSONAL.search(field):
        yield found(path.name.span, *add_property(agent, path, "SENSITIVE: true"), node=path.path, p=path.name.value)
