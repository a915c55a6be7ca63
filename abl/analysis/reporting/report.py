"""From findings to the diagnostics people see: words, order, suppression, selection, the cap (docs/spec 05 §1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from abl.analysis.fixes.fitting import fitting, keys_in_small
from abl.analysis.registry import RULES, Rule, lookup
from abl.analysis.reporting.form_causes import caused_by_form
from abl.analysis.reporting.indent_causes import caused_by_indent
from abl.analysis.reporting.suppressions import caused_by_yaml, suppressed
from abl.diagnostics import SEVERITIES, Diagnostic, Finding, Fix, Fixes, LaterFixes, Severity
from abl.source import Source, Span
from abl.syntax.nodes import Document
from abl.syntax.recovery.suggest import closest

# What a fragment cannot know, because the rest of the document or project is not there (docs/spec 05 §1).
FRAGMENT_EXEMPT = frozenset(
    f"ABL{number}"
    for number in (
        *(101, 102, 214, 253, 260, 311, 335, 344, 349, 365, 372, 384, 409, 410, 412, 413, 417, 423, 431, 432),
        *(501, 502, 507, 508, 514, 602, 603, 624, 625, 710, 723, 929, 948),
    )
)
MAX_PROBLEMS = 200
# One cause, one diagnostic: the codes that are left out where a better one is reported at the same place.
_TOLD_BETTER = {
    "ABL116": frozenset({"ABL358"}),
    "ABL106": frozenset({"ABL806", "ABL904", "ABL947", "ABL1067"}),
    "ABL214": frozenset({"ABL611"}),
    "ABL447": frozenset({"ABL436", "ABL448"}),
    "ABL448": frozenset({"ABL436"}),
    "ABL945": frozenset({"ABL814"}),
}
_BETTER = {
    better: tuple(code for code, others in _TOLD_BETTER.items() if better in others)
    for better in frozenset().union(*_TOLD_BETTER.values())
}
_IGNORE = re.compile(r"^\s*abl-ignore(?P<file>-file)?\s++(?P<codes>.+)$")
_FAMILY = re.compile(r"^ABL[0-9]{1,2}x{1,3}$", re.IGNORECASE)


class UnknownCode(ValueError):
    """A code or name that no rule has; ``close`` holds suggestions."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.close = closest(word, (w for r in RULES.values() for w in (r.code, r.name)), compared=2 * len(RULES))
        hint = f" Did you mean {', '.join(self.close)}?" if self.close else ""
        super().__init__(f"`{word}` is no diagnostic code or name.{hint}")


def codes_of(words: Iterable[str]) -> frozenset[str]:
    """Codes meant by codes, names, or families such as ``ABL3xx``. Raises UnknownCode."""
    chosen: set[str] = set()
    for word in words:
        if _FAMILY.match(word):
            pattern = re.compile(word.replace("x", "[0-9]").replace("X", "[0-9]"), re.IGNORECASE)
            chosen.update(code for code in RULES if pattern.fullmatch(code))
        elif known := lookup(word):
            chosen.add(known.code)
        else:
            raise UnknownCode(word)
    return frozenset(chosen)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which codes to report: all, or ``select`` only, and never those in ``ignore``."""

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()

    def wants(self, code: str) -> bool:
        """True when diagnostics of that code are asked for."""
        return code not in self.ignore and (self.select is None or code in self.select)

    def shows(self, finding: Finding) -> bool:
        """True for what is asked for, hints and notes of codes that are off only by their code (05 §1)."""
        if not self.wants(finding.code):
            return False
        known = RULES[finding.code]
        return not known.off or self.select is not None or (finding.severity or known.severity) not in ("hint", "info")


@dataclass(frozen=True, slots=True)
class Suppression:
    """What the comments of one document switch off: everywhere, or on single (1-based) lines."""

    everywhere: frozenset[str] = frozenset()
    lines: dict[int, frozenset[str]] = field(default_factory=dict)

    def hides(self, code: str, line: int) -> bool:
        """True when a comment switches ``code`` off on that line."""
        return code in self.everywhere or code in self.lines.get(line, ())


def suppression_of(document: Document) -> Suppression:
    """Read ``# abl-ignore CODE, CODE`` and ``# abl-ignore-file CODE``; unknown words are skipped."""
    everywhere: set[str] = set()
    lines: dict[int, frozenset[str]] = {}
    next_lines: dict[int, int | None] = {}
    for comment in document.comments:
        match = _IGNORE.match(comment.text) if "abl-ignore" in comment.text else None
        if match is None:
            continue
        rules = (lookup(word) for word in re.split(r"[,\s]+", match["codes"].strip()))
        codes = {r.code for r in rules if r is not None}
        if match["file"]:
            everywhere |= codes
        elif line := _next_meaningful(document.source, document.source.position(comment.span.start).line, next_lines):
            lines[line] = lines.get(line, frozenset()) | codes
    return Suppression(frozenset(everywhere), lines)


