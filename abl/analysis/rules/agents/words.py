"""9xx about words of HANDOFF, DELEGATE and ESCALATE that have a fixed set of values (docs/spec 09 §5-§7, 10 §5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from abl.analysis import fixes
from abl.analysis.conformance import closed_places, generic
from abl.analysis.conformance.listed_words import unknown_in_lists
from abl.analysis.conformance.values import takes, unfit
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.language.entry import Entry
from abl.language.types import COUNT
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.recovery.suggest import closest
from abl.syntax.vocabulary import HISTORY_MODES

_LEGACY_HISTORY = re.compile(r"last_[0-9]+")
_TIMEOUT = re.compile(r"[0-9]+(?:\.[0-9]+)?\s*(?:ms|s|m|h)?")


@rule(
    "ABL945",
    "unknown-property-word",
    "error",
    "{k} `{x}` is unknown. Did you mean `{y}`?",
    over=(*closed_places.LOOKED_THROUGH, nodes.Handoff),
)
def unknown_property_word(node: closed_places.Whole | nodes.Handoff, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `history` of a handoff is none of full, auto, none, summary_only and `{mode: last_n, count: n}`; or
        EXPERIENCE_MODE, PRIORITY, `protocol`, RETRY_BACKOFF, TIMEOUT of a delegation, `confirm` of a tool, or
        `prompt_mode` or `temporal` of a field, or the action or a flag of a route, is nothing that may be there.
    Why: What the author means is not known: how much the other agent sees, how it is reached, who is asked.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            CONTEXT:
              history: ful
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            CONTEXT:
              history: full
    """
    if isinstance(node, nodes.Handoff):
        yield from _bad_history(node.history)
        yield from _without_count(node)
        keys = {generic.plain(prop.written): prop.block for prop in node.props}
        priority = keys.get("priority")
        if generic.word(priority) and priority is not None and not _is_rank(priority):
            words = "{k} `{x}` is no whole number of at least 0"
            yield found(generic.span_of(priority), k="PRIORITY", x=generic.word(priority), wording=words)
    if isinstance(node, closed_places.LOOKED_THROUGH):
        yield from closed_places.unknown_words(node, agent)
        yield from unknown_in_lists(node, agent)
    if isinstance(node, nodes.Section):
        yield from _of_section(node, agent)


def _of_section(node: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    if node.keyword == "DELEGATE":
        for entry in generic.entries(agent.source, node.block):
            yield from _bad_timeout(generic.by_key(agent.source, entry).get("timeout"))
    elif node.keyword == "ESCALATE":
        triggers = generic.by_key(agent.source, node.block).get("triggers")
        for entry in generic.entries(agent.source, triggers):
            priority = generic.by_key(agent.source, entry).get("priority")
            if priority is not None and not _is_rank(priority):
                written = generic.word(priority)
                words = "{k} `{x}` is unknown; legal are low, medium, high, critical and whole numbers"
                said: dict[str, Any] = {} if closest(written, takes("trigger", "PRIORITY")) else {"wording": words}
                yield from unfit(priority.value, "trigger", "PRIORITY", k="PRIORITY", x=written, **said)


def _bad_history(history: nodes.Text | None) -> Iterator[Found]:
    value = history.value.strip() if history is not None else ""
    if history is None or not value or value.startswith("{") or value in HISTORY_MODES:
        return
    if _LEGACY_HISTORY.fullmatch(value):
        better = f"{{mode: last_n, count: {value[5:]}}}"
        fix = fixes.replace(history.span, better, "Write it as an object")
        yield found(history.span, fix, severity="warning", k="history", x=value, y=better)
        return
    if value.lower() in HISTORY_MODES:  # read as meant
        fix = fixes.replace(history.span, value.lower())
        yield found(history.span, fix, severity="warning", k="history", x=value, y=value.lower())
        return
    best, renames = fixes.rename_to(history.span, value, HISTORY_MODES)
    said: dict[str, Any] = (
        {} if best else {"wording": f"{{k}} `{{x}}` is unknown; legal are {', '.join(HISTORY_MODES)}"}
    )
    yield found(history.span, *renames, k="history", x=value, y=best, **said)


def _without_count(node: nodes.Handoff) -> Iterator[Found]:
    """`{mode: last_n}` that does not say how many."""
    lines = node.history_lines
    nested = Entry.at("history", lines)
    if isinstance(lines, Block) and nested.value("mode") and not any(key in nested for key in ("count", "last_n")):
        better = "{mode: last_n, count: 5}"
        fix = [fixes.replace(lines.value.span, better, preferred=False)] if lines.value is not None else []
        words = "{k} `{x}` needs `count`, the number of messages"
        yield found(generic.span_of(lines), *fix, k="history", x="last_n", wording=words)


def _bad_timeout(block: Block | None) -> Iterator[Found]:
    """A time such as "15s" is meant."""
    written = generic.word(block)
    if block is not None and written and "{" not in written and _TIMEOUT.fullmatch(written) is None:
        yield found(generic.span_of(block), k="TIMEOUT", x=written)


def _is_rank(priority: Block) -> bool:
    """True for a whole number of at least 0, and for a placeholder."""
    written = generic.word(priority)
    return COUNT.read_word(written) is not None or "{" in written
