"""9xx about words of HANDOFF, DELEGATE and ESCALATE that have a fixed set of values (docs/spec 09 §5-§7, 10 §5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import closed_words, fixes, generic
from abl.analysis.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.vocabulary import HISTORY_MODES

_LEGACY_HISTORY = re.compile(r"last_[0-9]+")
_EXPERIENCES = ("shared_voice_handoff", "visible_handoff", "silent_delegate", "human_escalation")
_PROTOCOLS = ("a2a", "rest")
_PRIORITIES = ("low", "medium", "high", "critical")


@rule("ABL945", "unknown-history", "error", "{k} `{x}` is unknown. Did you mean `{y}`?",
      over=(nodes.Handoff, nodes.Section, nodes.Setting, nodes.Tool, nodes.GatherField))  # fmt: skip
def unknown_history(
    holder: nodes.Handoff | nodes.Section | nodes.Setting | nodes.Tool | nodes.GatherField, agent: AgentIndex
) -> Iterator[Found]:
    """
    What: `history` of a handoff is none of full, auto, none, summary_only and `{mode: last_n, count: n}`; or
        EXPERIENCE_MODE, PRIORITY, `protocol`, RETRY_BACKOFF, TIMEOUT of a delegation, `confirm` of a tool, or
        `prompt_mode` or `temporal` of a field is nothing that may stand there.
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
    if isinstance(holder, nodes.Handoff):
        yield from _bad_history(holder.history)
        keys = {generic.plain(prop.written): prop.block for prop in holder.props}
        yield from _bad_words(keys, agent)
        priority = keys.get("priority")
        if generic.word(priority) and priority is not None and not _is_rank(priority):
            yield found(generic.span_of(priority), k="PRIORITY", x=generic.word(priority))
    elif isinstance(holder, nodes.Tool | nodes.GatherField):
        yield from closed_words.unknown(holder, agent)
    elif holder.keyword == "ON_ERROR":
        yield from closed_words.unknown_backoff(holder, agent)
    elif holder.keyword == "DELEGATE":
        for entry in generic.entries(agent.source, holder.block):
            keys = generic.by_key(agent.source, entry)
            yield from _bad_words(keys, agent)
            yield from closed_words.bad_timeout(keys.get("timeout"))
    elif holder.keyword == "ESCALATE":
        triggers = generic.by_key(agent.source, holder.block).get("triggers")
        for entry in generic.entries(agent.source, triggers):
            priority = generic.by_key(agent.source, entry).get("priority")
            if priority is not None and not _is_rank(priority):
                yield from closed_words.not_one_of("PRIORITY", priority, _PRIORITIES)


def _bad_history(history: nodes.Text | None) -> Iterator[Found]:
    value = history.value.strip() if history is not None else ""
    if history is None or not value or value.startswith("{") or value in HISTORY_MODES:
        return
    if _LEGACY_HISTORY.fullmatch(value):
        better = f"{{mode: last_n, count: {value[5:]}}}"
        fix = fixes.replace(history.span, better, "Write it as an object")
        yield found(history.span, fix, severity="warning", k="history", x=value, y=better)
        return
    best, renames = fixes.rename_to(history.span, value, HISTORY_MODES)
    yield found(history.span, *renames, k="history", x=value, y=best)


def _bad_words(keys: dict[str, Block], agent: AgentIndex) -> Iterator[Found]:
    yield from closed_words.not_one_of("EXPERIENCE_MODE", keys.get("experiencemode"), _EXPERIENCES)
    yield from closed_words.not_one_of("protocol", keys.get("protocol"), _PROTOCOLS)
    if "remote" in keys:
        remote = generic.by_key(agent.source, keys["remote"])
        yield from closed_words.not_one_of("protocol", remote.get("protocol"), _PROTOCOLS)


def _is_rank(priority: Block) -> bool:
    """True for a whole number of at least 0, and for a placeholder."""
    written = generic.word(priority)
    return written.isdigit() or "{" in written
