"""Properties that take one of a few words, wherever they stand (docs/spec 07 §2, §8, 08 §2, 09 §5-§8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes, generic
from abl.analysis.model import AgentIndex
from abl.analysis.registry import Found, found
from abl.syntax import nodes
from abl.syntax.nodes import Block

_BACKOFFS: Final = ("fixed", "linear", "exponential")
_CONFIRMATIONS: Final = ("always", "never", "when_side_effects")
_PROMPT_MODES: Final = ("ask", "extract_only")
_SIDES: Final = ("future", "past", "any")
_TIMEOUT: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?\s*(?:ms|s|m|h)?")


def not_one_of(name: str, block: Block | None, words: tuple[str, ...]) -> Iterator[Found]:
    """A word outside of its set; one that differs only in case is taken as meant (05 §1)."""
    written = generic.word(block)
    if block is None or not written or "{" in written or written in words:
        return
    where = generic.span_of(block)
    best, renames = fixes.rename_to(where, written, words)
    yield found(where, *renames, severity="warning" if written.lower() in words else None, k=name, x=written, y=best)


def unknown(holder: nodes.Tool | nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """ABL945 for ``confirm`` of a tool, and ``prompt_mode`` and ``temporal`` of a field."""
    if isinstance(holder, nodes.GatherField):
        mode, semantics = holder.prop("PROMPT_MODE"), holder.prop("SEMANTICS")
        yield from not_one_of("prompt_mode", mode.block if mode is not None else None, _PROMPT_MODES)
        if semantics is not None and semantics.block.children:
            yield from not_one_of("temporal", generic.by_key(agent.source, semantics.block).get("temporal"), _SIDES)
        return
    confirm, confirmation = holder.prop("CONFIRM"), holder.prop("CONFIRMATION")
    yield from not_one_of("confirm", confirm.block if confirm is not None else None, _CONFIRMATIONS)
    if confirmation is not None:
        require = generic.by_key(agent.source, confirmation.block).get("require")
        yield from not_one_of("require", require, _CONFIRMATIONS)


def unknown_backoff(holder: nodes.Section | nodes.Setting, agent: AgentIndex) -> Iterator[Found]:
    """ABL945 for RETRY_BACKOFF of error handlers."""
    for handler in holder.block.children if holder.block is not None else ():
        yield from not_one_of("RETRY_BACKOFF", generic.by_key(agent.source, handler).get("retrybackoff"), _BACKOFFS)


def bad_timeout(block: Block | None) -> Iterator[Found]:
    """ABL945 for TIMEOUT of a delegation, which is a time such as "15s"."""
    written = generic.word(block)
    if block is not None and written and "{" not in written and _TIMEOUT.fullmatch(written) is None:
        yield found(generic.span_of(block), k="TIMEOUT", x=written)
