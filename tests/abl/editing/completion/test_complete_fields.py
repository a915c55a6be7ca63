"""Fields behind an index and within ``{{#each}}``, sections of supervisors, whole entries; the cursor is a `|`."""

from __future__ import annotations

import pytest

import abl
from abl.analysis.check import check
from abl.editing.completion.complete import complete
from abl.editing.completion.snippets import SNIPPETS

DESK = """\
AGENT: Desk
VERSION: "1.0.0"
GOAL: "Bill"
TOOLS:
  get_invoice(number: string) -> {id: string, lines: {text: string, parts: {sku: string}[]}[]}
    description: "Read an invoice"
MEMORY:
  session:
    - number
      TYPE: string
    - rooms
      TYPE: {name: string, beds: number}[]
    - plain
TEMPLATES:
  thanks: "Thanks"
INTENTS:
  billing: "Bills"
LOOKUP_TABLES:
  cities: {a: b}
ENTITIES:
  branch:
    TYPE: enum
    VALUES: [north, south]
RETURN_HANDLERS:
  welcome:
    RESPOND: "Hello again"
FLOW:
  look:
    REASONING: false
    CALL: get_invoice(number)
    AS: invoice
    TRANSFORM:
      SOURCE: rooms AS r
      INTO: large
      FILTER: r.beds > 2
    TRANSFORM:
      SOURCE: rooms AS r
      INTO: named
      MAP:
        label: r.name
    RESPOND: "Done"
    THEN: COMPLETE
"""


def offers(text: str) -> list[dict[str, str]]:
    before, _, after = text.partition("|")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    return complete({"desk.agent.abl": before + after}, "desk.agent.abl", line, column)


def labels(text: str) -> list[str]:
    return [item["label"] for item in offers(text)]


def said(message: str) -> list[dict[str, str]]:
    return offers(DESK.replace('RESPOND: "Done"', f"RESPOND: {message}"))


# behind an index -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "inserted"),
    [
        ("rooms[0].|", ["name", "beds"]),
        ("rooms[i + 1].b|", ["beds"]),
        ("invoice.lines[0].|", ["text", "parts"]),
        ("invoice.lines[0].parts[1].|", ["sku"]),
        ('invoice["lines"][0].|', ["text", "parts"]),
        ("rooms[0].name.|", ["name.length"]),
        ("large[0].|", ["name", "beds"]),
        ("named[0].|", ["label"]),
        ("plain[0].|", []),
    ],
)
@pytest.mark.parametrize("around", ['"Room {{%s}}"', "COALESCE(%s)"])
def test_behind_an_index_stand_the_fields_of_the_item(written: str, inserted: list[str], around: str) -> None:
    text = DESK.replace('RESPOND: "Done"', "SET: x = " + around % written)
    assert [item["insert"] for item in offers(text)] == inserted


def test_a_list_has_a_length() -> None:
    assert "rooms.length" in [item["label"] for item in said('"{{rooms.|}}"')]


# in {{#each}} ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ('"{{#each rooms}}{{|}}{{/each}}"', ["name", "beds", "this", "@index", "@first", "@last"]),
        ('"{{#each rooms}}{{n|}}{{/each}}"', ["name", "number"]),
        ('"{{#each rooms}}{{this.|}}{{/each}}"', ["this.name", "this.beds"]),
        ('"{{#each rooms}}{{@|}}{{/each}}"', ["@index", "@first", "@last"]),
        ('"{{#each invoice.lines}}{{#each parts}}{{|}}{{/each}}{{/each}}"', ["sku", "text", "parts", "this"]),
        ('"{{#each invoice.lines}}{{#each this.parts}}{{s|}}{{/each}}{{/each}}"', ["sku"]),
        ("|\n      {{#each rooms}}\n      {{n¦}}\n      {{/each}}", ["name", "number"]),
    ],
)
def test_in_a_list_stand_the_fields_of_its_items_first(message: str, first: list[str]) -> None:
    text = DESK.replace('RESPOND: "Done"', f"RESPOND: {message}")
    if "¦" in message:
        before, _, after = text.partition("¦")
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        found = complete({"a.abl": before + after}, "a.abl", line, column)
    else:
        found = offers(text)
    assert [item["label"] for item in found][: len(first)] == first


@pytest.mark.parametrize("message", ['"{{|}}"', '"{{#each rooms}}{{beds}}{{/each}} {{|}}"'])
def test_outside_of_a_list_its_fields_are_not_offered(message: str) -> None:
    assert not {"beds", "this", "@index"} & {item["label"] for item in said(message)}


