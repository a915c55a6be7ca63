"""A text of the keyword form in other spellings: as YAML, and with its entries or sections in braces (01 §9).

Only what can be said there is: of a text whose values go over several lines, or in which a list item has properties
below a bare word, nothing is made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from abl.syntax import parse
from abl.syntax.lines.pieces import split_commas
from abl.syntax.nodes import Block

_PLAIN = re.compile(r"[\w.…*/%$€@<=>!()+-][^\[\]{},#\"'\n]*(?<!:)")
_WHOLE = re.compile(r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\n]|'')*'|\[[^{\n]*\]|\{[^\n]*\})")


class NotSo(ValueError):
    """Raised for a text that has no such spelling."""


def spellings(text: str) -> Iterator[tuple[str, str]]:
    """The other spellings of a text, each with its name."""
    document = parse(text)
    if document.yaml or "\t" in text or not any(block.children for block in document.blocks):
        return
    for name, made in _SPELLINGS.items():
        try:
            yield name, made(document.blocks)
        except NotSo:
            continue


def _yaml(blocks: Sequence[Block]) -> str:
    return "".join(f"{line}\n" for block in blocks for line in _lines(block, 0, lower=True, braces=False))


def _braces(blocks: Sequence[Block]) -> str:
    return "".join(f"{line}\n" for block in blocks for line in _lines(block, 0, lower=False, braces=True))


def _yaml_braces(blocks: Sequence[Block]) -> str:
    return "".join(f"{line}\n" for block in blocks for line in _lines(block, 0, lower=True, braces=True))


def _inline(blocks: Sequence[Block]) -> str:
    return "".join(f"{_key(block, lower=True)}: {_value(block, lower=True)}\n" for block in blocks)


def _over_lines(blocks: Sequence[Block]) -> str:
    """Braces with each member in a line of its own, and a comment."""
    lines: list[str] = []
    for line in _yaml_braces(blocks).split("\n"):
        head, opening, rest = line.partition("{")
        if not opening or not line.endswith("}") or head.count('"'):
            lines.append(line)
            continue
        pad = " " * (len(line) - len(line.lstrip()) + 4)
        members = [rest[start:end] for start, end in split_commas(rest, 0, len(rest) - 1)]
        lines += [
            f"{head}{{",
            f"{pad}# don't",
            *(f"{pad}{member}," for member in members[:-1]),
            pad + members[-1],
            pad[2:] + "}",
        ]
    return "\n".join(lines)


_SPELLINGS: Final = {
    "yaml": _yaml,
    "braces": _braces,
    "yaml in braces": _yaml_braces,
    "braces over lines": _over_lines,
    "inline": _inline,
}


def _key(block: Block, *, lower: bool) -> str:
    return block.key.lower() if lower and block.key.isupper() else block.key


def _lines(block: Block, depth: int, *, lower: bool, braces: bool) -> Iterator[str]:
    """A block in lines; ``braces`` writes entries without further entries as one."""
    pad = "  " * depth + ("- " if block.item else "")
    if braces and depth and block.children and not any(child.children or child.item for child in block.children):
        if block.item:
            yield f"{pad}{_mapping(_members(block), lower=lower)}"
        else:
            yield f"{pad}{_key(block, lower=lower)}: {_value(block, lower=lower)}"
        return
    if not block.colon:
        if block.children:
            raise NotSo
        yield f"{pad}{_scalar(block, lower=lower)}"
        return
    members = _members(block) if block.item else [block]
    for at, member in enumerate(members):
        pad = "  " * depth + ("- " if block.item and not at else "  " if block.item else "")
        own = member.children if member is not block or not block.item else ()
        value = "" if member.value is None else f" {_scalar(member, lower=lower)}"
        if value and own:
            raise NotSo
        yield f"{pad}{_key(member, lower=lower)}:{value}"
        for child in own:
            yield from _lines(child, depth + 1 + block.item, lower=lower, braces=braces)


def _members(block: Block) -> list[Block]:
    """The properties of a list item, the one on its line first."""
    if not block.colon:
        raise NotSo
    return [block, *block.children]


def _value(block: Block, *, lower: bool) -> str:
    if not block.children:
        return _scalar(block, lower=lower)
    if block.value is not None:
        raise NotSo
    if all(child.item for child in block.children):
        return f"[{', '.join(_element(child, lower=lower) for child in block.children)}]"
    if any(child.item for child in block.children):
        raise NotSo
    return _mapping(block.children, lower=lower)


def _element(block: Block, *, lower: bool) -> str:
    if not block.colon and block.children:
        raise NotSo
    return _mapping(_members(block), lower=lower) if block.colon else _scalar(block, lower=lower)


def _mapping(members: Sequence[Block], *, lower: bool) -> str:
    parts = []
    for member in members:
        if not member.colon:
            raise NotSo
        value = _scalar(member, lower=lower) if member.item else _value(member, lower=lower)
        parts.append(f"{_key(member, lower=lower)}: {value}")
    return "{" + ", ".join(parts) + "}"


def _scalar(block: Block, *, lower: bool) -> str:
    """A value on one line; in YAML with quotes where it would be read as something else."""
    value = block.value
    if value is None:
        return '""' if lower else "null"
    if "\n" in value.raw or value.style == "pipe":
        raise NotSo
    if value.style == "double":
        return f'"{value.raw}"'
    if value.style == "single":
        return f"'{value.raw}'"
    if _WHOLE.fullmatch(value.raw) or _PLAIN.fullmatch(value.raw):
        return value.raw
    if not lower:
        raise NotSo
    return json.dumps(value.raw, ensure_ascii=False)
