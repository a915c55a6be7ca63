"""LOOKUP_TABLES: the keys that a reply may name, and the values behind them (docs/spec 07 §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.expressions.budget import spends
from abl.expressions.values import read_number
from abl.language import key_at
from abl.language.entry import members
from abl.language.written import Lines
from abl.runtime.plan.listed import Listed, named

if TYPE_CHECKING:
    from abl.runtime.plan.agent_text import AgentText


KEYS_IN_STEP = 4
"""Keys of a table that are compared with a text in one step of a budget."""


@dataclass(frozen=True)
class LookupTable:
    """An inline table: what a reply may name, with the value of each; a list maps each of its values to itself."""

    name: str
    values: Mapping[str, Any]
    case_sensitive: bool = False
    fuzzy: bool = False
    threshold: float = 0.85

    def find(self, text: str) -> str | None:
        """The key that a text names; None for none, and for two that are equally near."""
        spends(1 + len(self.values) // KEYS_IN_STEP)
        wanted = self._compared(text.strip())
        exact = next((key for key in self.values if self._compared(key) == wanted), None)
        if exact is not None or not self.fuzzy or not wanted:
            return exact
        from rapidfuzz.distance import Levenshtein

        spends(len(self.values) * (len(wanted) + 1))
        likeness = Levenshtein.normalized_similarity
        near: list[tuple[float, str]] = [(likeness(self._compared(key), wanted), key) for key in self.values]
        best = max(near, default=(0.0, ""))
        if best[0] < self.threshold or sum(score == best[0] for score, _ in near) > 1:
            return None
        return best[1]

    def value(self, key: Any) -> Any:
        """What follows a key; None for one that the table does not have."""
        found = self.find(str(key)) if key is not None else None
        return self.values[found] if found is not None else None

    def _compared(self, text: str) -> str:
        return text if self.case_sensitive else text.casefold()


def lookup_tables(program: AgentText) -> dict[str, LookupTable | None]:
    """The tables by name; None for one whose values are elsewhere."""
    section = program.agent.section("LOOKUP_TABLES")
    listed = named("lookup", section.block if section is not None else None)
    return {entry.name: _table(entry) for entry in listed}


def _table(entry: Listed) -> LookupTable | None:
    given = entry.given
    if given.value("source") not in {None, "inline"}:
        return None
    values: dict[str, Any] = {}
    if "map" in given:
        values = _mapped(given.lines("map"))
    elif "values" in given:
        values = {text: text for text in given.texts("values")}
    elif not any(key_at("lookup", member.key) for member in members(entry.block)):
        values = _mapped(entry.block)
    return LookupTable(
        entry.name, values, given.value("case_sensitive"), given.value("fuzzy_match"), given.value("fuzzy_threshold")
    )


def _mapped(block: Lines | None) -> dict[str, Any]:
    return {member.key: _literal(member) for member in members(block)}


def _literal(member: Lines) -> Any:
    """A value as it is written: a quoted text, a number, true, false or a bare text; an object of lines below it."""
    if member.value is None:
        return _mapped(member)
    written = member.value.value.strip()
    if member.value.style != "bare":
        return member.value.value
    words = {"true": True, "false": False, "null": None}
    number = read_number(written)
    return words.get(written, number if number is not None else written)