# sections --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "some"),
    [
        ("ESCALATE:\n  |", {"triggers", "context_for_human", "routing", "on_human_complete"}),
        ("ESCALATE:\n  triggers:\n    - |", {"WHEN", "REASON", "PRIORITY"}),
        ("ESCALATE:\n  triggers:\n    - WHEN: true\n      PRIORITY: |", {"low", "medium", "high", "critical"}),
        ("ESCALATE:\n  routing:\n    voice:\n      call_transfer_type: |", {"sip", "pstn", "custom"}),
        ("ROUTING:\n  - |", {"NAME", "PRIORITY", "WHEN", "THEN"}),
        ("ROUTING:\n  - NAME: a\n    THEN: |", {"ROUTE_TO", "END_CONVERSATION"}),
        ("ROUTING:\n  - NAME: a\n    FLAGS: [|", {"set_active", "silent"}),
        ("POLICIES:\n  - NAME: a\n    RULES:\n      |", {"allowedWhen", "forbiddenWhen"}),
        ("STATE:\n  caller:\n    name:\n      source: |", {"system", "user", "agent", "computed"}),
        ("COMMUNICATION:\n  formality: |", {"formal", "informal", "neutral"}),
        ("EXECUTION:\n  pipeline:\n    |", {"enabled", "mode", "intentBridge"}),
        ("GUARDRAILS:\n  polite:\n    kind: |", {"input", "tool_output"}),
        ("GUARDRAILS:\n  polite:\n    check: |", {"contains_pii", "input", "number"}),
        ("NLU:\n  intents:\n    - |", {"NAME", "PATTERNS"}),
        ("MULTI_INTENT:\n  strategy: |", {"primary_queue", "auto"}),
        ("GATHER:\n  town:\n    semantics:\n      lookup: |", {"cities"}),
        ("GATHER:\n  town:\n    entity_ref: |", {"branch"}),
        ("HANDOFF:\n  - TO: B\n    ON_RETURN: |", {"continue", "welcome"}),
        ("COMPLETE:\n  - WHEN: true\n    RESPOND: |", {"TEMPLATE(thanks)"}),
        ("COMPLETE:\n  - WHEN: true\n    RESPOND: TEMPLATE(|", {"thanks"}),
        ("ON_START:\n  BRANCHES:\n    - |", {"IF", "ELSE"}),
        ("RICH_CONTENT:\n  CHART:\n    type: |", {"bar", "line", "pie"}),
        ("ACTIONS:\n  - id: a\n    type: |", {"button", "select", "input"}),
        ("MEMORY:\n  recall:\n    - ON: session:start\n      PATHS:\n        - |", set()),
    ],
)
def test_sections_of_all_kinds_take_their_keys_and_words(text: str, some: set[str]) -> None:
    assert some <= set(labels(DESK + text))


def test_recall_takes_every_kind_of_event() -> None:
    offered = set(labels(DESK + 'GATHER:\n  town:\n    prompt: "?"\nMEMORY:\n  recall:\n    - ON: |'))
    assert {"session:end", "tool:get_invoice:after", "tool:*:after", "step:enter:look", "step:exit:look"} <= offered
    assert {"entity:town:extracted", "agent:Desk:before", "agent:*:after"} <= offered


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("number IS |", ["SET", "NOT SET", "EMPTY", "NOT EMPTY"]),
        ("number IS NOT |", ["SET", "EMPTY"]),
        ("number IS N|", ["NOT SET", "NOT EMPTY"]),
        ("chan|", ["channel"]),
    ],
)
def test_conditions_go_on_with_what_fits(condition: str, wanted: list[str]) -> None:
    assert labels(f"{DESK}COMPLETE:\n  - WHEN: {condition}") == wanted


def test_a_rule_collects_fields_and_variables_only() -> None:
    assert labels(DESK + "CONSTRAINTS:\n  - REQUIRE number\n    ON_FAIL:\n      COLLECT: [|") == [
        "number",
        "rooms",
        "plain",
    ]


def test_input_takes_what_the_other_agent_has() -> None:
    text = DESK + "DELEGATE:\n  - AGENT: Clerk\n    INPUT: {|"
    other = 'AGENT: Clerk\nGOAL: "g"\nGATHER:\n  sum:\n    prompt: "?"\n'
    before = text.partition("|")[0]
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    found = complete({"desk.abl": before, "clerk.abl": other}, "desk.abl", line, column)
    assert [item["insert"] for item in found] == ["sum: "]


