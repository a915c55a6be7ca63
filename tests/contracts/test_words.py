"""Names in the code are terms of the trade; the private words of earlier versions do not come back.

A newcomer would have to ask for them. As identifiers they are found in the code of the product and its scripts; those
that no English sentence needs are not in comments and documents either.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.contracts.sources import CODE, ROOT, Module, modules, taken_apart

INSTEAD = {
    "knots": "cycles",
    "parts_of": "strongly_connected_components, or what the parts are",
    "resting": "suppressions",
    "causes": "root_causes",
    "consequences": "suppressions",
    "telling": "summaries",
    "telling_calls": "call_summaries",
    "telling_values": "value_summaries",
    "deed": "action",
    "deeds": "actions",
    "settled": "the name of the final state",
    "stray": "unattached_lines",
    "shallow": "under_indented",
    "opened": "what is open",
    "emptied": "emptied_blocks",
    "keeping": "what is kept",
    "moving": "what moves",
    "holders": "owners",
    "crossing": "cross_agent_queries",
    "asking": "the name of the question",
    "borrowing": "imports_used",
    "sharing": "what is shared",
}
"""Private word -> what to write."""
PROSE = ("knots", "resting", "telling", "deed", "deeds", "crossing", "borrowing")
"""Of these the ones that are not used in comments and documents."""
LEGITIMATE = {
    ("abl/runtime/session.py", "moving"),
    ("abl/runtime/turn/preview.py", "moving"),
}
"""Uses in a usual sense: the module ``abl.runtime.agents.moving`` carries out moves."""
VAGUE = ("known", "links", "labels")
"""Say of what, where others see the name: of a function, class, parameter or attribute. A local variable is read with
its function.
"""
VAGUE_IN_ANY_CASE = {spelling for word in VAGUE for spelling in (word, word.upper(), word.capitalize())}
DOCUMENTS = ("*.md", "docs/*.md", "docs/decisions/*.md", "docs/how-to/*.md", "docs/reference/*.md", "docs/spec/*.md")


def private_identifiers(module: Module) -> list[str]:
    """``path:line: word (what to write)`` for each private word that is an identifier, whatever its case."""
    return [
        f"{module.path}:{line}: {name} ({INSTEAD[bare]})"
        for name, line in module.identifiers.items()
        if (bare := name.strip("_").lower()) in INSTEAD and (module.path, bare) not in LEGITIMATE
    ]


def vague_names(path: str, text: str) -> list[str]:
    """``path:line: name`` for each function, class, parameter or attribute whose name does not say what it indexes."""
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names = [name]
            case ast.arg(arg=name) | ast.Attribute(attr=name, ctx=ast.Store()):
                names = [name]
            case _:
                continue
        found += [f"{path}:{node.lineno}: {name}" for name in names if name.lower() in VAGUE]
    return found


def product() -> list[Module]:
    """The modules of the product and its scripts."""
    return [module for module in modules(*CODE) + modules("scripts") if "/migrations/" not in module.path]


def test_no_private_word_is_an_identifier():
    assert [line for module in product() for line in private_identifiers(module)] == []


def test_every_legitimate_use_is_there():
    used = {(module.path, name) for module in modules(*CODE) for name in module.identifiers}
    assert LEGITIMATE - used == set()


def test_names_that_others_see_say_what_they_index():
    paths = [module.path for module in product() if not module.identifiers.keys().isdisjoint(VAGUE_IN_ANY_CASE)]
    assert len(paths) > 100
    assert [line for path in paths for line in vague_names(path, (ROOT / path).read_text(encoding="utf-8"))] == []


def test_comments_and_documents_have_no_private_word():
    word = re.compile(rf"\b(?:{'|'.join(PROSE)})\b", re.IGNORECASE)
    documents = [(str(path.relative_to(ROOT)), path.read_text()) for each in DOCUMENTS for path in ROOT.glob(each)]
    texts = [*documents, *((module.path, module.prose) for module in (*product(), *modules("tests")))]
    here = Path(__file__).relative_to(ROOT).as_posix()
    assert len(documents) > 40
    assert [(path, match[0]) for path, text in texts if path != here for match in word.finditer(text)] == []


def test_they_are_found_as_whole_words_only():
    text = "def deed(telling_calls, reopened):\n    shop.settled = _Causes  # resting\n    knots_of = 'deed'\n"
    assert [line.split(" (")[0] for line in private_identifiers(taken_apart("a.py", text))] == [
        "a.py:1: deed",
        "a.py:1: telling_calls",
        "a.py:2: settled",
        "a.py:2: _Causes",
    ]
    assert vague_names("a.py", "class Known:\n    def f(self, links):\n        self.labels = known = links\n") == [
        "a.py:1: Known",
        "a.py:2: links",
        "a.py:3: labels",
    ]
