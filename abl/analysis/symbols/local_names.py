"""Names that only bind lines of an agent to each other: tables, intents, action ids, handlers, policies, secrets …

Docs/spec 06 §6.4 and §7, 07 §8, 08 §4, 09 §4, §5, §10, §11 and §14.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from abl.analysis.collect.records import ExpressionUse
from abl.analysis.conformance.properties import named
from abl.analysis.index.action_elements import behind_arrow
from abl.analysis.index.formats import ELEMENT_TYPES
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.vocabularies import Entries, lists_of
from abl.expressions import nodes as en
from abl.language import value_of_text
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Content, Text, same_key
from abl.syntax.readers.content import content_of

LabelKind = Literal["table", "intent", "action", "handler", "policy", "guardrail", "secret"]
LabelRole = Literal["declaration", "write", "read"]

RETURN_ACTIONS: Final = ("continue", "resume_intent")
_GAPS: Final = re.compile(r"[\s_-]+")
_COMPARED: Final[dict[tuple[str, ...], LabelKind]] = {
    ("intent", "category"): "intent",
    ("intent", "name"): "intent",
    ("user", "intent"): "intent",
    ("action", "id"): "action",
}
"""What holds such a name while the agent runs."""
_KEPT: Final = re.compile(r"(?:->|→)\s*([A-Za-z_]\w*)")
_VAULT: Final = "_secret"
_FIELDS: Final = ("action", "fields")
_EQUALITY: Final = ("==", "!=", "IN", "NOT IN")
_NO_ELEMENTS: Final = frozenset({"options", "rows", "data", "columns", "payload"})
"""Arrays whose items may have an ``id`` that no handler takes: that of an option is a value."""
_IDS: Final = frozenset({"id", "submitid"})


class Label(NamedTuple):
    """One such name. What handles an intent or action has the role ``write``: there the name gets its effect.

    ``entry`` is what a declaration says about it.
    """

    kind: LabelKind
    name: str
    span: Span
    role: LabelRole
    entry: Content | None = None


def labels_of(agent: AgentIndex) -> tuple[Label, ...]:
    """Every such name that is in an agent or fragment."""
    return (
        *_tables(agent),
        *_intents(agent),
        *_actions(agent),
        *_handlers(agent),
        *_policies(agent),
        *_guardrails(agent),
        *_secrets(agent),
    )


def has_label(agent: AgentIndex, kind: str, name: str, *roles: LabelRole) -> bool:
    """True when a name is in an agent, in one of these roles if any is given."""
    labels = agent.derive(labels_of)
    return any(each.kind == kind and each.name == name and (not roles or each.role in roles) for each in labels)


# Lookup tables --------------------------------------------------------------------------------------------------


def _tables(agent: AgentIndex) -> Iterator[Label]:
    for content in _sections(agent, "LOOKUP_TABLES"):
        for member in content.members:
            yield Label("table", member.key, member.key_span, "declaration", member)
    for field in agent.all(nodes.GatherField):
        semantics = field.prop("SEMANTICS")
        if semantics is not None:
            yield from _label("table", content_of(semantics.block).text_of("lookup"), "read")
    for tool in agent.all(nodes.Tool):
        parameters = tool.prop("PARAMETERS")
        for below in content_of(parameters.block).walk() if parameters is not None else ():
            if value_of_text("parameter", "source", below.text_of("source", "default_source")) == "lookup":
                yield from _label("table", below.text_of("table"), "read")


# Intents --------------------------------------------------------------------------------------------------------


def _intents(agent: AgentIndex) -> Iterator[Label]:
    declared = [entry for section in agent.all(nodes.Understanding) for entry in _declared(section)]
    known = {plain(name.value): name.value for name, _ in reversed(declared)}
    for name, entry in declared:
        yield Label("intent", known[plain(name.value)], name.span, "declaration", entry)
    for handler in agent.all(nodes.IntentHandler):
        for label in _label("intent", handler.intent, "write"):
            yield label._replace(name=known.setdefault(plain(label.name), label.name))
    for content in _sections(agent, "ROUTING"):
        for below in content.walk():
            for text in _texts(below.get("intents", "ignore_intents")):
                yield from _label("intent", text, "read")
    yield from _compared(agent, "intent")


def _declared(section: nodes.Understanding) -> Entries:
    """The intents and categories of a section."""
    for kind, entries in lists_of(section):
        if kind != "Entity":
            yield from (entry for entry in entries if entry[0].value)


def plain(name: str) -> str:
    """The name of an intent as DIGRESSIONS compare it (06 §7)."""
    return _GAPS.sub("", name).casefold()


# Actions --------------------------------------------------------------------------------------------------------


def _actions(agent: AgentIndex) -> Iterator[Label]:
    shown = (*agent.all(nodes.Elements), *agent.all(nodes.Format))
    found = {label.span: label for node in shown for label in _ids(node.content)}
    yield from found.values()
    for handler in agent.all(nodes.ActionHandler):
        if handler.action is not None and handler.action.value:
            yield Label("action", handler.action.value, handler.action.span, "write")
    yield from _compared(agent, "action")
    for use in agent.expressions if "action" in agent.read_roots else ():
        for node in use.reading.nodes:
            if isinstance(node, en.Path) and node.parts[:2] == _FIELDS and len(node.parts) > len(_FIELDS):
                start = node.start + len(".".join(_FIELDS)) + 1
                yield Label("action", node.parts[2], use.span(start, start + len(node.parts[2])), "read")


def _ids(content: Content) -> Iterator[Label]:
    """The ids of elements, quick replies and fields of forms, and those of what submits them."""
    first = content.members[0] if content.members else None
    arrow = behind_arrow(first) if first is not None and same_key(first.key) in ELEMENT_TYPES else None
    if arrow is not None:
        yield Label("action", arrow.value, arrow.span, "declaration", content)
    for member in content.members:
        if same_key(member.key) in _IDS:
            yield from _label("action", member.text, "declaration", content)
        elif same_key(member.key) not in _NO_ELEMENTS:
            yield from _ids(member)
    for item in content.items:
        yield from _ids(item)


# What else sections name ----------------------------------------------------------------------------------------


def _handlers(agent: AgentIndex) -> Iterator[Label]:
    """Entries of RETURN_HANDLERS, and the returns that run them."""
    for content in _sections(agent, "RETURN_HANDLERS"):
        for member in content.members:
            yield Label("handler", member.key, member.key_span, "declaration", member)
    for on_return in _returns(agent):
        yield from _label("handler", on_return.text_of("handler"), "read")
        if on_return.word_of().lower() not in RETURN_ACTIONS:
            yield from _label("handler", on_return.text, "read")


def _returns(agent: AgentIndex) -> Iterator[Content]:
    """ON_RETURN of handoffs and delegations."""
    for handoff in agent.all(nodes.Handoff):
        if handoff.on_return is not None:
            yield content_of(handoff.on_return)
    settings = (s.block for s in agent.all(nodes.Setting) if s.keyword in ("DELEGATE", "ON_RETURN"))
    blocks = [content_of(block) for block in settings if block is not None]
    for content in (*_sections(agent, "DELEGATE"), *blocks):
        yield from (below for below in content.walk() if same_key(below.key) == "onreturn")


def _policies(agent: AgentIndex) -> Iterator[Label]:
    """Entries of TRANSFER_FLOW_POLICIES, and the routing that follows them (09 §7)."""
    for content in _sections(agent, "TRANSFER_FLOW_POLICIES"):
        for name, entry in named(content):
            yield Label("policy", name.value, name.span, "declaration", entry)
    for content in _sections(agent, "ESCALATE"):
        routing = content.get("routing")
        for below in routing.walk() if routing is not None else ():
            yield from _label("policy", below.text_of("flow_policy_ref", "flow_policy"), "read")


def _guardrails(agent: AgentIndex) -> Iterator[Label]:
    for guardrail in agent.all(nodes.Guardrail):
        if guardrail.name.value:
            yield Label("guardrail", guardrail.name.value, guardrail.name.span, "declaration", guardrail.content)


def _secrets(agent: AgentIndex) -> Iterator[Label]:
    """What RESULT_SECRETS keeps, and the tools that may use it (08 §2)."""
    for tool in agent.all(nodes.Tool):
        kept, used = tool.prop("RESULT_SECRETS"), tool.prop("SECRET_ACCESS")
        for match in _KEPT.finditer(agent.source.text, *kept.block.span) if kept is not None else ():
            yield Label("secret", match[1], Span(*match.span(1)), "declaration")
        for text in _texts(content_of(used.block).get("read")) if used is not None else ():
            yield from _label("secret", text, "read")
    for use in agent.expressions if _VAULT in agent.read_roots else ():
        for name in use.reading.names:
            root, _, below = name.path.partition(".")
            word = below.partition(".")[0]
            if root == _VAULT and word:
                start = name.start + len(root) + 1
                yield Label("secret", word, use.span(start, start + len(word)), "read")


# Reading --------------------------------------------------------------------------------------------------------


def _sections(agent: AgentIndex, keyword: str) -> Iterator[Content]:
    for section in agent.agent.sections:
        if section.keyword == keyword and section.block is not None:
            yield content_of(section.block)


def _label(kind: LabelKind, text: Text | None, role: LabelRole, entry: Content | None = None) -> Iterator[Label]:
    """A text that is a name, unless it is made when the agent runs."""
    word = text.value.strip() if text is not None else ""
    if text is not None and word and "{" not in word and "\n" not in word:
        at = len(text.value) - len(text.value.lstrip())
        yield Label(kind, word, text.span_of(at, at + len(word)), role, entry)


def _texts(content: Content | None) -> Iterable[Text]:
    return content.texts() if content is not None else ()


def _compared(agent: AgentIndex, kind: LabelKind) -> Iterator[Label]:
    """The texts that ``intent.category``, ``action.id`` and the like are compared with."""
    roots = {path[0] for path, of in _COMPARED.items() if of == kind}
    for use in agent.expressions if roots & agent.read_roots else ():
        for test in use.reading.tests:
            sides = [side for side in (test.left, test.right) if side is not None]
            if test.op in _EQUALITY and any(_is_path(side, kind) for side in sides):
                yield from _literals(use, sides, kind)


def _is_path(node: en.Node, kind: LabelKind) -> bool:
    return isinstance(node, en.Path) and _COMPARED.get(tuple(node.parts)) == kind


def _literals(use: ExpressionUse, sides: Iterable[en.Node], kind: LabelKind) -> Iterator[Label]:
    for side in sides:
        texts = side.items if isinstance(side, en.ListNode) else (side,)
        for text in texts:
            if isinstance(text, en.Literal) and text.form == "string" and text.value and "{" not in text.value:
                yield Label(kind, text.value, use.span(text.start + 1, text.end - 1), "read")
