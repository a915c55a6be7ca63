"""10xx about the formats of messages (docs/spec 09 §14, 10 §6)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from abl.analysis import fixes
from abl.analysis.conditions.reading import read_condition_text, tags_of
from abl.analysis.conformance.properties import Lack, problems
from abl.analysis.fixes import content as content_fixes
from abl.analysis.index.action_elements import elements, holding_elements
from abl.analysis.index.formats import FORMATS, JSON_FORMATS, MEASURES, format_of, shape_of
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.content.misfits import worded
from abl.diagnostics import Edit, Fix, Severity
from abl.syntax import nodes
from abl.syntax.nodes import Text, same_key

_TAG: Final = re.compile(r"\{\{(?:(?!\{\{|\}\}).)*+\}\}", re.DOTALL)
_BLOCK: Final = re.compile(r"\{\{\s*(?:[#/]|else\b)")
_MEANT_AS_JSON: Final = re.compile(r"""\s*[\[{]\s*["\[{]""")
_JSON_TYPES: Final = frozenset({"number", "boolean", "array", "object"})
"""Types whose values are JSON when they are put into a text."""
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)


@rule("ABL1063", "invalid-json-format", "error", "`{k}` is not valid JSON: {reason}", over=nodes.Format)
def invalid_json_format(node: nodes.Format, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A format whose text is JSON cannot be read as JSON. Placeholders count as a value that fits.
    Why: The channel gets nothing it can show. With `#if` or `#each` in the text it depends on the values: a warning. So
        is a placeholder outside of quotes that may be text or unset.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        COMPLETE:
          - WHEN: turn_count > 9
            RESPOND: "Done."
            FORMATS:
              ADAPTIVE_CARD: '{"type": "AdaptiveCard", "body": [}'
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        COMPLETE:
          - WHEN: turn_count > 9
            RESPOND: "Done."
            FORMATS:
              ADAPTIVE_CARD: '{"type": "AdaptiveCard", "body": []}'
    """
    text = _json_text(node)
    if text is None:
        return
    try:
        json.loads(filled(text.value))
    except (ValueError, RecursionError) as error:
        at = min(getattr(error, "pos", 0), len(text.value) - 1)
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "A number is too long, or it is too deep"
        reason = reason[0].lower() + reason[1:]
        severity: Severity | None = "warning" if "{{#" in text.value else None
        span = text.span_of(at, at + 1)
        yield found(span, severity=severity, node=node.path, k=node.content.key, reason=reason)
        return
    for start, end in _bare_tags(text.value, agent):
        wording = "`{k}` is valid JSON only while `{tag}` is a number, true, false, a list or an object"
        tag = text.value[start:end]
        span = text.span_of(start, end)
        yield found(span, severity="warning", node=node.path, k=node.content.key, tag=tag, wording=wording)


def _json_text(node: nodes.Format) -> Text | None:
    """What has to be JSON, if that is written as one text or in brackets with keys in quotes."""
    content = node.content
    if format_of(content.key) not in JSON_FORMATS:
        return None
    text = content.text
    if text is None and content.block is not None and content.block.value is not None:
        text = content.block.value if _MEANT_AS_JSON.match(content.block.value.value) else None
    return text if text is not None and text.value.strip() else None


def _bare_tags(text: str, agent: AgentIndex) -> Iterator[tuple[int, int]]:
    """Placeholders outside of strings whose values are not known to be JSON, as text is not."""
    if "{{#" in text:
        return
    plain = _quoteless(text)
    quoted = [match.span() for match in _STRING.finditer(plain)]
    readings = {tag.start: tag.reading for tag in tags_of(text)}
    for match in _TAG.finditer(plain):
        if any(start < match.start() < end for start, end in quoted):
            continue
        inside = [reading for start, reading in readings.items() if match.start() <= start < match.end()]
        if not inside or any(agent.types.of_reading(reading) not in _JSON_TYPES for reading in inside):
            yield match.span()


def filled(text: str) -> str:
    """A text with something of the same length in place of each placeholder: letters in a string, a number outside."""
    lettered = _STRING.sub(lambda string: _TAG.sub(lambda tag: "x" * len(tag[0]), string[0]), _quoteless(text))
    return _TAG.sub(lambda tag: (" " if _BLOCK.match(tag[0]) else "0").ljust(len(tag[0])), lettered)


def _quoteless(text: str) -> str:
    """Quotes within placeholders are no quotes of the JSON around them."""
    return _TAG.sub(lambda tag: tag[0].replace('"', "'").replace("\\", "/").replace("\n", " "), text)


@rule("ABL1064", "bad-format-property", "error", "{format} needs `{prop}`", over=(nodes.Format, nodes.Elements))
def bad_format_property(node: nodes.Format | nodes.Elements, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A format, one of its elements, or an action element lacks a property, or has a value that it cannot have.
    Why: The channel cannot show it.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        COMPLETE:
          - WHEN: turn_count > 9
            RESPOND: "Done."
            FORMATS:
              CHART:
                type: bars
                data: loans
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        COMPLETE:
          - WHEN: turn_count > 9
            RESPOND: "Done."
            FORMATS:
              CHART:
                type: bar
                data: loans
    """
    for content in holding_elements(node):
        yield from elements_lack(content, node.path, agent)
    if isinstance(node, nodes.Elements):
        return
    name = format_of(node.content.key)
    shaped = shape_of(name, node.content) if name is not None else None
    if name is None or shaped is None:
        return
    shape, content = shaped
    for problem in problems(content, shape, name):
        yield from worded(problem, agent, node.path)


def elements_lack(content: nodes.Content, path: str, agent: AgentIndex) -> Iterator[Found]:
    """What elements of ACTIONS, of a form or of a card lack, but for what ABL1067 says."""
    for element in elements(content):
        for problem in problems(element.content, element.shape, element.type or "element"):
            if not isinstance(problem, Lack) or "type" not in problem.keys:
                yield from worded(problem, agent, path)
            elif problem.keys != ("type",) or not element.odd:
                yield from worded(replace(problem, values={"type": _intended_types(element.content)}), agent, path)


def _intended_types(element: nodes.Content) -> tuple[str, ...]:
    """The types that an element without one can have: that to which its other properties belong, if that is clear."""
    own = {"select": ("options",), "button": ("url", "link", "web_url"), "input": ("inputType", "placeholder")}
    kinds = [kind for kind, keys in own.items() if element.get(*keys) is not None]
    return tuple(kinds) if len(kinds) == 1 else ("button", "input")  # a select would need options


@rule("ABL1065", "unknown-format", "error", "Unknown format `{k}`. Did you mean `{y}`?", over=nodes.Format)
def unknown_format(node: nodes.Format, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A variant of a message has a name that is no format.
    Why: No channel asks for it, so it is never shown.
    Bad:
        TEMPLATES:
          shelves:
            DEFAULT: "See the shelves."
            CAROUSSEL:
              - title: "New books"
    Good:
        TEMPLATES:
          shelves:
            DEFAULT: "See the shelves."
            CAROUSEL:
              - title: "New books"
    """
    content = node.content
    if format_of(content.key) is not None or same_key(content.key) in _OTHERS or not content.key:
        return
    names = (*FORMATS, "DEFAULT") if "templates" in node.path else FORMATS
    best, renames = fixes.rename_to(content.key_span, content.key, names)
    yield found(content.key_span, *renames, node=node.path, k=content.key, y=best)


_OTHERS: Final = frozenset({"voice", "bargein", "onnoinput", "actions"})  # VOICE is one; the rest are ABL1073's


@rule(
    "ABL1069",
    "inline-feedback",
    "warning",
    "Inline feedback is deprecated; use FEEDBACK_TEMPLATE",
    over=nodes.Format,
    tags=("deprecated",),
)
def inline_feedback(node: nodes.Format, agent: AgentIndex) -> Iterator[Found]:
    """
    What: FEEDBACK describes its question and scale itself.
    Why: Surveys have templates now; answers to inline ones cannot be compared with each other.
    Bad:
        TEMPLATES:
          goodbye:
            DEFAULT: "Goodbye."
            FEEDBACK:
              prompt: "How was it?"
              type: star
    Good:
        TEMPLATES:
          goodbye:
            DEFAULT: "Goodbye."
            FEEDBACK:
              FEEDBACK_TEMPLATE: visit
    """
    content = node.content
    if format_of(content.key) == "FEEDBACK" and content.members and content.get("feedback_template") is None:
        yield found(content.key_span, *_as_survey(content, agent), node=node.path)


_INLINE_ONLY: Final = frozenset(same_key(key) for key in ("prompt", *MEASURES))


def _as_survey(content: nodes.Content, agent: AgentIndex) -> tuple[Fix, ...]:
    """A template, whose name is to be written, in the place of question and scale; the other texts stay."""
    key = "FEEDBACK_TEMPLATE" if content.key.isupper() and content.brackets is None else "feedback_template"
    inline = [member for member in content.members if same_key(member.key) in _INLINE_ONLY]
    if not inline:
        return content_fixes.added(agent.source, content, key, "survey_name")
    if content.brackets is None and any(member.block is None for member in inline):
        return ()
    others = content_fixes.removed(agent.source, content, *inline[1:]) if inline[1:] else ()
    edits = [Edit(inline[0].span, f"{key}: survey_name"), *(edit for fix in others for edit in fix.edits)]
    return (Fix(f"Use `{key}`", tuple(edits)),) if others or not inline[1:] else ()


@rule("ABL1070", "survey-override", "error", "Survey `{s}` owns `{f}`", over=nodes.Format)
def survey_override(node: nodes.Format, agent: AgentIndex) -> Iterator[Found]:
    """
    What: FEEDBACK with a FEEDBACK_TEMPLATE also says how answers are measured, or a rule for a text reads the rating.
    Why: The measure belongs to the template, and the rating is not known when the texts are chosen.
    Bad:
        TEMPLATES:
          goodbye:
            DEFAULT: "Goodbye."
            FEEDBACK:
              FEEDBACK_TEMPLATE: visit
              max: 10
    Good:
        TEMPLATES:
          goodbye:
            DEFAULT: "Goodbye."
            FEEDBACK:
              FEEDBACK_TEMPLATE: visit
    """
    content = node.content
    survey = content.word("feedback_template") if format_of(content.key) == "FEEDBACK" else ""
    if not survey:
        return
    measures = {same_key(key) for key in MEASURES}
    for member in content.members:
        if same_key(member.key) in measures:
            repair = content_fixes.removed(agent.source, content, member)
            yield found(member.key_span, *repair, node=node.path, s=survey, f=member.key)
        for item in member.items if same_key(member.key).endswith("rules") else ():
            when = item.text_of("when")
            if when is not None:
                yield from _rating(when, survey, node.path)


def _rating(when: nodes.Text, survey: str, path: str) -> Iterator[Found]:
    reading = read_condition_text(when.value, when.style)
    for name in reading.names:
        if name.root == "rating":
            span = when.span_of(name.start + reading.offset, name.end + reading.offset)
            words = "A rule of survey `{s}` cannot read `rating`"
            yield found(span, node=path, s=survey, wording=words)
            return


@rule("ABL1071", "unchecked-survey", "info", "Survey `{s}` cannot be checked here", over=nodes.Format)
def unchecked_survey(node: nodes.Format, agent: AgentIndex) -> Iterator[Found]:
    """
    What: FEEDBACK uses a survey template of the platform.
    Why: Templates of surveys are no part of the project, so whether this one exists shows there only.
    Bad:
        TEMPLATES:
          goodbye:
            DEFAULT: "Goodbye."
            FEEDBACK:
              FEEDBACK_TEMPLATE: visit
    Good:
        TEMPLATES:
          goodbye:
            DEFAULT: "Goodbye."
    """
    if format_of(node.content.key) == "FEEDBACK":
        text = node.content.text_of("feedback_template")
        if text is not None and text.value.strip():
            yield found(text.inner, node=node.path, s=text.value.strip())
