"""``Content``: one tree for what is written in lines, in brackets, or in both (docs/spec 09 §10-§15)."""

from __future__ import annotations

from typing import Any

import pytest

from abl.syntax import nodes, parse
from abl.syntax.incremental.reparse import reparse


def described(text: str) -> list[nodes.Described]:
    document = parse(text)
    return [node for tree in document.fragments for section in tree.sections for node in section.described]


def plain(content: nodes.Content) -> Any:
    """Keys in lower case, texts, members and items, without places."""
    text = content.text.value if content.text is not None else None
    members = [(member.key.lower(), plain(member)) for member in content.members]
    items = [plain(item) for item in content.items]
    return (text, members, items) if members or items else text


def tree(text: str) -> list[Any]:
    return [plain(node.content) for node in described(text)]


IN_LINES = """\
TEMPLATES:
  shelves:
    DEFAULT: "See, the shelves"
    CAROUSEL:
      - title: "New: books"
        buttons:
          - id: a
            label: "A"
      - title: old
    QUICK_REPLIES:
      - id: b
        label: "B"
"""
IN_BRACKETS = """\
TEMPLATES:
  shelves:
    DEFAULT: "See, the shelves"
    CAROUSEL: [{title: "New: books", buttons: [{id: a, label: "A"}]}, {title: old}]
    QUICK_REPLIES: [{"id": b, 'label': "B"},]
"""
OVER_LINES = """\
TEMPLATES:
  shelves: {
    default: "See, the shelves",
    # the newest first
    carousel: [
      {title: "New: books", buttons: [{id: a, label: "A"}]},
      {title: old}
    ],
    quick_replies: [{id: b, label: "B"}]
  }
"""


@pytest.mark.parametrize("text", [IN_BRACKETS, OVER_LINES])
def test_lines_and_brackets_give_the_same_tree(text: str) -> None:
    assert tree(text) == tree(IN_LINES)
    assert tree(IN_LINES) != [None]


@pytest.mark.parametrize("text", [IN_LINES, IN_BRACKETS, OVER_LINES])
def test_places_are_those_of_the_words(text: str) -> None:
    seen = 0
    for node in described(text):
        for content in node.content.walk():
            assert text[slice(*content.key_span)] == content.key
            if content.text is not None:
                assert text[slice(*content.text.inner)] == content.text.raw
                seen += 1
    assert seen == 7


def test_a_block_may_have_keys_and_items() -> None:
    (actions,) = described('ACTIONS:\n  SUBMIT_LABEL: "Go"\n  - BUTTON: "Yes" -> yes\n    VALUE: 1\n')
    assert plain(actions.content) == (
        None,
        [("submit_label", "Go")],
        [(None, [("button", '"Yes" -> yes'), ("value", "1")], [])],
    )


def test_keys_count_without_case_and_separators() -> None:
    (node,) = described("TEMPLATES:\n  a:\n    imageUrl: 1\n    VOICE INSTRUCTIONS: 2\n")
    assert node.content.word("IMAGE_URL") == "1"
    assert node.content.word("voice_instructions") == "2"
    assert node.content.get("voice") is None


def test_an_unclosed_bracket_is_a_text() -> None:
    (node,) = described("TEMPLATES:\n  a:\n    SLACK: {a: [1, 2}\n    HTML: x\n")
    assert node.content.word("html") == "x"


def test_a_list_in_lists_deeper_than_the_limit_is_a_text() -> None:
    (node,) = described("TEMPLATES:\n  a:\n    SLACK: " + "[" * 5000 + "]" * 5000 + "\n")
    slack = node.content.get("slack")
    assert slack is not None
    assert slack.items == ()


def test_a_profile_document_is_one_node_and_keeps_its_sections() -> None:
    head = "BEHAVIOR_PROFILE: late\nPRIORITY: 3\nWHEN: hour > 21\n"
    document = parse(f"{head}TOOLS:\n  HIDE: [a]\n  ADD:\n    b(x: string)\nFLOW:\n  SKIP: [c]\n")
    (section,) = document.profiles
    content = section.content
    assert content is not None
    profile = content.profile
    assert profile is not None
    assert (profile.inline, [member.key for member in profile.content.members]) == (
        False,
        ["PRIORITY", "WHEN", "TOOLS", "FLOW"],
    )
    assert ([tool.name.value for tool in content.tools], content.flow, document.findings) == (["b"], None, ())


def test_an_entry_that_was_not_edited_comes_back_and_has_moved() -> None:
    text = 'TEMPLATES:\n  a: "A"\n  b: "B"\n'
    before = parse(text)
    after = reparse(before, text.replace('"A"', '"AAA"'))
    assert after == parse(text.replace('"A"', '"AAA"'))
    (_, old), (_, new) = (document.fragments[0].sections[0].described for document in (before, after))
    assert new.content.key_span.start == old.content.key_span.start + 2
