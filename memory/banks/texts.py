"""What a bank may be called and hold (docs/spec 11 §3)."""

from __future__ import annotations

import re

from abl.runtime.memory.systems_in_memory import last_lines
from memory.values import storable_text

NAME_LENGTH = 100
AGENT_LENGTH = 200
CONTENT_LENGTH = 256 * 1024
MOST_LINES = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def fitting(text: str, max_lines: int | None) -> str:
    """What a bank keeps of a text that a run writes: its last lines, up to the line limit and the size limit."""
    kept = last_lines(text, max_lines)
    if len(kept) <= CONTENT_LENGTH:
        return kept
    end = kept[-CONTENT_LENGTH:]
    return end.partition("\n")[2] or end


def lines_with(text: str, query: str) -> list[tuple[int, str]]:
    """(number from 1, line) of the lines that contain the query, ignoring case."""
    wanted = query.casefold()
    return [(n, line) for n, line in enumerate(text.split("\n"), start=1) if wanted in line.casefold()] if text else []


def name_problem(name: str) -> str | None:
    """What is wrong with the name of a bank."""
    if len(name) <= NAME_LENGTH and _NAME.fullmatch(name):
        return None
    return f"{name[:40]!r} is not a valid name. Use letters, digits, _ . and -, at most {NAME_LENGTH}"


def max_lines_problem(max_lines: object) -> str | None:
    """What is wrong with a bound; None is no bound."""
    whole = isinstance(max_lines, int) and not isinstance(max_lines, bool) and 1 <= max_lines <= MOST_LINES
    return None if whole or max_lines is None else f"{max_lines!r} is not from 1 to {MOST_LINES:,}; null is no limit"


def problems_of(*, agent: str, content: str = "") -> dict[str, str]:
    """Field to what is wrong with the text of an agent; empty when all is right."""
    problems = {}
    if not 0 < len(agent) <= AGENT_LENGTH:
        problems["agent"] = f"give the agent's name, 1 to {AGENT_LENGTH} characters"
    if len(content) > CONTENT_LENGTH:
        problems["content"] = f"has {len(content):,} characters; {CONTENT_LENGTH:,} are allowed"
    for field, text in (("agent", agent), ("content", content)):
        if not storable_text(text):
            problems[field] = "has a character that cannot be stored (NUL or half a surrogate pair)"
    return problems
