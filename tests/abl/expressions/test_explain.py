"""The node tree of docs/spec 04 §10."""

import json

import pytest

from abl.expressions import compile_expression

FIELDS = [
    "id",
    "kind",
    "text",
    "start",
    "end",
    "op",
    "value",
    "type",
    "truthy",
    "status",
    "error",
    "coercions",
    "null_source",
    "children",
]


def explained(text: str, context: dict, **options: object) -> dict:
    """The tree, after holding the compiled recorder to the walk over the tree."""
    expression = compile_expression(text)
    walked = expression.trace(context, full=bool(options.get("full"))).tree
    for _ in range(2):
        assert expression.explain(context, **options) == walked
    return walked


def brief(node: dict) -> tuple:
    return (node["kind"], node["op"], node["value"], node["status"], [brief(child) for child in node["children"]])


def test_the_example_of_the_specification():
    tree = explained("open_loans + requested <= loan_cap", {"open_loans": 4, "requested": 2, "loan_cap": 5})
    assert brief(tree) == (
        "test",
        "<=",
        False,
        "ok",
        [
            (
                "binary",
                "+",
                6,
                "ok",
                [("path", None, 4, "ok", []), ("path", None, 2, "ok", [])],
            ),
            ("path", None, 5, "ok", []),
        ],
    )
    assert list(tree) == FIELDS
    assert [node["id"] for node in (tree, *tree["children"])] == [0, 1, 4]
    assert tree["children"][0]["text"] == "open_loans + requested"
    assert (tree["children"][1]["start"], tree["children"][1]["end"]) == (26, 34)


DAY, OTHER_DAY, MOMENT = "2026-03-01", "2026-03-02", "2026-03-01T09:00:00.000Z"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1", "literal"),
        ("a.b", "path"),
        ("a[0].b", "path"),
        ("a[0]", "index"),
        ("LENGTH(a)", "call"),
        ("a.contains(b)", "call"),
        ("NOT a", "unary"),
        ("-a", "unary"),
        ("a + b", "binary"),
        ("a AND b", "logical"),
        ("a IMPLIES b", "logical"),
        ("a ? b : a", "ternary"),
        ("[a]", "list"),
        ("{k: a}", "object"),
        ("a == b", "test"),
        ("a IS SET", "test"),
        ("EMPTY a", "test"),
    ],
)
def test_kinds(text, kind):
    assert explained(text, {"a": 1})["kind"] == kind


@pytest.mark.parametrize(
    ("value", "tag"),
    [
        (None, "null"),
        (True, "boolean"),
        (1.5, "number"),
        ("x", "string"),
        ("2026-03-01", "date"),
        ("2026-03-01T09:00Z", "datetime"),
        ("2026-02-30", "string"),
        ([1], "array"),
        ({}, "object"),
    ],
)
def test_types(value, tag):
    for text in ("x", "x IS SET", "x.y", "x AND true", 'x == "a"', "x > 1"):
        tree = explained(text, {"x": value})
        node = tree["children"][0] if tree["children"] else tree
        assert node["type"] == ("null" if text == "x.y" else tag)


def test_operands_that_are_skipped():
    tree = explained("a AND b > 1 AND c", {"a": False, "b": 2, "c": True})
    assert [child["status"] for child in tree["children"]] == ["ok", "not_evaluated", "not_evaluated"]
    assert tree["children"][1]["children"][0]["status"] == "not_evaluated"
    assert tree["value"] is False


def test_full_evaluates_them_aside():
    text = 'a AND (input matches "(x)") AND match.1 == "old"'
    tree = explained(text, {"a": False, "input": "x", "match": {"1": "old"}}, full=True)
    second, third = tree["children"][1:]
    assert (tree["value"], second["value"], third["value"]) == (False, True, True)
    assert second["hypothetical"]
    assert second["children"][0]["hypothetical"]
    assert "hypothetical" not in tree["children"][0]


def test_a_hypothetical_failure_does_not_spread():
    tree = explained("a OR 1 / 0 > 1", {"a": 1}, full=True)
    assert (tree["value"], tree["status"]) == (True, "ok")
    assert tree["children"][1]["status"] == "error"


def test_the_branch_that_is_not_taken():
    tree = explained("a ? b : c", {"a": 1, "b": 2, "c": 3})
    assert [child["status"] for child in tree["children"]] == ["ok", "ok", "not_evaluated"]


def test_an_error_rises_to_the_root():
    tree = explained("1 + 10 / x > y", {"x": 0, "y": 1})
    assert tree["status"] == "error"
    assert tree["error"] == "division by zero"
    assert tree["value"] is None
    total, bound = tree["children"]
    assert (total["status"], bound["status"]) == ("error", "not_evaluated")
    assert total["children"][0]["status"] == "ok"


