"""``check``: parse, index, run every rule, word the result (docs/spec 05, 10, 12 §1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from abl.analysis import rules as _all_rules  # noqa: F401  (importing registers every rule)
from abl.analysis.collect.records import BINDING, GUARDRAIL
from abl.analysis.conditions.judgement import evaluating
from abl.analysis.conditions.reading import Reading
from abl.analysis.conformance.misspelt import Readings, read_corrected
from abl.analysis.incremental.parts import Part, Placed, contents
from abl.analysis.incremental.project_queries import QueriedProject, still
from abl.analysis.incremental.segments import findings_of
from abl.analysis.index.documents import DocumentIndex
from abl.analysis.index.model import AgentIndex, ExpressionUse, TemplateUse
from abl.analysis.index.project import Exists, Index, index_of
from abl.analysis.needs import ASPECTS
from abl.analysis.project_file.reading import ProjectFile, read_project_file
from abl.analysis.registry import Found, Needs, Rule, rules_by_kind, severity_of
from abl.analysis.reporting.report import Selection, codes_of, diagnostics_of
from abl.diagnostics import Diagnostic, Edit, Finding, Fix
from abl.expressions.template_parser import Problem, SingleBrace
from abl.limits import MAX_PROJECT_TEXT
from abl.syntax import nodes
from abl.syntax.document import parse
from abl.syntax.incremental.collector import collector_paused

_NOT_OF_CHECKS: Final = frozenset({"ABL207", "ABL209", "ABL231", "ABL232"})
"""What is said about functions elsewhere; guardrails have their own (ABL1007)."""
_NO_KINDS: Final[frozenset[type]] = frozenset()
"""Natural language has no nodes."""


@dataclass(frozen=True, slots=True)
class Report:
    """Diagnostics in order of path and position, and the index they were found with."""

    diagnostics: tuple[Diagnostic, ...]
    index: Index

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of severity error."""
        return tuple(d for d in self.diagnostics if d.severity == "error")


def check(
    files: Mapping[str, str],
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    only: Collection[str] | None = None,
    exists: Exists | None = None,
) -> Report:
    """All diagnostics of a project, given as texts by path; with ``only`` those of the documents at these paths.

    ``select`` and ``ignore`` hold codes, names or families (``ABL3xx``). User text never raises; an unknown code raises
    ``UnknownCode``. ``exists`` says of a document's path and a file's name whether that file is there; without it,
    files that are no part of ``files`` are not looked for (ABL1027).
    """
    selection = Selection(codes_of(select) if select is not None else None, codes_of(ignore or ()))
    diagnostics: list[Diagnostic] = []
    with collector_paused(), evaluating():
        index = index_of(files, exists)
        wanted = [path for path in index.documents if only is None or path in only]
        readings = read_corrected(index, partial(index_of, files, exists), _local, selection, wanted)
        for path in wanted:
            diagnostics.extend(_worded(path, readings, selection))
        for path in [path for path in index.project_files if only is None or path in only]:
            diagnostics.extend(_of_project_file(path, index, selection))
        diagnostics.sort(key=lambda found: found.path)  # stable: those of one path keep their order
    return Report(tuple(diagnostics), index)


def readings_of(files: Mapping[str, str], paths: Iterable[str]) -> Readings:
    """A project in which the documents at these paths are read as they are meant, as ``check`` does."""
    with collector_paused(), evaluating():
        index = index_of(files)
        wanted = [path for path in paths if path in index.documents]
        return read_corrected(index, partial(index_of, files, None), _local, Selection(), wanted)


class _Worded(NamedTuple):
    """Diagnostics, and what they say in words."""

    selection: Selection
    local: tuple[Finding, ...]
    across: tuple[Finding, ...]
    others: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]


def _worded(path: str, readings: Readings, selection: Selection) -> tuple[Diagnostic, ...]:
    """The diagnostics of a document; those of the last check while nothing changed that they depend on."""
    document = readings.project.documents[path]
    local, across = _local(document), _across(document, readings.project)
    others = (*readings.findings.get(path, ()), *_errors_beside(path, readings))
    kept: _Worded | None = document.worded
    same = kept is not None and kept.local is local and kept.across is across
    if kept is not None and same and (kept.selection, kept.others) == (selection, others):
        return kept.diagnostics
    findings = [*others, *document.document.findings, *local, *across]
    diagnostics = diagnostics_of(document.document, findings, selection)
    document.worded = _Worded(selection, local, across, others, diagnostics)
    return diagnostics


