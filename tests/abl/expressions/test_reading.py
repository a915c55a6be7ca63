"""Reading expressions: tokens, binding, spans, and what each error says (docs/spec 02 §3–§5, 05 §3)."""

import pytest

from abl.expressions import ExpressionError, compile_expression, scan
from abl.expressions.nodes import (
    Binary,
    Call,
    Index,
    Literal,
    Logical,
    Member,
    Method,
    Path,
    Regex,
    Ternary,
    Test,
    Unary,
)


def node(text: str):
    return compile_expression(text).node


def error(text: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"a b"', "a b"),
        ("'it is'", "it is"),
        (r'"a\"b\\c\n\t"', 'a"b\\c\n\t'),
        (r'"\d+"', r"\d+"),
        (r'"\u00e9\ud83d\ude00"', "é😀"),
        ("12", 12),
        ("3.50", 3.5),
        ("2e3", 2000),
        ("true", True),
        ("false", False),
        ("null", None),
        ("undefined", None),
    ],
)
def test_literals(text, value):
    found = node(text)
    assert isinstance(found, Literal)
    assert found.value == value
    assert type(found.value) is type(value)


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("1 + 2 * 3", "1 + (2 * 3)"),
        ("1 - 2 - 3", "(1 - 2) - 3"),
        ("a + 1 <= b * 2", "(a + 1) <= (b * 2)"),
        ("NOT a == b", "NOT (a == b)"),
        ("!a == b", "(!a) == b"),
        ("a OR b AND c", "a OR (b AND c)"),
        ("a && b || c", "(a && b) || c"),
        ("a OR b ? 1 : 2", "(a OR b) ? 1 : 2"),
        ("a ? 1 : b ? 2 : 3", "a ? 1 : (b ? 2 : 3)"),
        ("a IMPLIES b IMPLIES c", "a IMPLIES (b IMPLIES c)"),
        ("a ? b : c IMPLIES d", "(a ? b : c) IMPLIES d"),
        ("-a.b", "-(a.b)"),
        ("EMPTY a AND b", "(EMPTY a) AND b"),
    ],
)
def test_binding(text, same_as):
    def shape(found):
        match found:
            case Path():
                return found.parts
            case Literal():
                return found.value
            case Unary():
                return (found.op, shape(found.operand))
            case Binary() | Test():
                return (found.op, shape(found.left), found.right and shape(found.right))
            case Logical():
                return (found.op, *map(shape, found.operands))
            case Ternary():
                return ("?", shape(found.condition), shape(found.then), shape(found.otherwise))

    assert shape(node(text)) == shape(node(same_as))


def test_a_chain_of_and_is_one_node():
    found = node("a AND b && c")
    assert found.op == "AND"
    assert [operand.parts for operand in found.operands] == [("a",), ("b",), ("c",)]
    assert found.op_spans == ((2, 5), (8, 10))


def test_a_path_is_names_and_digits():
    assert node("match.2.x").parts == ("match", "2", "x")


def test_reserved_words_are_names_after_a_dot():
    assert node("x.set.in.contains").parts == ("x", "set", "in", "contains")
    assert isinstance(node("x.contains(y)"), Method)


def test_a_word_operator_before_a_bracket_is_a_call():
    found = node("MATCHES(a, b)")
    assert isinstance(found, Call)
    assert found.name == "MATCHES"


def test_the_prefixed_form_is_a_call():
    found = node("abl.length(x)")
    assert (found.name, found.prefixed, found.name_start, found.name_end) == ("length", True, 4, 10)


@pytest.mark.parametrize("spelling", ["startsWith", "STARTSWITH", "starts_with", "STARTS_WITH", "Startswith"])
def test_word_operators_are_legal_in_any_case(spelling):
    assert node(f'a {spelling} "b"').op == "startsWith"


def test_what_follows_a_value():
    found = node("hotels[0].rooms[i].price")
    assert isinstance(found, Member)
    assert isinstance(found.target, Index)
    assert found.name == "price"


def test_a_regex_stands_right_of_matches():
    found = node(r"a matches /^[/]b\/c$/im")
    assert found.right == Regex(10, 23, "^[/]b/c$", "im")


def test_a_slash_elsewhere_divides():
    assert node("x.matches / 2").op == "/"


def test_spans_cover_parentheses_inside_a_node():
    text = "(a + b) * c"
    found = node(text)
    assert (found.start, found.end) == (0, len(text))
    assert (found.left.start, found.left.end) == (1, 6)
    assert compile_expression(text).parenthesised == {(1, 6)}


def test_object_shorthand_and_trailing_commas():
    found = node('{a, "b c": 1, d: [1, 2,],}')
    assert found.keys == ("a", "b c", "d")
    assert found.values[0].parts == ("a",)


def test_names_carry_their_spans():
    names = compile_expression('user.tier == x AND "{{nick}} and {{a.b}}" != x').names
    assert [(name.text, name.in_text) for name in names] == [
        ("user.tier", False),
        ("x", False),
        ("nick", True),
        ("a.b", True),
        ("x", False),
    ]
    text = 'user.tier == x AND "{{nick}} and {{a.b}}" != x'
    assert [text[name.start : name.end] for name in names] == [name.text for name in names]


