"""Names that the runtime provides (docs/spec 09 §17)."""

from __future__ import annotations

from typing import Any

from abl.runtime.state import SessionState, Thread, TurnState


def provided(state: SessionState, turn: TurnState, thread: Thread, name: str) -> Any:
    """The value of such a name, then a field of ``call_result`` inside a flow; else None."""
    match name:
        case "input":
            return turn.message
        case "channel":
            return state.channel
        case "language":
            return state.language
        case "turn_count":
            return state.turn
        case "recent_input":
            return [h["text"] for h in state.history if h["from"] == "user"][-3:]
        case "session":
            current = {"language": state.interaction_language or state.language}
            return {
                "id": state.session_id,
                "channel": state.channel,
                "user": state.user,
                "interaction": {"current": current},
            }
        case "system":
            return {"channel": state.channel, "locale": state.language}
        case _:
            pass
    if name in thread.system:
        return thread.system[name]
    if name in state.system:
        return state.system[name]
    result = thread.variables.get("call_result")
    if isinstance(result, dict) and thread.flow.status in {"running", "waiting"}:
        return result.get(name)
    return None
