"""Which fields a message fills (docs/spec 07 §5): pairs, patterns, options, recognisers, then the asked field."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from abl.expressions.budget import spends
from abl.expressions.regex import compile_pattern
from abl.runtime.gather.recognise import Found, recognise, whole
from abl.runtime.gather.words import folded, found_by, may_hold, places_of
from abl.runtime.plan.fields import FieldPlan

EMPTY_LIST_WORDS = frozenset({"none", "nothing"})
CUES = (
    ("accept", ("must", "want", "need")),
    ("desire", ("would like", "prefer", "ideally")),
    ("avoid", ("rather not", "avoid")),
    ("refuse", ("never", "no ")),
)
OPTIONS_IN_STEP = 4
"""Options of a field that are compared with a text in one step of a budget."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A value for a field with where in the message it stands and how it was found."""

    field: FieldPlan
    value: Any
    start: int
    end: int
    strategy: str
    extra: str | None = None
    confidence: float = 1.0


@dataclass(slots=True)
class _Message:
    text: str
    language: str
    today: date
    used: list[tuple[int, int]]

    def free(self, start: int, end: int) -> bool:
        return all(end <= a or start >= b for a, b in self.used)


def extract(
    message: str,
    fields: Sequence[FieldPlan],
    *,
    asked: str | None,
    several: bool = False,
    language: str = "en",
    today: date,
) -> list[Extracted]:
    """Values for ``fields`` (active and unset ones, in declaration order); each span of the text is used once.

    ``asked`` names the field whose prompt was shown last; None when the message cannot be a whole answer.
    ``several`` says that the prompt asked for all missing fields at once.
    """
    text = _Message(message, language, today, [])
    found: dict[str, Extracted] = {}

    def left() -> list[FieldPlan]:
        return [f for f in fields if f.name not in found]

    def take(hits: Iterable[Extracted | None]) -> None:
        for hit in hits:
            if hit is not None and hit.field.name not in found:
                found[hit.field.name] = hit
                text.used.append((hit.start, hit.end))

    take(_pair(text, field) for field in left())
    take(_pattern(text, field) for field in left())
    if (several and "," in message.strip(" ,\n")) or (several and "\n" in message.strip()):
        take(_parts(text, left()))
    answer = next((f for f in left() if f.name == asked), None)
    if answer is not None:
        take([_whole_answer(text, answer)])
    take(_option(text, field) for field in left())
    for field in _nearest_first(text, left()):
        take([_recognised(text, field)])
    answer = next((f for f in left() if f.name == asked), None)
    if answer is not None and message.strip():
        take([_asked(text, answer)])
    return list(found.values())


def read_value(field: FieldPlan, raw: str, language: str, today: date) -> tuple[bool, Any, str | None]:
    """(fits, value, currency code) of a text that is meant as the value of ``field``."""
    raw, language = raw.strip(), field.language or language
    if field.list:
        return _read_list(field, raw, language, today)
    if field.range:
        return _read_range(field, raw, language, today)
    if field.options:
        chosen = option_of(field, raw)
        return chosen is not None, chosen, None
    if field.pattern:
        value, _ = pattern_value(field, raw)
        return value is not None, value, None
    if field.preferences:
        return True, _preferences(raw), None
    if field.is_text:
        return bool(raw), raw, None
    hit = whole(field.type, raw, language, today, field.temporal) or next(
        iter(recognise(field.type, raw, language, today, field.temporal)), None
    )
    if hit is None and field.type not in {
        "number",
        "integer",
        "float",
        "currency",
        "boolean",
        "date",
        "datetime",
        "email",
        "phone",
    }:
        return bool(raw), raw, None
    return (True, hit.value, hit.extra) if hit else (False, None, None)


