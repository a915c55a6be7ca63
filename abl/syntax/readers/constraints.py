"""CONSTRAINTS: phases and rules (docs/spec 04 §1-§5)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from abl.diagnostics import Edit, Finding, Fix
from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.incremental.reader_cache import kept
from abl.syntax.lines.pieces import behind_mapping, cuts, outside
from abl.syntax.lines.texts import scalar_text, slice_of
from abl.syntax.nodes import Block, Checkpoint, Constraints, Name, Phase, Rule, Sentence, Text
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import (
    NAME,
    check_name,
    condition_text,
    item_properties,
    line_text,
    read_properties,
    text_of,
)
from abl.syntax.readers.flow_style import expanded, expanded_item
from abl.syntax.readers.on_fail import read_on_fail
from abl.syntax.recovery import findings, section_findings
from abl.syntax.recovery.misplaced import report_value
from abl.syntax.recovery.under_indented import with_under_indented

STEP_PHASE: Final = "STEP_CONSTRAINTS"
"""The phase of a step's own rules."""
_NEITHER: Final = "An item is a rule, which begins with its kind (`REQUIRE is_member`), or a sentence"
_NEITHER_YAML: Final = "An item is a rule, which has its kind as a key (`{require: is_member}`), or a sentence"
_KIND = re.compile(r"([A-Za-z_]+)[ \t]*(:?)(?=\s|$)")
_CLAUSE: Final = outside(r"\b(?:BEFORE|WHEN|before|when)\b")
_CALLING = re.compile(r"calling(?:\s+([^\s()]+)\s*(?:\(\s*\))?)?", re.IGNORECASE)
_RETURNING = re.compile(r"returning\s+results", re.IGNORECASE)
_OPERAND_END = re.compile(r"""[\w"')\]}]$""")
_CONNECTIVES: Final = frozenset({"AND", "OR", "NOT", "IN", "IS", "IMPLIES", "and", "or", "not", "in", "is"})
_LOOK_BACK: Final = 64
_YAML_KINDS: Final = {kind.lower(): kind for kind in vocabulary.RULE_KINDS}
_RULE_KEYS: Final = vocabulary.KEYS_BY_PLACE["rule"] | vocabulary.words("CONDITION KIND RULE")
"""Keys that show that an item is meant to be a rule."""
_BELOW: Final = vocabulary.words("ON_FAIL WHEN SEVERITY")
"""Keys of a rule that no phase has for its name."""
_NO_SENTENCE: Final = re.compile(r"[\[!&*]|-[ \t]|\{(?!\{)|\{\{[ \t]*\w+[ \t]*:")
"""What a sentence of the YAML form cannot begin with: there it begins a list, a mapping, a tag, an anchor."""
_KIND_FIRST: Final = re.compile(rf"(?:{'|'.join(vocabulary.RULE_KINDS)})\b")
_ANY_KIND: Final = rf"[ \t]*[\"']?(?:{'|'.join(vocabulary.RULE_KINDS)})"
_BRACKETED_KIND: Final = re.compile(rf"[\[{{]{_ANY_KIND}\b", re.IGNORECASE)
_KIND_AS_KEY: Final = re.compile(rf"[\[{{,]{_ANY_KIND}[\"']?[ \t]*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a rule stands: its phase, its AST path and its index in the flattened list."""

    phase: str
    path: str
    index: int


@dataclass(slots=True)
class _Reader:
    """Collects the rules of one CONSTRAINTS block in declaration order."""

    ctx: Context
    path: str
    rules: list[Rule] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)

    def phase(self, block: Block, name: Name) -> Phase:
        """A labelled list of rules; a phase inside it is reported and its rules are taken over (ABL445)."""
        check_name(self.ctx, name, "phase", NAME)
        first = len(self.rules)
        self.entries(block, name.value, f"{self.path}.{name.value}")
        if not block.children and block.value is None:
            self.ctx.report(findings.empty_block(self.ctx.source, block.span, block.key))
        report_value(self.ctx, block)
        path = f"{self.path}.{name.value}"
        return Phase(span=block.span, path=path, block=block, name=name, rules=tuple(self.rules[first:]))

    def entries(self, block: Block, phase: str, path: str) -> None:
        """Rules of a phase."""
        number = 0
        for child in with_under_indented(self.ctx, expanded(self.ctx, block, names=True).children, _BELOW):
            if child.item or self.looks_like_rule(child):
                self.entry(child, phase, f"{path}[{number}]")
                number += 1
            elif child.colon and child.children:
                self.ctx.report(section_findings.nested_phase(self.ctx.source, child))
                for nested in child.children:
                    if nested.item:
                        self.entry(nested, phase, f"{path}[{number}]")
                        number += 1
            else:
                self.ctx.report(findings.item_expected(self.ctx.source, child.line_span, phase, (child.span,)))

    def looks_like_rule(self, block: Block) -> bool:
        """True for a rule whose dash is missing, which is reported (ABL115)."""
        text = block.key if block.colon else block.value.raw if block.value is not None else ""
        kind = _KIND.match(text + " ")
        if kind is None or kind[1] not in vocabulary.RULE_KINDS:
            return False
        self.ctx.report(findings.item_expected(self.ctx.source, block.line_span, "CONSTRAINTS", (block.span,)))
        return True

    def entry(self, item: Block, phase: str, path: str) -> None:
        """One list item: a rule or a sentence. One that is neither is reported."""
        read = self.read(item, _Place(phase, path, len(self.rules)))
        if isinstance(read, Rule):
            self.rules.append(read)
        elif read is not None:
            self.sentences.append(read)

    def read(self, item: Block, place: _Place) -> Rule | Sentence | None:
        """What an item is."""
        return _read_entry(self.ctx, item, place)


