"""Every word of the language is in the corpus, in both forms, at each place where it is legal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest

from abl import language
from abl.syntax import nodes, parse
from abl.syntax import vocabulary as v
from tests.abl.syntax.test_corpus import CORPUS

KEYWORD_FORM, YAML_FORM = FORMS = ("keyword form", "YAML form")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
PLACES: dict[type, str] = {
    nodes.Memory: "memory",
    nodes.SessionVariable: "session",
    nodes.PersistentPath: "persistent",
    nodes.RememberTrigger: "remember",
    nodes.Store: "store",
    nodes.RecallInstruction: "recall",
    nodes.Rule: "rule",
    nodes.OnFail: "on_fail",
    nodes.Flow: "flow",
    nodes.Step: "step",
    nodes.Branch: "branch",
    nodes.ActionHandler: "action_handler",
    nodes.Transform: "transform",
    nodes.Log: "log",
    nodes.Gather: "gather",
    nodes.GatherField: "field",
    nodes.Tool: "tool",
    nodes.Handoff: "handoff",
    nodes.Completion: "complete",
}


@cache
def documents() -> tuple[nodes.Document, ...]:
    """The sources of the corpus in which the parser finds nothing, so that each word stands where it belongs."""
    sources = [
        case.partition("\n")[2].partition("\n---\n")[0] + "\n"
        for path in sorted(CORPUS.glob("*.txt"))
        for case in path.read_text(encoding="utf-8").split("=== ")[1:]
    ]
    return tuple(document for source in sources if not (document := parse(source)).findings)


@cache
def words_by_place(form: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for document in documents():
        if document.yaml == (form == YAML_FORM):
            for place, span in places(document):
                found.setdefault(place, set()).update(words_at(document, span))
    return {place: frozenset(words) for place, words in found.items()}


def words_at(document: nodes.Document, span: tuple[int, int]) -> set[str]:
    text = re.sub(r"(?i)(use|voice) (behavior_profile|instructions)", r"\1_\2", document.source.text[slice(*span)])
    return {word.upper() for word in WORD.findall(text)}


def places(document: nodes.Document) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each place of a document and where it stands."""
    yield "anywhere", (0, len(document.source.text))
    profiles = [section.content for section in document.profiles if section.content is not None]
    files = [section.content for section in document.tool_files if section.content is not None]
    for profile in profiles:
        yield "profile", profile.span
    for agent in (*document.agents, *document.fragments, *profiles, *files):
        for section in agent.sections:
            yield "agent", section.key_span
            if section.keyword in ("IDENTITY", "HOOKS", "ON_START"):
                yield section.keyword.lower().removesuffix("s"), section.span
        yield from below(agent)


def below(node: object) -> Iterator[tuple[str, tuple[int, int]]]:
    if isinstance(node, tuple) and not hasattr(node, "_fields"):
        for part in node:
            yield from below(part)
    if not isinstance(node, nodes.Node):
        return
    if type(node) in PLACES:
        yield PLACES[type(node)], node.span
    elif isinstance(node, nodes.IntentHandlers):
        place = "sub_intent" if node.keyword == "SUB_INTENTS" else "digression"
        yield from ((place, handler.span) for handler in node.handlers)
    elif isinstance(node, nodes.IntentHandler):
        yield "digression", node.span
    for name in node.__dataclass_fields__:
        if name not in ("block", "props", "sections"):
            yield from below(getattr(node, name))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", v.KEYS_BY_PLACE)
def test_every_key_stands_at_each_of_its_places(place: str, form: str) -> None:
    found = words_by_place(form).get(place, frozenset())
    others = {key: {alias for alias, known in v.ALIASES.items() if known == key} for key in v.KEYS_BY_PLACE[place]}
    lacking = {key for key, aliases in others.items() if key not in found and not aliases & found}
    assert sorted(lacking - v.REMOVED_SECTIONS) == []


IN_PART = {"recall ON", "handoff EXPERIENCE_MODE", "tool AUTH", "tool PII_ACCESS"}
"""Keys of which the corpus has some words."""
BY_KIND: dict[str, tuple[str, ...]] = {
    **{
        f"{place} {key}": language.words_at(place, key)
        for place in v.KEYS_BY_PLACE
        for key in sorted(v.KEYS_BY_PLACE[place] if place in language.PLACES else ())
        if language.value_at(place, key).only_words and f"{place} {key}" not in IN_PART
    },
    **{f"binding {name}": tuple(keys) for name, keys in v.BINDING_KEYS.items()},
    "every tool": tuple(v.EVERY_TOOL_KEY),
    "sections": tuple(v.SECTIONS - v.REMOVED_SECTIONS),
    "aliases": tuple(key.replace(" ", "_") for key in v.ALIASES if key != "RETURN"),
    "rules": v.RULE_KINDS,
    "actions of ON_FAIL": v.ON_FAIL_ACTIONS,
    "terminals": (*v.TERMINALS, *v.ERROR_TERMINALS),
    "types": (*v.GENERIC_TYPES, *v.TOOL_TYPES),
    "sources of facts": v.FACT_SOURCES,
    "hooks": v.HOOKS,
    "messages": v.MESSAGE_KEYS,
    "defaults of a tool file": tuple(v.TOOL_FILE_KEYS),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", BY_KIND)
def test_every_word_stands_in_the_corpus(kind: str, form: str) -> None:
    found = words_by_place(form)["anywhere"]
    assert [word for word in BY_KIND[kind] if word.upper() not in found] == []


@pytest.mark.parametrize("form", FORMS)
def test_every_event_of_recall_stands_in_the_corpus(form: str) -> None:
    sources = [d.source.text for d in documents() if d.yaml == (form == YAML_FORM)]
    patterns = (*v.RECALL_EVENT_PATTERNS, *v.RECALL_EVENTS)
    assert [pattern for pattern in patterns if not any(re.search(pattern, text) for text in sources)] == []