def option_of(field: FieldPlan, raw: str) -> Any:
    """The option that a text names: equal ignoring case, else the only one that begins with it, else None."""
    if field.table is not None:
        return field.table.find(raw.strip().rstrip(".!?,"))
    spends(1 + len(field.options) // OPTIONS_IN_STEP)
    wanted = raw.strip().casefold()
    texts = [(str(option).casefold(), option) for option in field.options]
    if wanted in field.synonyms:
        return next((option for text, option in texts if text == field.synonyms[wanted].casefold()), None)
    exact = [option for text, option in texts if text == wanted]
    if exact:
        return exact[0]
    begins = [option for text, option in texts if wanted and text.startswith(wanted)]
    return begins[0] if len(begins) == 1 else None


def pattern_value(field: FieldPlan, text: str) -> tuple[str | None, int]:
    """The first match of the field's own pattern (its group) and where it starts; (None, -1) without one."""
    compiled = compile_pattern(field.pattern or "")
    match = compiled.search(text) if compiled is not None else None
    if match is None or field.group > len(match.groups()):
        return None, -1
    return match.group(field.group), match.start(field.group)


def _pair(text: _Message, field: FieldPlan) -> Extracted | None:
    names = "|".join(re.escape(name) for name in dict.fromkeys((field.name, field.spaced)))
    match = next(found_by(rf"(?<![\w.])(?:{names})\s*[:=]\s*([^,;\n]+)", text.text), None)
    if match is None:
        return None
    fits, value, extra = read_value(field, match[1], text.language, text.today)
    return Extracted(field, value, match.start(), match.end(), "pair", extra) if fits else None


def _pattern(text: _Message, field: FieldPlan) -> Extracted | None:
    if not field.pattern:
        return None
    value, start = pattern_value(field, text.text)
    return Extracted(field, value, start, start + len(value), "pattern") if value else None


def _parts(text: _Message, fields: list[FieldPlan]) -> list[Extracted]:
    """A reply to a prompt for several fields, cut at commas or line ends into as many parts as are missing."""
    wanted = [field for field in fields if field.required]
    pieces = [m for m in re.finditer(r"[^,\n]+", text.text) if m.group().strip()]
    if len(pieces) != len(wanted):
        return []
    hits = []
    for field, piece in zip(wanted, pieces, strict=True):
        fits, value, extra = read_value(field, piece.group(), text.language, text.today)
        if fits:
            hits.append(Extracted(field, value, piece.start(), piece.end(), "parts", extra))
    return hits


def _option(text: _Message, field: FieldPlan) -> Extracted | None:
    if not field.options or field.list:
        return None
    exact = field.table is not None and field.table.case_sensitive
    message = folded(text.text)
    hits = []
    for word in (*map(str, field.options), *field.synonyms):
        if may_hold(message, word):
            matches = places_of(word, text.text, 0 if exact else re.IGNORECASE)
            free = next((match for match in matches if text.free(match.start(), match.end())), None)
            if free is not None:
                hits.append((free.start(), -free.end(), word))
    if not hits:
        return None
    start, end, word = min(hits, key=lambda h: h[:2])
    named = next((option for option in field.options if str(option) == word), None)
    return Extracted(field, option_of(field, word) if named is None else named, start, -end, "option")


def _nearest_first(text: _Message, fields: list[FieldPlan]) -> list[FieldPlan]:
    """Fields whose name or hint is in the message choose before the others."""
    return sorted(fields, key=lambda f: not _cues(text.text, f))


def _cues(text: str, field: FieldPlan) -> list[tuple[int, int]]:
    words = [w for w in (field.spaced, field.name, *field.hints) if w]
    return [(match.start(), match.end()) for word in words for match in places_of(word, text)]


def _recognised(text: _Message, field: FieldPlan) -> Extracted | None:
    if field.list or field.options or field.range:
        return None
    hits = [
        h
        for h in recognise(field.type, text.text, field.language or text.language, text.today, field.temporal)
        if text.free(h.start, h.end)
    ]
    if not hits:
        return None
    cues = _cues(text.text, field)
    best = min(hits, key=_distance_to(cues)) if cues else hits[0]
    return Extracted(field, best.value, best.start, best.end, "recogniser", best.extra)


def _distance_to(cues: list[tuple[int, int]]) -> Callable[[Found], int]:
    """How far something that was found stands from the nearest of some places."""
    starts, ends = sorted(start for start, _ in cues), sorted(end for _, end in cues)

    def distance(hit: Found) -> int:
        begun, over = bisect_left(starts, hit.end), bisect_right(ends, hit.start)
        if begun > over:  # one of those that began before its end is not over at its start
            return 0
        before = [hit.start - ends[over - 1]] if over else []
        behind = [starts[begun] - hit.end] if begun < len(starts) else []
        return min(before + behind)

    return distance


def _whole_answer(text: _Message, field: FieldPlan) -> Extracted | None:
    """The asked field comes before others of its type when the message is nothing but a value of it."""
    if field.range or (field.list and not field.is_text):
        return _asked(text, field)
    if field.is_text or field.pattern:
        return None
    if field.options:
        chosen = option_of(field, text.text.strip().rstrip(".!?,"))
        return Extracted(field, chosen, 0, len(text.text), "option") if chosen is not None else None
    hit = whole(field.type, text.text, field.language or text.language, text.today, field.temporal)
    if hit is None or not text.free(hit.start, hit.end):
        return None
    return Extracted(field, hit.value, hit.start, hit.end, "asked", hit.extra)


def _asked(text: _Message, field: FieldPlan) -> Extracted | None:
    if text.used and not field.is_text:
        return None
    fits, value, extra = read_value(field, text.text, text.language, text.today)
    return Extracted(field, value, 0, len(text.text), "asked", extra) if fits else None


# Without the blanks around them: those of a long run would be tried again from each of them.
_BETWEEN_ITEMS = re.compile(r",|\n|\band\b")
_BETWEEN_WISHES = re.compile(r",|;|\n|\band\b|\bbut\b")


def _pieces(between: re.Pattern[str], raw: str) -> Iterator[str]:
    return (piece for part in between.split(raw) if (piece := part.strip()))


def _read_list(field: FieldPlan, raw: str, language: str, today: date) -> tuple[bool, Any, str | None]:
    if raw.casefold().rstrip(".!") in EMPTY_LIST_WORDS:
        return True, [], None
    items = []
    for piece in _pieces(_BETWEEN_ITEMS, raw):
        if field.options:
            value = option_of(field, piece)
            fits = value is not None
        elif field.is_text:
            fits, value = True, piece
        else:
            hit = whole(field.type, piece, language, today, field.temporal)
            fits, value = hit is not None, hit.value if hit else None
        if not fits:
            return False, None, None
        items.append(value)
    return bool(items), items, None


def _read_range(field: FieldPlan, raw: str, language: str, today: date) -> tuple[bool, Any, str | None]:
    kind = field.type if field.type in {"date", "datetime", "currency", "integer"} else "number"
    hits = recognise(kind, raw, language, today, field.temporal)
    if len(hits) >= 2:
        low, high = sorted((hits[0].value, hits[1].value))
        return True, {"low": low, "high": high}, hits[0].extra
    if len(hits) == 1:
        below = re.search(r"\b(under|below|up to|at most|less than|before|until|max)", raw, re.IGNORECASE)
        above = re.search(r"\b(over|above|at least|more than|from|after|min)", raw, re.IGNORECASE)
        if below or above:
            low, high = (None, hits[0].value) if below else (hits[0].value, None)
            return True, {"low": low, "high": high}, hits[0].extra
    return False, None, None


def _preferences(raw: str) -> dict[str, list[str]]:
    sorted_items: dict[str, list[str]] = {name: [] for name, _ in CUES}
    for piece in _pieces(_BETWEEN_WISHES, raw):
        name, cue = next(
            ((n, c) for n, cues in reversed(CUES) for c in cues if re.search(rf"(?<!\w){re.escape(c)}", piece, re.I)),
            ("accept", ""),
        )
        item = re.sub(rf"^.*?{re.escape(cue)}", "", piece, flags=re.IGNORECASE).strip() if cue else piece.strip()
        sorted_items[name].append(item or piece.strip())
    return sorted_items