class _StepReader(_Reader):
    """The same for a step, with which its entries are kept."""

    def read(self, item: Block, place: _Place) -> Rule | Sentence | None:
        """What an item is."""
        return _entry(self.ctx, item, place)


def read_constraints(ctx: Context, block: Block, path: str = "constraints") -> Constraints:
    """The CONSTRAINTS section: phases, and rules without one, which belong to ``always``."""
    reader = _Reader(ctx, path)
    phases: list[Phase] = []
    loose = 0
    for child in with_under_indented(ctx, block.children, _BELOW):
        if child.item or reader.looks_like_rule(child):
            reader.entry(child, vocabulary.DEFAULT_PHASE, f"{path}[{loose}]")
            loose += 1
        elif child.colon:
            phases.append(reader.phase(child, Name(child.key, child.key_span)))
        elif child.value is not None and child.children:
            ctx.report(findings.missing_colon(child.value.span, child.value.value))
            phases.append(reader.phase(child, Name(child.value.value, child.value.inner)))
        else:
            ctx.skip(child, "This is neither a phase nor a rule", path)
    return Constraints(
        span=block.span,
        path=path,
        block=block,
        phases=tuple(phases),
        rules=tuple(reader.rules),
        sentences=tuple(reader.sentences),
    )


def is_rule(block: Block) -> bool:
    """True when a list item begins with a rule kind."""
    if block.colon:
        return block.key in vocabulary.RULE_KINDS
    match = _KIND.match(block.value.raw) if block.value is not None and block.value.style == "bare" else None
    return match is not None and match[1] in vocabulary.RULE_KINDS


def read_step_rules(ctx: Context, block: Block, path: str) -> tuple[Rule | Sentence, ...]:
    """STEP_CONSTRAINTS: its rules, numbered among themselves, and its sentences, in authored order (04 §7)."""
    value = block.value
    if value is not None and value.style == "bare" and _KIND_FIRST.match(value.raw):
        report_value(ctx, block)
    reader = _StepReader(ctx, path)
    reader.entries(block, STEP_PHASE, path)
    return tuple(sorted((*reader.rules, *reader.sentences), key=lambda entry: entry.span))


@kept
def _read_entry(ctx: Context, item: Block, place: _Place) -> Rule | Sentence | None:
    return _entry(ctx, item, place)


