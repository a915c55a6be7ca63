"""6xx about values that are typed or spoken unseen: SECURE_INPUT (docs/spec 06 §5.11, 10 §2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.collect.records import Read
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix, Severity
from abl.language import value_of_text
from abl.language.written import listed
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block, Content, Text, same_key
from abl.syntax.readers.content import content_of
from abl.syntax.recovery.suggest import closest

MODES = ("dtmf", "speech")
CHECKS = ("luhn", "length", "date_mmYY")
_PLACEHOLDER = re.compile(r"\{\{\s*secure\.(\w+)\s*\}\}")
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_CALL_LINE = re.compile(r"CALL\b")


@rule(
    "ABL649",
    "bad-secure-input",
    "error",
    "SECURE_INPUT: {what}. Did you mean `{y}`?",
    over=nodes.Setting,
    needs="SECURE_INPUT",
)
def bad_secure_input(setting: nodes.Setting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: SECURE_INPUT lacks a mode, a prompt or its tool, or passes a value on that it does not collect, or as a part
        of a text.
    Why: The value goes from the caller to one tool and nowhere else; all of this must be known before.
    Bad:
        FLOW:
          pay:
            REASONING: false
            SECURE_INPUT:
              MODE: [dtmf]
              FIELDS:
                - name: card
                  PROMPT: {en: "Your card number?"}
              CALL: charge
                WITH:
                  number: "{{secure.crad}}"
              ON_SUCCESS: COMPLETE
    Good:
        FLOW:
          pay:
            REASONING: false
            SECURE_INPUT:
              MODE: [dtmf]
              FIELDS:
                - name: card
                  PROMPT: {en: "Your card number?"}
              CALL: charge
                WITH:
                  number: "{{secure.card}}"
              ON_SUCCESS: COMPLETE
    """
    if setting.keyword != "SECURE_INPUT" or setting.block is None or not setting.block.children:
        return
    content = content_of(setting.block)
    yield from _modes(content, setting)
    fields = list(_fields(content.get("FIELDS")))
    for name, body in fields:
        if not any(part.get("PROMPT") is not None for part in body):
            yield found(name.span, what=f"field `{name.value}` has no PROMPT")
        for part in body:
            yield from _checks(part.get("VALIDATE"))
    calls = [child for child in setting.block.children if _is_call(child)]
    if len(calls) != 1:
        where = setting.block.line_span if not calls else calls[1].line_span
        yield found(where, what="there is no CALL" if not calls else "there is more than one CALL")
    names = [name.value for name, _ in fields]
    for call in calls:
        for value, span in _values(call):
            yield from _placeholders(value, span, names)


def _modes(content: Content, setting: nodes.Setting) -> Iterator[Found]:
    mode = content.get("MODE")
    texts = list(mode.texts()) if mode is not None else []
    if mode is None or not texts:
        yield found(mode.key_span if mode is not None else setting.key_span, what="MODE must name dtmf or speech")
    for text in texts:
        for word in listed(text.value):
            if value_of_text("secure_input", "MODE", word) is None:
                best, renames = fixes.rename_to(text.inner, word, MODES)
                yield found(text.inner, *renames, what=f"`{word}` is no MODE", y=best)


def _fields(fields: Content | None) -> Iterator[tuple[nodes.Name, tuple[Content, ...]]]:
    """The fields with what is said about them: ``- name: card`` or ``- card:`` with lines below."""
    for item in (*fields.items, *fields.members) if fields is not None else ():
        first = item.members[0] if item.members and not item.key else item
        if same_key(first.key) == "name" and first.text is not None:
            yield nodes.Name(first.text.value.strip(), first.text.inner), (item,)
        elif first.key:
            yield nodes.Name(first.key, first.key_span), (item, first)
        elif first.text is not None:
            yield nodes.Name(first.text.value.strip(), first.text.inner), (item,)


