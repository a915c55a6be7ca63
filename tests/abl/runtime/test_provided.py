"""Names that the platform provides (docs/spec 02 §7, 09 §17)."""

from __future__ import annotations

from tests.abl.runtime.harness import session


def test_recent_input_holds_the_last_three_messages():
    run = session(
        'FLOW:\n  steps: [a]\n  a:\n    REASONING: false\n    RESPOND: "Hi."\n    ON_INPUT:\n'
        '      - ELSE:\n        RESPOND: "{{recent_input}}"\n',
        checked=True,
    )
    run.start()
    said = [run.say(text).replies[-1] for text in ("one", "two", "three", "four")]
    assert [word in said[-1] for word in ("one", "two", "three", "four")] == [False, True, True, True]
    assert [word in said[1] for word in ("one", "two")] == [True, True]