def _of_project_file(path: str, index: Index, selection: Selection) -> tuple[Diagnostic, ...]:
    """The diagnostics of ``project.yaml`` (docs/spec 12 §3.1); its comments switch them off as elsewhere."""
    text = index.project_files[path]
    file = read_project_file(text)
    named = [finding for rule in _table(True).get(ProjectFile, ()) for finding in _named(rule, rule.check(file, index))]
    return diagnostics_of(parse(text[:MAX_PROJECT_TEXT], path), [*file.findings, *named], selection)


def _errors_beside(path: str, readings: Readings) -> Iterator[Finding]:
    """The errors of a document in which only what is an error itself is read as meant."""
    if readings.of_errors is not readings.project:
        document = readings.of_errors.documents[path]
        found = (*document.document.findings, *_local(document), *_across(document, readings.of_errors))
        yield from (each for each in found if severity_of(each) == "error")


def _table(project: bool) -> dict[type, tuple[Rule, ...]]:
    """The rules by what they look at; filled once, after every rule module was imported."""
    if project not in _TABLES:
        _TABLES[project] = rules_by_kind(project=project)
    return _TABLES[project]


_TABLES: Final[dict[bool, dict[type, tuple[Rule, ...]]]] = {}


def _local(document: DocumentIndex) -> tuple[Finding, ...]:
    """What the rules say that need this document only; kept with the document."""
    if document.local_findings is None:
        document.local_findings = tuple(_found_locally(document))
    return document.local_findings


def _found_locally(document: DocumentIndex) -> Iterator[Finding]:
    rules = _table(False)
    for rule in rules.get(DocumentIndex, ()):
        yield from _named(rule, rule.check(document))
    for agent in document.agents:
        for rule in rules.get(AgentIndex, ()):
            yield from _named(rule, rule.check(agent))
        yield from (placed.at(finding) for placed, findings in agent.each(_noticed) for finding in findings)
        yield from _of_readings(agent)
        yield from _of_templates(agent)
        yield from (_finding(rule, problem) for rule, problem in findings_of(agent, _local_rules_of))


def _local_rules_of(thing: Placed | nodes.Node | ExpressionUse) -> tuple[Rule, ...]:
    """The rules that look at a part, a node or an expression, and at nothing outside of its document."""
    return _rules_of(thing, False)


def _project_rules_of(thing: Placed | nodes.Node | ExpressionUse) -> tuple[Rule, ...]:
    """The rules that look at a part, a node or an expression and at the project around it."""
    return _rules_of(thing, True)


def _rules_of(thing: Placed | nodes.Node | ExpressionUse, project: bool) -> tuple[Rule, ...]:
    kind: type = thing.__class__
    if isinstance(thing, ExpressionUse):
        kinds = _NO_KINDS if thing.is_sentence else thing.reading.kinds
        return _rules_for_use(thing.mode, thing.place, thing.role, kinds, project)
    rules = (_TABLES.get(project) or _table(project)).get(kind)
    if rules is None:
        return ()
    aspects = ASPECTS.get(kind)
    if aspects is not None:
        return _rules_for(kind, frozenset(aspects(thing)), project)
    if isinstance(thing, Placed):
        return _rules_for(Placed, thing.part.derive(contents), project)
    return rules


@lru_cache(maxsize=4_096)
def _rules_for_use(mode: str, place: str, role: str, kinds: frozenset[type], project: bool) -> tuple[Rule, ...]:
    return _rules_for(ExpressionUse, frozenset([mode, place, role, *kinds]), project)


@lru_cache(maxsize=4_096)
def _rules_for(kind: type, keys: frozenset[type | str], project: bool) -> tuple[Rule, ...]:
    rules = _table(project).get(kind, ())
    return tuple(rule for rule in rules if _has(keys, rule.needs))


def _has(keys: frozenset[type | str], needs: Needs) -> bool:
    if isinstance(needs, tuple):
        return not keys.isdisjoint(needs)
    return needs is None or needs in keys


def _across(document: DocumentIndex, index: Index) -> tuple[Finding, ...]:
    """What the rules say that need the whole project; kept with the document, and with what they asked for."""
    kept = document.across_findings
    if kept is None or not still(kept[0], index):
        queried = QueriedProject(index)
        findings = tuple(_found_across(document, queried.project))
        document.across_findings = kept = (queried.answers, findings)
    return kept[1]


