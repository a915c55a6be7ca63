"""What a block may hold and how its stamps are written (docs/spec 11 §1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from abl.runtime.memory.ports import ARCHIVAL_CHARACTERS, CORE_CHARACTERS, CORE_ENTRIES
from memory.models import Block
from memory.values import storable_text
from web.errors import Invalid

AGENT_LENGTH = 200
LASTING = "(until {} UTC)"
"""The end of a line that a program wrote about a fact that expires; after that time the line is no longer found."""
_LASTING = re.compile(r"- \w+(?:\.\w+)+: .*\(until (\d{4}-\d\d-\d\d \d\d:\d\d) UTC\)", re.ASCII)
"""The start of such a line, the path of the fact. A line without it was written by a person, and never expires."""
CHARACTERS = {Block.Type.CORE: CORE_CHARACTERS, Block.Type.ARCHIVAL: ARCHIVAL_CHARACTERS}


class OverLimit(Invalid):
    """A content that does not fit. ``data``: ``limit`` and ``size`` of ``which``, characters or entries."""

    code = "over-limit"
    title = "The content is too large for the block"


def entries(content: str) -> Iterator[tuple[int, str]]:
    """(number from 1, text) of each line that is not blank; the text without the space around it."""
    for number, line in enumerate(content.split("\n"), start=1):
        text = line.strip()
        if text:
            yield number, text


def lasting(at: datetime) -> str:
    """The ending of a line whose content expires, with the time in whole minutes."""
    return LASTING.format(f"{at.astimezone(UTC):%Y-%m-%d %H:%M}")


def is_over(line: str, now: datetime) -> bool:
    """Whether a line is about an expired fact, as programs write it (``memory.blocks.notes``)."""
    found = _LASTING.fullmatch(line)
    try:
        return found is not None and datetime.fromisoformat(found[1]).replace(tzinfo=UTC) <= now
    except ValueError:
        return False


def refuse_too_large(block_type: str, content: str) -> None:
    """Raise ``OverLimit`` for a content that the block cannot hold."""
    sizes = [("characters", len(content), CHARACTERS[Block.Type(block_type)])]
    if block_type == Block.Type.CORE:
        sizes.append(("entries", sum(1 for _ in entries(content)), CORE_ENTRIES))
    for which, size, limit in sizes:
        if size > limit:
            problem = f"has {size:,} {which}; a block of type {block_type} holds {limit:,}"
            raise OverLimit(fields={"content": problem}, which=which, limit=limit, size=size)


def problems_of(*, owner: str, block_type: str, agent_id: str, content: str = "") -> dict[str, str]:
    """Field to what is wrong with the key or the characters of a block; empty when all is right."""
    problems = {}
    if block_type not in Block.Type.values:
        problems["block_type"] = f"{block_type[:40]!r} is not one of {', '.join(Block.Type.values)}"
    if not 0 < len(owner) <= AGENT_LENGTH:
        problems["owner"] = f"give the user id, 1 to {AGENT_LENGTH} characters"
    if len(agent_id) > AGENT_LENGTH:
        problems["agent_id"] = f"has {len(agent_id)} characters; {AGENT_LENGTH} are allowed"
    for name, text in (("owner", owner), ("agent_id", agent_id), ("content", content)):
        if not storable_text(text):
            problems[name] = "has a character that cannot be stored (NUL or half a surrogate pair)"
    return problems


def stamp(at: datetime) -> str:
    """A time as blocks carry it: UTC, ISO 8601 with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def read_stamp(text: str) -> datetime:
    """The time of a stamp that a caller sends back; without a zone it is UTC. Raises ``Invalid``."""
    try:
        at = datetime.fromisoformat(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        right = "send the updated_at that was read, such as 2026-04-30T16:20:00.123456+00:00, or null to create"
        raise Invalid(fields={"expected_updated_at": f"{text[:40]!r} is not an ISO 8601 time; {right}"}) from None
