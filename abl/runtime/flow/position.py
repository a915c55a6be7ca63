"""The position of a flow within its step."""

from __future__ import annotations

from abl.runtime.state import Thread

_HANDLERS = ("global/", "/digression/", "/sub_intent/", "/on_action/")
"""Parts of the keys of lists that are no directives of a step."""


def own_directives(thread: Thread) -> bool:
    """True when the flow is in directives of its step, not in a digression, sub-intent or handler."""
    return all(is_own(str(frame[0])) for frame in thread.flow.frames)


def is_own(key: str) -> bool:
    """True for the key of a list of a step's own directives."""
    return not any(word in key for word in _HANDLERS)
