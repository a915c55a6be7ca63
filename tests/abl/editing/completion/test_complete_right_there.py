"""Completion that was wrong or missing: parts of an event, steps to come, variables to gather, durations."""

from abl import complete

HEAD = 'AGENT: Desk\nGOAL: "Lend"\n'
MEMORY = "MEMORY:\n  session:\n    - city\n    - tries\n"


def offered(text: str) -> dict[str, str]:
    """Label and insertion of what is offered at the mark."""
    text = HEAD + text
    before, _, after = text.partition("§")
    files = {"d.agent.abl": before + after}
    return {
        item["label"]: item["insert"]
        for item in complete(files, "d.agent.abl", before.count("\n") + 1, len(before.rsplit("\n", 1)[-1]) + 1)
    }


def test_of_an_event_only_what_is_missing_is_put_in() -> None:
    assert offered("MEMORY:\n  recall:\n    - ON: ses§\n")["session:start"] == "session:start"
    assert offered("MEMORY:\n  recall:\n    - ON: session:§\n") == {"session:start": "start", "session:end": "end"}
    assert offered('MEMORY:\n  recall:\n    - ON: "session:st§\n') == {"session:start": "start"}
    tool = 'TOOLS:\n  find(a: string) -> {b: string}\n    description: "x"\n'
    assert offered("MEMORY:\n  recall:\n    - ON: tool:§\n" + tool)["tool:find:after"] == "find:after"


def test_a_step_that_is_listed_and_not_written_yet_is_offered() -> None:
    flow = "FLOW:\n  steps: [a, b, c]\n  a:\n    REASONING: false\n    THEN: §\n  b:\n    REASONING: false\n"
    assert {"a", "b", "c"} <= set(offered(flow))


def test_a_step_that_another_leads_to_and_that_is_not_written_yet_is_offered() -> None:
    asking = "FLOW:\n  a:\n    REASONING: false\n    ON_INPUT:\n      - IF: yes\n        THEN: done\n"
    assert "done" in offered(f"{asking}      - ELSE:\n        THEN: §\n")
    assert next(iter(offered(f"{asking}      - ELSE:\n        THEN: do§\n"))) == "done"
    assert "nearly" not in offered("FLOW:\n  a:\n    REASONING: false\n    THEN: nearly§\n")  # what is being typed


def test_behind_the_dash_of_a_gather_stand_session_variables() -> None:
    flow = "FLOW:\n  entry_point: a\n  a:\n    REASONING: false\n    GATHER:\n      - §\n"
    assert {"city", "tries"} <= set(offered(MEMORY + flow))


def test_a_ttl_has_durations() -> None:
    trigger = "  remember:\n    - WHEN: city IS SET\n      STORE: city -> user.city\n      TTL: §\n"
    assert "30d" in offered(MEMORY + trigger)
