"""The YAML form of docs/spec 01 §9: the sections of ``documents.py`` as data, dumped.

Every function takes ``chance``, a ``random.Random`` or what hypothesis gives for one.
"""

from __future__ import annotations

import random
from typing import Any

import yaml

from tests.abl.fuzz.documents import MAKERS, Block


def yaml_form(chance: random.Random) -> str:
    """A file in the YAML form, or a fragment."""
    data: dict[str, Any] = {}
    if chance.random() < 0.8:
        data |= {"agent": "Desk", "goal": "Lend books"}
    for maker in chance.choice([MAKERS, MAKERS[:6]]), MAKERS:
        section = chance.choice(maker)(chance)
        data[section.line.partition(":")[0].lower()] = _data(section.children)
    try:
        return yaml.safe_dump(
            data, sort_keys=False, allow_unicode=True, default_flow_style=chance.choice([False, None])
        )
    except (yaml.YAMLError, UnicodeError):
        return "agent: Desk\n"


def _data(blocks: list[Block]) -> Any:
    """Blocks as lists where their lines begin with a dash, and as objects elsewhere."""
    if blocks and all(block.line.startswith("- ") for block in blocks):
        return [_entry(block) for block in blocks]
    return {block.line.partition(":")[0].lower(): _scalar(block) for block in blocks}


def _entry(block: Block) -> Any:
    key, colon, value = block.line[2:].partition(": ")
    if not colon and not block.children:
        return key
    below = _data(block.children)
    return {key.lower(): value, **(below if isinstance(below, dict) else {"entries": below})}


def _scalar(block: Block) -> Any:
    value = block.line.partition(":")[2].strip()
    return _data(block.children) if block.children else value
