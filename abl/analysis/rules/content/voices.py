"""10xx about voice: SSML, who may interrupt, what is heard (docs/spec 09 §13, 10 §6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate

from abl.analysis.conformance.properties import in_range, is_fixed
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes import content as content_fixes
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.language import PLACES
from abl.language.types import Number
from abl.syntax import nodes
from abl.syntax.nodes import Content, same_key

_TAG: Final = re.compile(r"\{\{(?:(?!\{\{|\}\}).)*+\}\}", re.DOTALL)
_PROLOG: Final = re.compile(r"\A\s*(?:<\?xml[^<>]*\?>)?\s*(?:<!DOCTYPE[^<>\[\]]*>)?")
_OPEN, _CLOSE = "<speak>", "</speak>"
_CLOSED: Final = frozenset({"bargein", "endofspeechturntype"})


@rule("ABL1072", "malformed-ssml", "error", "SSML is not well formed: {reason}", over=nodes.Voice)
def malformed_ssml(voice: nodes.Voice, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The SSML of a message is no well-formed XML. Placeholders count as text.
    Why: The speech service refuses it, and nothing is said.
    Bad:
        TEMPLATES:
          hello:
            DEFAULT: "Hello."
            VOICE:
              SSML: "<speak>Hello <break/></speek>"
    Good:
        TEMPLATES:
          hello:
            DEFAULT: "Hello."
            VOICE:
              SSML: "<speak>Hello <break/></speak>"
    """
    text = voice.content.text_of("ssml")
    if text is None or not text.value.strip():
        return
    problem = _xml_problem(_TAG.sub(lambda tag: "x" * len(tag[0]), text.value))
    if problem is not None:
        at = min(problem[0], len(text.value) - 1)
        yield found(text.span_of(at, at + 1), node=voice.path, reason=problem[1])


def _xml_problem(text: str) -> tuple[int, str] | None:
    """Where a text stops being well-formed XML, and why; what is around one element is spoken, too."""
    parser = ParserCreate("utf-8")
    inner = _PROLOG.sub(lambda prolog: " " * len(prolog[0]), text, count=1)
    whole = f"{_OPEN}{inner}{_CLOSE}".encode(errors="replace")
    try:
        parser.Parse(whole, True)
    except ExpatError as error:
        at = len(whole[: parser.ErrorByteIndex].decode(errors="ignore")) - len(_OPEN)
        return max(at, 0), str(error).partition(":")[0]
    return None


@rule(
    "ABL1073",
    "misplaced-voice-option",
    "error",
    "`{k}` is not allowed here",
    over=(nodes.Voice, nodes.Format, nodes.Conversation, nodes.Profile),
)
def misplaced_voice_option(node: nodes.Described, agent: AgentIndex) -> Iterator[Found]:
    """
    What: BARGE_IN or ON_NO_INPUT stands where it has no meaning, or an option of voice has a value it cannot have.
    Why: Calls continue as if it were not there. ON_NO_INPUT belongs to VOICE of a step, not to that of one message.
    Bad:
        FLOW:
          ask:
            REASONING: false
            RESPOND: "Which book?"
              VOICE:
                BARGE_IN: always
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            RESPOND: "Which book?"
              VOICE:
                BARGE_IN: allow
            THEN: COMPLETE
    """
    if isinstance(node, nodes.Format):
        if same_key(node.content.key) in ("bargein", "onnoinput"):
            yield found(node.content.key_span, node=node.path, k=node.content.key)
    elif isinstance(node, nodes.Voice):
        yield from _voice(node, agent)
    else:
        content = node.content if isinstance(node, nodes.Conversation) else node.content.get("conversation")
        yield from _ranges(content, node.path)


def _voice(voice: nodes.Voice, agent: AgentIndex) -> Iterator[Found]:
    content = voice.content
    options = (content, *content.members) if content.text is not None else content.members
    for option in options:
        key = same_key(option.key)
        if key == "onnoinput" and voice.where != "step":
            parent = content if option is not content else None
            repair = content_fixes.removed(agent.source, parent, option) if parent is not None else ()
            yield found(option.key_span, *repair, node=voice.path, k=option.key)
        elif key in _CLOSED and is_fixed(option):
            words = "Unknown {k} `{x}`. Did you mean `{y}`?"
            yield from unfit(
                option.text, "voice", option.key, voice.path, k=option.key, x=option.word_of(), wording=words
            )


def _ranges(conversation: Content | None, path: str) -> Iterator[Found]:
    listening = conversation.get("listening") if conversation is not None else None
    merging = listening.get("barge_in_continuation") if listening is not None else None
    for declared in PLACES["barge_in_continuation"].listed if merging is not None else ():
        member, limits = merging.get(declared.name) if merging is not None else None, declared.type
        if member is None or not isinstance(limits, Number) or limits.high is None or not is_fixed(member):
            continue
        if not in_range(member.word_of(), limits.low, limits.high):
            words, low, high = "`{k}` must be between {low} and {high}", f"{limits.low:g}", f"{limits.high:g}"
            yield found(member.place, node=path, k=member.key, low=low, high=high, wording=words)


@rule(
    "ABL1074",
    "ignored-duration-cap",
    "warning",
    "`{k}` has no effect",
    over=(nodes.Conversation, nodes.Profile),
)
def ignored_duration_cap(node: nodes.Conversation | nodes.Profile, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `on_caller_backchannel` has a `max_duration_ms`.
    Why: How long a caller says "mhm" is not measured, so the limit is ignored.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        CONVERSATION:
          listening:
            on_caller_backchannel:
              max_duration_ms: 600
              action: ignore
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        CONVERSATION:
          listening:
            on_caller_backchannel:
              action: ignore
    """
    content = node.content if isinstance(node, nodes.Conversation) else node.content.get("conversation")
    listening = content.get("listening") if content is not None else None
    heard = listening.get("on_caller_backchannel") if listening is not None else None
    cap = heard.get("max_duration_ms") if heard is not None else None
    if heard is not None and cap is not None:
        repair = content_fixes.removed(agent.source, heard, cap)
        yield found(cap.key_span, *repair, node=node.path, k=cap.key)