@pytest.mark.parametrize(
    ("text", "context", "source"),
    [
        ("a.b.c", {}, "a"),
        ("a.b.c", {"a": {}}, "a.b"),
        ("a.b.c", {"a.b": {}}, "a.b.c"),
        ("a.b.c", {"a": {"b": {"c": 1}}}, None),
        ("xs[3]", {"xs": []}, "xs[3]"),
        ("xs[3].n", {"xs": [1, 2, 3, {}]}, "xs[3].n"),
        ("a + 1", {}, "a"),
        ("null", {}, None),
    ],
)
def test_the_first_segment_that_is_unset(text, context, source):
    assert explained(text, context)["null_source"] == source


@pytest.mark.parametrize(
    ("text", "context", "wanted"),
    [
        ("a < 5", {"a": "3"}, [("left", "string", "number", "numeric_string")]),
        ("a < 5", {"a": "3 kg"}, [("left", "string", "number", "partial_number")]),
        ("a < 5", {"a": "kg"}, [("left", "string", "number", "unreadable_is_zero")]),
        ("5 > a", {}, [("right", "null", "number", "null_is_zero")]),
        ("a > 1", {"a": [1, 2]}, [("left", "array", "number", "array_length")]),
        ("a > 1", {"a": {}}, [("left", "object", "number", "unreadable_is_zero")]),
        ("a > 1", {"a": True}, [("left", "boolean", "number", "boolean_number")]),
        ("a > b", {"a": "2026-03-01", "b": "2026-03-01T00:00Z"}, [("left", "date", "datetime", "utc_midnight")]),
        ("a > b", {"a": "2026-03-01", "b": "2026-03-02"}, []),
        ('a == "5"', {"a": 5}, [("right", "string", "number", "numeric_string")]),
        ('a == "true"', {"a": True}, [("right", "string", "boolean", "text_is_true")]),
        ("a == 1", {"a": True}, [("left", "boolean", "number", "boolean_number")]),
        ('a == "x"', {"a": "x"}, []),
        ("a + 1", {"a": "2"}, [("left", "string", "number", "numeric_string")]),
        ("a + 1", {"a": "x"}, [("right", "number", "string", "text")]),
        ("a - 1", {"a": "x"}, [("left", "string", "null", "unreadable_is_null")]),
        ("a - 1", {}, []),
        ("-a", {"a": "2"}, [("operand", "string", "number", "numeric_string")]),
        ('a startsWith "1"', {"a": 12}, [("left", "number", "string", "text")]),
        ("a contains 1", {"a": "12"}, [("right", "number", "string", "text")]),
        ("a + b <= c", {"a": 1, "b": 2.5, "c": 3}, []),
        ("a == b", {"a": 1, "b": None}, []),
        ("a == b", {"a": "1", "b": None}, []),
        ("a == b", {"a": "x", "b": "y"}, []),
        ("a == b", {"a": DAY, "b": OTHER_DAY}, []),
        ("a < b", {"a": DAY, "b": OTHER_DAY}, []),
        ("a < b", {"a": DAY, "b": MOMENT}, [("left", "date", "datetime", "utc_midnight")]),
        ("a < b", {"a": MOMENT, "b": DAY}, [("right", "date", "datetime", "utc_midnight")]),
        ("a < b", {"a": MOMENT, "b": MOMENT}, []),
        ("a < b", {"a": [1, 2], "b": 3}, [("left", "array", "number", "array_length")]),
        ("a - b", {"a": [1, 2], "b": 3}, [("left", "array", "null", "unreadable_is_null")]),
        ("a + b", {"a": "x", "b": "y"}, []),
        ("a + b", {"a": None, "b": "y"}, []),
        ("a + b", {"a": 1, "b": "2"}, [("right", "string", "number", "numeric_string")]),
        ("a contains b", {"a": "x", "b": None}, []),
        ("a contains b", {"a": [1], "b": 1}, []),
    ],
)
def test_conversions_are_noted(text, context, wanted):
    found = explained(text, context)["coercions"]
    assert [(one["operand"], one["from"], one["to"], one["rule"]) for one in found] == wanted


def test_an_invalid_pattern_is_noted():
    node = explained('a matches "["', {"a": "x"})
    assert node["value"] is False
    assert node["notes"][0]["rule"] == "invalid_regex"
    assert explained('REGEX_EXTRACT(a, "[")', {"a": "x"})["notes"]


def test_large_values_are_cut_with_their_size():
    tree = explained("x", {"x": "a" * 5000})
    assert (len(tree["value"]), tree["size"]) == (2048, 5000)
    tree = explained("xs", {"xs": ["é" * 10] * 1000})
    assert (len(tree["value"]), tree["size"], tree["type"]) == (2048, 13001, "array")
    assert "size" not in explained("x", {"x": "a" * 2048})
    assert "size" not in explained("xs", {"xs": ["a" * 2044]})  # as JSON 2,048 characters
    tree = explained("xs", {"xs": {"k": "a" * 5000}})
    assert (len(tree["value"]), tree["size"], tree["type"]) == (2048, 5008, "object")