def _entry(ctx: Context, item: Block, place: _Place) -> Rule | Sentence | None:
    path = place.path
    item, in_braces = _as_mapping(ctx, item)
    members = item_properties(item) if item.colon else item.children
    mapping = ctx.yaml or in_braces
    head = next((member for member in members if mapping and member.key.lower() in _YAML_KINDS), None)
    if head is not None:  # the order of a mapping's keys says nothing
        kind = Name(_YAML_KINDS[head.key.lower()], head.key_span)
        below = tuple(member for member in members if member is not head)
        return _read_rule(ctx, item, place, kind=kind, written=head.value, below=below)
    text = line_text(ctx, item)
    if text is None and not members:
        ctx.report(section_findings.no_condition(item.line_span, ""))
        return Sentence(span=item.span, path=path, block=item, text=Text("", "", item.line_span, item.line_span))
    kind_match = _KIND.match(ctx.text, *text.span) if text is not None and text.style == "bare" else None
    if text is not None and kind_match is not None:
        named = _known_kind(ctx, kind_match)
        if isinstance(named, Name) and named.value in vocabulary.RULE_KINDS:
            behind = Span(kind_match.end(), text.span.end)
            raw = ctx.text[slice(*behind)]
            return _read_rule(ctx, item, place, kind=named, written=Text(raw, raw, behind, behind), below=item.children)
        if named is not None:
            return Sentence(span=item.span, path=path, block=item, text=text, unknown_kind=named)
    if text is None or _means_rule(ctx, text, members):
        ctx.skip(item, _NEITHER_YAML if ctx.yaml else _NEITHER, path, _behind(ctx, text))
        return None
    return Sentence(span=item.span, path=path, block=item, text=text)


def _as_mapping(ctx: Context, item: Block) -> tuple[Block, bool]:
    """A rule in braces as the lines that it stands for. Braces without a kind stay what they are."""
    inside = expanded_item(ctx, item)
    if inside is item or not any(member.key.lower() in _YAML_KINDS for member in item_properties(inside)):
        return item, False
    return inside, True


def _behind(ctx: Context, text: Text | None) -> Finding | None:
    """Report text behind a mapping, as in values that fill a line (``abl.syntax.lines.values``)."""
    start = behind_mapping(ctx.text, *text.span) if ctx.yaml and text is not None else -1
    if text is None or start < 0:
        return None
    return findings.behind_bracket(Span(start, text.span.end), text.raw[0], ctx.text[start : text.span.end])


def _known_kind(ctx: Context, match: re.Match[str]) -> Name | None:
    """The first word as a kind; one that is none is reported (ABL401). None for a word of a sentence."""
    span = Span(match.start(1), match.end(1))
    word = ctx.corrections.get(span, match[1])
    kind = Name(word, span)
    if word in vocabulary.RULE_KINDS:
        return kind
    unknown = section_findings.unknown_rule_kind(kind.span, word, vocabulary.RULE_KINDS)
    if word.upper() in vocabulary.RULE_KINDS:
        ctx.report(unknown)
        return Name(word.upper(), kind.span)
    if (word.isupper() and len(word) > 1) or (unknown.data["y"] and len(word) > 3):
        ctx.report(unknown)
        return kind
    return None


def _means_rule(ctx: Context, text: Text, members: tuple[Block, ...]) -> bool:
    """True for an item that is no rule, but has what only rules have. As a sentence it would guard nothing."""
    if any(member.colon and vocabulary.canonical_key(member.key) in _RULE_KEYS for member in members):
        return True
    if text.style != "bare":
        return False
    if (_NO_SENTENCE if ctx.yaml else _BRACKETED_KIND).match(text.raw) is not None:
        return True
    bracket = re.search(r"[\[{]", text.raw)
    return bracket is not None and _KIND_AS_KEY.search(text.raw, bracket.start()) is not None


def _read_rule(
    ctx: Context, item: Block, place: _Place, *, kind: Name, written: Text | None, below: tuple[Block, ...]
) -> Rule:
    path = place.path
    condition, when, before = _clauses(ctx, written, path) if written is not None else (None, None, None)
    if condition is None:
        ctx.report(section_findings.no_condition(item.line_span if written is None else kind.span, kind.value))
    props = read_properties(ctx, below, "rule", "a rule", nesting=frozenset({"ON_FAIL"}))
    gates = [when] if when is not None else []
    gates += [gate for prop in props if prop.key == "WHEN" and (gate := condition_text(ctx, prop.value)) is not None]
    if when is not None and len(gates) > 1:
        _report_gates(ctx, when, gates[1])
    target = text_of(props, "BEFORE")
    on_fail = next((prop.block for prop in reversed(props) if prop.key == "ON_FAIL"), None)
    return Rule(
        span=item.span,
        path=path,
        block=item,
        props=props,
        kind=kind,
        condition=condition,
        when=gates[0] if gates else None,
        whens=tuple(gates),
        before=_checkpoint(target, f"{path}.before") if target is not None else before,
        on_fail=read_on_fail(ctx, on_fail, f"{path}.ON_FAIL") if on_fail is not None else None,
        severity=text_of(props, "SEVERITY"),
        phase=place.phase,
        index=place.index,
    )


