"""What the parser reports of any section, a constructor per code, so that the data of a code always has the same keys.

``section_findings`` are those of single sections.

The keys are the placeholders of the catalogue (docs/spec 05 §2 ff.); the registry fills its message pattern from them.
``suggestions`` is a tuple of did-you-mean words (best first), ``y`` the best one or "".

========  ==============================================================================================
code      data
========  ==============================================================================================
ABL103    x (section as written), y, suggestions
ABL104    x (as written), X (canonical)
ABL105    x (canonical), n (line of the first)
ABL106    k (key as written), block (where it stands), y, suggestions; given (the key that is meant) if it is there
ABL107    k (key as written), entry (what it was given for), n (line of the first)
ABL108    a (column found), b (column expected); or character (a blank in the indentation, as U+00A0)
ABL109    none
ABL110    k
ABL111    none
ABL128    q (the quote)
ABL112    c (the bracket), n (line of the bracket)
ABL113    none
ABL114    none
ABL115    block
ABL116    x (key as written)
ABL117    n (name as written), kind ("step", "session variable", ...), fix (a legal name)
ABL119    none
ABL123    k (as written), K (upper case)
ABL124    upper, lower (numbers of sections in each form)
ABL125    reason (a sentence without full stop), text (the line, cut); yaml for what only YAML knows
ABL127    x, y, suggestions
ABL704    k (key as written), y, suggestions; given as for ABL106
========  ==============================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from abl.diagnostics import Edit, Finding, Fix
from abl.source import Source, Span
from abl.syntax.lines.scanner import OTHER_BLANKS, TAB_WIDTH
from abl.syntax.nodes import Block
from abl.syntax.recovery.emptied_blocks import removal
from abl.syntax.recovery.suggest import IS_GIVEN, closest, not_given

_NOT_NAME = re.compile(r"[^A-Za-z0-9_]+")
ODD_INDENT = re.compile(rf"(?:^|\n)(\ufeff?[ \t]*[{OTHER_BLANKS}][ \t{OTHER_BLANKS}]*)(?=\S)")
"""An indentation with blanks that are neither spaces nor tabs, in front of what stands on the line."""
_ANY_BLANK = re.compile(f"[{OTHER_BLANKS}]")
SHOWN = 60
_MOST_MOVED = 500
"""Lines beyond which a block is not offered to be moved."""


def rename_fixes(span: Span, suggestions: Iterable[str]) -> tuple[Fix, ...]:
    """One fix per suggestion; preferred only when there is no choice."""
    words = tuple(suggestions)
    return tuple(Fix(f"Change to `{word}`", (Edit(span, word),), preferred=len(words) == 1) for word in words)


def renamed(code: str, span: Span, data: dict[str, object], word: str, candidates: Iterable[str]) -> Finding:
    """A finding with the candidates that are like ``word`` as suggestions and fixes."""
    return _suggested(code, span, data, closest(word, candidates))


def _suggested(code: str, span: Span, data: dict[str, object], suggestions: tuple[str, ...]) -> Finding:
    guess = {"y": suggestions[0] if suggestions else "", "suggestions": suggestions}
    return Finding(code, span, {**data, **guess}, fixes=rename_fixes(span, suggestions))


def _renamed_key(
    code: str, where: Block, data: dict[str, object], candidates: Iterable[str], given: Collection[str], *, words: str
) -> Finding:
    """A key that its place does not know. One that is ``given`` there already (canonical) is named, not offered."""
    suggestions, there = not_given(where.key, closest(where.key, candidates), given)
    said = {"given": there, "wording": f"{words}; {IS_GIVEN}"} if there else {}
    return _suggested(code, where.key_span, {**data, **said}, suggestions)


def line_removal(source: Source, span: Span) -> Edit:
    """Delete the whole lines that ``span`` touches."""
    first, last = source.position(span.start).line, source.position(max(span.start, span.end - 1)).line
    start = source.line_starts[first - 1]
    end = source.line_starts[last] if last < source.line_count else len(source.text)
    return Edit(Span(start, end), "")


def unknown_section(span: Span, written: str, candidates: Iterable[str], given: Collection[str] = ()) -> Finding:
    """ABL103. Of several sections that it may be, those ``given`` already (canonical) are left out."""
    close = closest(written, candidates)
    free = tuple(name for name in close if name.upper() not in given)
    return _suggested("ABL103", span, {"x": written}, free or close)


def section_elsewhere(span: Span, written: str, section: str) -> Finding:
    """ABL103 for a property of a section that stands as a section."""
    words = f"`{{x}}` is no section; it belongs below `{section}:`"
    return Finding("ABL103", span, {"x": written, "y": "", "suggestions": (), "wording": words})


def section_case(span: Span, written: str, canonical: str) -> Finding:
    """ABL104."""
    fix = Fix(f"Write `{canonical}`", (Edit(span, canonical),), preferred=True)
    return Finding("ABL104", span, {"x": written, "X": canonical}, fixes=(fix,))


def duplicate_section(span: Span, keyword: str, first_line: int, fixes: tuple[Fix, ...] = ()) -> Finding:
    """ABL105."""
    return Finding("ABL105", span, {"x": keyword, "n": first_line}, fixes=fixes)


def _removal(source: Source, span: Span, written: str, preferred: bool = False) -> tuple[Fix, ...]:
    """Fix that deletes the lines of a property, when it begins its line."""
    position = source.position(span.start)
    if source.text[span.start - position.column + 1 : span.start].strip(" \t"):
        return ()
    return (Fix(f"Remove `{written}`", (line_removal(source, span),), preferred),)


def unknown_key(
    source: Source, where: Block, place: str, candidates: Iterable[str], given: Collection[str] = ()
) -> Finding:
    """ABL106. The candidates are in the case in which they would be written; ``given`` are the keys beside it."""
    data: dict[str, object] = {"k": where.key, "block": place}
    finding = _renamed_key("ABL106", where, data, candidates, given, words="Unknown key `{k}` in {block}")
    return _or_removed(finding, source, where)


def _or_removed(finding: Finding, source: Source, where: Block) -> Finding:
    """A key near one other is a slip, perhaps of what the entry needs; any other may be left out as well."""
    if len(finding.fixes) == 1 or (where.item and where.children):
        return finding
    return finding.with_fixes(*_removal(source, where.span, where.key))


def unknown_field_key(source: Source, where: Block, candidates: Iterable[str], given: Collection[str] = ()) -> Finding:
    """ABL704."""
    finding = _renamed_key("ABL704", where, {"k": where.key}, candidates, given, words="`{k}` is not a field property")
    return _or_removed(finding, source, where)


def intended_key(span: Span, written: str, place: str, intended: str, *, colon: bool) -> Finding:
    """ABL106 for a word of other languages, of which one knows what it stands for; without its ``colon``, perhaps."""
    fix = Fix(f"Change to `{intended}`", (Edit(span, intended if colon else f"{intended}:"),), preferred=True)
    return Finding(
        "ABL106", span, {"k": written, "block": place, "y": intended, "suggestions": (intended,)}, fixes=(fix,)
    )


def unknown_word(span: Span, written: str, place: str, candidates: Iterable[str]) -> Finding:
    """ABL106 for a word that stands where only certain words may."""
    return renamed("ABL106", span, {"k": written, "block": place}, written, candidates)


def duplicate_key(source: Source, where: Block, entry: str, first: Block | None, first_line: int) -> Finding:
    """ABL107. It is unknown which of two different values is meant, so the safe fix removes only equal repetitions."""
    fixes = _removal(source, where.span, where.key, preferred=first is not None and _is_same(source, first, where))
    return Finding("ABL107", where.key_span, {"k": where.key, "entry": entry, "n": first_line}, fixes=fixes)


def _is_same(source: Source, one: Block, other: Block) -> bool:
    """True for two properties with one value, their blanks aside."""
    first, later = (source.text[block.key_span.end : block.span.end].split() for block in (one, other))
    return first == later


def bad_indent(source: Source, line: Span, found: int, expected: int, *, with_fix: bool = True) -> Finding:
    """ABL108; ``line`` is the line without its indentation. What is below it moves with it."""
    if not with_fix:
        return Finding("ABL108", line, {"a": found, "b": expected})
    edits = tuple(_moved_lines(source, line, found, expected))
    fixes = (Fix("Indent like the lines around it", edits, preferred=True),) if len(edits) <= _MOST_MOVED else ()
    return Finding("ABL108", line, {"a": found, "b": expected}, fixes=fixes)


def under_indented(source: Source, lines: Sequence[Span], found: int, expected: int) -> Finding:
    """ABL108 for properties of one entry that are in the column of its dash; each is a line without indentation."""
    edits = tuple(edit for line in lines for edit in _moved_lines(source, line, found, expected))
    fixes = (Fix("Indent below the entry above", edits, preferred=True),) if len(edits) <= _MOST_MOVED else ()
    return Finding("ABL108", lines[0], {"a": found, "b": expected}, fixes=fixes)


def _moved_lines(source: Source, line: Span, found: int, expected: int) -> Iterator[Edit]:
    """The indentation of a line and of those below it; with a list in the column of its key, of all its items.

    Lines that stand where they should once the line itself has moved, stay.
    """
    number = source.position(line.start).line
    start = source.line_starts[number - 1]
    yield Edit(Span(start, line.start), " " * (expected - 1))
    is_item = source.text.startswith("- ", line.start)
    is_list = is_item and expected == found + 2
    is_first = True
    for later in range(number + 1, min(number + _MOST_MOVED, source.line_count) + 1):
        text = source.line_text(later)
        words = text.lstrip(" \t")
        if not words:
            continue
        column = len(text[: len(text) - len(words)].expandtabs(TAB_WIDTH)) + 1
        if is_first and expected > found and column == expected + 2:
            return
        if is_item and column == expected and words.startswith("- ") and expected > found:
            return
        is_first = False
        if column > found or (is_list and column == found and words.startswith("- ")):
            start = source.line_starts[later - 1]
            yield Edit(Span(start, start + len(text) - len(words)), " " * (column - 1 + expected - found))
        elif not words.startswith("#"):
            return


def other_blanks(source: Source, span: Span) -> Finding:
    """ABL108 for blanks in the indentation that are no spaces; once for a text, all of whose lines the fix mends."""
    character = next(each for each in source.text[slice(*span)] if each in OTHER_BLANKS)
    edits: list[Edit] = []
    for match in ODD_INDENT.finditer(source.text):
        written = match[1].removeprefix("\ufeff")
        edits.append(Edit(Span(match.end() - len(written), match.end()), _ANY_BLANK.sub(" ", written)))
    fix = Fix("Indent with spaces", tuple(edits), preferred=True)
    kind = "no-break spaces" if character == "\u00a0" else "blanks that are no spaces"
    words = f"The indentation holds {kind} (U+{ord(character):04X}); indent with spaces"
    return Finding("ABL108", span, {"character": f"U+{ord(character):04X}", "wording": words}, fixes=(fix,))


def mixed_tabs(span: Span, edits: tuple[Edit, ...]) -> Finding:
    """ABL109; no fix where only lines that are no blocks have tabs."""
    return Finding("ABL109", span, fixes=(Fix("Convert tabs to spaces", edits, preferred=True),) if edits else ())


def missing_colon(span: Span, word: str, intended: str = "", until: int = 0) -> Finding:
    """ABL110; the span is the word, which is to be ``intended`` if that is more than its colon.

    ``until`` is where the value begins behind a sign that stands for the colon.
    """
    edit = Edit(span, intended) if intended else Edit(Span(span.end, span.end), ":")
    if until:
        return Finding(
            "ABL110", span, {"k": word}, fixes=(Fix("Write `:`", (Edit(Span(span.end, until), ": "),), True),)
        )
    fix = Fix(f"Write `{intended}`" if intended else "Insert `:`", (edit,), preferred=True)
    return Finding("ABL110", span, {"k": word}, fixes=(fix,))


def unterminated_string(span: Span, quote: str) -> Finding:
    """ABL111."""
    fix = Fix(f"Add the closing `{quote}`", (Edit(Span(span.end, span.end), quote),), preferred=True)
    return Finding("ABL111", span, fixes=(fix,))


CURLY_OPENING: Final = ("“", "„", "‘")
_CURLY: Final = re.compile("[“„](?P<double>[^“”]*)[“”\"]|‘(?P<single>[^‘’]*)[’']")


def curly_quotes(span: Span, raw: str) -> Finding:
    """ABL128; a fix where the quotes are around the whole text and nothing else is in quotes."""
    whole = _CURLY.fullmatch(raw)
    inner = (whole["double"] or whole["single"] or "") if whole is not None else ""
    straight = '"' + inner.replace("\\", "\\\\").replace('"', '\\"') + '"'
    fixes = (Fix("Write straight quotes", (Edit(span, straight),), preferred=True),) if whole is not None else ()
    return Finding("ABL128", Span(span.start, span.start + 1), {"q": raw[0]}, fixes=fixes)


def unclosed_bracket(span: Span, bracket: str, line: int, end: int, missing: str) -> Finding:
    """ABL112; ``missing`` are the closing brackets to insert at ``end``, or empty where that would not mend it."""
    fix = Fix(f"Insert `{missing}`", (Edit(Span(end, end), missing),))
    return Finding("ABL112", span, {"c": bracket, "n": line}, fixes=(fix,) if 0 < len(missing) <= 8 else ())


def trailing_comment(source: Source, start: int, end: int, value_end: int) -> Finding:
    """ABL113 for ``#``, ABL114 for ``//``; the comment goes to a line of its own above."""
    position = source.position(start)
    line_start = source.line_starts[position.line - 1]
    line = source.line_text(position.line)
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    code = "ABL113" if source.text[start] == "#" else "ABL114"
    words = source.text[start:end].lstrip("#/").strip()
    edits = (Edit(Span(line_start, line_start), f"{indent}# {words}\n"), Edit(Span(value_end, end), ""))
    return Finding(
        code, Span(start, end), fixes=(Fix("Move the comment to its own line above", edits, preferred=True),)
    )


