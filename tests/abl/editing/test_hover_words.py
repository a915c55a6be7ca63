"""What hover says about keys at their places, closed words, operators, literals and the runtime's names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from abl.editing.hover import hover
from abl.language import PLACES, closed_types
from tests.every import every

HEAD = 'AGENT: A\nGOAL: "g"\n'
YAML = "agent: A\ngoal: g\n"


def hovered(text: str, head: str = HEAD) -> dict[str, Any] | None:
    path = "a.agent.abl" if head == HEAD else "a.agent.yaml"
    before, _, after = (head + text).partition("|")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    return hover({path: before + after}, path, line, column)


def said(text: str, head: str = HEAD) -> str:
    found = hovered(text, head)
    return found["text"] if found is not None else ""


STEP = "FLOW:\n  entry_point: s\n  steps: [s]\n  s:\n    REASONING: false\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("TOOLS:\n  t(a: string)\n    confirmation:\n      requ|ire: always\n", "when the user is asked before a call"),
        ("TOOLS:\n  t(a: string)\n    confirmation:\n      require: alw|ays\n", "ask before every call"),
        ("TOOLS:\n  t(a: string)\n    ty|pe: http\n", "how the tool is bound"),
        ("TOOLS:\n  t(a: string)\n    type: ht|tp\n", "an HTTP request"),
        ("TOOLS:\n  t(a: string)\n    type: http\n    end|point: /x\n", "URL or path"),
        ("TOOLS:\n  t(a: string)\n    type: http\n    method: G|ET\n", "HTTP method"),
        ("TOOLS:\n  t(a: string)\n    side_eff|ects: true\n", "changes something"),
        ("GUARDRAILS:\n  g:\n    kind: input\n    ch|eck: abl.contains_pii(input)\n", "fires when it is true"),
        ('GUARDRAILS:\n  g:\n    kind: input\n    ch|eck: input != ""\n', "fires when it is false"),
        ("GUARDRAILS:\n  g|g:\n    kind: input\n    check: abl.contains_pii(input)\n", "fires when its check is true"),
        ("GUARDRAILS:\n  g:\n    ki|nd: input\n", "what is looked at"),
        ("GUARDRAILS:\n  g:\n    kind: in|put\n", "the user's message"),
        ("GUARDRAILS:\n  g:\n    action: blo|ck\n", "stop it"),
        ("ON_ERROR:\n  tool_error:\n    TH|EN: COMPLETE\n", "no step name"),
        ("ON_ERROR:\n  tool_error:\n    THEN: CONT|INUE\n", "go on behind what failed"),
        ("ON_ERROR:\n  tool_|error:\n    THEN: COMPLETE\n", "a tool failed"),
        ("HANDOFF:\n  - T|O: B\n    WHEN: true\n", "agent that takes over"),
        ("HANDOFF:\n  - TO: B\n    WH|EN: true\n", "a quoted sentence for the model"),
        ("HANDOFF:\n  - TO: B\n    CONTEXT:\n      pa|ss: [a]\n", "variables that the agent receives"),
        ("HANDOFF:\n  - TO: B\n    CONTEXT:\n      history: au|to\n", "the last 5 messages"),
        ("HANDOFF:\n  - TO: B\n    EXPECT_RE|TURN: true\n", "default false"),
        ("HANDOFF:\n  - TO: B\n    EXPECT_RETURN: tr|ue\n", "yes, for EXPECT_RETURN"),
        ("ESCALATE:\n  trig|gers:\n    - WHEN: true\n", "when a human takes over"),
        ("ESCALATE:\n  triggers:\n    - WHEN: true\n      PRIOR|ITY: high\n", "default medium"),
        ("ESCALATE:\n  triggers:\n    - WHEN: true\n      PRIORITY: hi|gh\n", "default medium"),
        ("EXECUTION:\n  tool_|timeout: 3000\n", "default 30000"),
        ("EXECUTION:\n  concurrency: ser|ial\n", "they wait"),
        ('ESCALATE:\n  on_human_complete:\n    - I|F human.resolved == false: RESPOND "x"\n', "human.* holds"),
        ('ESCALATE:\n  on_human_complete:\n    - IF human.resolved == false: RES|POND "x"\n', "message to the user"),
        ('CONSTRAINTS:\n  - REQU|IRE a < 3\n    ON_FAIL: "x"\n', "the condition must hold"),
        ('CONSTRAINTS:\n  - REQUIRE a < 3 BEF|ORE calling t\n    ON_FAIL: "x"\n', "at this checkpoint"),
        ('CONSTRAINTS:\n  - REQUIRE a < 3 BEFORE cal|ling t\n    ON_FAIL: "x"\n', "before the named tool is called"),
        ('CONSTRAINTS:\n  - REQUIRE a < 3 WH|EN b\n    ON_FAIL: "x"\n', "applies only while this holds"),
        ("CONSTRAINTS:\n  - REQUIRE a < 3\n    ON_FAIL: HAND|OFF B\n", "transfer to an agent"),
        (STEP + "    CHECK: a < 3\n    ON_FAIL: ESC|ALATE\n", "transfer to a human"),
        (STEP + "    CA|LL: t\n", "call a tool"),
        (STEP + "    CALL: t A|S r\n", "receives the result"),
        (STEP + "    TRANSFORM: rows AS r IN|TO out\n", "receives the new list"),
        (STEP + "    TRANSFORM:\n      SOUR|CE: rows\n", "path to the list"),
        (STEP + "    TRANSFORM:\n      SORT_BY: a de|sc\n", "greatest first"),
        (STEP + "    REASONING: fal|se\n", "for REASONING"),
        (STEP + "    DIGRESSIONS:\n      - INTENT: x\n        RES|UME: true\n", "default false"),
        (STEP + "    SUB_INTENTS:\n      - INTENT: x\n        RES|UME: true\n", "default true"),
        (STEP + '    ON_INPUT:\n      - I|F: input == "a"\n', "the first branch that holds runs"),
        (STEP + "    ON_INPUT:\n      - EL|SE:\n", "without a condition"),
        (STEP + "    GATHER:\n      - a: requi|red\n", "must have a value"),
        (STEP + "    THEN: COMP|LETE\n", "the flow ends"),
        ('GATHER:\n  a:\n    prompt: "?"\n    sensi|tive: true\n', "default false"),
        ('GATHER:\n  a:\n    prompt: "?"\n    type: cur|rency\n', "an amount"),
        ('GATHER:\n  a:\n    prompt: "?"\n    semantics:\n      temporal: fu|ture\n', "from today on"),
        ("MEMORY:\n  session:\n    - a\n      TYPE: num|ber\n", "a number"),
        ("MEMORY:\n  session:\n    - a\n      TY|PE: number\n", "values: string, number"),
        ("MEMORY:\n  persistent:\n    - {path: user.a, acc|ess: read}\n", "default readwrite"),
        ("MEMORY:\n  persistent:\n    - {path: user.a, access: re|ad}\n", "nothing may write it"),
        ("MEM|ORY:\n  session:\n    - a\n", "session variables, persistent paths"),
        ("MEMORY:\n  recall:\n    - ON: session:st|art\n", "when the session starts"),
        ("MEMORY:\n  recall:\n    - ON: to|ol:t:after\n", "when the tool was called"),
        ("MEMORY:\n  recall:\n    - ON: tool:*:aft|er\n", "when the tool was called"),
        ("TOOLS:\n  t(a: str|ing) -> {b: number}\n", "text"),
        ("TOOLS:\n  t(a: string) -> {b: num|ber}\n", "a number"),
        ('MESSAGES:\n  gather_|prompt: "x"\n', "{{fields}} names them"),
    ],
)
def test_a_word_is_told_by_its_place(text: str, wanted: str) -> None:
    assert wanted in said(text)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("topic IS S|ET", "there is a value"),
        ("topic I|S SET", "whether there is a value"),
        ("topic == 1 AN|D b", "true when both sides are"),
        ("topic == tr|ue", "boolean literal"),
        ("topic =|= 1", "equal"),
        ('topic con|tains "a"', "part of it"),
        ("topic I|N [1]", "element of the list"),
        ("topic == nu|ll", "no value"),
    ],
)
@pytest.mark.parametrize("quote", ["", "'"])
def test_operators_and_literals_are_told_within_expressions(expression: str, wanted: str, quote: str) -> None:
    memory = "MEMORY:\n  remember:\n    - WHEN: {}\n      STORE: topic -> user.a\n"
    assert wanted in said(memory.format(f"{quote}{expression}{quote}"))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("in|put", "the user's message of this turn"),
        ("no|w", "current time"),
        ("hu|man.resolved", "what the human left"),
        ("last_fi|nd_result", "result of the last call of find"),
        ("intent.na|me", "what was understood"),
        ("user.int|ent", "intent of the last message"),
    ],
)
def test_names_of_the_runtime_say_what_they_hold(name: str, wanted: str) -> None:
    assert "set by the runtime: " in said(f"COMPLETE:\n  - WHEN: {name} == 1\n")
    assert wanted in said(f"COMPLETE:\n  - WHEN: {name} == 1\n")


@pytest.mark.parametrize(
    "text",
    [
        'ESCALATE:\n  on_human_complete:\n    - IF human.resolved == false: RESPOND "We ca|ll you back."\n',
        'ESCALATE:\n  on_human_complete:\n    - IF human.resolved == false: RESPOND "CO|MPLETE"\n',
        STEP + '    RESPOND: "Please CA|LL us."\n',
        STEP + "    RESPOND: |\n      THEN: we call\n".replace("TH", "TH|").replace(": |", ": >", 1),
        'COMPLETE:\n  - WHEN: a == "S|ET"\n',
        'HANDOFF:\n  - TO: B\n    WHEN: "the item is i|n stock"\n',
        'MESSAGES:\n  greeting: "GO|TO it"\n',
    ],
)
def test_words_within_texts_say_nothing(text: str) -> None:
    assert hovered(text) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('tools:\n  - name: t\n    confirmation: {require: "alw|ays"}\n', "ask before every call"),
        ('guardrails:\n  g:\n    action: "blo|ck"\n', "stop it"),
        ("constraints:\n  - requ|ire: a < 3\n    on_fail: x\n", "the condition must hold"),
        ("memory:\n  remember:\n    - {when: a IS S|ET, store: a -> user.a}\n", "there is a value"),
    ],
)
def test_the_yaml_form_is_told_alike(text: str, wanted: str) -> None:
    assert wanted in said(text, YAML)


BEGUN = {
    "session": "MEMORY:\n  session:\n    - a\n      ",
    "persistent": "MEMORY:\n  persistent:\n    - PATH: user.a\n      ",
    "field": "GATHER:\n  f:\n    ",
    "tool": "TOOLS:\n  t(a: string) -> object\n    ",
}


def spelt_otherwise() -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Every closed word of some places in another case, and the switches as yes and no."""
    for place, begun in BEGUN.items():
        for key in PLACES[place].listed:
            words = {word for closed in closed_types(key.type) for word in closed.words} if key.offered else set()
            for word in sorted(word for word in words if word.isidentifier()):
                other = {"true": "yes", "false": "No"}.get(word, word.title() if word.islower() else word.lower())
                yield f"{place}.{key.name}: {other}", (f"{begun}{key.name}: ", word, other)


@pytest.mark.full
@every(spelt_otherwise())
def test_a_word_that_is_read_as_another_says_what_that_means(begun: str, word: str, other: str) -> None:
    meaning = said(f"{begun}{word[0]}|{word[1:]}\n")
    assert meaning
    assert said(f"{begun}{other[0]}|{other[1:]}\n") == meaning