def test_a_profile_takes_its_own_sections() -> None:
    text = "BEHAVIOR_PROFILE: night\nPRIORITY: 1\nWHEN: true\n|"
    assert {"RESPONSE", "TOOLS", "FLOW"} <= set(labels(text))
    assert not {"PRIORITY", "HANDOFF", "MEMORY"} & set(labels(text))
    assert {"HIDE", "ADD"} <= set(labels(text.replace("|", "TOOLS:\n  |")))
    assert {"SKIP", "OVERRIDES"} <= set(labels(text.replace("|", "FLOW:\n  |")))


def test_a_profile_within_an_agent_leaves_its_sections_alone() -> None:
    text = DESK + "BEHAVIOR_PROFILE: night\n  PRIORITY: 1\n  WHEN: true\nHANDOFF:\n  - |"
    assert {"TO", "WHEN"} <= set(labels(text))
    assert "HANDOFF" in labels(DESK + "BEHAVIOR_PROFILE: night\n  PRIORITY: 1\n  WHEN: true\n|")


def test_a_list_of_names_below_its_key_takes_names() -> None:
    text = DESK.replace("  session:", "  persistent:\n    - user.name\n  session:", 1)
    assert labels(text + "HANDOFF:\n  - TO: B\n    CONTEXT:\n      pass:\n        - num|") == ["number"]


def test_keys_that_are_there_already_are_not_offered_again() -> None:
    offered = labels(DESK.replace("    REASONING: false\n", "    REASONING: false\n    |\n", 1))
    assert not {"REASONING", "RESPOND", "THEN"} & set(offered)
    assert {"SET", "CALL", "ON_INPUT"} <= set(offered)


def test_a_map_over_several_lines_takes_its_keys() -> None:
    text = 'agent: Menu\ngoal: "g"\nconstraints:\n  a:\n    - {require: "x IS SET",\n       |'
    assert {"when", "before", "on_fail"} <= set(labels(text))


# whole entries ---------------------------------------------------------------------------------------------------

PLACES = {
    "session": "MEMORY:\n  session:\n    ",
    "persistent": "MEMORY:\n  persistent:\n    ",
    "remember": "MEMORY:\n  persistent:\n    - user.number\n  remember:\n    ",
    "recall": "MEMORY:\n  persistent:\n    - user.nickname\n  recall:\n    ",
    "rules": "CONSTRAINTS:\n  paying:\n    ",
    "rule": "CONSTRAINTS:\n  paying:\n    - ",
    "flow": "FLOW:\n  ",
    "step": "FLOW:\n  ask:\n    REASONING: false\n    ",
    "gather": "GATHER:\n  ",
    "tools": "TOOLS:\n  ",
    "handoff": "HANDOFF:\n  ",
    "complete": "COMPLETE:\n  ",
}


def test_every_place_with_entries_is_tried() -> None:
    assert set(PLACES) | {"memory_paths"} == set(SNIPPETS)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("item", ["", "- "])
@pytest.mark.parametrize("yaml", [False, True])
def test_every_entry_can_be_read_where_it_is_offered(place: str, item: str, yaml: bool) -> None:
    head = 'AGENT: Desk\nVERSION: "1.0.0"\nGOAL: "Bill"\nMEMORY:\n  session:\n    - number\n      TYPE: string\n'
    before = PLACES[place]
    text = head.partition("MEMORY")[0] + before if before.startswith("MEMORY") else head + before
    if yaml:
        text = "\n".join(lowered(line) for line in text.split("\n"))
    text += item if not before.endswith("- ") else ""
    found = [offer for offer in offers(text + "|") if offer["kind"] == "snippet"]
    assert bool(found) != bool(item and place in ("flow", "step", "gather", "tools"))
    for offer in found:
        written = text + offer["insert"] + "\n"
        assert list(abl.parse(written).diagnostics) == [], written
        errors = [
            d for d in check({"a.abl": written}).diagnostics if d.code in ("ABL106", "ABL109", "ABL123", "ABL201")
        ]
        assert errors == [], written


def lowered(line: str) -> str:
    key, colon, value = line.partition(":")
    return key.lower() + colon + value


def test_lists_that_are_made_of_each_other_are_followed_only_so_far() -> None:
    head = "AGENT: Desk\nFLOW:\n  s:\n"
    lists = "".join(f"    TRANSFORM: l{n} AS a INTO l{n + 1}\n      FILTER: a.x > 0\n" for n in range(600))
    text = head + lists
    line = text.count("\n")
    assert isinstance(complete({"d.agent.abl": text}, "d.agent.abl", line, 17), list)
