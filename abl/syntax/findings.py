"""What the parser reports: one constructor per code, so that the data of a code always has the same keys.

The keys are the placeholders of the catalogue (docs/spec 05 §2 ff.); the registry fills its message pattern from them.
``suggestions`` is a tuple of did-you-mean words (best first), ``y`` the best one or "".

========  ==============================================================================================
code      data
========  ==============================================================================================
ABL103    x (section as written), y, suggestions
ABL104    x (as written), X (canonical)
ABL105    x (canonical), n (line of the first)
ABL106    k (key as written), block (where it stands), y, suggestions
ABL107    k (key as written), entry (what it was given for), n (line of the first)
ABL108    a (column found), b (column expected)
ABL109    none
ABL110    k
ABL111    none
ABL112    c (the bracket), n (line of the bracket)
ABL113    none
ABL114    none
ABL115    block
ABL116    x (key as written)
ABL117    n (name as written), kind ("step", "session variable", ...), fix (a legal name)
ABL119    none
ABL123    k (as written), K (upper case)
ABL124    upper, lower (numbers of sections in each form)
ABL125    reason (a sentence without full stop), text (the line, cut)
ABL127    x, y, suggestions
ABL203    op (as written), OP (upper case): an inline ``when`` or ``before`` of a rule
ABL342    none
ABL343    side ("value" or "target")
ABL358    reason
ABL380    text
ABL386    missing ("SOURCE", "INTO", "SOURCE and INTO" or "the item name (AS)")
ABL401    k, y, suggestions
ABL402    k (rule kind)
ABL405    none
ABL433    none
ABL445    p (the inner phase)
ABL704    k (key as written), y, suggestions
ABL806    detail (what is wrong with the signature)
ABL970    h, y, suggestions
========  ==============================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from abl.diagnostics import Edit, Finding, Fix
from abl.source import Source, Span
from abl.syntax.emptied import removal
from abl.syntax.nodes import Block
from abl.syntax.scanner import TAB_WIDTH
from abl.syntax.suggest import closest

_NOT_NAME = re.compile(r"[^A-Za-z0-9_]+")
_SHOWN = 60
_MOST_MOVED = 500
"""Lines beyond which a block is not offered to be moved."""


def rename_fixes(span: Span, suggestions: Iterable[str]) -> tuple[Fix, ...]:
    """One fix per suggestion; preferred only when there is no choice."""
    words = tuple(suggestions)
    return tuple(Fix(f"Change to `{word}`", (Edit(span, word),), preferred=len(words) == 1) for word in words)


def _renamed(code: str, span: Span, data: dict[str, object], word: str, candidates: Iterable[str]) -> Finding:
    suggestions = closest(word, candidates)
    guess = {"y": suggestions[0] if suggestions else "", "suggestions": suggestions}
    return Finding(code, span, {**data, **guess}, fixes=rename_fixes(span, suggestions))


def line_removal(source: Source, span: Span) -> Edit:
    """Delete the whole lines that ``span`` touches."""
    first, last = source.position(span.start).line, source.position(max(span.start, span.end - 1)).line
    start = source.line_starts[first - 1]
    end = source.line_starts[last] if last < source.line_count else len(source.text)
    return Edit(Span(start, end), "")


def unknown_section(span: Span, written: str, candidates: Iterable[str]) -> Finding:
    """ABL103."""
    return _renamed("ABL103", span, {"x": written}, written, candidates)


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


def unknown_key(source: Source, where: Block, place: str, candidates: Iterable[str]) -> Finding:
    """ABL106. The candidates are in the case in which they would be written."""
    finding = _renamed("ABL106", where.key_span, {"k": where.key, "block": place}, where.key, candidates)
    return finding.with_fixes(*_removal(source, where.span, where.key))


def unknown_field_key(source: Source, where: Block, candidates: Iterable[str]) -> Finding:
    """ABL704."""
    finding = _renamed("ABL704", where.key_span, {"k": where.key}, where.key, candidates)
    return finding.with_fixes(*_removal(source, where.span, where.key))


def unknown_word(span: Span, written: str, place: str, candidates: Iterable[str]) -> Finding:
    """ABL106 for a word that stands where only certain words may."""
    return _renamed("ABL106", span, {"k": written, "block": place}, written, candidates)


def duplicate_key(source: Source, where: Block, entry: str, first_line: int) -> Finding:
    """ABL107."""
    fixes = _removal(source, where.span, where.key, preferred=True)
    return Finding("ABL107", where.key_span, {"k": where.key, "entry": entry, "n": first_line}, fixes=fixes)


def bad_indent(source: Source, line: Span, found: int, expected: int) -> Finding:
    """ABL108; ``line`` is the line without its indentation. What stands below it moves with it."""
    edits = tuple(_moved_lines(source, line, found, expected))
    fixes = (Fix("Indent like the lines around it", edits, preferred=True),) if len(edits) <= _MOST_MOVED else ()
    return Finding("ABL108", line, {"a": found, "b": expected}, fixes=fixes)


def _moved_lines(source: Source, line: Span, found: int, expected: int) -> Iterator[Edit]:
    """The indentation of a line and of those below it; with a list in the column of its key, of all its items."""
    number = source.position(line.start).line
    start = source.line_starts[number - 1]
    yield Edit(Span(start, line.start), " " * (expected - 1))
    is_list = expected == found + 2 and source.text.startswith("- ", line.start)
    for later in range(number + 1, min(number + _MOST_MOVED, source.line_count) + 1):
        text = source.line_text(later)
        words = text.lstrip(" \t")
        if not words:
            continue
        column = len(text[: len(text) - len(words)].expandtabs(TAB_WIDTH)) + 1
        if column > found or (is_list and column == found and words.startswith("- ")):
            start = source.line_starts[later - 1]
            yield Edit(Span(start, start + len(text) - len(words)), " " * (column - 1 + expected - found))
        elif not words.startswith("#"):
            return


def mixed_tabs(span: Span, edits: tuple[Edit, ...]) -> Finding:
    """ABL109; no fix where only lines that are no blocks have tabs."""
    return Finding("ABL109", span, fixes=(Fix("Convert tabs to spaces", edits, preferred=True),) if edits else ())


def missing_colon(span: Span, word: str) -> Finding:
    """ABL110; the span is the word."""
    fix = Fix("Insert `:`", (Edit(Span(span.end, span.end), ":"),), preferred=True)
    return Finding("ABL110", span, {"k": word}, fixes=(fix,))


def unterminated_string(span: Span, quote: str) -> Finding:
    """ABL111."""
    fix = Fix(f"Add the closing `{quote}`", (Edit(Span(span.end, span.end), quote),), preferred=True)
    return Finding("ABL111", span, fixes=(fix,))


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


def empty_block(source: Source, span: Span, written: str) -> Finding:
    """ABL116; what would be empty without the block goes with it, but never all of a document."""
    fixes = removal(source, span).fixes(f"Remove `{written}`") if _removal(source, span, written) else ()
    return Finding("ABL116", span, {"x": written}, fixes=fixes)


def bad_name(span: Span, name: str, kind: str) -> Finding:
    """ABL117."""
    legal = _NOT_NAME.sub("_", name).strip("_") or "name"
    if legal[0].isdigit():
        legal = f"n{legal}" if kind == "agent" else f"_{legal}"
    # Where nothing of a name is written, something else is.
    fixes = (Fix(f"Write `{legal}`", (Edit(span, legal),)),) if _NOT_NAME.sub("", name) else ()
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
    return Finding("ABL125", span, {"reason": reason, "text": _cut(text)})


def behind_bracket(span: Span, bracket: str, text: str) -> Finding:
    """ABL125 for what stands behind a mapping or list, which nobody reads then."""
    return unreadable(span, f"Text stands behind the bracket that `{bracket}` opens", text)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def unknown_memory_block(span: Span, written: str, candidates: Iterable[str]) -> Finding:
    """ABL127."""
    return _renamed("ABL127", span, {"x": written}, written, candidates)


def clause_case(span: Span, written: str) -> Finding:
    """ABL203 for an inline ``when`` or ``before`` of a rule."""
    upper = written.upper()
    fix = Fix(f"Write `{upper}`", (Edit(span, upper),), preferred=True)
    return Finding("ABL203", span, {"op": written, "OP": upper}, fixes=(fix,))


def store_without_arrow(span: Span) -> Finding:
    """ABL342."""
    fix = Fix("Add a target", (Edit(Span(span.end, span.end), " -> user.field"),))
    return Finding("ABL342", span, fixes=(fix,))


def store_side_missing(span: Span, side: str) -> Finding:
    """ABL343; ``side`` is "value" or "target"."""
    return Finding("ABL343", span, {"side": side})


def bad_object(span: Span, reason: str) -> Finding:
    """ABL358."""
    return Finding("ABL358", span, {"reason": reason})


def bad_assignment(span: Span, text: str) -> Finding:
    """ABL380."""
    return Finding("ABL380", span, {"text": text[:_SHOWN]})


def indexed_target(span: Span, text: str) -> Finding:
    """ABL380 for `name[0] = x` (docs/spec 06 §5.3)."""
    words = "SET assigns a name or a dotted path, not an element: `{text}`"
    return Finding("ABL380", span, {"text": text[:_SHOWN], "wording": words})


def compound_assignment(span: Span, name: str, operator: str, instead: str) -> Finding:
    """ABL380 for ``name += x`` or ``name := x`` (docs/spec 06 §5.3); ``instead`` is how it is written."""
    fix = Fix(f"Write `{_cut(instead)}`", (Edit(span, instead),), preferred=True)
    data = {"text": name[:_SHOWN], "op": operator, "wording": "SET has no `{op}=`, only `{text} = expression`"}
    return Finding("ABL380", span, data, fixes=(fix,))


def no_target(span: Span, text: str) -> Finding:
    """ABL380 for what is neither a variable nor a path (docs/spec 06 §5.3)."""
    words = "SET assigns a name or a dotted path; `{text}` is neither"
    return Finding("ABL380", span, {"text": text[:_SHOWN], "wording": words})


def incomplete_transform(span: Span, missing: str, fixes: tuple[Fix, ...] = ()) -> Finding:
    """ABL386."""
    return Finding("ABL386", span, {"missing": missing}, fixes=fixes)


def unknown_rule_kind(span: Span, written: str, candidates: Iterable[str]) -> Finding:
    """ABL401."""
    return _renamed("ABL401", span, {"k": written}, written, candidates)


def no_condition(span: Span, kind: str) -> Finding:
    """ABL402."""
    return Finding("ABL402", span, {"k": kind})


def empty_on_fail(span: Span) -> Finding:
    """ABL405."""
    fix = Fix("Insert a message", (Edit(Span(span.end, span.end), ' "This is not possible."'),))
    return Finding("ABL405", span, fixes=(fix,))


def two_gates(span: Span, fixes: tuple[Fix, ...] = ()) -> Finding:
    """ABL433."""
    return Finding("ABL433", span, fixes=fixes)


def nested_phase(source: Source, block: Block) -> Finding:
    """ABL445. Its rules count as those of the phase around it, which the fix writes so."""
    line = source.position(block.span.start).line
    start, end = source.line_starts[line - 1], block.span.end
    _, *lines = source.text[start:end].split("\n")
    fixes: tuple[Fix, ...] = ()
    if lines and not source.text[start : block.span.start].strip(" \t"):
        further = " " * (block.children[0].column - block.column)
        kept = "\n".join(text.removeprefix(further) for text in lines)
        fixes = (Fix(f"Take the rules out of `{block.key}`", (Edit(Span(start, end), kept),), preferred=True),)
    return Finding("ABL445", block.key_span, {"p": block.key}, fixes=fixes)


def malformed_tool(span: Span, detail: str, fixes: tuple[Fix, ...] = ()) -> Finding:
    """ABL806."""
    return Finding("ABL806", span, {"detail": detail}, fixes=fixes)


def unknown_hook(span: Span, written: str, candidates: Iterable[str]) -> Finding:
    """ABL970."""
    return _renamed("ABL970", span, {"h": written}, written, candidates)
