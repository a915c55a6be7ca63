"""10xx about TEMPLATES and ATTACHMENTS (docs/spec 09 §14, §15, 10 §6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from abl.analysis import fixes
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes import content as content_fixes
from abl.analysis.flow.cross_agent_queries import words_in
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes

_WORD: Final = re.compile(r"\w+")
_USED: Final = re.compile(r"TEMPLATE\(\s*([^()\s]+)\s*\)")


@rule("ABL1061", "template-without-default", "error", "Template `{t}` needs DEFAULT", over=nodes.Template)
def template_without_default(template: nodes.Template, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A template has variants but no DEFAULT.
    Why: Where no variant fits the channel there is nothing to say.
    Bad:
        TEMPLATES:
          hello:
            HTML: "<b>Hello</b>"
    Good:
        TEMPLATES:
          hello:
            DEFAULT: "Hello"
            HTML: "<b>Hello</b>"
    """
    content = template.content
    if content.text is None and content.get("default", "text") is None:
        repairs = content_fixes.added(agent.source, content, "DEFAULT", '"…"')
        yield found(template.name.span, *repairs, node=template.path, t=template.name.value)


@rule("ABL1062", "unused-template", "hint", "Template `{t}` is never used", over=AgentIndex, tags=("unnecessary",))
def unused_template(agent: AgentIndex) -> Iterator[Found]:
    """
    What: No message of the agent is `TEMPLATE(name)`, and its name stands nowhere else.
    Why: Dead text misleads readers.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TEMPLATES:
          hello:
            DEFAULT: "Hello."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_START:
          RESPOND: TEMPLATE(hello)
        TEMPLATES:
          hello:
            DEFAULT: "Hello."
    """
    if not agent.items(_templates) or agent.fragment or agent.agent.section("USE_BEHAVIOR_PROFILE") is not None:
        return
    source, templates = agent.source, agent.all(nodes.Template)
    used, counts = _used(source.text), words_in(source.text)
    for template in templates:
        name = template.name.value
        if name and name not in used and any(counts[word] == 1 for word in _WORD.findall(name)):
            section = agent.agent.section("TEMPLATES")
            alone = len(templates) == 1 and section is not None
            whole = section.span if alone and section is not None else template.span
            removal = fixes.remove_lines(source, whole, f"Remove `{name}`", preferred=False)
            yield found(template.name.span, removal, node=template.path, t=name)


@lru_cache(maxsize=256)
def _used(text: str) -> frozenset[str]:
    """The templates that a text uses; the agents of one text share them."""
    return frozenset(_USED.findall(text))


def _templates(part: Part) -> Sequence[nodes.Template]:
    return part.all(nodes.Template)


@rule(
    "ABL1075",
    "bad-attachment-category",
    "error",
    "Unknown attachment category `{c}`. Did you mean `{y}`?",
    over=nodes.Attachment,
)
def bad_attachment(attachment: nodes.Attachment, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The category of an attachment does not exist, or its types stand under `allowed_mime_types`.
    Why: The upload is taken as a document of any type.
    Bad:
        ATTACHMENTS:
          card_photo:
            prompt: "Please send a photo of your card."
            category: picture
    Good:
        ATTACHMENTS:
          card_photo:
            prompt: "Please send a photo of your card."
            category: image
            allowed_types: [image/png, image/jpeg]
    """
    category = attachment.content.get("category")
    if category is not None:
        yield from unfit(category.text, "attachment", "category", attachment.path, c=category.word_of())
    types = attachment.content.get("allowed_mime_types")
    if types is not None:
        renamed = content_fixes.styled(attachment.content, "allowed_types")
        repairs = () if attachment.content.get("allowed_types") else (fixes.replace(types.key_span, renamed),)
        words = "`allowed_mime_types` is not recognised; use `allowed_types`"
        yield found(types.key_span, *repairs, node=attachment.path, wording=words)
