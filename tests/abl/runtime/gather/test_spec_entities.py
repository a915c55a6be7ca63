"""Sentences of docs/spec 09 §10 on entities: the cases of spec/entities.yaml."""

from tests.abl.runtime.harness import assert_case, session, spec_cases


@spec_cases("entities")
def test_a_sentence_on_entities(files, scenario):
    assert_case(files, scenario)


def test_what_a_sensitive_entity_gives_is_in_no_event():
    run = session(
        'ENTITIES:\n  pin:\n    TYPE: pattern\n    PATTERN: "[0-9]{4}"\n    SENSITIVE: true\n'
        'GATHER:\n  code:\n    prompt: "Your PIN?"\n    entity_ref: pin\n'
    )
    run.start()
    run.say("hello")
    turn = run.say("it is 4711")
    assert run.value("code") == "4711"
    assert "4711" not in str(turn.events)