def _next_meaningful(source: Source, line: int, next_lines: dict[int, int | None]) -> int | None:
    """The next line that is neither blank nor a comment. ``next_lines`` caches the answer for the lines passed."""
    passed, found = [line], None
    for later in range(line + 1, source.line_count + 1):
        if later in next_lines:
            found = next_lines[later]
            break
        text = source.line_text(later).lstrip()
        if text and not text.startswith("#"):
            found = later
            break
        passed.append(later)
    next_lines.update(dict.fromkeys(passed, found))
    return found


def diagnostics_of(document: Document, findings: Iterable[Finding], selection: Selection) -> tuple[Diagnostic, ...]:
    """Worded, ordered, filtered and capped diagnostics of one document."""
    suppression = suppression_of(document)
    fragment = not document.agents and bool(document.fragments or document.profiles or document.tool_files)
    seen: set[tuple[str, Span]] = set()
    kept: list[tuple[Finding, Rule]] = []
    chosen = [finding for finding in findings if selection.select is None or finding.code in selection.select]
    superseded = _superseded(chosen) | _inside_an_open_bracket(document.source, chosen)
    superseded.update(caused_by_yaml(document.source, chosen))
    superseded.update(caused_by_form(document, chosen))
    superseded.update(caused_by_indent(document.source, chosen))
    shown = [at for at, one in enumerate(chosen) if _is_shown(document.source, selection, suppression, one)]
    following = suppressed(document, chosen, [one for at in shown if _key(one := chosen[at]) not in superseded])
    for at in shown:
        finding = chosen[at]
        key = _key(finding)
        if at in following or key in seen or key in superseded or (fragment and _is_exempt(finding)):
            continue
        seen.add(key)
        kept.append((finding, RULES[finding.code]))
    kept.sort(key=_by_position)
    return tuple(_worded(document, kept))


def reported(document: Document, selection: Selection, findings: Sequence[Finding]) -> Iterator[tuple[str, Span]]:
    """Codes and places of what was asked for, no comment switches off, and none of the others says better."""
    suppression, superseded = suppression_of(document), _superseded(findings)
    for finding in findings:
        if _key(finding) not in superseded and _is_shown(document.source, selection, suppression, finding):
            yield _key(finding)


def _key(finding: Finding) -> tuple[str, Span]:
    """Code and place: a diagnostic is reported once for each pair."""
    return finding.code, finding.span


def _is_shown(source: Source, selection: Selection, suppression: Suppression, finding: Finding) -> bool:
    """False for what was not asked for, or a comment switches off."""
    if not selection.shows(finding):
        return False
    return not suppression.hides(finding.code, source.position(finding.span.start).line)


def _is_exempt(finding: Finding) -> bool:
    """True for findings that a fragment cannot decide. In a profile they are reported when they name the agent that
    uses it.
    """
    return finding.code in FRAGMENT_EXEMPT and "agent" not in finding.data


