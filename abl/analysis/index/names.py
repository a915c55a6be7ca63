"""Names that no author declares because the runtime provides them (docs/spec 02 §7, 08 §3.3, 09 §17)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abl.limits import MAX_PATHS_ABOVE

SYSTEM_NAMES = frozenset(
    [
        "input",
        "match",
        "channel",
        "language",
        "recent_input",
        "input_transcript",
        "intent",
        "session",
        "context",
        "user.intent",
        "user.sentiment",
        "sentiment_trajectory",
        "all_fields_gathered",
        "tool_failures",
        "constraint_failures",
        "handoff.completed",
        "escalate.completed",
        "result",
        "call_result",
        "turn_count",
        "conversation_summary",
        "handoff_count",
        "routing_failures",
        "system",
        "human",
        "action",
        "error",
        "memory",
        "now",
        "route",
        "_clarification_count",
        "_validation_retries",
        "_pending_inferences",
        "_constraint_warnings",
        "_disambiguation_intents",
        "_meta",
        "_error",
        "_summary",
        "_correction",
        "locale",
        "config",
        "secure",
    ]
)

# Known without declaration, never "unknown tool" (docs/spec 08 §3.3).
BUILT_IN_TOOLS = frozenset(
    [
        "call_transfer",
        "transfer_to_agent",
        "ivr_digit_input",
        "get_attachment",
        "list_attachments",
        # The memory systems (docs/spec 11), which the runtime offers where they are there.
        "get_content",
        "set_content",
        "delete_content",
        "memory_read",
        "memory_write",
        "memory_search",
        "update_memory",
        "recall_memory",
        "__return_to_parent__",
        "__fan_out__",
    ]
)


def is_runtime_name(path: str) -> bool:
    """True for names that begin with ``_`` as the runtime's own do; ``_meta.*`` belongs to authors."""
    return path.startswith("_") and not (path == "_meta" or path.startswith("_meta."))


def is_stored(path: str) -> bool:
    """True for the runtime's families of names that are not listed one by one."""
    return path.startswith(("_stored_", "last_")) and (
        path.startswith("_stored_") or path.partition(".")[0].endswith("_result")
    )


def first_below(paths: Iterable[str]) -> dict[str, str]:
    """Every path above the given ones (``user`` and ``user.home`` of ``user.home.town``), with the first below it."""
    found: dict[str, str] = {}
    for path in paths:
        for parent in paths_above(path):
            if parent in found:
                break
            found[parent] = path
    return found


def paths_above(path: str) -> Iterator[str]:
    """The paths above a dotted one, the nearest first; those of at most ``MAX_PATHS_ABOVE`` names."""
    if path.count(".") > MAX_PATHS_ABOVE:
        path = ".".join(path.split(".", MAX_PATHS_ABOVE + 1)[: MAX_PATHS_ABOVE + 1])
    while path := path.rpartition(".")[0]:
        yield path
