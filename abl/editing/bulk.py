"""Quick fixes over a whole document: everything safe, all of a kind, and those of docs/spec 05 §9 and 10 §8."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from abl.analysis import check
from abl.analysis.index.documents import DocumentIndex
from abl.analysis.index.project import Index
from abl.analysis.reporting.render import range_dict
from abl.diagnostics import Diagnostic, Edit, Fix
from abl.editing.declare import declared_names, declared_paths, recalled_paths
from abl.editing.edits import applied, difference, together
from abl.editing.gates import gated_phases
from abl.editing.order import ordered_properties
from abl.source import Source

ROUNDS: Final = 3
_SAFE_FLOW: Final = frozenset(
    [
        "ABL505", "ABL506", "ABL510", "ABL513", "ABL601", "ABL628", "ABL651", "ABL656", "ABL733", "ABL736", "ABL818",
        "ABL836", "ABL931",
    ]
)  # fmt: skip
_SAFE_TITLES: Final = {"ABL505": "add ", "ABL506": "add `reasoning: false`"}
"""How the titles of some begin, in small letters: in YAML the keys in them are."""
_Find = Callable[[DocumentIndex, Index, Sequence[Diagnostic]], Sequence[Edit]]
_Found = tuple[str, str, int, Sequence[Edit]]


def _entries(edits: Sequence[Edit]) -> int:
    """How many entries of lists the edits add."""
    return sum(1 for edit in edits for line in edit.text.split("\n") if line.lstrip().startswith("- "))


_DOCUMENT_FIXES: Final[tuple[tuple[str, _Find, Callable[[Sequence[Edit]], int]], ...]] = (
    ("Declare all undeclared names as session variables", declared_names, _entries),
    ("Declare all undeclared paths in persistent", declared_paths, _entries),
    ("Recall all paths that are read", recalled_paths, _entries),
    ("Turn checks of phases into WHEN gates", gated_phases, len),
    ("Put properties in order", ordered_properties, len),
)


def bulk_actions(files: Mapping[str, str], path: str, line: int, last: int | None = None) -> list[dict[str, Any]]:
    """Actions over a document as ``{title, kind, places, edits}``; those that would change nothing are left out.

    ``kind`` is fix_kind (every problem of a code that the lines ``line`` to ``last`` have, where there are several),
    fix_all, or bulk (docs/spec 05 §9). ``places`` counts what is fixed, or the entries that are added. An unknown path,
    also that of a file that belongs to the project and is no document, gives an empty list.
    """
    report = check(files, only=(path,))
    document = report.index.documents.get(path)
    if document is None:
        return []
    found: list[_Found] = list(_kinds(document.source, report.diagnostics, line, last))
    safe, places = _fixed(files, path)
    if safe != files[path]:
        found.append(("fix_all", "Fix all problems that have one safe fix", places, difference(files[path], safe)))
    for title, find, count in _DOCUMENT_FIXES:
        edits = list(find(document, report.index, report.diagnostics))
        if edits and applied(files[path], edits) != files[path]:
            found.append(("bulk", title, count(edits), edits))
    return [
        {"title": title, "kind": kind, "places": places, "edits": _as_dicts(edits, document.source)}
        for kind, title, places, edits in found
    ]


def fixed(files: Mapping[str, str], path: str) -> str:
    """The text of a document after every fix that is unique and keeps behaviour (docs/spec 10 §8).

    A fix may make others possible, so the text is checked again, at most ``ROUNDS`` times.
    """
    return _fixed(files, path)[0]


def _fixed(files: Mapping[str, str], path: str) -> tuple[str, int]:
    """The same, with the number of problems that were fixed."""
    text, places = files[path], 0
    for _ in range(ROUNDS):
        after, count = _round(files, path, text)
        if after == text:
            break
        text, places = after, places + count
    return text, places


def _round(files: Mapping[str, str], path: str, text: str) -> tuple[str, int]:
    """The text after the safe fixes of all codes, or of those codes whose fixes do not bring more errors; how many."""
    problems = _problems(files, path, text)
    errors = _errors(problems)
    fixes = list(_fixes(problems))
    after = applied(text, together(fixes))
    if after == text or _errors(_problems(files, path, after)) <= errors:
        return after, len(fixes)
    taken: list[str] = []
    after, fixes = text, []
    for code in dict.fromkeys(problem.code for problem in problems):
        chosen = list(_fixes([problem for problem in problems if problem.code in (*taken, code)]))
        candidate = applied(text, together(chosen))
        if candidate != after and _errors(_problems(files, path, candidate)) <= errors:
            taken.append(code)
            after, fixes = candidate, chosen
    return after, len(fixes)


def _problems(files: Mapping[str, str], path: str, text: str) -> Sequence[Diagnostic]:
    return check({**files, path: text}, only=(path,)).diagnostics


def _errors(problems: Sequence[Diagnostic]) -> int:
    return sum(1 for problem in problems if problem.severity == "error")


def _fixes(problems: Sequence[Diagnostic]) -> Iterator[Fix]:
    return (fix for problem in problems if (fix := safe_fix(problem)) is not None)


def safe_fix(problem: Diagnostic) -> Fix | None:
    """The fix that "fix all" may take: the only preferred one, and of the codes from 500 on only what 10 §8 lists."""
    if int(problem.code[3:]) >= 500 and problem.code not in _SAFE_FLOW:
        return None
    title = _SAFE_TITLES.get(problem.code)
    chosen = [fix for fix in problem.fixes if (fix.title.lower().startswith(title) if title else fix.preferred)]
    return chosen[0] if len(chosen) == 1 else None


def _kinds(source: Source, problems: Sequence[Diagnostic], line: int, last: int | None) -> Iterator[_Found]:
    """One action for each code that stands on the lines and has a fix more than once in the document."""
    counts = Counter(problem.code for problem in problems if _plain_fix(problem) is not None)
    here: dict[str, str] = {}
    for problem in problems:
        start, end = source.range(problem.span)
        if start.line <= (last or line) and line <= end.line and counts[problem.code] > 1:
            here[problem.code] = problem.name
    for code, name in here.items():
        fixes = [fix for problem in problems if problem.code == code and (fix := _plain_fix(problem)) is not None]
        yield "fix_kind", f"Fix all {len(fixes)} of {code} ({name})", len(fixes), together(fixes)


def _plain_fix(problem: Diagnostic) -> Fix | None:
    """The fix that is preferred, or the only one."""
    preferred = [fix for fix in problem.fixes if fix.preferred]
    chosen = preferred or list(problem.fixes)
    return chosen[0] if len(chosen) == 1 else None


def _as_dicts(edits: Sequence[Edit], source: Source) -> list[dict[str, Any]]:
    return [{"range": range_dict(source, edit.span), "text": edit.text} for edit in edits]
