"""What runs with generated texts found, each text as short as it failed."""

from __future__ import annotations

import pytest

from abl import check, parse
from abl.editing.edits import applied
from tests.abl.fuzz import properties

TEXTS = {
    "an empty action in quotes of YAML": "constraints:\n  a:\n    - require: a\n      on_fail: ''\n",
    "an action of blanks in quotes of YAML": "constraints:\n  a:\n    - require: a\n      on_fail: ' '\n",
    "an unclosed quote as an action in YAML": "constraints:\non_fail:'",
    "names in empty quotes of YAML": "flow:\n  l:\n    clear: ''\n    set: ''\n    then: ''\n",
    "an unclosed quote for names in YAML": "flow:\n  l:\n    clear: '",
    "a store in empty quotes of YAML": "memory:\n  remember:\n    - when: a\n      store: ''\n",
    "paths in empty quotes of YAML": "memory:\n  recall:\n    - paths: ''\n",
    "a step in a step, indented by a tab": "FLOW:\n s:\n\te:\n\t\tREASONING: false\n",
    "a line without a section, indented by a tab": '\t"\n#\n A',
    "entries of one name in braces": "memory:\n session\n  {input:p,description:'\n}'}\n  {name:input,description",
    "a field twice, with one key twice": "gather:\n  title:\n    required:'\n  title:\n    required:'\n    required:'",
    "a profile's header and nothing behind it": "BEHAVIOR_PROFILE",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_that_was_found(text: str) -> None:
    properties.survives(text, len(text) // 2)
    properties.survives_changes(text, text[: len(text) // 2])


def test_an_empty_message_is_the_same_in_both_forms() -> None:
    keyword = parse("CONSTRAINTS:\n  a:\n    - REQUIRE b\n      ON_FAIL: ''\n")
    yaml = parse("constraints:\n  a:\n    - require: b\n      on_fail: ''\n")
    for document in (keyword, yaml):
        constraints = document.fragments[0].constraints
        assert constraints is not None
        (rule,) = constraints.rules
        assert rule.on_fail is not None
        assert (rule.on_fail.form, rule.on_fail.message.value) == ("message", "")


def test_a_step_indented_by_tabs_has_no_fix_that_does_nothing() -> None:
    found = check({"a.abl": TEXTS["a step in a step, indented by a tab"]}).diagnostics
    assert "ABL620" in [problem.code for problem in found]
    assert all(fix.edits for problem in found for fix in problem.fixes)


def test_a_profile_gets_its_name_behind_the_colon() -> None:
    def named(text: str) -> list[str]:
        problems = [d for d in check({"a.abl": text}).diagnostics if d.code == "ABL1041"]
        return [applied(text, fix.edits) for d in problems for fix in d.fixes if "a name" in fix.title]

    assert named("BEHAVIOR_PROFILE :\nPRIORITY: 1\n") == ["BEHAVIOR_PROFILE : new_profile\nWHEN: true\nPRIORITY: 1\n"]
    assert named("BEHAVIOR_PROFILE \nPRIORITY: 1\n") == []


def test_a_bare_path_that_moved_keeps_its_fix() -> None:
    text = (
        'agent: Desk\ngoal: "x"\nmemory:\n  session: [b]\n  persistent:\n  - {path: c, default: "d"}\n  - a\n'
        'flow:\n  s: {reasoning: false, respond: "{{a}}"}\n'
    )
    after = text.replace('default: "d"', 'default: "longer"')
    properties.rechecked(text, after)
    fixes = [fix for found in check({properties.PATH: after}).diagnostics for fix in found.fixes]
    assert any("{path: " in str(fix) for fix in fixes)
