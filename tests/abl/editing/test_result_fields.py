"""Fields of what tools return: from each read to the signature that declares them, and back (docs/spec 06 §5.8, 08)."""

from __future__ import annotations

import pytest

import abl
from abl.editing.hover import hover
from tests.abl.editing.test_rename import at, refusal, renamed, shown

SHOP = """\
AGENT: Shop
GOAL: "Sell {{offer.price}}"
TOOLS:
  file: "lib.tools.abl" [find]
  buy(id: string) -> {ok: boolean, price?: number, lines: {text: string, cost: number}[]}
    description: "Buys"
    on_result:
      set:
        paid: result.price
MEMORY:
  session:
    - paid
    - first
FLOW:
  look:
    REASONING: false
    CALL: find(title: "x") AS offer
      ON_FAILURE:
        - ELSE:
          SET: offer = {price: 0, rows: []}
          THEN: sell
    SET: first = offer.rows[0]
    CHECK: offer.price > 1 AND call_result.price > 1
    ON_FAIL: look
    RESPOND: "{{last_find_result.price}} {{find.price}} {{first.shelf}} {{offer["price"]}}"
    RESPOND: "{{#each offer.rows}}{{shelf}}, {{this.shelf}}{{/each}}"
    THEN: sell
  sell:
    REASONING: false
    CALL: buy(id: "a")
      AS: bill
    TRANSFORM: bill.lines AS line INTO dear
      FILTER: line.cost > 5
      SORT_BY: cost desc
    RESPOND: "{{result.price}} {{dear[0].cost}}"
    THEN: COMPLETE
"""
LIBRARY = 'TOOLS:\n  find(title: string) -> {price: number, rows: {shelf: string}[]}\n    description: "Finds"\n'
CASE = """\
scenario: sells
tools:
  find: [{result: {price: 3, rows: [{shelf: a}]}}]
  buy: [{result: {ok: true, price: 3}}]
model:
  - reply: "{{results.find.price}}"
turns:
  - say: "price"
"""
FILES = {"lib.tools.abl": LIBRARY, "sells.scenario.yaml": CASE, "shop.agent.abl": SHOP}


def lines(mark: str, path: str = "shop.agent.abl") -> list[str]:
    return shown(abl.references(FILES, *at(path, mark, FILES)), FILES)


def test_a_field_is_one_name_from_the_signature_to_the_last_read() -> None:
    assert lines("-> {pr|ice: number", "lib.tools.abl") == [
        "lib: find(title: string) -> {price: number, rows: {shelf: string}[]}",
        "sells: find: [{result: {price: 3, rows: [{shelf: a}]}}]",
        'sells: - reply: "{{results.find.price}}"',
        'shop: GOAL: "Sell {{offer.price}}"',
        "shop: SET: offer = {price: 0, rows: []}",
        "shop: CHECK: offer.price > 1 AND call_result.price > 1",
        "shop: CHECK: offer.price > 1 AND call_result.price > 1",
        'shop: RESPOND: "{{last_find_result.price}} {{find.price}} {{first.shelf}} {{offer["price"]}}"',
        'shop: RESPOND: "{{last_find_result.price}} {{find.price}} {{first.shelf}} {{offer["price"]}}"',
        'shop: RESPOND: "{{last_find_result.price}} {{find.price}} {{first.shelf}} {{offer["price"]}}"',
    ]


def test_fields_of_one_name_in_two_tools_are_two() -> None:
    assert lines("{{result.pr|ice}} {{dear") == [
        "sells: buy: [{result: {ok: true, price: 3}}]",
        "shop: buy(id: string) -> {ok: boolean, price?: number, lines: {text: string, cost: number}[]}",
        "shop: paid: result.price",
        'shop: RESPOND: "{{result.price}} {{dear[0].cost}}"',
    ]


@pytest.mark.parametrize(
    ("mark", "path", "line"),
    [
        ("{{offer.pr|ice}}", "lib.tools.abl", 2),
        ("call_result.pr|ice", "lib.tools.abl", 2),
        ("{{first.she|lf}}", "lib.tools.abl", 2),
        ("{{she|lf}}", "lib.tools.abl", 2),
        ("this.she|lf", "lib.tools.abl", 2),
        ("offer.ro|ws}}{{", "lib.tools.abl", 2),
        ("paid: result.pr|ice", "shop.agent.abl", 5),
        ("line.co|st", "shop.agent.abl", 5),
        ("SORT_BY: co|st", "shop.agent.abl", 5),
        ("dear[0].co|st", "shop.agent.abl", 5),
    ],
)
def test_the_definition_is_in_the_signature(mark: str, path: str, line: int) -> None:
    found = abl.definition(FILES, *at("shop.agent.abl", mark, FILES))
    assert [(place["path"], place["range"]["start"]["line"]) for place in found] == [(path, line)]


def test_hover_tells_the_type_and_the_tool() -> None:
    about = hover(FILES, *at("shop.agent.abl", "{{first.she|lf}}", FILES))
    assert about is not None
    assert about["title"] == "shelf: string"
    assert about["text"].split("\n")[:2] == ["field of what find returns: rows.shelf", "declared: lib.tools.abl:2"]
    about = hover(FILES, *at("shop.agent.abl", "paid: result.pr|ice", FILES))
    assert about is not None
    assert about["text"].split("\n")[:2] == ["field of what buy returns", "optional"]


