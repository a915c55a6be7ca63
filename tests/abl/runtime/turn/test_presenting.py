"""What a message shows besides its text (docs/spec 09 §14): formats, actions, voice, in the `respond` event."""

from __future__ import annotations

from typing import Any

import pytest

from tests.abl.runtime.harness import events_of, session

MEMORY = """MEMORY:
  session:
    - books
    - words
    - n
      TYPE: number
      INITIAL: 3
    - open
      TYPE: boolean
      INITIAL: true
"""
PROFILE = """BEHAVIOR_PROFILE: small
  PRIORITY: 1
  WHEN: true
  RESPONSE:
"""


def shown(lines: str, *, channel: str = "web", before: str = "") -> dict[str, Any]:
    """The data of the `respond` event of a message with these lines below it."""
    below = "".join(f"      {line}\n" for line in lines.strip("\n").splitlines())
    flow = (
        "FLOW:\n  steps: [a]\n  a:\n    REASONING: false\n"
        '    SET: books = [{title: "Atlas", shelf: "B7"}, {title: "Globe", shelf: "C1"}]\n'
        '    SET: words = ["one", "two"]\n'
        f'    RESPOND: "Hello {{{{n}}}}."\n{below}    THEN: COMPLETE\n'
    )
    turn = session(MEMORY + before + flow, channel=channel, checked=True).start()
    assert turn.replies == ["Hello 3."] or channel == "voice"
    return events_of(turn, "respond")[0]


def formats(lines: str, **more: Any) -> dict[str, Any]:
    return shown("FORMATS:\n" + "".join(f"  {line}\n" for line in lines.strip("\n").splitlines()), **more)["formats"]


TEXTS = 'MARKDOWN: "**{{n}}**"\nslack: \'{"text": "{{n}}"}\'\nWHATSAPP: "not json"'


def test_texts_are_rendered_and_those_that_are_json_are_read():
    made = formats(TEXTS)
    assert made == {"MARKDOWN": "**3**", "SLACK": {"text": "3"}, "WHATSAPP": "not json"}


@pytest.mark.parametrize(
    ("channel", "chosen"), [("web", "MARKDOWN"), ("slack", "SLACK"), ("whatsapp", "WHATSAPP"), ("mobile", None)]
)
def test_the_channel_chooses_the_best_format_that_is_there(channel, chosen):
    lines = "FORMATS:\n" + "".join(f"  {line}\n" for line in TEXTS.splitlines())
    assert shown(lines, channel=channel).get("format") == chosen


def test_without_its_own_format_a_channel_takes_the_fallback_of_the_profile():
    lines = "FORMATS:\n" + "".join(f"  {line}\n" for line in TEXTS.splitlines())
    before = PROFILE + "    fallback_format: whatsapp\n"
    assert shown(lines, channel="mobile", before=before)["format"] == "WHATSAPP"
    assert shown(lines, channel="web", before=before)["format"] == "MARKDOWN"


def test_what_has_a_when_is_shown_while_it_holds():
    lines = 'KPI:\n  when: open == {}\n  label: "Loans"\n  value: "{{{{n}}}}"\n  unit: pcs\n  trend: UP'
    assert formats(lines.format("true"))["KPI"] == {"label": "Loans", "value": 3, "unit": "pcs", "trend": "up"}
    assert "formats" not in shown("FORMATS:\n  KPI:\n    when: open == false\n    label: x\n    value: 1")


def test_cards_are_made_from_an_array_with_its_fields_over_the_session():
    cards = (
        "CAROUSEL:\n  from: books\n  template:\n"
        '    title: "{{title}} {{n}}"\n    subtitle: "{{shelf}}"\n    when: title != "Globe"'
    )
    assert formats(cards)["CAROUSEL"] == [{"title": "Atlas 3", "subtitle": "B7"}]
    assert formats(cards.replace("from: books", 'from: "{{books}}"'))["CAROUSEL"] == [
        {"title": "Atlas 3", "subtitle": "B7"}
    ]
    assert formats(cards.replace("from: books", "from: n"))["CAROUSEL"] == []