def _checks(validate: Content | None) -> Iterator[Found]:
    """Rules whose names are near one of the language; any other may be one of the platform (06 §5.11)."""
    if validate is None:
        return
    names = [nodes.Name(text.value.strip(), text.inner) for text in validate.texts()]
    members = (member for each in (validate, *validate.items) for member in each.members)
    for name in (*names, *(nodes.Name(member.key, member.key_span) for member in members)):
        best, renames = fixes.rename_to(name.span, name.value, CHECKS)
        if best and name.value not in CHECKS:
            severity: Severity | None = "warning" if best.lower() == name.value.lower() else None  # read as meant
            yield found(name.span, *renames, severity=severity, what=f"`{name.value}` is no rule of VALIDATE", y=best)


def _is_call(block: Block) -> bool:
    if block.colon:
        return block.key.upper() == "CALL"
    return block.value is not None and _CALL_LINE.match(block.value.value) is not None


def _values(call: Block) -> Iterator[tuple[str, Span]]:
    """The values that a call passes on, with their places: those in quotes on its line, and those below it."""
    texts: list[Text] = [below.text for below in content_of(call).walk() if below.text is not None]
    line = call.value
    quoted = list(_in_quotes(line)) if line is not None else []
    yield from quoted
    for text in texts:
        if text is not line or not quoted:
            yield text.value, text.inner


def _in_quotes(line: Text) -> Iterator[tuple[str, Span]]:
    for match in _QUOTED.finditer(line.value):
        which = match.lastindex or 0
        yield match[which], line.span_of(*match.span(which))


def _placeholders(value: str, span: Span, names: list[str]) -> Iterator[Found]:
    for match in _PLACEHOLDER.finditer(value):
        place = Span(span.start + match.start(1), span.start + match.end(1))
        if match[1] not in names:
            close = closest(match[1], names)
            renames = fixes.rename_fixes(place, close)
            yield found(place, *renames, what=f"there is no field `{match[1]}`", y=close[0] if close else "")
        elif value.strip() != match[0]:
            whole = fixes.replace(span, match[0], "Use the value as a whole", preferred=False)
            yield found(span, whole, what=f"`{match[0]}` must be the whole value")


@rule(
    "ABL650",
    "secure-elsewhere",
    "error",
    "`{{secure.{f}}}` is only allowed in the SECURE_INPUT call",
    over=AgentIndex,
)
def secure_elsewhere(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A message, condition or call outside of SECURE_INPUT reads a value that was typed unseen.
    Why: Such a value is known to one tool only; here it is always empty.
    Bad:
        FLOW:
          tell:
            REASONING: false
            RESPOND: "Your card is {{secure.card}}."
            THEN: COMPLETE
    Good:
        FLOW:
          tell:
            REASONING: false
            RESPOND: "Thank you, the card is fine."
            THEN: COMPLETE
    """
    if "secure" not in agent.read_roots or "secure" in agent.written_roots:
        return
    for placed, reads in agent.each(_secure):
        for kept in reads:
            read = placed.read(kept)
            yield found(read.span, *_without(read, agent), f=read.path.partition(".")[2] or "…")


def _secure(part: Part) -> list[Read]:
    return [read for read in part.reads if read.root == "secure" and not _is_its_own(read.owner)]


def _is_its_own(owner: nodes.Node) -> bool:
    """True for SECURE_INPUT itself, whose CALL may have the value."""
    return isinstance(owner, nodes.Setting) and owner.keyword == "SECURE_INPUT"


def _without(read: Read, agent: AgentIndex) -> tuple[Fix, ...]:
    """Take the placeholder out of its text."""
    text = agent.source.text
    start, end = text.rfind("{{", 0, read.span.start), text.find("}}", read.span.end)
    if read.use is None or read.use.mode != "tag" or start < 0 or end < 0 or text[start + 2 : read.span.start].strip():
        return ()
    return (fixes.replace(Span(start, end + 2), "", "Remove the placeholder", preferred=False),)
