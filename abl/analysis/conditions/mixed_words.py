"""Words that do not exclude each other: ``false`` equals every text but "true" (docs/spec 02 §5.1, 03 §2).

Of a name that may hold any text two words exclude each other even so, because no author means ``false`` there. A
name that is declared as something else holds what it is given, and that may be ``false``.
"""

from __future__ import annotations

from abl.analysis.conditions.choices import with_false
from abl.analysis.conditions.intervals import Limits
from abl.analysis.conditions.rule_entry import Entry
from abl.analysis.index.model import AgentIndex

_MAY_BE_WORDS = (None, "string")


def always_fails(entry: Entry, agent: AgentIndex) -> bool:
    """True for a rule that fails whatever the state, by itself or behind its gate."""
    if entry.verdict is False and (entry.use.reading.constant is not None or _mixed(entry.limits, agent).impossible):
        return True
    if not entry.is_forbidden_by_gate or entry.opening is None:
        return False
    gate = _mixed(entry.opening.bounds, agent)
    if gate == entry.opening.bounds:
        return True
    return any(gate.contradicts(_mixed(demand.bounds, agent)) for demand in entry.demands)


def excludes(one: Entry, other: Entry, agent: AgentIndex) -> bool:
    """True for rules that contradict each other, also where words do not."""
    if not one.limits.contradicts(other.limits):
        return True  # by what else they say
    return bool(_mixed(one.limits, agent).contradicts(_mixed(other.limits, agent)))


def _mixed(limits: Limits, agent: AgentIndex) -> Limits:
    """The limits, with ``false`` among what fits a word, of names that are declared as something else than text."""
    values = {
        path: choice if agent.types.of_path(path) in _MAY_BE_WORDS else with_false(choice)
        for path, choice in limits.values.items()
    }
    return Limits(limits.numbers, values)
