"""38x about TRANSFORM (docs/spec 03 §7, 05 §6)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.reading import read_value
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes


@rule("ABL386", "incomplete-transform", "error", "TRANSFORM needs SOURCE and INTO; missing: {missing}")
def incomplete_transform() -> None:
    """
    What: TRANSFORM does not say what it reads or where the result goes, or FILTER and MAP lack an item name (AS).
    Why: The pipeline cannot run.
    Bad:
        TRANSFORM:
          SOURCE: loans AS loan
          FILTER: loan.overdue == true
    Good:
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: overdue_loans
          FILTER: loan.overdue == true
    """


@rule(
    "ABL387",
    "sort-by-unmapped",
    "warning",
    "SORT_BY field `{f}` is not produced by MAP. Did you mean `{y}`?",
    over=nodes.Transform,
)
def sort_by_unmapped(transform: nodes.Transform, agent: AgentIndex) -> Iterator[Found]:
    """
    What: SORT_BY names a field that MAP does not give the items.
    Why: Sorting runs behind MAP; the field is unset on every item, so the order stays as it was.
    Bad:
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: shown
          MAP:
            title: loan.title
          SORT_BY: due
    Good:
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: shown
          MAP:
            title: loan.title
            due: loan.due
          SORT_BY: due
    """
    mapped = [argument.name.value for argument in transform.mapping if argument.name is not None]
    words = transform.sort_by.value.split() if transform.sort_by is not None else []
    if transform.sort_by is None or not words or not mapped:
        return
    field = words[0]
    item = f"{transform.item.value}." if transform.item is not None else ""
    bare = field.removeprefix(item) if item else field
    if bare.partition(".")[0] in mapped and bare == field:
        return
    start = transform.sort_by.value.index(field)
    span = transform.sort_by.span_of(start, start + len(field))
    if bare in mapped:
        yield found(span, fixes.replace(span, bare), node=transform.path, f=field, y=bare)
        return
    best, renames = fixes.rename_to(span, bare, mapped)
    yield found(span, *renames, node=transform.path, f=field, y=best)


@rule("ABL388", "bad-limit", "error", "LIMIT must be a positive number", over=nodes.Transform)
def bad_limit(transform: nodes.Transform, agent: AgentIndex) -> Iterator[Found]:
    """
    What: LIMIT of a TRANSFORM is a literal below 1 or no number. 0, which gives an empty list, is a warning.
    Why: How many items to keep is not known.
    Bad:
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: shown
          LIMIT: -1
    Good:
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: shown
          LIMIT: 5
    """
    limit = transform.limit
    constant = read_value(limit.value).constant if limit is not None else None
    if limit is None or constant is None:
        return
    value = constant.value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or value <= 0 or value != int(value):
        yield found(limit.span, severity="warning" if number and value == 0 else None, node=transform.path)


@rule("ABL389", "filter-without-item", "warning", "FILTER does not use the item variable `{v}`", over=nodes.Transform)
def filter_without_item(transform: nodes.Transform, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The condition of FILTER never looks at the item.
    Why: It keeps all items or none.
    Bad:
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: late
          FILTER: overdue == true
    Good:
        TRANSFORM:
          SOURCE: loans AS loan
          INTO: late
          FILTER: loan.overdue == true
    """
    if transform.item is None or transform.filter is None:
        return
    use = next((use for use in agent.expressions_of(transform) if use.place == "FILTER"), None)
    if use is None or use.reading.node is None:
        return
    if all(name.root != transform.item.value for name in use.reading.names):
        yield found(use.whole, node=transform.path, v=transform.item.value)
