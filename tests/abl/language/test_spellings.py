"""Every spelling of a value that is accepted means the same: made from the declaration, read, and run.

``FRAMES`` are agents with room for one property each; an agent with one spelling has to give the same events, and the
same problems but for that of the spelling, as with the canonical one. What is refused is an error.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

import pytest

from abl import check, parse
from abl.language import PLACES, Key, key_at
from abl.language.entry import Entry
from abl.language.types import FLAG, Closed, Flag, Number
from abl.runtime.events.reading import without_durations
from tests.abl.language.spellings import Spelled, keys_with_spellings, line, spelled
from tests.abl.runtime.harness import HEAD, session
from tests.every import each

CARD = "Wq7-4829"
FLOW = """FLOW:
  steps: [ask, work]
  ask:
    REASONING: false
    GATHER:
      - card: required
        prompt: "Card?"
{field}    THEN: work
  work:
    REASONING: false
{step}    CALL: pay(card)
      AS: paid
    RESPOND: "Paid {{{{paid.total}}}} with {{{{card}}}}."
    THEN: COMPLETE
"""
TOOLS = """TOOLS:
  pay(card: string, sum: number = 3) -> {{total: number}}
    description: "Pays"
{tool}
"""
MEMORY = """MEMORY:
  session:
    - visits
      INITIAL: 1
{session}  persistent:
    - user.card
{persistent}  remember:
    - WHEN: card IS SET
      STORE:
        value: card
        target: user.card
{store}  recall:
    - ON: session:start
      PATHS: [user.card]
{recall}
"""
_SLOTS = ("field", "step", "tool", "session", "persistent", "store", "recall")
FRAMES = {
    "field": ("field", "        "),
    "mask_config": ("field", "          "),
    "semantics": ("field", "          "),
    "validation": ("field", "          "),
    "step": ("step", "    "),
    "tool": ("tool", "    "),
    "hints": ("tool", "      "),
    "confirmation": ("tool", "      "),
    "session": ("session", "      "),
    "persistent": ("persistent", "      "),
    "store": ("store", "        "),
    "recall": ("recall", "      "),
}
"""By place: the slot of the agent, and how deep its properties stand."""
ABOVE = {
    "mask_config": "        sensitive: true\n        sensitive_display: mask\n        mask_config:\n",
    "semantics": "        type: enum\n        semantics:\n",
    "validation": "        type: enum\n        validate:\n          rule: [one, two]\n",
    "hints": "    hints:\n",
    "confirmation": "    confirmation:\n",
}
BESIDE = {
    ("persistent", "SENSITIVE_DISPLAY"): "      SENSITIVE: true\n",
    ("field", "SENSITIVE_DISPLAY"): "        sensitive: true\n",
    ("field", "PII_TYPE"): "        sensitive: true\n        sensitive_display: replace\n",
    ("store", "unique"): "        operation: append\n",
    ("confirmation", "immutable_params"): "      require: always\n",
}
"""What a property needs beside it to have an effect."""
TAKEN = {("recall", "PATHS"), ("recall", "ON"), ("validation", "rule")}
"""What the agents say themselves."""


def agent(place: str, key: str, value: str) -> str:
    """The agent with one property in its slot."""
    slot, indent = FRAMES[place]
    own = ABOVE.get(place, "") + BESIDE.get((place, key), "") + line(indent, key, value)
    filled = dict.fromkeys(_SLOTS, "") | {slot: own}
    return "\n".join(part.format(**filled) for part in (TOOLS, MEMORY, FLOW))


@lru_cache(maxsize=4_096)
def told(place: str, key: str, value: str) -> tuple[tuple[str, str], ...]:
    """Codes and severities of the problems."""
    found = check({"desk.agent.abl": HEAD + agent(place, key, value)}).diagnostics
    return tuple([(problem.code, problem.severity) for problem in found])


@lru_cache(maxsize=4_096)
def played(place: str, key: str, value: str) -> str:
    """What happens in a short conversation, without places in the text."""
    tools = {"pay": [{"result": {"total": 3}}]}
    desk = session(agent(place, key, value), tools=tools)
    turns = [desk.start(), *(desk.say(text) for text in (CARD, "one", "yes", "no"))]
    events = without_durations([event for turn in turns for event in turn.events])
    return json.dumps([_placeless(event) for event in events], default=str, sort_keys=True)


def _placeless(found: object) -> object:
    if isinstance(found, dict):
        return {name: _placeless(value) for name, value in found.items() if name not in ("span", "revision", "digest")}
    return [_placeless(each) for each in found] if isinstance(found, list) else found


def read(place: str, key: Key, value: str) -> object:
    """The value as the one accessor reads it."""
    text = "CONVERSATION:\n" + line("  ", key.name, value)
    block = parse(text, "desk.agent.abl").blocks[0]
    return Entry.at(place, block).value(key.name)


@pytest.mark.full
def test_every_spelling_of_every_key_is_read_alike() -> None:
    cases = [*keys_with_spellings()]
    assert len(cases) > 2_000
    canonical: dict[tuple[str, str, str], object] = {}

    def same(place: str, key: Key, one: Spelled) -> None:
        at = place, key.name, one.canonical
        if at not in canonical:
            canonical[at] = read(place, key, one.canonical)
        assert canonical[at] is not None
        assert read(place, key, one.other) == canonical[at]

    each(((f"{place}.{key.name}: {one.other!r}", (place, key, one)) for place, key, one in cases), same)


def run_cases() -> Iterator[tuple[str, str, Spelled]]:
    """The properties of the frames: one value with all its spellings, each other one with one of them."""
    for place in FRAMES:
        for key in PLACES[place].listed:
            if not key.offered or (place, key.name) in TAKEN:
                continue
            seen = Counter[str]()
            for one in spelled(key.type):
                seen[one.canonical] += 1
                if len(seen) == 1 or seen[one.canonical] == 1:
                    yield place, key.name, one


@pytest.mark.slow
def test_every_spelling_runs_as_the_canonical_one() -> None:
    def same(place: str, key: str, one: Spelled) -> None:
        harmless = {(code, severity) for code, severity in told(place, key, one.other) if severity != "error"}
        assert set(told(place, key, one.other)) - harmless <= set(told(place, key, one.canonical))
        assert played(place, key, one.other) == played(place, key, one.canonical)

    cases = [*run_cases()]
    assert len(cases) > 300
    each(((f"{place}.{key}: {one.other!r}", (place, key, one)) for place, key, one in cases), same)


@pytest.mark.slow
def test_a_sensitive_field_is_masked_however_it_is_said() -> None:
    def masked(value: str) -> None:
        assert CARD not in played("field", "SENSITIVE", value)

    assert CARD in played("field", "SENSITIVE", "false")
    each(((value, (value,)) for value in {one.other for one in spelled(FLAG) if one.canonical == "true"}), masked)


@pytest.mark.slow
def test_a_tool_asks_for_consent_however_it_is_said() -> None:
    def asks(value: str) -> None:
        assert "call.confirm" in played("tool", "CONFIRM", value)

    confirm = key_at("tool", "CONFIRM")
    assert confirm is not None
    values = {one.other for one in spelled(confirm.type) if one.canonical == "always"}
    each(((value, (value,)) for value in values), asks)


@pytest.mark.slow
def test_what_is_refused_is_an_error() -> None:
    def refused(place: str, key: str) -> None:
        assert "error" in {severity for _, severity in set(told(place, key, "zzq")) - set(told(place, key, "1"))} or (
            "error" in {severity for _, severity in told(place, key, "zzq")}
        )

    closed = [
        (place, key.name)
        for place in FRAMES
        for key in PLACES[place].listed
        if isinstance(key.type, Closed | Flag | Number) and key.offered and not getattr(key.type, "open", False)
    ]
    each(((f"{place}.{key}", (place, key)) for place, key in closed if (place, key) not in TAKEN), refused)