def slash_line(start: int, end: int) -> Finding:
    """ABL114 for a whole line that begins with ``//``."""
    fix = Fix("Use `#`", (Edit(Span(start, start + 2), "#"),), preferred=True)
    return Finding("ABL114", Span(start, end), fixes=(fix,))


def item_expected(source: Source, span: Span, block: str, entries: Sequence[Span]) -> Finding:
    """ABL115; the span starts where the dash belongs. The lines of each entry behind its first move with it."""
    edits: list[Edit] = []
    for entry in entries:
        edits.append(Edit(Span(entry.start, entry.start), "- "))
        first, last = source.position(entry.start).line, source.position(max(entry.start, entry.end - 1)).line
        starts = [source.line_starts[line - 1] for line in range(first + 1, last + 1) if source.line_text(line).strip()]
        edits += [Edit(Span(start, start), "  ") for start in starts]
    fix = Fix("Insert `- `", tuple(edits), preferred=True)
    return Finding("ABL115", span, {"block": block}, fixes=(fix,))


def listed_bodies(source: Source, block: Block, items: Sequence[Block]) -> Finding:
    """ABL125 for definitions of steps that are items of ``steps``; without their dashes they are of shape C."""
    reason = "A step is defined by its name without a dash, beside `steps:` or below it"
    edits = tuple(Edit(Span(item.span.start, item.key_span.start), "") for item in items)
    can_stand = all(item.value is None and item.column > block.column for item in items)
    fixes = (Fix("Remove the dashes", edits, preferred=True),) if can_stand else ()
    found = unreadable(items[0].line_span, reason, source.text[slice(*items[0].line_span)])
    return found.with_fixes(*fixes)


