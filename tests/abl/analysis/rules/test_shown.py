"""The rules about guardrails, language understanding, profiles and presentation on odd texts (docs/spec 10 §6)."""

from __future__ import annotations

import pytest

from abl.analysis import check
from abl.analysis.index.documents import forget_documents
from abl.diagnostics import Diagnostic, Fix
from tests.abl.edits import SHOWN

CODES = [f"ABL{number}" for number in range(1001, 1077)]
HEAD = 'TEMPLATES:\n  a:\n    DEFAULT: "A"\n'


def found(text: str) -> list[Diagnostic]:
    return [d for d in check({"desk.agent.abl": text}).diagnostics if d.code in CODES]


def applied(text: str, fix: Fix) -> str:
    for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def test_a_text_with_many_problems_has_each_of_them_once() -> None:
    places = [(d.code, d.span) for d in found(SHOWN)]
    assert len(places) == len(set(places))
    assert {code for code, _ in places} >= {
        *("ABL1001", "ABL1004", "ABL1009", "ABL1023", "ABL1024", "ABL1026", "ABL1028", "ABL1043"),
        *("ABL1044", "ABL1046", "ABL1061", "ABL1063", "ABL1064", "ABL1065", "ABL1066", "ABL1067", "ABL1068", "ABL1072"),
        *("ABL1075", "ABL1076"),
    }


def test_every_preferred_fix_takes_its_problem_away_and_brings_no_other_error() -> None:
    before = [(d.code, d.message) for d in found(SHOWN)]
    preferred = [(d, fix) for d in found(SHOWN) for fix in d.fixes if fix.preferred]
    assert len(preferred) >= 10
    for diagnostic, fix in preferred:
        after = [(d.code, d.message) for d in found(applied(SHOWN, fix)) if d.severity == "error"]
        assert after.count((diagnostic.code, diagnostic.message)) < before.count((diagnostic.code, diagnostic.message))
        assert set(after) <= set(before)


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        pytest.param('    SLACK: "' + "[" * 20_000 + '"\n', "ABL1063", id="JSON that is nested too deeply"),
        pytest.param('    SLACK: "' + "9" * 5_000 + '"\n', "ABL1063", id="JSON with a number that is too long"),
        pytest.param("    VOICE:\n      SSML: '" + "<a>" * 20_000 + "'\n", "ABL1072", id="SSML that is never closed"),
        pytest.param('    VOICE:\n      SSML: "\\ud800<b>"\n', "ABL1072", id="SSML with half a character"),
        pytest.param('    VOICE:\n      SSML: "é<b>"\n', "ABL1072", id="SSML with more bytes than characters"),
        pytest.param("    FEEDBACK: {FEEDBACK_TEMPLATE: v, expires_after: 1e999}\n", "ABL1064", id="an endless number"),
        pytest.param("    ADAPTIVE_CARD: '{{'\n", "ABL1063", id="an open placeholder"),
    ],
)
def test_a_hostile_value_is_one_problem(lines: str, code: str) -> None:
    assert [d.code for d in found(HEAD + lines) if d.severity == "error"] == [code]


def test_a_priority_with_thousands_of_digits_is_no_number() -> None:
    text = f"BEHAVIOR_PROFILE: a\nPRIORITY: {'9' * 5000}\nWHEN: true\n"
    assert [d.code for d in found(text)] == ["ABL1041"]


def test_an_alphabet_of_empty_sections_says_nothing_it_cannot_know() -> None:
    sections = [
        "GUARDRAILS",
        "NLU",
        "INTENTS",
        "ENTITIES",
        "TEMPLATES",
        "ACTIONS",
        "FORMATS",
        "ATTACHMENTS",
        "CONVERSATION",
    ]
    assert found("".join(f"{section}:\n" for section in sections)) == []


@pytest.mark.parametrize("keys", ["upper", "lower"])
def test_the_case_of_keys_does_not_matter(keys: str) -> None:
    lines = "    {kind}: output\n    {check}: abl.contains_url(response)\n    {action}: reask\n"
    words = {word: word.upper() if keys == "upper" else word for word in ("kind", "check", "action")}
    assert found("GUARDRAILS:\n  no_links:\n" + lines.format(**words)) == []


def test_formats_are_judged_wherever_they_stand() -> None:
    bad = 'FORMATS:\n{indent}  MARKDWN: "*a*"\n'
    places = {
        "on_start": 'ON_START:\n  RESPOND: "Hi"\n  ' + bad.format(indent="  "),
        "handler": 'ACTION_HANDLERS:\n  go:\n    RESPOND: "Hi"\n    ' + bad.format(indent="    "),
        "error": 'ON_ERROR:\n  default:\n    RESPOND: "Hi"\n    ' + bad.format(indent="    "),
        "profile": "BEHAVIOR_PROFILE: p\nPRIORITY: 1\nWHEN: true\nFLOW:\n  OVERRIDES:\n    s:\n      RICH_CONTENT:\n"
        '        MARKDWN: "*a*"\n        CAROUSEL:\n          - title: "A"\n',
        "branch": 'FLOW:\n  s:\n    REASONING: false\n    ON_INPUT:\n      - ELSE:\n        RESPOND: "Hi"\n        '
        + bad.format(indent="        "),
        "field": 'FLOW:\n  s:\n    REASONING: false\n    GATHER:\n      - a: required\n        prompt: "?"\n'
        '        rich_content:\n          MARKDWN: "*a*"\n    THEN: COMPLETE\n',
    }
    assert {place: [d.code for d in found(text)] for place, text in places.items()} == {
        place: ["ABL1065"] for place in places
    }


PROFILE = "BEHAVIOR_PROFILE: phone\nPRIORITY: 5\nWHEN: hour > 18\nFLOW:\n  SKIP: [greet]\nRESPONSE:\n  max_buttons: 1\n"
ATTACHED = """\
AGENT: Desk
GOAL: "Lend books"
USE BEHAVIOR_PROFILE: phone
MEMORY:
  session:
    - hour
ACTIONS:
  - BUTTON: "A" -> a
FLOW:
  steps: [greet]
  greet:
    REASONING: false
    RESPOND: "Hi"
    THEN: COMPLETE
"""


@pytest.mark.parametrize(
    ("file", "old", "new", "codes"),
    [
        ("desk.agent.abl", "greet", "welcome", ["ABL1044"]),
        ("desk.agent.abl", "- hour", "- our", ["ABL1046"]),
        ("desk.agent.abl", "PROFILE: phone", "PROFILE: fone", ["ABL1042"]),
        ("desk.agent.abl", '  - BUTTON: "A" -> a\n', '  - BUTTON: "A" -> a\n  - BUTTON: "B" -> b\n', ["ABL1076"]),
        ("phone.behavior_profile.abl", "[greet]", "[great]", ["ABL1044"]),
        ("phone.behavior_profile.abl", ": phone", ": fone", ["ABL1042"]),
    ],
)
def test_an_edit_of_one_file_is_noticed_in_the_other(file: str, old: str, new: str, codes: list[str]) -> None:
    files = {"desk.agent.abl": ATTACHED, "phone.behavior_profile.abl": PROFILE}
    assert [d.code for d in check(files).diagnostics if d.code in CODES] == []
    edited = {**files, file: files[file].replace(old, new)}
    warm = check(edited).diagnostics
    assert [d.code for d in warm if d.code in CODES] == codes
    forget_documents()
    assert check(edited).diagnostics == warm
