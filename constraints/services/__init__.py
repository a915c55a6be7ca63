"""What changes conversations, turns and traces. Every function is one transaction (DESIGN §1)."""

from constraints.services.conversations import conversation_start, refuse_problems
from constraints.services.deletion import conversations_delete
from constraints.services.leases import turn_claim, turn_sweep
from constraints.services.running import turn_run
from constraints.services.settled import conversation_settle, conversations_settle
from constraints.services.turns import turn_cancel, turn_post

__all__ = [
    "conversation_settle",
    "conversation_start",
    "conversations_delete",
    "conversations_settle",
    "refuse_problems",
    "turn_cancel",
    "turn_claim",
    "turn_post",
    "turn_run",
    "turn_sweep",
]