def _superseded(findings: Iterable[Finding]) -> set[tuple[str, Span]]:
    """Codes and places of findings for which there is a better one, even if that one is switched off. A finding that
    suggests what was meant is better than one that does not.
    """
    better = [finding for finding in findings if finding.code in _BETTER]
    if not better:
        return set()
    places = {one.span for one in better}
    intended = {(one.code, one.span) for one in findings if one.span in places and one.data.get("y")}
    superseded: set[tuple[str, Span]] = set()
    for one in better:
        for code in _BETTER[one.code]:
            is_known = (code, one.span) in intended and not one.data.get("y")
            superseded.add((one.code if is_known else code, one.span))
    return superseded


def _inside_an_open_bracket(source: Source, findings: Sequence[Finding]) -> set[tuple[str, Span]]:
    """Open brackets of expressions in a value that has an open bracket itself, which has to be closed first."""
    open_values = [one.span.start for one in findings if one.code == "ABL112" and "n" in one.data]
    if not open_values:
        return set()
    first: dict[int, int] = {}
    for start in sorted(open_values):
        first.setdefault(source.position(start).line, start)
    inner = (one for one in findings if one.code == "ABL112" and "n" not in one.data)
    return {
        (one.code, one.span)
        for one in inner
        if first.get(source.position(one.span.start).line, one.span.start) < one.span.start
    }


def _by_position(pair: tuple[Finding, Rule]) -> tuple[int, int, int, str]:
    finding, registered = pair
    return (
        finding.span.start,
        SEVERITIES.index(finding.severity or registered.severity),
        finding.span.end,
        finding.code,
    )


def _worded(document: Document, kept: Sequence[tuple[Finding, Rule]]) -> Iterator[Diagnostic]:
    source = document.source
    for finding, registered in kept[:MAX_PROBLEMS]:
        yield Diagnostic(
            code=finding.code,
            name=registered.name,
            severity=finding.severity or registered.severity,
            message=registered.words(_data(source, finding, document.yaml)),
            path=source.path,
            span=finding.span,
            node=finding.node,
            related=finding.related,
            fixes=_one_preferred(finding.fixes, document),
            tags=registered.tags,
        )
    if len(kept) > MAX_PROBLEMS:
        first_hidden = kept[MAX_PROBLEMS][0].span
        capped = RULES["ABL100"]
        message = capped.words({"n": len(kept) - MAX_PROBLEMS})
        yield Diagnostic("ABL100", capped.name, capped.severity, message, source.path, first_hidden)


def _data(source: Source, finding: Finding, yaml: bool) -> Mapping[str, Any]:
    """What fills the message; only here it is known in which line a bracket of an expression stands."""
    if yaml and (keys := keys_in_small(source, finding.span, finding.data)):
        return {**finding.data, **keys}
    if finding.code != "ABL112" or "n" in finding.data:
        return finding.data
    return {**finding.data, "n": source.position(finding.span.start).line}


def _one_preferred(fixes: Fixes, document: Document) -> Fixes:
    """The fixes that suit the document, of which at most one is preferred, so that "fix all" never has to choose."""
    if isinstance(fixes, LaterFixes):
        return LaterFixes(partial(_marked, fixes, document))
    return _marked(fixes, document) if fixes else ()


def _marked(fixes: Fixes, document: Document) -> tuple[Fix, ...]:
    made = fitting(document.source, fixes, yaml=document.yaml)
    first = next((i for i, fix in enumerate(made) if fix.preferred), None)
    return tuple(Fix(fix.title, fix.edits, i == first) for i, fix in enumerate(made))


def summary(diagnostics: Iterable[Diagnostic]) -> dict[Severity, int]:
    """How many diagnostics there are of each severity."""
    counts: dict[Severity, int] = dict.fromkeys(SEVERITIES, 0)
    for diagnostic in diagnostics:
        counts[diagnostic.severity] += 1
    return counts
