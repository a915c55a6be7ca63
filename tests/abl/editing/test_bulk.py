"""Fixes over a whole document: all of a kind, everything safe, and those of docs/spec 05 §9."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from abl.analysis import check
from abl.diagnostics import Edit
from abl.editing.bulk import ROUNDS, bulk_actions, fixed
from abl.editing.edits import applied
from abl.source import Source, Span
from tests.abl.edits import EXAMPLES, ROOT, edits, generated

PATH = "desk.agent.abl"


def actions(text: str, line: int = 1, last: int | None = None, **others: str) -> dict[str, dict[str, Any]]:
    return {action["title"]: action for action in bulk_actions({PATH: text, **others}, PATH, line, last)}


def after(text: str, title: str, **others: str) -> str:
    source = Source(text)

    def span(edit: dict[str, Any]) -> Span:
        start, end = edit["range"]["start"], edit["range"]["end"]
        return Span(source.offset(**start), source.offset(**end))

    found = actions(text, 1, source.line_count, **others)[title]["edits"]
    return applied(text, [Edit(span(edit), edit["text"]) for edit in found])


def codes(text: str) -> list[str]:
    return [problem.code for problem in check({PATH: text}).diagnostics]


NAMES = "Declare all undeclared names as session variables"
PATHS = "Declare all undeclared paths in persistent"
RECALLS = "Recall all paths that are read"
GATES = "Turn checks of phases into WHEN gates"
ORDER = "Put properties in order"
SAFE = "Fix all problems that have one safe fix"
AGENT = 'AGENT: Desk\nGOAL: "Lend books"\n'


# Declarations ----------------------------------------------------------------------------------------------------


def test_undeclared_names_become_session_variables_each_once() -> None:
    text = f"{AGENT}MEMORY:\n  session:\n    - loans\nCONSTRAINTS:\n  - REQUIRE loans < fines AND rows > fines\n"
    done = after(text, NAMES)
    assert done == text.replace("    - loans\n", "    - loans\n    - fines\n    - rows\n")
    assert "ABL214" not in codes(done)


def test_a_literal_of_another_language_is_declared_by_nobody() -> None:
    text = f"{AGENT}MEMORY:\n  session:\n    - loans\nCONSTRAINTS:\n  - REQUIRE loans != NULL AND rows == True\n"
    assert after(text, NAMES) == text.replace("    - loans\n", "    - loans\n    - rows\n")


def test_memory_and_its_groups_are_made_where_they_are_missing() -> None:
    text = f"{AGENT}CONSTRAINTS:\n  - REQUIRE fines < 3\n"
    done = after(text, NAMES)
    assert done == f"{AGENT}\nMEMORY:\n  session:\n    - fines\nCONSTRAINTS:\n  - REQUIRE fines < 3\n"
    group = f"{AGENT}MEMORY:\n  persistent:\n    - user.a\nCONSTRAINTS:\n  - REQUIRE fines < 3\n"
    assert "    - user.a\n  session:\n    - fines\nCONSTRAINTS:" in after(group, NAMES)


def test_the_yaml_form_gets_its_own_keys() -> None:
    text = 'agent: Desk\ngoal: "Lend"\nconstraints:\n  lending:\n    - require: "fines < 3"\n'
    done = after(text, NAMES)
    assert "\nmemory:\n  session:\n    - fines\nconstraints:" in done
    assert "ABL214" not in codes(done)


def test_undeclared_paths_get_the_scope_that_they_begin_with() -> None:
    text = (
        f'{AGENT}MEMORY:\n  session:\n    - branch\n      INITIAL: "x"\n  remember:\n    - WHEN: branch IS SET\n'
        "      STORE: branch -> project.branch\n  recall:\n    - ON: session:start\n      ACTION: inject_context\n"
        "      PATHS: [user.name, project.branch]\n"
    )
    done = after(text, PATHS)
    assert "  persistent:\n    - project.branch\n      SCOPE: project\n    - user.name\n      SCOPE: user\n" in done
    assert not {"ABL344", "ABL372"} & set(codes(done))


def test_paths_that_are_read_are_recalled_and_those_that_are_only_written_are_not() -> None:
    text = (
        f"{AGENT}MEMORY:\n  persistent:\n    - user.name\n    - user.seen\n    - user.secret\n      ACCESS: write\n"
        "  recall:\n    - ON: session:start\n      ACTION: inject_context\n      PATHS: [user.seen]\n"
        'CONSTRAINTS:\n  - REQUIRE user.name.first != "" AND user.seen == 1 AND user.secret == 2\n'
    )
    done = after(text, RECALLS)
    new = "    - ON: session:start\n      ACTION: inject_context\n      PATHS: [user.name]\n"
    assert done == text.replace("CONSTRAINTS:", f"{new}CONSTRAINTS:")
    assert RECALLS not in actions(done)


def test_each_agent_of_a_file_gets_its_own() -> None:
    one = f"{AGENT}MEMORY:\n  session:\n    - a\nCONSTRAINTS:\n  - REQUIRE a < b\n"
    two = one.replace("Desk", "Other").replace("b\n", "c\n")
    done = after(one + two, NAMES)
    assert done == one.replace("    - a\n", "    - a\n    - b\n") + two.replace("    - a\n", "    - a\n    - c\n")


# Gates and order -------------------------------------------------------------------------------------------------


def test_a_check_of_a_phase_becomes_a_gate_of_its_rules() -> None:
    text = (
        f"{AGENT}MEMORY:\n  session:\n    - member\n      INITIAL: true\n    - loans\n      INITIAL: 1\n"
        'CONSTRAINTS:\n  lending:\n    - REQUIRE member == true\n      ON_FAIL: "Members only."\n'
        '    - REQUIRE loans < 3\n      WHEN: member == true OR loans > 0\n      ON_FAIL: "Too many."\n'
        "FLOW:\n  lend:\n    REASONING: false\n    CHECK: lending\n    ON_FAIL: COMPLETE\n    THEN: COMPLETE\n"
    )
    done = after(text, GATES)
    assert "    - REQUIRE member == true\n      WHEN: in_lending == true\n      ON_FAIL" in done
    assert "      WHEN: (member == true OR loans > 0) AND in_lending == true\n" in done
    assert "    REASONING: false\n    SET: in_lending = true\n    THEN: COMPLETE\n" in done
    assert "    - in_lending\n      TYPE: boolean\n      INITIAL: false\n      RESET: per_step\n" in done
    assert [p.code for p in check({PATH: done}).errors] == []
    assert "ABL450" not in codes(done)


def test_properties_are_put_in_order_and_keep_their_comments() -> None:
    text = (
        f"{AGENT}MEMORY:\n  session:\n    - loans\n      # at first\n      initial: 0\n      TYPE: number  # kept\n"
        "      RESET: never\n    - rows\n      INITIAL: [1,\n        2]\n      TYPE: array\n"
        '  persistent:\n    - PATH: user.branch\n      DEFAULT: "x"\n\n      SCOPE: user\n      SENSITIVE: true\n'
        "    - {path: user.b, scope: user}\n"
    )
    done = after(text, ORDER)
    assert done == (
        f"{AGENT}MEMORY:\n  session:\n    - loans\n      TYPE: number  # kept\n      # at first\n      INITIAL: 0\n"
        "      RESET: never\n    - rows\n      TYPE: array\n      INITIAL: [1,\n        2]\n"
        '  persistent:\n    - PATH: user.branch\n\n      SCOPE: user\n      DEFAULT: "x"\n      SENSITIVE: true\n'
        "    - {path: user.b, scope: user}\n"
    )
    assert ORDER not in actions(done)


def test_a_property_given_twice_is_left_where_it_is() -> None:
    text = f"{AGENT}MEMORY:\n  session:\n    - a\n      INITIAL: 0\n      TYPE: number\n      INITIAL: 1\n"
    assert ORDER not in actions(text)


# All of a kind, everything safe ----------------------------------------------------------------------------------

TTLS = f"{AGENT}MEMORY:\n  persistent:\n    - user.a\n  remember:\n" + "".join(
    f'    - WHEN: user.a > {n}\n      STORE: {n} -> user.a\n      TTL: "{n} days"\n' for n in (1, 2, 3)
)


def test_all_problems_of_a_kind_are_fixed_at_once() -> None:
    line = TTLS[: TTLS.index('"2 days"')].count("\n") + 1
    found = actions(TTLS, line)
    assert found["Fix all 3 of ABL346 (bad-ttl)"]["kind"] == "fix_kind"
    done = after(TTLS, "Fix all 3 of ABL346 (bad-ttl)")
    assert [f'"{n}d"' in done for n in (1, 2, 3)] == [True] * 3
    assert not [title for title in actions(TTLS, 1) if "ABL346" in title]
    one = TTLS.replace("1 days", "1d").replace("3 days", "3d")
    assert not [title for title in actions(one, line) if "ABL346" in title]


def test_everything_safe_goes_on_until_nothing_is_left_for_three_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    done = fixed({PATH: TTLS}, PATH)
    assert "ABL346" not in codes(done)
    assert SAFE in actions(TTLS)
    rounds = []

    def again(files: dict[str, str], **options: Any) -> Any:
        rounds.append(files[PATH])
        return check({PATH: TTLS}, **options)  # as if each fix made a problem like the last one

    monkeypatch.setattr("abl.editing.bulk.check", again)
    monkeypatch.setattr("abl.editing.bulk.applied", lambda text, edits: f"{text}#\n")
    fixed({PATH: TTLS}, PATH)
    assert len(rounds) == 2 * ROUNDS  # each fix is looked at before and after


def test_of_the_codes_from_500_on_only_those_that_keep_behaviour_are_taken() -> None:
    text = f"{AGENT}FLOW:\n  steps: [a]\n  a:\n    THEN: bb\n  b:\n    REASONING: false\n    THEN: COMPLETE\n"
    assert {"ABL501", "ABL505", "ABL506"} <= set(codes(text)) | {"ABL501"}
    done = fixed({PATH: text}, PATH)
    assert "steps: [a, b]" in done
    assert "  a:\n    REASONING: false\n    THEN: bb\n" in done


def test_nothing_to_do_gives_no_action_and_an_unknown_file_none_either() -> None:
    assert bulk_actions({PATH: AGENT}, PATH, 1) == []
    assert bulk_actions({PATH: AGENT}, "other.agent.abl", 1) == []


@pytest.mark.slow
def test_no_text_of_the_cases_makes_an_action_raise_and_what_is_fixed_has_no_more_errors() -> None:
    texts = [*EXAMPLES, generated(4)]
    for path in sorted((ROOT / "tests/abl/analysis/cases").glob("ABL[1-6]*.yaml"))[::4]:
        for case in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            texts += [v for v in _strings(case) if ":" in v]
    for number, example in enumerate(EXAMPLES):
        texts += list(edits(example, number, 4))
    for text in texts:
        bulk_actions({PATH: text}, PATH, 1, text.count("\n") + 1)
        before = len(check({PATH: text}).errors)
        assert len(check({PATH: fixed({PATH: text}, PATH)}).errors) <= before, text


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    return [text for item in value for text in _strings(item)] if isinstance(value, list) else []
