"""6xx about TRANSFORM (docs/spec 06 §5.5, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.fixes.steps import rename_item
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes
from abl.syntax.vocabulary import SORT_DIRECTIONS


@rule(
    "ABL630",
    "bad-sort-direction",
    "error",
    "SORT_BY direction must be asc or desc. Did you mean `{y}`?",
    over=nodes.Transform,
)
def bad_sort_direction(transform: nodes.Transform, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The word behind the field in SORT_BY is neither asc nor desc.
    Why: In which order to sort is not known.
    Bad:
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: sorted_loans
          SORT_BY: due down
    Good:
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: sorted_loans
          SORT_BY: due desc
    """
    if transform.sort_by is None:
        return
    words = transform.sort_by.value.split()
    if len(words) > 1 and words[1].lower() not in SORT_DIRECTIONS:
        start = transform.sort_by.value.index(words[1], len(words[0]))
        span = transform.sort_by.span_of(start, start + len(words[1]))
        best, renames = fixes.rename_to(span, words[1], SORT_DIRECTIONS)
        intended = {"down": "desc", "descending": "desc", "up": "asc", "ascending": "asc"}.get(words[1].lower())
        yield found(span, *((fixes.replace(span, intended),) if intended else renames), y=intended or best)


@rule("ABL631", "hidden-variable", "hint", "`{v}` hides the variable of the same name", over=nodes.Transform)
def hidden_variable(transform: nodes.Transform, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The item name of TRANSFORM is also the name of a variable.
    Why: Within the pipeline the name means the item.
    Bad:
        MEMORY:
          session:
            - loan
        SET: loans = [1, 2]
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: large_loans
          FILTER: loan > 1
    Good:
        SET: loans = [1, 2]
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: large_loans
          FILTER: loan > 1
    """
    if transform.item is not None and transform.item.value in agent.written_roots:
        yield found(transform.item.span, *rename_item(agent, transform), v=transform.item.value)
