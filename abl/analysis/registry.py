"""Every diagnostic the product knows: code, name, severity, words, documentation and the function that looks for it.

A rule is one small function under ``abl.analysis.rules``. Its docstring is its page (``abl explain ABL346``) and has
four parts: What, Why, Bad, Good. Codes that the parser notices use the same decorator on a function without a body, so
that one table documents everything (docs/spec 05, 10).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from abl.diagnostics import Finding, Fix, Fixes, LaterFixes, Related, Severity, Tag
from abl.source import Span

SECTIONS = ("What", "Why", "Bad", "Good")


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule yields; the registry adds code, name and words. ``severity`` overrides the registered one."""

    span: Span
    data: Mapping[str, Any] = field(default_factory=dict)
    fixes: Fixes = ()
    severity: Severity | None = None
    related: tuple[Related, ...] = ()
    node: str = ""


def found(
    span: Span,
    *fixes: Fix,
    severity: Severity | None = None,
    related: tuple[Related, ...] = (),
    node: str = "",
    later: Callable[[], Iterable[Fix]] | None = None,
    **data: Any,
) -> Found:
    """A problem at ``span``; keyword arguments fill the placeholders of the registered message.

    ``later`` gives fixes that cost something, of a rule that may find much; it is not called before somebody asks, and
    must not ask the project, whose answers were noted by then.
    """
    return Found(span, data, fixes if later is None else LaterFixes(later), severity, related, node)


class Page(NamedTuple):
    """The four parts of a rule's documentation; ``bad`` and ``good`` are ABL text."""

    what: str
    why: str
    bad: str
    good: str


Check = Callable[..., Iterable[Found]]
Needs = type | str | tuple[str, ...] | None
Documented = TypeVar("Documented", bound=Callable[..., "Iterable[Found] | None"])


@dataclass(frozen=True, slots=True)
class Rule:
    """One registered diagnostic.

    ``over`` is the class, or the classes, whose instances the function is called with (a node class, ``ExpressionUse``,
    ``TemplateUse``, ``Placed`` for what is in one part of an agent, ``AgentIndex``, ``DocumentIndex``, or
    ``Reading`` and the nodes of expressions and templates); None when the parser reports the code. Rules over single
    nodes, expressions and parts cost least: after an edit they look again only at what may have changed. ``project``
    says that the function also takes the project's ``Index``: its result then depends on more than the text of the
    document. ``needs`` is for rules over ``ExpressionUse``: they only see those with such a node, or of such a mode,
    place or role; over ``Reading`` with ``error`` only texts that cannot be read; over ``Placed`` only parts with such
    a node, or that list such a thing (``contents``); over the nodes of ``abl.analysis.needs`` only those that have such
    an aspect, or one of several.
    """

    code: str
    name: str
    severity: Severity
    message: str
    doc: str
    check: Callable[..., Any]
    over: type | tuple[type, ...] | None
    project: bool
    needs: Needs
    tags: tuple[Tag, ...]
    off: bool = False
    """Hints and notes of the code are not reported unless somebody selects it: an author can seldom act on them."""

    @property
    def page(self) -> Page:
        """The documentation in its four parts; a part that is missing is empty."""
        parts = dict.fromkeys(SECTIONS, "")
        pieces = re.split(r"^(What|Why|Bad|Good):[ \t]*", textwrap.dedent(self.doc), flags=re.MULTILINE)
        for title, body in zip(pieces[1::2], pieces[2::2], strict=False):
            text = body.strip("\n")
            parts[title] = textwrap.dedent(text).rstrip() if title in ("Bad", "Good") else " ".join(text.split())
        return Page(*(parts[title] for title in SECTIONS))

    @property
    def dotted(self) -> str:
        """The message with dots in the place of what it would say."""
        return _PLACEHOLDER.sub("…", re.sub(r"[.;]? Did you mean `\{y\}`\?", "", self.message))

    def words(self, data: Mapping[str, Any]) -> str:
        """The message with its placeholders filled; a "Did you mean" without an answer is left out.

        ``wording`` in the data is a pattern that stands in for the registered one. Of a long text that is quoted from
        the source the beginning is shown, and control characters are shown as escapes.
        """
        pattern = str(data.get("wording", self.message))
        if "{y}" in pattern and not data.get("y"):
            pattern = re.sub(r"[.;]? Did you mean `\{y\}`\?", "", pattern)
        return _PLACEHOLDER.sub(lambda m: quotable(str(data.get(m[1], m[0]))), pattern)


def quotable(text: str) -> str:
    """A text as part of a message: at most ``LONGEST_QUOTE`` characters, none of which moves the cursor."""
    if len(text) > LONGEST_QUOTE:
        text = f"{text[: LONGEST_QUOTE - 1]}…"
    return _CONTROL.sub(lambda m: m[0].encode("unicode_escape").decode(), text)


LONGEST_QUOTE = 200
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_PLACEHOLDER = re.compile(r"\{([a-z_A-Z][a-z_A-Z0-9]*)\}")
RULES: dict[str, Rule] = {}
_BY_NAME: dict[str, str] = {}


def rule(
    code: str,
    name: str,
    severity: Severity,
    message: str,
    *,
    over: type | tuple[type, ...] | None = None,
    project: bool = False,
    needs: Needs = None,
    tags: tuple[Tag, ...] = (),
    off: bool = False,
) -> Callable[[Documented], Documented]:
    """Register the decorated function as the rule ``code``. Raises ValueError for a code or name used twice."""

    def register(function: Documented) -> Documented:
        if code in RULES or name in _BY_NAME:
            raise ValueError(f"{code} ({name}) is registered twice")
        doc = function.__doc__ or ""
        first, _, rest = doc.partition("\n")
        RULES[code] = Rule(
            code,
            name,
            severity,
            message,
            f"{first.strip()}\n{textwrap.dedent(rest)}",
            function,
            over,
            project,
            needs,
            tags,
            off,
        )
        _BY_NAME[name] = code
        return function

    return register


def lookup(code_or_name: str) -> Rule | None:
    """The rule of a code or kebab-case name, in any case."""
    key = code_or_name.strip()
    return RULES.get(key.upper()) or RULES.get(_BY_NAME.get(key.lower(), ""))


def severity_of(finding: Finding) -> Severity:
    """The severity of a finding: its own, else that of its code."""
    return finding.severity or RULES[finding.code].severity


def rules_by_kind(*, project: bool) -> dict[type, tuple[Rule, ...]]:
    """The rules by the class they look at, in order of code; either those that need the project or the others."""
    table: dict[type, tuple[Rule, ...]] = {}
    for each in sorted(RULES.values(), key=lambda each: int(each.code[3:])):
        kinds = each.over if isinstance(each.over, tuple) else (each.over,) if each.over is not None else ()
        for kind in kinds if each.project is project else ():
            table[kind] = (*table.get(kind, ()), each)
    return table
