"""ON_SUCCESS, ON_FAILURE and ON_RESULT of a GATHER (docs/spec 06 §3, §6.2).

Those behind a CALL are part of it; a step keeps the others as directives of their own, so that a rule can report one
that belongs to nothing. A block belongs to the nearest GATHER above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from abl.syntax import nodes, vocabulary


class Gathered(NamedTuple):
    """A GATHER with what follows it. Blocks of one keyword are one list, as below a CALL."""

    gather: nodes.Gather
    outcomes: tuple[nodes.Outcome, ...] = ()

    def branches(self, keyword: str) -> tuple[nodes.Branch, ...]:
        """The branches of ON_SUCCESS, ON_FAILURE or ON_RESULT."""
        return tuple(b for outcome in self.outcomes if outcome.keyword == keyword for b in outcome.branches)

    @property
    def on_success(self) -> tuple[nodes.Branch, ...]:
        """What is chosen from when the GATHER is complete."""
        return self.branches("ON_SUCCESS")

    @property
    def on_failure(self) -> tuple[nodes.Branch, ...]:
        """What is chosen from when a field has failed too often."""
        return self.branches("ON_FAILURE")

    @property
    def on_result(self) -> tuple[nodes.Branch, ...]:
        """What is chosen from in both cases, behind the others."""
        return self.branches("ON_RESULT")


def gathers_of(directives: Iterable[nodes.Directive]) -> list[Gathered]:
    """Every GATHER of a list of directives, in authored order."""
    found: list[Gathered] = []
    for directive in directives:
        if isinstance(directive, nodes.Gather):
            found.append(Gathered(directive))
        elif found and isinstance(directive, nodes.Outcome) and directive.keyword in vocabulary.RESULT_BLOCKS:
            found[-1] = Gathered(found[-1].gather, (*found[-1].outcomes, directive))
    return found


def in_order(directives: Sequence[nodes.Directive]) -> Sequence[nodes.Directive]:
    """Directives in the order in which they run: a GATHER's outcomes at once behind it, wherever they stand."""
    gathers = [each for each in gathers_of(directives) if each.outcomes]
    if not gathers:
        return directives
    moved = {id(outcome) for each in gathers for outcome in each.outcomes}
    behind = {id(each.gather): each.outcomes for each in gathers}
    rest = (directive for directive in directives if id(directive) not in moved)
    return tuple(each for directive in rest for each in (directive, *behind.get(id(directive), ())))