def _report_gates(ctx: Context, inline: Text, other: Text) -> None:
    joined = f"({inline.value}) AND ({other.value})"
    line = ctx.source.line_starts[ctx.line_of(other.span.start) - 1]
    start = ctx.text.rfind("WHEN", 0, inline.span.start)
    fixes: tuple[Fix, ...] = ()
    if start >= 0 and line > inline.span.end:
        cut = len(ctx.text[:start].rstrip())
        edits = (Edit(Span(cut, inline.span.end), ""), Edit(other.span, joined))
        fixes = (Fix("Join the gates with AND", edits, preferred=True),)
    ctx.report(section_findings.two_gates(other.span, fixes))


def _clauses(ctx: Context, written: Text, path: str) -> tuple[Text | None, Text | None, Checkpoint | None]:
    """Condition, inline gate and inline checkpoint. Escapes in the quotes of YAML are resolved first (01 §9)."""
    escaped = bool(written.map) and written.style != "pipe"
    span = Span(0, len(written.value)) if escaped else written.inner
    text = written.value if escaped else ctx.text
    raw = text[span.start : span.end]
    marks: list[tuple[str, int, int]] = []
    if "WHEN" in raw or "BEFORE" in raw or "when" in raw or "before" in raw:
        marks = _marks(ctx, text, span, written if escaped else None)

    def part(start: int, end: int) -> Text | None:
        if not escaped:
            return scalar_text(ctx.text, start, end)
        found = slice_of(written, start, end)
        return found if found.value else None

    condition = part(span.start, marks[0][1] if marks else span.end)
    if condition is not None and not condition.value.strip():
        condition = None
    when: Text | None = None
    before: Checkpoint | None = None
    for number, (word, _, start) in enumerate(marks):
        end = marks[number + 1][1] if number + 1 < len(marks) else span.end
        clause = part(start, end)
        if word == "WHEN":
            when = clause
        elif clause is not None:
            before = _checkpoint(clause, f"{path}.before")
    return condition, when, before


def _marks(ctx: Context, text: str, span: Span, escaped: Text | None) -> list[tuple[str, int, int]]:
    """First inline BEFORE and WHEN: word, start and end. In lower case only behind an operand, with a finding.

    ``escaped``: the scalar whose value the text is, if that is not the document.
    """
    found: dict[str, tuple[str, int, int]] = {}
    for match in cuts(_CLAUSE, text, *span):
        written = match[3]
        word = written.upper()
        if word in found:
            continue
        if written != word:
            if (
                not _ends_operand(text[max(span.start, match.start() - _LOOK_BACK) : match.start()])
                or match.end() >= span.end
            ):
                continue
            place = escaped.span_of(*match.span(3)) if escaped is not None else Span(*match.span(3))
            ctx.report(section_findings.clause_case(place, written))
        found[word] = (word, match.start(), match.end())
    return list(found.values())


def _ends_operand(text: str) -> bool:
    tail = text.rstrip()
    if not _OPERAND_END.search(tail) or tail == text:
        return False
    return tail.rsplit(None, 1)[-1] not in _CONNECTIVES


def _checkpoint(text: Text, path: str) -> Checkpoint:
    calling = _CALLING.fullmatch(text.value)
    if calling is not None and calling[1]:
        span = Span(text.offset_of(calling.start(1)), text.offset_of(calling.end(1) - 1) + 1)
        return Checkpoint(span=text.span, path=path, kind="calling", tool=Name(calling[1], span), text=text)
    returning = _RETURNING.fullmatch(text.value)
    return Checkpoint(span=text.span, path=path, kind="returning" if returning else "other", tool=None, text=text)


def rules_only(ctx: Context, blocks: tuple[Block, ...], path: str = "constraints") -> Constraints:
    """A text that is a list of rules (docs/spec 01 §1)."""
    reader = _Reader(ctx, path)
    for number, block in enumerate(blocks):
        reader.entry(block, vocabulary.DEFAULT_PHASE, f"{path}[{number}]")
    span = Span(blocks[0].span.start, blocks[-1].span.end)
    return Constraints(span=span, path=path, rules=tuple(reader.rules), sentences=tuple(reader.sentences))
