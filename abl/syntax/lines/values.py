"""The values of lines: one line, a pipe block, or as many lines as a bracket stays open (docs/spec 01 §2, §5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.lines.pieces import behind_mapping, nests
from abl.syntax.lines.scanner import BLANK, COMMENT, CONTENT, Line, follow_brackets, open_brackets, scan_line
from abl.syntax.lines.texts import PipeHeader, bare_text, closing_quote, pipe_text, quoted_text
from abl.syntax.nodes import Comment, Text
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings

_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_RULE_WORDS: Final = tuple(f"{kind} " for kind in vocabulary.RULE_KINDS)
_STOP_KEYS: Final = frozenset().union(*vocabulary.KEYS_BY_PLACE.values())
_LOOK_AHEAD: Final = 5_000
_CLOSE_BY: Final = 20


def blanked(text: str, spans: Sequence[Span], offset: int) -> str:
    """``text``, which begins at ``offset``, with spaces in place of the spans (in order)."""
    if not spans:
        return text
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += [text[at : start - offset], " " * (end - start)]
        at = end - offset
    return "".join([*pieces, text[at:]])


def _uncommented(raw: str) -> str:
    """A line without a comment at its end (01 §2)."""
    line = scan_line(raw)
    has_comment = line.kind == CONTENT and line.trailer >= 0 and raw[line.trailer] == "#"
    return raw[: line.trailer].rstrip() if has_comment else raw[: line.end]


class ValueReader:
    """Reads the values of a text's lines; the caller says where each begins."""

    def __init__(self, ctx: Context, text: str) -> None:
        self.ctx = ctx
        self.text = text
        self.starts = ctx.source.line_starts
        self.lines = text.split("\n")
        self.comments: list[Comment] = []
        self.inner_comments: list[Span] = []
        self.unsure: list[int] = []
        self.patience = _LOOK_AHEAD + 2 * len(self.lines)

    def comment(self, span: Span) -> Comment:
        """Note a comment."""
        comment = Comment(self.text[span.start + 1 : span.end].strip(), span)
        self.comments.append(comment)
        return comment

    def without_trailer(self, line: Line, base: int, free: bool) -> int:
        """End of the value when a trailing comment is cut off it, else the end of the line (01 §2)."""
        start, trailer, end = base + line.value, base + line.trailer, base + line.end
        if self.ctx.yaml and self.text[trailer] == "#":
            return base + len(self.text[base:trailer].rstrip())
        quoted = self.text[start] in "\"'" and closing_quote(self.text, start, trailer) > 0
        if not quoted and (free or self._is_message(line, self.text[start:trailer])):
            return end
        value_end = trailer
        while value_end > start and self.text[value_end - 1] in " \t":
            value_end -= 1
        self.ctx.report(findings.trailing_comment(self.ctx.source, trailer, end, value_end))
        return value_end

    @staticmethod
    def _is_message(line: Line, value: str) -> bool:
        """True for ON_FAIL with unquoted text that begins with no action word."""
        first, _, more = value.strip().partition(" ")
        return line.key.upper() == "ON_FAIL" and bool(more) and not first.isupper()

    def pipe(self, line: Line, start: int, header: PipeHeader, following: int) -> tuple[Text, int]:
        """Text of a pipe block: the lines deeper than its key, blank ones included."""
        at, count = following, len(self.lines)
        limit = line.key_column if line.item else line.column
        spans: list[tuple[int, int]] = []
        while at < count:
            below = scan_line(self.lines[at])
            if below.kind != BLANK and below.column <= limit:
                break
            base = self.starts[at]
            spans.append((base, base + (below.end if below.kind != BLANK else 0)))
            at += 1
        text = pipe_text(self.text, start, spans, header, limit - 1)
        return text, following + len(spans)

    def value(self, line: Line, start: int, end: int, *, free: bool, following: int) -> tuple[Text | None, int]:
        """A one-line value, or one that continues while a bracket is open; and the index of the next line to read."""
        text = self.text
        first = text[start]
        if first in "\"'":
            closed = closing_quote(text, start, end)
            if closed == end:
                return quoted_text(text, start, end), following
            if closed < 0:
                self.ctx.report(findings.unterminated_string(Span(start, end), first))
                return quoted_text(text, start, end, closed=False), following
        elif line.opens and (not free or first in "[{"):
            last = self._continuation(line, following)
            if last > following:
                return self._whole(self._long_value(start, following, last)), last
            if first in "[{":
                self._unclosed(line, Span(start, end))
        return self._whole(bare_text(text, start, end)), following

    def _whole(self, value: Text | None) -> Text | None:
        """The value; what follows a mapping of the YAML form is reported, as nobody would read the mapping."""
        behind = behind_mapping(self.text, *value.span) if self.ctx.yaml and value is not None else -1
        if value is not None and behind >= 0:
            span = Span(behind, value.span.end)
            self.ctx.report(findings.behind_bracket(span, value.raw[0], self.text[slice(*span)]))
        return value

    def _long_value(self, start: int, following: int, last: int) -> Text:
        """The value that begins at ``start`` and ends with the line before ``last``."""
        end = self.starts[last - 1] + len(_uncommented(self.lines[last - 1]))
        inner: list[Span] = []
        for at in range(following - 1, last):
            line, base = scan_line(self.lines[at]), self.starts[at]
            if line.kind == COMMENT:
                inner.append(self.comment(Span(base + line.indent, base + line.end)).span)
            elif line.kind == CONTENT and (kept := len(_uncommented(self.lines[at]))) < line.end:
                if not self.ctx.yaml and at >= following:
                    found = (base + line.trailer, base + line.end, base + kept)
                    self.ctx.report(findings.trailing_comment(self.ctx.source, *found))
                if at < last - 1:
                    inner.append(Span(base + line.trailer, base + line.end))
        self.inner_comments += inner
        raw = self.text[start:end]
        span = Span(start, end)
        return Text(blanked(raw, inner, start), raw, span, span)

    def _continuation(self, line: Line, following: int) -> int:
        """Index behind the line that closes the open brackets, or ``following`` when none does.

        Looking ahead without success is bounded for the whole file, so that a text full of open brackets is read in
        linear time.
        """
        limit = line.key_column if line.item and line.colon else line.column
        opens, at, count = list(line.opens), following, len(self.lines)
        before = "".join(opens)[-1:]
        while at < count and self.patience > 0:
            raw = self.lines[at]
            below = scan_line(raw)
            at += 1
            if below.kind != CONTENT:
                continue
            closer = raw[below.indent] in ")]}"
            if not closer and (
                below.column <= limit or (self._starts_property(below, raw) and not self._is_member(before, opens, at))
            ):
                break
            before = _uncommented(raw)
            follow_brackets(before, opens)
            if not opens:
                return at
        self.patience -= at - following
        self.unsure.append(self.starts[following - 1])
        return following

    @staticmethod
    def _starts_property(line: Line, raw: str) -> bool:
        if line.colon:
            return line.key in _STOP_KEYS
        return line.item and raw.startswith(_RULE_WORDS, line.content)

    def _is_member(self, before: str, opens: list[str], following: int) -> bool:
        """True where commas around a property show that it is a member of braces, or a comma and that it closes them.

        ``before`` is what stands before its line, ``following`` the line behind it.
        """
        its = _uncommented(self.lines[following - 1])
        if its.endswith(","):
            return True
        if before.endswith((",", "{")) and not open_brackets(its, "".join(opens)):
            return True
        lines = (raw for raw in self.lines[following : following + _CLOSE_BY] if scan_line(raw).kind == CONTENT)
        return before.endswith((",", "{")) and next(lines, "").lstrip().startswith("}")

    def _unclosed(self, line: Line, span: Span) -> None:
        missing = "".join(_PAIRS[bracket] for bracket in reversed(line.opens))
        if not nests(f"{self.text[span.start : span.end]}{missing}"):  # one inside is closed by that of another
            missing = ""
        number = self.ctx.line_of(span.start)
        bracket = Span(span.start, span.start + 1)
        self.ctx.report(findings.unclosed_bracket(bracket, self.text[span.start], number, span.end, missing))
