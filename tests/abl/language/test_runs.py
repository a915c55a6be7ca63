"""No key is passed over in silence: each has an effect on what happens in a run, or an event says that it has none.

Every key that the declaration marks as executed or simulated is taken out of an agent that holds it, and the events of
a scenario are others then. Every key that is told is put into an agent, and its ``not_executed`` event is found.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from abl import parse
from abl.language import PLACES, Key
from abl.language.document import AGENT, PROFILE
from abl.runtime import Session
from abl.runtime.plan.left_out import OF_PROFILES
from abl.runtime.plan.profiles import profiles_in
from abl.runtime.plan.program import programs_of
from tests.abl.language import effects
from tests.abl.runtime.harness import HEAD
from tests.abl.syntax.test_corpus import cases as corpus
from tests.every import each

PATH = "desk.agent.abl"
SHARED = {("call", "CALL"), ("history", "mode"), ("human_done", "CONTINUE")}
"""Keys with one value only, which holds without them too."""
UNPROVEN = {
    ("field", "STRATEGY"), ("field", "VALIDATION_PROCESS"), ("tool_action", "ELSE"), ("parameter", "required"),
    ("parameter_entry", "required"), ("returned_type", "type"), ("returned_type", "items"),
}  # fmt: skip
"""Keys that the runtime reads and for which no scenario here shows it."""


ROUTED = 'SUPERVISOR: Desk\nGOAL: "x"\nROUTING:\n  - WHEN: true\n    THEN:\n      SYSTEM_ACTION: restart\n'
"""What no text of the corpus holds."""


def marked(*runs: str) -> Iterator[tuple[str, Key]]:
    """The keys of the declaration that completion knows, by what runs do with them."""
    for place in (AGENT, PROFILE, *PLACES.values()):
        yield from ((place.name, key) for key in place.listed if key.offered and key.runs in runs)


@pytest.mark.slow
def test_every_key_that_runs_changes_what_happens() -> None:
    def changes(place: str, key: str) -> None:
        assert effects.effect((place, key))

    listed = [(place, key.name) for place, key in marked("executed", "simulated")]
    assert len(listed) > 900
    left = SHARED | UNPROVEN
    assert left <= set(listed)
    each(((f"{place}.{key}", (place, key)) for place, key in listed if (place, key) not in left), changes)


def told_in(text: str) -> list[tuple[int, int]]:
    """Lines, first and last, that the trace of a run of a document says are not executed."""
    document = parse(text, PATH)
    starts = []
    for program in programs_of(PATH, text):
        outs = program.left_outs
        found = [
            *outs.sections,
            *(one for part in (outs.steps, outs.tools) for listed in part.values() for one in listed),
        ]
        starts += [one.span["start"] for one in found]
        starts += [out.span["start"] for plan in program.profiles for out in plan.left_out]
    starts += [out.span["start"] for plan in profiles_in({PATH: text}).values() for out in plan.left_out]
    lines = []
    for _, _, span in effects.held(PATH, text):
        begin = document.source.position(span.start)
        if {"line": begin.line, "column": begin.column} in starts:
            lines.append((span.start, span.end))
    return lines


@pytest.mark.slow
def test_every_key_that_does_not_run_is_told() -> None:
    texts = [ROUTED, *(str(case.values[0]) for case in corpus())]
    found: dict[tuple[str, str], bool] = {}
    for text in texts:
        held = effects.held(PATH, text)
        if all(found.get((place, key)) for place, key, _ in held):
            continue
        told = told_in(text)
        for place, key, span in held:
            inside = any(start <= span.start < end for start, end in told)
            found[place, key] = found.get((place, key), False) or inside
    keys = [(place, key.name) for place, key in marked("platform") if place != "tools"]
    assert len(keys) > 300
    assert {key for key in keys if key in found and not found[key]} == set()
    places = {place for place, _ in found} | below_told()
    assert {(place, key) for place, key in keys if (place, key) not in found and place not in places} == set()


PARTS_OF_TOLD = {
    ("await_attachment", "NAME"),
    ("lookup", "endpoint"),
    ("guardrail", "llm_check"),
    ("member", "CAPABILITIES"),
}
"""Without them their whole is another one: a step or table that is not read, a guardrail without a check, an item."""


@pytest.mark.slow
def test_what_is_said_not_to_run_has_no_effect() -> None:
    """Nothing but the ``not_executed`` event of a key that is told goes with it; else what is said of it is wrong."""

    def silent(place: str, key: str) -> None:
        assert effects.effect((place, key), beside_told=True) == ""

    keys = [(place, key.name) for place, key in marked("platform") if (place, key.name) not in PARTS_OF_TOLD]
    each(((f"{place}.{key}", (place, key)) for place, key in keys), silent)


def below_told() -> set[str]:
    """Places that stand below what is told as a whole."""
    types = [key.type for _, key in marked("platform")]
    return {name for type_ in types for name in (*type_.maps, *type_.lists, *type_.named_lists, *type_.named_maps)}


def test_what_the_tools_of_a_file_share_is_told_where_one_is_called() -> None:
    lines = {"rate_limit": "3"}
    assert set(lines) == {key.name for place, key in marked("platform") if place == "tools"}
    shared = "".join(f"  {key}: {value}\n" for key, value in lines.items())
    files = {
        "lib.tools.abl": f'TOOLS:\n{shared}  find(a: string) -> object\n    description: "Finds"\n',
        PATH: f'{HEAD}TOOLS:\n  file: "lib.tools.abl"\nFLOW:\n  a:\n    REASONING: false\n    CALL: find("x")\n',
    }
    events = Session(files).start().events
    assert {e["data"]["construct"] for e in events if e["kind"] == "not_executed"} == set(lines)


def test_profiles_are_told_when_they_become_active() -> None:
    assert set(OF_PROFILES) == {"BEHAVIOR_PROFILE", "BEHAVIOR_PROFILES"}
