"""Keys of texts: from where a document takes them to the locale catalogues and back (docs/spec 06 §5.1)."""

from __future__ import annotations

import pytest

import abl
from abl.analysis.symbols.catalogue_keys import keys_in
from abl.editing.hover import hover
from tests.abl.editing.test_rename import at, refusal, renamed

DESK = """\
AGENT: Desk
GOAL: "Lend books"
TOOLS:
  log(text: string) -> {ok: boolean}
    description: "Log"
GATHER:
  title:
    prompt: "Which?"
    message_key: ask_title
FLOW:
  ask:
    REASONING: false
    RESPOND: "Hello"
    MESSAGE_KEY: greet.hello
    CALL: log(locale.greet.hello)
    ON_INPUT:
      - IF: input == "x"
        RESPOND: "x"
          MESSAGE_KEY: bye
      - ELSE:
        RESPOND: "{{locale.bye}}"
"""
ENGLISH = 'greet:\n  hello: "Hello there"\n  later: "Later"\nask_title: "Which?"\nbye: Bye\n'
GERMAN = '{"greet.hello": "Guten Tag", "greet": {"later": "x"}, "ask_title": "Welches?", "bye": "Ade"}\n'
FILES = {"de.locale.json": GERMAN, "desk.agent.abl": DESK, "en.locale.yaml": ENGLISH}


@pytest.mark.parametrize(
    ("mark", "name", "lines"),
    [
        ("MESSAGE_KEY: greet|.hello", "greet.hi", {"de": '{"greet.hi": "Guten', "en": "  hi: "}),
        ("locale.greet.hel|lo", "greet.hi", {"de": '{"greet.hi": "Guten', "en": "  hi: "}),
        ("message_key: ask|_title", "ask", {"de": '"ask": "Welches?"', "en": "ask: "}),
        ("{{locale.by|e}}", "farewell", {"de": '"farewell": "Ade"', "en": "farewell: Bye"}),
    ],
)
def test_a_key_is_renamed_in_documents_and_catalogues(mark: str, name: str, lines: dict[str, str]) -> None:
    old = abl.rename(FILES, *at("desk.agent.abl", mark, FILES), name)
    assert old["refused"] is None
    after = renamed(at("desk.agent.abl", mark, FILES), name, FILES)
    assert lines["de"] in after["de.locale.json"]
    assert f"\n{lines['en']}" in after["en.locale.yaml"]
    assert after["desk.agent.abl"].count(name) == 2


def test_a_key_leads_to_its_texts() -> None:
    place = at("desk.agent.abl", "MESSAGE_KEY: greet|.hello", FILES)
    assert [(found["path"], found["range"]["start"]["line"]) for found in abl.definition(FILES, *place)] == [
        ("de.locale.json", 1),
        ("en.locale.yaml", 2),
    ]
    assert [found["role"] for found in abl.references(FILES, *place)] == ["declaration", "read", "read", "declaration"]
    about = hover(FILES, *place)
    assert about is not None
    assert (about["title"], about["text"].split("\n")) == (
        "text key greet.hello",
        [
            "de.locale.json: Guten Tag",
            "en.locale.yaml: Hello there",
            "declared: de.locale.json:1, en.locale.yaml:2",
            "used: desk.agent.abl:14, desk.agent.abl:15",
        ],
    )


@pytest.mark.parametrize(
    ("change", "name", "reason"),
    [
        ({}, "greet.later", "`greet.later` is taken: de.locale.json:1 has the text key `greet.later`."),
        ({}, "greet", "`greet` is taken: de.locale.json:1 has the text key `greet.hello`."),
        ({}, "bye.now", "`bye.now` is taken: de.locale.json:1 has the text key `bye`."),
        ({}, "hello", "en.locale.yaml:2 writes `greet.hello` in another way"),
        ({}, "a b", "is not a name for a text key"),
        ({"en.locale.yaml": "a: ["}, "greet.hi", "en.locale.yaml cannot be read and may hold `greet.hello`"),
        (
            {"en.locale.yaml": "a: b\n", "de.locale.json": "{}"},
            "greet.hi",
            "No catalogue here has a text for `greet.hello`",
        ),
    ],
)
def test_a_key_is_not_renamed_where_not_all_can_be_changed(change: dict[str, str], name: str, reason: str) -> None:
    files = {**FILES, **change}
    assert reason in refusal(at("desk.agent.abl", "MESSAGE_KEY: greet|.hello", files), name, files)


def test_catalogues_that_are_none_have_no_keys() -> None:
    assert keys_in("") == ()
    assert keys_in("- a") == ()
    assert keys_in("a: &a {b: *a}") is None
    assert len(keys_in("a: &a {t: x}\n" + "".join(f"b{n}: &b{n} {{c: *a, d: *a}}\n" for n in range(9))) or ()) == 1
    assert keys_in("a: [") is None