def empty_block(source: Source, span: Span, written: str) -> Finding:
    """ABL116; what would be empty without the block goes with it, but never all of a document."""
    fixes = removal(source, span).fixes(f"Remove `{written}`") if _removal(source, span, written) else ()
    return Finding("ABL116", span, {"x": written}, fixes=fixes)


def bad_name(span: Span, name: str, kind: str) -> Finding:
    """ABL117."""
    parts = name.split(".") if kind == "persistent path" else [name]
    legal = ".".join([part for each in parts if (part := _NOT_NAME.sub("_", each).strip("_"))]) or "name"
    legal = legal.lower() if kind == "lookup table" else legal
    if legal[0].isdigit():
        legal = f"n{legal}" if kind == "agent" else f"_{legal}"
    # Where nothing of a name is written, something else is.
    may_be_intended = _NOT_NAME.sub("", name) and legal != name and (kind != "persistent path" or "." in legal)
    fixes = (Fix(f"Write `{legal}`", (Edit(span, legal),)),) if may_be_intended else ()
    return Finding("ABL117", span, {"n": name, "kind": kind, "fix": legal}, fixes=fixes)


def removed_mode(source: Source, span: Span) -> Finding:
    """ABL119."""
    return Finding("ABL119", span, fixes=(Fix("Delete the line", (line_removal(source, span),), preferred=True),))


