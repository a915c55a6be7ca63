"""How the rules of agents went in the newest test conversation; the editor shows it beside them (``editor.ports``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final

from constraints.models import Conversation, TraceEvent
from editor.ports import LastRules, RuleKey, RuleTally, ports

CONVERSATIONS: Final = 3
EVENTS: Final = 5_000
"""Newest judgements of a conversation that are counted: somebody waits for the answer."""
_SHOWN_OUTCOMES: Final = frozenset({"failed", "warned", "error"})


def last_rules(project: int, agents: Collection[str]) -> LastRules | None:
    """The outcomes of each rule of these agents in the newest conversation of a project that judged one.

    None where none of the newest did.
    """
    newest = Conversation.objects.filter(project=project).order_by("-id").values_list("pk", "number")
    for pk, number in newest[:CONVERSATIONS]:
        rows = TraceEvent.objects.filter(conversation=pk, kind="constraint", agent__in=agents).order_by("-seq")
        tallies: dict[RuleKey, RuleTally] = {}
        for seq, data in rows.values_list("seq", "data")[:EVENTS].iterator():
            _count(tallies, seq, data)
        if tallies:
            return LastRules(number, tallies)
    return None


def _count(tallies: dict[RuleKey, RuleTally], seq: int, data: Mapping[str, Any]) -> None:
    """Adds a record of docs/spec 04 §10; the newest come first."""
    outcome = data.get("outcome", "")
    tally = tallies.setdefault(rule_key(data), RuleTally(Counter(), seq))
    if outcome in _SHOWN_OUTCOMES and not _SHOWN_OUTCOMES & tally.outcomes.keys():
        tally.seq = seq
    tally.outcomes[outcome] += 1


def rule_key(record: Mapping[str, Any]) -> RuleKey:
    """The rule that a record is of."""
    names = ("agent", "phase", "kind", "condition_text", "when_text", "before_text")
    return RuleKey(*[record.get(name) or "" for name in names])


ports.last_rules = last_rules
