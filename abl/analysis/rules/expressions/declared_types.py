"""2xx about TYPE of declarations (docs/spec 02 §2, 05 §3)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.types import canonical_type
from abl.analysis.fixes.names import rename_in_agent
from abl.analysis.incremental.parts import Placed
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest
from abl.syntax.vocabulary import GATHER_ONLY_TYPES, GATHER_TYPES, MEMORY_TYPES, TYPE_SLIPS

_ALL_TYPES = frozenset(GATHER_TYPES)
_Declaration = nodes.SessionVariable | nodes.PersistentPath
_DECLARATIONS = (nodes.SessionVariable, nodes.PersistentPath)


@rule("ABL233", "unknown-type", "error", "Unknown type `{t}`. Did you mean `{y}`?", over=_DECLARATIONS, needs="TYPE")
def unknown_type(declared: _Declaration, agent: AgentIndex) -> Iterator[Found]:
    """
    What: TYPE names a type that the language does not have.
    Why: Values are not checked, and messages and the inspector cannot show them well.
    Bad:
        MEMORY:
          session:
            - loans
              TYPE: int
    Good:
        MEMORY:
          session:
            - loans
              TYPE: number
    """
    text = declared.type
    word = text.value.strip() if text is not None else ""
    if text is None:
        return
    if canonical_type(word) or word.lower().split("<")[0] in ("enum", "union", "nullable"):
        if canonical_type(word) and word not in _ALL_TYPES and word.lower() in MEMORY_TYPES:
            yield found(text.span, fixes.replace(text.span, word.lower()), severity="warning", t=word, y=word.lower())
        elif word.lower() in TYPE_SLIPS and word.lower() not in _ALL_TYPES:
            better = TYPE_SLIPS[word.lower()]
            yield found(text.span, fixes.replace(text.span, better), t=word, y=better)
        return
    slip = TYPE_SLIPS.get(word.lower())
    close = (slip,) if slip else closest(word, MEMORY_TYPES)
    yield found(text.span, *fixes.rename_fixes(text.span, close), t=word, y=close[0] if close else "")


@rule(
    "ABL234",
    "gather-type-in-memory",
    "warning",
    "Type `{t}` is for gather fields, not memory",
    over=_DECLARATIONS,
    needs="TYPE",
)
def gather_type_in_memory(declared: _Declaration, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A memory declaration uses a type that only gather fields know, such as `integer` or `email`.
    Why: Memory knows string, number, boolean, date, datetime, array and object; other types are not checked.
    Bad:
        MEMORY:
          session:
            - loans
              TYPE: integer
    Good:
        MEMORY:
          session:
            - loans
              TYPE: number
    """
    text = declared.type
    word = text.value.strip().lower() if text is not None else ""
    if text is not None and word in GATHER_ONLY_TYPES:
        better = canonical_type(word) or "string"
        yield found(text.span, fixes.replace(text.span, better), t=text.value.strip())


@rule("ABL237", "now-shadowed", "warning", "`now` shadows the current-time word", over=Placed, needs="writes")
def now_shadowed(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A variable is named `now`.
    Why: In expressions `now` is the current time; the variable hides it.
    Bad:
        MEMORY:
          session:
            - now
    Good:
        MEMORY:
          session:
            - started_at
    """
    for write in part.part.writes:
        if write.path == "now":
            yield found(part.at(write.span), *rename_in_agent(agent, "now", "own_time"))