def lower_key(span: Span, written: str) -> Finding:
    """ABL123."""
    upper = written.upper()
    fix = Fix(f"Write `{upper}`", (Edit(span, upper),), preferred=True)
    return Finding("ABL123", span, {"k": written, "K": upper}, fixes=(fix,))


def mixed_forms(source: Source, upper: Sequence[Span], lower: Sequence[Span], yaml: bool) -> Finding:
    """ABL124. The fix writes all sections as the form of the file has them."""
    others = upper if yaml else lower
    words = [source.text[slice(*span)] for span in others]
    edits = tuple(Edit(span, word.lower() if yaml else word.upper()) for span, word in zip(others, words, strict=True))
    fix = Fix(f"Write all sections in {'lower' if yaml else 'upper'} case", edits)
    return Finding("ABL124", others[0], {"upper": len(upper), "lower": len(lower)}, fixes=(fix,))


def unreadable(span: Span, reason: str, text: str = "") -> Finding:
    """ABL125."""
    return Finding("ABL125", span, {"reason": reason, "text": cut(text)})


def one_long_line(text: str) -> Finding:
    """ABL125 for a text whose lines end as they did on old systems, so that it is read as one line (01 §2)."""
    ends = [at for at, character in enumerate(text) if character == "\r"]
    fix = Fix("End lines with a line feed", tuple(Edit(Span(at, at + 1), "\n") for at in ends), preferred=True)
    reason = "Lines end with a carriage return alone, so that the text is one line"
    data = {"reason": reason, "text": cut(text[: ends[0]])}
    return Finding("ABL125", Span(ends[0], ends[0] + 1), data, fixes=(fix,))


def yaml_only(span: Span, reason: str, text: str, fixes: tuple[Fix, ...] = ()) -> Finding:
    """ABL125 for what only YAML knows; nothing else is reported that begins within it."""
    return Finding("ABL125", span, {"reason": reason, "text": cut(text), "yaml": True}, fixes=fixes)


def behind_bracket(span: Span, bracket: str, text: str) -> Finding:
    """ABL125 for what follows a mapping or list, which nobody reads then."""
    return unreadable(span, f"Text stands behind the bracket that `{bracket}` opens", text)


def cut(text: str) -> str:
    """A text short enough to be quoted in a message."""
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def unknown_memory_block(span: Span, written: str, candidates: Iterable[str]) -> Finding:
    """ABL127."""
    return renamed("ABL127", span, {"x": written}, written, candidates)