@pytest.mark.parametrize(
    ("text", "code", "span", "replacement"),
    [
        ("a === b", "ABL202", (2, 5), "=="),
        ("a !== b", "ABL202", (2, 5), "!="),
        ("a <> b", "ABL202", (2, 4), "!="),
        ("a =< b", "ABL202", (2, 4), "<="),
        ("a => b", "ABL202", (2, 4), ">="),
        ("a <<= b", "ABL202", (2, 5), "<="),
        ("a = b", "ABL202", (2, 3), "=="),
        ("a and b", "ABL203", (2, 5), "AND"),
        ("a or b", "ABL203", (2, 4), "OR"),
        ("a implies b", "ABL203", (2, 9), "IMPLIES"),
        ("x is not set", "ABL203", (2, 12), "IS NOT SET"),
        ("x IS set", "ABL203", (2, 8), "IS SET"),
        ("not x", "ABL203", (0, 3), "NOT"),
        ("a not in b", "ABL203", (2, 8), "NOT IN"),
        ("a < b < c", "ABL204", (0, 9), "a < b AND b < c"),
        ("a == b IN c", "ABL204", (0, 11), "a == b AND b IN c"),
        ("x IS SET == y", "ABL204", (0, 13), None),
        ("x IS SET + 1", "ABL201", (0, 8), None),
        ("1 + x IS NOT EMPTY * 2", "ABL201", (0, 18), None),
        ("x is_number - 1", "ABL201", (0, 11), None),
        ("(a + b", "ABL112", (0, 1), None),
        ("f(a, [1, 2)", "ABL112", (5, 6), None),
        ("{a: 1", "ABL112", (0, 1), None),
        ('a == "b', "ABL111", (5, 7), None),
        ("a AND", "ABL201", (2, 5), None),
        ("a b", "ABL201", (2, 3), None),
        ("", "ABL201", (0, 0), None),
        ("IN", "ABL201", (0, 2), None),
        ("a ? b", "ABL201", (2, 3), None),
        ("a matches /b/g", "ABL201", (13, 14), None),
        ("a matches /b", "ABL201", (10, 12), None),
        ("a == NOT b", "ABL201", (5, 8), None),
        ("@index + 1", "ABL201", (0, 6), None),
        ("x IS null", "ABL201", (5, 9), None),
        ("f(a,)", "ABL201", (3, 4), None),
        ("a.", "ABL201", (1, 2), None),
        ("٣ + 1", "ABL201", (0, 1), None),
        ("1e999", "ABL201", (0, 5), None),
    ],
)
def test_an_error_has_a_code_a_span_and_perhaps_the_right_text(text, code, span, replacement):
    found = error(text)
    assert (found.code, (found.start, found.end), found.replacement) == (code, span, replacement)
    assert found.reason
    assert found.reason == found.message


@pytest.mark.parametrize("text", ["a === b", "x is not set", "a < b < c", "a = b", "a => b", "not x"])
def test_the_replacement_repairs_the_text(text):
    found = error(text)
    repaired = text[: found.start] + found.replacement + text[found.end :]
    assert (node(repaired).start, node(repaired).end) == (0, len(repaired))


def test_an_error_can_be_moved_to_where_the_expression_stands():
    moved = error("a = b").shifted(10)
    assert (moved.start, moved.end, moved.code) == (12, 13, "ABL202")


def test_the_flags_of_a_regular_expression_are_pointed_at():
    found = error("a matches /b/ix")
    assert (found.start, found.end, found.reason) == (
        13,
        15,
        "the flags of a regular expression are i, m and s, not `ix`",
    )


@pytest.mark.parametrize("text", ['"{{a}} b {{c}}"', '"{{a}}{{c}}"'])
def test_scan_colours_each_slot_of_a_text(text):
    whole = f"x + {text}"
    pieces = [whole[piece.start : piece.end] for piece in scan(whole)[2:]]
    assert "".join(pieces) == text
    assert [piece for piece in pieces if piece.startswith("{{")] == ["{{a}}", "{{c}}"]


def test_scan_colours_every_kind():
    text = 'LENGTH(name) >= 3 AND x matches /^a/i OR t == "hi {{name}}!"'
    assert [(text[piece.start : piece.end], piece.kind) for piece in scan(text)] == [
        ("LENGTH", "func"),
        ("(", "op"),
        ("name", "name"),
        (")", "op"),
        (">=", "op"),
        ("3", "number"),
        ("AND", "word"),
        ("x", "name"),
        ("matches", "word"),
        ("/^a/i", "string"),
        ("OR", "word"),
        ("t", "name"),
        ("==", "op"),
        ('"hi ', "string"),
        ("{{name}}", "slot"),
        ('!"', "string"),
    ]


def test_scan_goes_on_behind_what_cannot_be_read():
    assert [piece.kind for piece in scan('a § "b')] == ["name", "op", "string"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(a b)", "an operator is missing before `b`"),
        ("[a b]", "`,` or `]` is expected, not `b`"),
        ("{a: 1 b: 2}", "`,` or `}` is expected, not `b`"),
        ("UPPER(a b)", "`,` or `)` is expected, not `b`"),
        ("UPPER((a b))", "an operator is missing before `b`"),
        ("a == EMPTY b", "`EMPTY` cannot stand here without parentheses"),
        ("a + EMPTY b", "`EMPTY` cannot stand here without parentheses"),
        ("a == NOT b", "`NOT` cannot stand here without parentheses"),
        ("UPPER(a) (b)", "an operator is missing before `(`"),
        ("a ]", "`]` closes nothing"),
        ("a +", "a value is missing after `+`"),
        ("", "the expression is empty"),
    ],
)
def test_what_stands_in_the_wrong_place_is_named(text, reason):
    assert error(text).reason == reason


@pytest.mark.parametrize(("calls", "code"), [(32, "ABL201"), (33, "ABL228")])
def test_brackets_without_end_are_told_by_the_calls_among_them(calls, code):
    assert error("(" * (101 - calls) + "LENGTH(" * calls).code == code
