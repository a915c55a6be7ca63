"""Reading scalars of the tree: booleans, numbers, literals, word lists (docs/spec 01 §5)."""

from __future__ import annotations

from typing import Any

from abl.syntax import nodes


def boolean(text: nodes.Text | str | None, default: bool = False) -> bool:
    """``true`` in any case; ``default`` when nothing is written."""
    if text is None:
        return default
    return (text if isinstance(text, str) else text.value).strip().lower() == "true"


def integer(text: nodes.Text | str | None) -> int | None:
    """A whole number without sign, or None."""
    if text is None:
        return None
    digits = (text if isinstance(text, str) else text.value).strip()
    return int(digits) if digits.isascii() and digits.isdigit() else None


def literal(node: nodes.Literal_ | None) -> Any:
    """The value of a literal; None for one that has to be computed (``dynamic``)."""
    return None if node is None else node.value


def words_of(found: nodes.Property) -> tuple[str, ...]:
    """Words of an inline list ``[a, b]`` / ``a, b`` or of a block list."""
    if found.value is not None and found.value.value.strip():
        text = found.value.value.strip()
        text = text[1:-1] if text.startswith("[") and text.endswith("]") else text
        return tuple(part for part in (p.strip().strip("\"'") for p in text.split(",")) if part)
    items = []
    for child in found.block.children:
        if child.value is not None and not child.key:
            items.append(child.value.value.strip())
        elif child.key and child.value is None:
            items.append(child.key)
    return tuple(items)


def members(found: nodes.Property | None) -> dict[str, str]:
    """An object property as texts by key (as written), from its block or its inline form ``{a: x, b: "y"}``."""
    if found is None:
        return {}
    if found.block.children:
        return {c.key: c.value.value for c in found.block.children if c.key and c.value is not None}
    text = found.value.value.strip() if found.value is not None else ""
    if not (text.startswith("{") and text.endswith("}")):
        return {}
    pairs = (part.partition(":") for part in split_outside(text[1:-1], ","))
    return {unquoted(key): unquoted(value) for key, colon, value in pairs if colon}


def unquoted(text: str) -> str:
    """Without one pair of quotes around the whole."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def split_outside(text: str, separator: str) -> list[str]:
    """Cut at a character outside quotes and brackets."""
    parts, depth, quote, start = [], 0, "", 0
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == separator and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