def test_the_tree_is_json():
    tree = explained('xs[0] == "a" AND {k: [1, x]}.k contains 1', {"xs": ["a"]})
    assert json.loads(json.dumps(tree)) == tree


def test_references_are_every_path_with_its_value():
    refs = compile_expression("a.b > x AND a.b > y").references({"a": {"b": 1}, "x": 0})
    assert [(".".join(path.parts), value) for path, value in refs] == [("a.b", 1), ("x", 0), ("y", None)]


@pytest.mark.parametrize(
    "text",
    [
        "a <= b",
        "a + b - 1 < c",
        "a AND b OR NOT c",
        'user.tier == "gold" AND a IN [1, 2, 3]',
        'code matches "^P.$" OR code startsWith "X"',
        'LENGTH(code) > 3 OR code contains "P"',
        "flag == true AND a != 5",
        "x IS NOT SET OR user.tier IS SET",
        'code NOT IN ["a", "b"]',
        "a == 1 AND (b == 2 OR c == 3) AND d == 4",
        "a >= b AND b > a",
        "a AND b AND user.tier",
        "a OR b OR c",
        "NOT a AND b",
        "a > b OR b < a - 1",
        'code == "" OR code == "false" OR code == "gold"',
        'code IN ["P1", "false", "", "P1", "gold"]',
        'code != "P1" AND user.tier != "gold"',
        "flag != false OR user.tier == true",
        'NOT (code == "gold") AND user.tier IS NOT SET',
        "flag == null OR code IN []",
    ],
)
def test_both_recorders_agree_for_values_of_every_type(text):
    values = [
        0,
        1,
        2.5,
        2**53,
        2**60 + 1,
        True,
        False,
        None,
        "",
        "5",
        "P1",
        "gold",
        "2026-03-01",
        "false",
        [1],
        {"a": 1},
    ]
    expression = compile_expression(text)
    for position, first in enumerate(values):
        for second in values[position:]:
            context = {"a": first, "b": second, "c": first, "code": second, "flag": first, "user": {"tier": second}}
            assert expression.explain(context) == expression.trace(context).tree
            assert expression.evaluate(context) == expression.trace(context).outcome.value
            assert expression.holds(context) is expression.trace(context).outcome.holds


def test_a_chain_of_names_is_answered_from_trees_that_stay_as_they_are():
    expression = compile_expression("a AND b AND c")
    contexts = [{"a": a, "b": b, "c": c} for a in (True, False) for b in (True, False) for c in (True, False, 1, None)]
    for _ in range(3):
        for context in contexts:
            assert expression.explain(context) == expression.trace(context).tree
            assert expression.explain(context, full=True) == expression.trace(context, full=True).tree
    assert expression.explain({"a": True, "b": True, "c": True}) is expression.explain(
        {"a": True, "b": True, "c": True}
    )


@pytest.mark.parametrize(
    ("text", "known", "other"),
    [
        ('user.tier == "gold"', {"user": {"tier": "gold"}}, {"user": {"tier": "tin"}}),
        ('tier NOT IN ["gold", "tin"]', {"tier": "tin"}, {"tier": "lead"}),
        ("tier IS SET", {}, {"tier": "tin"}),
        ("member == true", {"member": False}, {"member": 1}),
    ],
)
def test_a_value_that_the_expression_spells_out_is_answered_from_a_tree_that_stays_as_it_is(text, known, other):
    expression = compile_expression(text)
    for context in (known, other) * 3:
        assert expression.explain(context) == expression.trace(context).tree
    assert expression.explain(known) is expression.explain(known)
    assert expression.explain(other) is not expression.explain(other)


def test_a_text_of_a_class_of_its_own_is_recorded_as_it_is():
    class Written(str):
        __slots__ = ()

    value = Written("gold")
    expression = compile_expression('tier == "gold"')
    for _ in range(2):
        assert expression.explain({"tier": value})["children"][0]["value"] is value


@pytest.mark.parametrize(
    "text",
    [
        "[[]]", "[1, [2, [3]]]", '(1 == 2) == "no"', '(1 == 1) != "no"', 'NOT a == "no"', '(a == 2) IN ["no", "yes"]',
        "(a == 1) == 1", "(a AND a) == 2", "(a == 1) + 1 > 1", "1 IS SET", 'a > 0 AND "x" IS NOT SET',
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("error")
def test_a_compiled_tree_is_the_one_that_is_walked(text):
    tree = explained(text, {"a": 1})
    assert compile_expression(text).evaluate({"a": 1}) == tree["value"]


def test_an_exact_key_that_is_null_is_itself_the_source():
    expression = compile_expression("user.tier")
    for _ in range(3):
        assert expression.explain({"user.tier": None, "user": None})["null_source"] == "user.tier"
    assert expression.explain({"user": None})["null_source"] == "user"