def test_scalars_of_an_array_are_the_name_value():
    lines = 'QUICK_REPLIES:\n  from: words\n  template:\n    id: "{{value}}"\n    label: "Take {{value}}"'
    assert formats(lines)["QUICK_REPLIES"] == [
        {"id": "one", "label": "Take one"},
        {"id": "two", "label": "Take two"},
    ]


@pytest.mark.parametrize("written", ["books", '"{{books}}"'])
def test_an_array_may_be_a_bare_path(written):
    lines = f"TABLE:\n  columns:\n    - key: title\n      header: Title\n  rows: {written}\n  maxVisibleRows: 5"
    assert formats(lines)["TABLE"] == {
        "columns": [{"key": "title", "header": "Title"}],
        "rows": [{"title": "Atlas", "shelf": "B7"}, {"title": "Globe", "shelf": "C1"}],
        "maxVisibleRows": 5,
    }


def test_numbers_and_truth_values_stay_what_they_are_unless_quoted():
    lines = 'CHART:\n  type: BAR\n  data:\n    - label: a\n      value: 2.5\n    - label: "7"\n      value: "{{n}}"'
    assert formats(lines)["CHART"] == {
        "type": "bar",
        "data": [{"label": "a", "value": 2.5}, {"label": "7", "value": 3}],
    }


ACTIONS = """ACTIONS:
  submit_label: "Go {{n}}"
  elements:
    - BUTTON: "Yes, please" -> yes
      VALUE: "y"
    - id: no
      type: button
      label: "No"
    - id: maybe
      type: button
      label: "Maybe"
      when: open == false
    - SELECT: "Which?"
      ID: which
      OPTIONS: words
    - INPUT: "Your name"
      ID: name
      REQUIRED: true
"""


def test_elements_are_written_out():
    made = shown(ACTIONS)["actions"]
    assert {key.lower(): value for key, value in made.items() if key != "elements"} == {"submit_label": "Go 3"}
    assert [(e["type"], e["label"]) for e in made["elements"]] == [
        ("button", "Yes, please"), ("button", "No"), ("select", "Which?"), ("input", "Your name"),
    ]  # fmt: skip
    assert made["elements"][0]["id"] == "yes"
    assert [e.get("required") for e in made["elements"] if e["type"] == "input"] == [True]


@pytest.mark.parametrize(("most", "buttons"), [(1, 1), (2, 2), (9, 2)])
def test_a_profile_limits_the_buttons_and_nothing_else(most, buttons):
    made = shown(ACTIONS, before=PROFILE + f"    max_buttons: {most}\n")["actions"]["elements"]
    assert [e["type"] for e in made] == ["button"] * buttons + ["select", "input"]


def test_a_profile_limits_the_media():
    lines = 'IMAGE:\n  url: "https://x.test/a.png"\nFILE:\n  url: "https://x.test/a.pdf"\n  filename: a\nMARKDOWN: "x"'
    assert set(formats(lines)) == {"IMAGE", "FILE", "MARKDOWN"}
    assert set(formats(lines, before=PROFILE + "    media_types: [image]\n")) == {"IMAGE", "MARKDOWN"}
    assert set(formats(lines, before=PROFILE + "    media_types: [document]\n")) == {"FILE", "MARKDOWN"}


VOICE = 'VOICE:\n  SSML: "<speak>Loud <b>{{n}}</b></speak>"\n  PLAIN_TEXT: "PLAIN"'


def test_the_voice_channel_says_its_own_text():
    for lines, said in ((VOICE, "PLAIN"), (VOICE.partition("\n  PLAIN")[0], "Loud 3")):
        turn_text = shown(lines, channel="voice")["text"]
        assert turn_text == said
        assert shown(lines)["text"] == "Hello 3."


def test_of_texts_by_condition_the_first_that_holds_is_taken():
    lines = (
        'FEEDBACK:\n  prompt: "How was it?"\n  type: stars\n  max: 5\n  submit_label_rules:\n'
        '    - when: n == 9\n      text: "Nine"\n    - when: n == 3\n      text: "Three"\n    - text: "Else"'
    )
    assert formats(lines)["FEEDBACK"] == {"prompt": "How was it?", "type": "stars", "max": 5, "submit_label": "Three"}
