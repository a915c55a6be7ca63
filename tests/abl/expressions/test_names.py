"""Finding values (docs/spec 02 §7)."""

from collections import ChainMap

import pytest

from abl.expressions import Scope, compile_expression


@pytest.mark.parametrize(
    ("text", "context", "wanted"),
    [
        ("a.b.c", {"a": {"b": {"c": 1}}}, 1),
        ("a.b.c", {"a": {"b": None}}, None),
        ("a.b.c", {"a.b": {"c": 1}, "a": {"b": {"c": 2}}}, 1),
        ("a.b.c", {"a.b.c": 0, "a.b": {"c": 1}}, 0),
        ("a.b", {"a.b": None, "a": {"b": 1}}, None),
        ("a.b", {"a": "text"}, None),
        ("a.length", {"a": "text"}, 4),
        ("a.length", {"a": [1, 2]}, 2),
        ("a.length", {"a": {"length": 7}}, 7),
        ("a.length", {"a": {}}, None),
        ("a.length", {"a": 12}, None),
        ("a.0", {"a": ["x"]}, "x"),
        ("a.0.b", {"a": [{"b": 1}]}, 1),
        ("a.0", {"a": {"0": "k"}}, "k"),
        ("a[1]", {"a": ["x", "y"]}, "y"),
        ('a["1"]', {"a": ["x", "y"]}, "y"),
        ("a[2]", {"a": ["x", "y"]}, None),
        ("a[0 - 1]", {"a": ["x", "y"]}, None),
        ("a[0.5]", {"a": ["x", "y"]}, None),
        ("a[true]", {"a": ["x", "y"]}, None),
        ("a[0]", {"a": "text"}, None),
        ('a["k v"]', {"a": {"k v": 1}}, 1),
        ("a[k].n", {"a": {"x": {"n": 5}}, "k": "x"}, 5),
        ("a[n]", {"a": {"": 1}}, None),
        ("now", {"now": "mine"}, "mine"),
        ("missing", {}, None),
    ],
)
def test_paths(text, context, wanted):
    expression = compile_expression(text)
    for _ in range(2):
        assert expression.evaluate(context) == wanted
        assert expression.evaluate(ChainMap(context)) == wanted
        assert expression.explain(context)["value"] == wanted


def test_an_item_variable_wins_by_being_there():
    outer = {"h": {"price": 5}, "limit": 9}
    assert compile_expression("h.price").evaluate(Scope({"h": {"price": 1}}, outer)) == 1
    assert compile_expression("h.price").evaluate(Scope({"h": None}, outer)) is None
    assert compile_expression("limit").evaluate(Scope({"h": None}, outer)) == 9


def test_a_resolver_is_asked_for_whole_paths():
    class Store:
        asked: list = []

        def resolve(self, parts):
            self.asked.append(parts)
            return 1

    assert compile_expression("user.tier + x").evaluate(Store()) == 2
    assert Store.asked == [("user", "tier"), ("x",)]


def test_a_resolver_that_raises_is_an_error_not_a_crash():
    class Broken:
        def resolve(self, parts):
            raise RuntimeError

    outcome = compile_expression("x == 1").evaluate_checked(Broken())
    assert outcome.value is None
    assert "RuntimeError" in outcome.error
    assert compile_expression("x == 1").holds(Broken()) is False


def test_the_context_is_never_changed():
    context = {"xs": [1, {"a": 2}], "o": {"k": 1}}
    compile_expression("OBJECT_MERGE(o, {k: 2})").evaluate(context)
    compile_expression("[xs, 3]").evaluate(context)
    assert context == {"xs": [1, {"a": 2}], "o": {"k": 1}}