def _found_across(document: DocumentIndex, index: Index) -> Iterator[Finding]:
    rules = _table(True)
    for rule in rules.get(DocumentIndex, ()):
        yield from _named(rule, rule.check(document, index))
    for agent in document.agents:
        for rule in rules.get(AgentIndex, ()):
            yield from _named(rule, rule.check(agent, index))
        yield from (_finding(rule, problem) for rule, problem in findings_of(agent, _project_rules_of, index))


def _of_readings(agent: AgentIndex) -> Iterator[Finding]:
    """What the rules that see only an expression's text say about each expression, placed in the document."""
    for placed, problems in agent.each(_in_readings):
        for kept, rule, problem in problems:
            use = placed.use(kept)
            fixes = tuple(_placed(fix, use) for fix in problem.fixes)
            data = _said_of(use, rule, problem.data)
            yield Finding(rule.code, use.span(*problem.span), data, problem.severity, use.owner.path, (), fixes)


def _said_of(use: ExpressionUse, rule: Rule, data: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a rule says of a text: only where a condition stands, one that cannot be read is called so."""
    if rule.code != "ABL201" or "wording" in data or use.mode == "condition" or use.role == "if":
        return data
    return {**data, "wording": rule.message.replace("condition", "expression")}


def _in_readings(part: Part) -> list[tuple[ExpressionUse, Rule, Found]]:
    return [
        (use, *problem)
        for use in part.uses
        if not use.is_sentence and not (use.reading.error is not None and _has_own_code(use))
        for problem in problems_of(use.reading)
        if use.place != GUARDRAIL or problem[0].code not in _NOT_OF_CHECKS
    ]


def _noticed(part: Part) -> list[Finding]:
    """What the parser says about places that the tree keeps as lines."""
    return part.findings


def _has_own_code(use: ExpressionUse) -> bool:
    """True where a text that cannot be read is ABL923, ABL969 or ABL1007."""
    return (use.routing and use.reading.shouted) or use.guards_reply or use.place == GUARDRAIL


def _of_templates(agent: AgentIndex) -> Iterator[Finding]:
    """What the reader of templates noticed, in words: each problem goes to the rule of its code."""
    for placed, problems in agent.each(_in_templates):
        for kept, rule, problem in problems:
            yield from _named(rule, rule.check(problem, placed.template(kept), agent))


def _in_templates(part: Part) -> list[tuple[TemplateUse, Rule, Problem | SingleBrace]]:
    of_code = {rule.code: rule for rule in _table(False).get(Problem, ())}
    found: list[tuple[TemplateUse, Rule, Problem | SingleBrace]] = []
    for use in part.templates:
        if "{" in use.value:
            template = use.template
            found += [(use, of_code[problem.code], problem) for problem in template.problems if problem.code in of_code]
            rules = _table(False).get(SingleBrace, ()) if use.place != BINDING else ()
            found += [(use, rule, brace) for brace in template.single_braces for rule in rules]
    return found


def problems_of(reading: Reading) -> tuple[tuple[Rule, Found], ...]:
    """What is wrong with one expression whatever is around it; found once per text."""
    if reading.problems is None:
        rules = _table(False)
        by_node = (
            (rule, problem)
            for node in reading.nodes
            for rule in rules.get(type(node), ())
            for problem in rule.check(node, reading)
        )
        of_text = [rule for rule in rules.get(Reading, ()) if rule.needs is None or reading.error is not None]
        whole = ((rule, problem) for rule in of_text for problem in rule.check(reading))
        reading.problems = (*whole, *by_node)
    return reading.problems


def _placed(fix: Fix, use: ExpressionUse) -> Fix:
    """A fix for an expression's text as a fix for the document; quotes are escaped where the expression is quoted."""
    quote = {"double": '"', "single": "'"}.get(use.text.style, "")
    edits = tuple(
        Edit(use.span(*edit.span), edit.text.replace(quote, f"\\{quote}") if quote else edit.text) for edit in fix.edits
    )
    return Fix(fix.title, edits, fix.preferred)


def _named(rule: Rule, problems: Iterable[Found]) -> Iterator[Finding]:
    for problem in problems:
        yield _finding(rule, problem)


def _finding(rule: Rule, found: Found) -> Finding:
    return Finding(rule.code, found.span, found.data, found.severity, found.node, found.related, found.fixes)
