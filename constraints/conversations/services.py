"""What changes conversations, turns and traces. Every function is one transaction (docs/architecture.md §1)."""

from constraints.conversations.deletion import conversations_delete
from constraints.conversations.starting import conversation_start, refuse_problems
from constraints.running.leases import turn_claim, turn_claim_next
from constraints.running.sleep_time import conversation_settle, conversations_settle
from constraints.running.sweeping import turn_sweep
from constraints.running.turns import turn_cancel, turn_post
from constraints.running.worker import turn_run, turns_work

__all__ = [
    "conversation_settle",
    "conversation_start",
    "conversations_delete",
    "conversations_settle",
    "refuse_problems",
    "turn_cancel",
    "turn_claim",
    "turn_claim_next",
    "turn_post",
    "turn_run",
    "turn_sweep",
    "turns_work",
]