def test_a_rename_changes_the_signature_and_each_read() -> None:
    after = renamed(at("shop.agent.abl", "{{she|lf}}", FILES), "mark", FILES)
    assert "rows: {mark: string}[]" in after["lib.tools.abl"]
    assert "rows: [{mark: a}]" in after["sells.scenario.yaml"]
    assert after["shop.agent.abl"] == SHOP.replace("shelf", "mark")


def test_a_name_may_say_its_scope() -> None:
    files = {**FILES, "shop.agent.abl": SHOP.replace("Sell {{offer.price}}", "Sell {{session.offer.price}}")}
    after = renamed(at("lib.tools.abl", "{pr|ice", files), "cost", files)
    assert "Sell {{session.offer.cost}}" in after["shop.agent.abl"]
    unknown = SHOP.replace("Sell {{offer.price}}", "Sell {{context.offer.price}}")
    files = {**FILES, "shop.agent.abl": unknown}
    assert refusal(at("lib.tools.abl", "{pr|ice", files), "cost", files).startswith("shop.agent.abl:2 may read")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("SET: first = offer.rows[0]", 'SET: first = COALESCE(offer, 1)\n    LOG: "{{first.price}}"', 23),
        ("SET: first = offer.rows[0]", 'SET: offer = INPUT_OF("x")', 2),
        ("{{find.price}} {{first", "{{price}} {{first", 25),
        ("CHECK: offer.price", 'CHECK: abl.SUM(offer, "price") > 1 AND offer.price', 23),
        ("{{#each offer.rows}}", "{{#each offer.list}}{{price}}{{/each}}{{#each offer.rows}}", 26),
        ("    - first\n", '    - first\n    - offer\n      TYPE: "object<{price: number}>"\n', 2),
    ],
)
def test_what_may_read_it_is_named(old: str, new: str, line: int) -> None:
    files = {**FILES, "shop.agent.abl": SHOP.replace(old, new)}
    words = refusal(at("lib.tools.abl", "{pr|ice", files), "cost", files)
    assert words == f"shop.agent.abl:{line} may read `price` of what `find` returns; change it by hand first."


def test_code_and_cases_that_may_mean_it_are_named() -> None:
    code = LIBRARY + "    type: sandbox\n    runtime: python\n    code: |\n      return {'price': 1}\n"
    files = {**FILES, "lib.tools.abl": code}
    assert "is code that uses `price`" in refusal(at("lib.tools.abl", "{pr|ice: n", files), "cost", files)
    for line in ("session: {offer: {price: 3}}\n", "model: [{reply: '{{result.price}}'}]\n"):
        files = {**FILES, "other.scenario.yaml": f"scenario: x\n{line}"}
        words = refusal(at("lib.tools.abl", "{pr|ice", files), "cost", files)
        assert words.startswith("other.scenario.yaml:2 may mean `price` of what `find` returns")
    files = {**FILES, "other.scenario.yaml": "scenario: x\nsession: {another: {price: 3}}\n"}
    assert (
        "{another: {price: 3}}" in renamed(at("lib.tools.abl", "{pr|ice", files), "cost", files)["other.scenario.yaml"]
    )


def test_a_field_has_to_be_a_name_that_is_free() -> None:
    place = at("lib.tools.abl", "{pr|ice", FILES)
    assert "is taken: lib.tools.abl:2 has the result field `rows`" in refusal(place, "rows", FILES)
    assert "is not a name for a result field" in refusal(place, "two words", FILES)


def test_what_is_handed_over_is_followed() -> None:
    till = (
        'AGENT: Till\nGOAL: "x"\nMEMORY:\n  session:\n    - offer\nCOMPLETE:\n  - WHEN: offer.price > 3\n'
        '    RESPOND: "{{offer.price}}"\n'
    )
    handoff = "HANDOFF:\n  - TO: Till\n    WHEN: paid > 1\n    CONTEXT:\n      pass: [offer]\n"
    files = {**FILES, "till.agent.abl": till, "shop.agent.abl": SHOP + handoff}
    after = renamed(at("till.agent.abl", "{{offer.pr|ice", files), "cost", files)
    assert after["till.agent.abl"] == till.replace("price", "cost")
    assert "{cost: number" in after["lib.tools.abl"]
    given = handoff.replace("pass: [offer]", "set:\n        goods: offer")
    other = till.replace("offer", "goods")
    files = {**FILES, "till.agent.abl": other, "shop.agent.abl": SHOP + given}
    words = refusal(at("lib.tools.abl", "{pr|ice", files), "cost", files)
    assert words == "till.agent.abl:7 may read `price` of what `find` returns; change it by hand first."


def test_two_tools_under_one_name_are_neither() -> None:
    text = SHOP.replace("      AS: bill", "      AS: offer")
    files = {**FILES, "shop.agent.abl": text}
    assert abl.definition(files, *at("shop.agent.abl", "Sell {{offer.pr|ice", files)) == []
    assert "shop.agent.abl:2 may read `price`" in refusal(at("lib.tools.abl", "{pr|ice", files), "cost", files)
