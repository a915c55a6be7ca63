"""Diagnostics as text, JSON (docs/spec 12 §2), SARIF 2.1.0 and GitHub workflow commands."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from abl.analysis.registry import RULES, Rule
from abl.analysis.reporting.report import summary
from abl.diagnostics import Diagnostic, Fix
from abl.source import Source, Span

Sources = Mapping[str, Source]
_SARIF_LEVEL = {"error": "error", "warning": "warning", "info": "note", "hint": "note"}
_GITHUB_LEVEL = {"error": "error", "warning": "warning", "info": "notice", "hint": "notice"}


def as_text(diagnostics: Sequence[Diagnostic], sources: Sources) -> str:
    """One line per diagnostic, ``path:line:column: severity CODE name: message``, and a line with the counts."""
    lines = []
    for d in diagnostics:
        at = sources[d.path].position(d.span.start)
        lines.append(f"{d.path}:{at.line}:{at.column}: {d.severity} {d.code} {d.name}: {d.message}")
    counts = [
        f"{n} {severity}{'s' if n != 1 and severity != 'info' else ''}"
        for severity, n in summary(diagnostics).items()
        if n
    ]
    lines.append(", ".join(counts) if counts else "No problems found.")
    return "\n".join(lines)


def diagnostic_dict(diagnostic: Diagnostic, sources: Sources) -> dict[str, Any]:
    """The JSON shape of one diagnostic; ``node``, ``related``, ``fixes`` and ``tags`` only where there are some."""
    source = sources[diagnostic.path]
    shape: dict[str, Any] = {
        "path": diagnostic.path,
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "range": range_dict(source, diagnostic.span),
    }
    if diagnostic.node:
        shape["node"] = diagnostic.node
    if diagnostic.related:
        shape["related"] = [
            {"path": r.path, "range": range_dict(sources[r.path], r.span), "message": r.message}
            for r in diagnostic.related
            if r.path in sources
        ]
    if diagnostic.fixes:
        shape["fixes"] = [fix_dict(fix, source) for fix in diagnostic.fixes]
    if diagnostic.tags:
        shape["tags"] = list(diagnostic.tags)
    return shape


def fix_dict(fix: Fix, source: Source) -> dict[str, Any]:
    """The JSON shape of one fix."""
    edits = [{"range": range_dict(source, edit.span), "text": edit.text} for edit in fix.edits]
    return {"title": fix.title, "preferred": fix.preferred, "edits": edits}


def range_dict(source: Source, span: Span) -> dict[str, dict[str, int]]:
    """Start and exclusive end as 1-based line and column."""
    return source.range(span).as_dict()


def as_dict(diagnostics: Sequence[Diagnostic], sources: Sources) -> dict[str, Any]:
    """The document of ``abl check --format json``."""
    return {
        "version": 1,
        "diagnostics": [diagnostic_dict(d, sources) for d in diagnostics],
        "summary": summary(diagnostics),
    }


def as_json(diagnostics: Sequence[Diagnostic], sources: Sources) -> str:
    """``as_dict`` as text."""
    return json.dumps(as_dict(diagnostics, sources), indent=2, ensure_ascii=False)


def as_sarif(diagnostics: Sequence[Diagnostic], sources: Sources) -> str:
    """A SARIF 2.1.0 log with the rules that occur."""
    used = sorted({d.code for d in diagnostics})
    rules = [
        {
            "id": code,
            "name": RULES[code].name,
            "shortDescription": {"text": RULES[code].page.what or RULES[code].dotted},
            "defaultConfiguration": {"level": _SARIF_LEVEL[RULES[code].severity]},
        }
        for code in used
    ]
    results = [
        {
            "ruleId": d.code,
            "ruleIndex": used.index(d.code),
            "level": _SARIF_LEVEL[d.severity],
            "message": {"text": d.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _reference(d.path)},
                        "region": _region(sources[d.path], d.span),
                    }
                }
            ],
        }
        for d in diagnostics
    ]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "abl", "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False)


def _reference(path: str) -> str:
    """A path as SARIF's artifact location, which is a URI: relative ones stay so."""
    quoted = quote(os.fsencode(path.replace(os.sep, "/")))
    return f"file://{quoted}" if os.path.isabs(path) else quoted


def _region(source: Source, span: Span) -> dict[str, int]:
    start, end = source.range(span)
    return {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column}


def as_github(diagnostics: Sequence[Diagnostic], sources: Sources) -> str:
    """Workflow commands that GitHub shows beside the lines of a pull request."""
    lines = []
    for d in diagnostics:
        start, end = sources[d.path].range(d.span)
        place = (
            f"file={_property(d.path)},line={start.line},col={start.column},endLine={end.line},endColumn={end.column}"
        )
        title = _property(f"{d.code} {d.name}")
        lines.append(f"::{_GITHUB_LEVEL[d.severity]} {place},title={title}::{_command_text(d.message)}")
    return "\n".join(lines)


def _command_text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _command_text(text).replace(":", "%3A").replace(",", "%2C")


RENDERERS: dict[str, Callable[[Sequence[Diagnostic], Sources], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}


def shown_message(rule: Rule) -> str:
    """The message of a rule as people see it: that of its bad example; where an example is words only, with dots."""
    from abl.analysis.check import check

    report = check({"agent.abl": f"{rule.page.bad}\n"}, select=[rule.code])
    return next((found.message for found in report.diagnostics if found.code == rule.code), rule.dotted)


OFF = "Off by default as a hint or note; selecting the code turns it on."


def off_text() -> str:
    """The codes that are off by default, a line each, as ``abl explain --off`` prints them."""
    return "\n".join(f"{rule.code} {rule.name}  {shown_message(rule)}" for _, rule in sorted(RULES.items()) if rule.off)


def page_text(rule: Rule) -> str:
    """The documentation of a rule as ``abl explain`` prints it."""
    page = rule.page
    message = shown_message(rule)
    parts = [f"{rule.code} {rule.name} ({rule.severity})", "", f"  {message}", "", page.what, "", page.why]
    if rule.off:
        parts += ["", OFF]
    for title, example in (("Bad", page.bad), ("Good", page.good)):
        parts += ["", f"{title}:", "", textwrap.indent(example, "  ")]
    return "\n".join(parts)
