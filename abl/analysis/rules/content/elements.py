"""10xx about the elements of ACTIONS and forms (docs/spec 09 §14, 10 §6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes
from abl.analysis.conformance.properties import whole
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes import content as content_fixes
from abl.analysis.fixes.steps import free_name
from abl.analysis.index.action_elements import Element, elements, holding_elements
from abl.analysis.index.formats import ELEMENT_TYPES
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.profiles import attached
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Related
from abl.syntax import nodes

_AN_OPTION: Final = '[{id: "…", label: "…"}]'
_URLS: Final = ("url", "link", "web_url")


def _elements(node: nodes.Elements | nodes.Format) -> Iterator[Element]:
    """The elements of ACTIONS, of a form or of the cards of a carousel."""
    for content in holding_elements(node):
        yield from elements(content)


@rule("ABL1066", "duplicate-action-id", "error", "Action id `{id}` appears twice", over=(nodes.Elements, nodes.Format))
def duplicate_action_id(node: nodes.Elements | nodes.Format, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Two elements of one ACTIONS block, or of one form, have the same id.
    Why: A handler cannot tell which of them was used.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ACTIONS:
          - BUTTON: "Lend" -> lend
          - BUTTON: "Return" -> lend
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ACTIONS:
          - BUTTON: "Lend" -> lend
          - BUTTON: "Return" -> give_back
    """
    seen: dict[str, nodes.Name] = {}
    found_elements = list(_elements(node))
    ids = {element.id.value for element in found_elements if element.id is not None}
    for element in found_elements:
        if element.id is None:
            continue
        first = seen.setdefault(element.id.value, element.id)
        if first is not element.id:
            where = Related(agent.source.path, first.span, "the first")
            free = fixes.replace(element.id.span, free_name(element.id.value, ids), preferred=False)
            yield found(element.id.span, free, related=(where,), node=node.path, id=element.id.value)


@rule(
    "ABL1067",
    "bad-element-type",
    "error",
    "Unknown element type `{t}`. Did you mean `{y}`?",
    over=(nodes.Elements, nodes.Format),
)
def bad_element_type(node: nodes.Elements | nodes.Format, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An element is neither button, select nor input, or a select has no options.
    Why: It cannot be shown, or there is nothing to choose.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ACTIONS:
          - SELECT: "Branch"
            ID: branch
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ACTIONS:
          - SELECT: "Branch"
            ID: branch
            OPTIONS:
              - id: central
                label: "Central"
    """
    for element in _elements(node):
        if element.odd:
            best, renames = fixes.rename_to(element.at, element.odd, [word.upper() for word in ELEMENT_TYPES])
            yield found(element.at, *renames, node=node.path, t=element.odd, y=best)
        options = element.content.get("options")
        if element.type == "select" and (options is None or options.is_empty):
            repairs = (
                content_fixes.added(agent.source, element.content, "options", _AN_OPTION) if options is None else ()
            )
            yield found(element.at, *repairs, node=node.path, wording="select needs `options`")
        yield from unfit(element.content.text_of("type"), "element", "type", node.path, t=element.content.word("type"))


@rule("ABL1068", "url-without-button", "warning", "`{k}` works on buttons only", over=(nodes.Elements, nodes.Format))
def url_without_button(node: nodes.Elements | nodes.Format, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A select or an input has a `url`.
    Why: Only buttons open links; here it has no effect.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ACTIONS:
          - INPUT: "Your name"
            ID: name
            URL: "https://example.org"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ACTIONS:
          - BUTTON: "Our page" -> page
            URL: "https://example.org"
    """
    for element in _elements(node):
        if element.type not in ("select", "input"):
            continue
        for key in _URLS:
            member = element.content.get(key)
            if member is not None:
                repair = content_fixes.removed(agent.source, element.content, member)
                yield found(member.key_span, *repair, node=node.path, k=member.key)


@rule(
    "ABL1076",
    "too-many-buttons",
    "hint",
    "{count} buttons are more than the {n} of profile `{p}`",
    over=nodes.Elements,
    project=True,
)
def too_many_buttons(node: nodes.Elements, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A message has more buttons than a profile of the agent lets through.
    Why: While the profile applies the last ones are not shown.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ACTIONS:
          - BUTTON: "Lend" -> lend
          - BUTTON: "Return" -> give_back
        USE BEHAVIOR_PROFILE: phone

        BEHAVIOR_PROFILE: phone
        PRIORITY: 10
        WHEN: channel == "sms"
        RESPONSE:
          max_buttons: 1
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ACTIONS:
          - BUTTON: "Lend" -> lend
        USE BEHAVIOR_PROFILE: phone

        BEHAVIOR_PROFILE: phone
        PRIORITY: 10
        WHEN: channel == "sms"
        RESPONSE:
          max_buttons: 1
    """
    count = sum(1 for element in elements(node.content) if element.type == "button")
    for home, profile in attached(agent, project) if count > 1 else ():
        response = profile.content.get("response")
        most = whole(response.word("max_buttons")) if response is not None else None
        if most is not None and count > most and profile.name is not None:
            where = Related(home.source.path, profile.name.span, "the profile")
            at, name = node.content.key_span, profile.name.value
            yield found(at, related=(where,), node=node.path, count=count, n=most, p=name)
