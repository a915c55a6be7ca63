"""Templates: slots, blocks, rendering of values, problems (docs/spec 02 §9, 05 §4)."""

import pytest

from abl.expressions import compile_expression, compile_template, render
from abl.expressions.template_parser import Each, If, Slot, Text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "true"),
        (12.0, "12"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e-6, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e21, "1e+21"),
        (-2.5e22, "-2.5e+22"),
        (2**53 + 1, "9007199254740992"),
        (12345678901234567890, "12345678901234567000"),
        ("2026-03-01", "2026-03-01"),
        ({"é": [1.0, None, True, 'q"']}, '{"é":[1,null,true,"q\\""]}'),
        ([], "[]"),
    ],
)
def test_values_as_text(value, text):
    assert render("{{x}}", {"x": value}) == text
    assert compile_expression("TO_STRING(x)").evaluate({"x": value}) == text


@pytest.mark.parametrize(
    ("template", "context", "text"),
    [
        ("{{ x }}", {"x": 1}, "1"),
        ("{{UPPER(x)}}{{a + b}}", {"x": "u", "a": 1, "b": 2}, "U3"),
        ("{x} {{x}}", {"x": 1}, "{x} 1"),
        ("$5 ${x} ${ x.y } ${x + 1}", {"x": {"y": 2}}, '$5 {"y":2} 2 ${x + 1}'),
        ("${xs[0].n}", {"xs": [{"n": 3}]}, "3"),
        (r"\{{x}} {{x}}", {"x": 1}, "{{x}} 1"),
        ("{{#if a}}A{{/if}}", {"a": "false"}, ""),
        ("{{#if 1 / 0}}A{{else}}B{{/if}}", {}, "B"),
        ("{{#if a AND b > 1}}A{{/if}}", {"a": 1, "b": 2}, "A"),
        ("{{# if a }}A{{ else }}B{{/ if }}", {"a": 0}, "B"),
        ("{{#if a}}{{#if b}}ab{{else}}a{{/if}}{{else}}none{{/if}}", {"a": 1}, "a"),
        ("{{#if a}}open", {"a": 1}, "open"),
        ("{{#each xs}}{{#if this > 1}}{{this}}", {"xs": [1, 2, 3]}, "23"),
        ("{{#each xs}}{{@index}}{{#if @first}}^{{/if}}{{#if @last}}${{/if}}{{/each}}", {"xs": "abc"}, ""),
        ("{{#each xs}}{{@index}}{{#if @first}}^{{/if}}{{#if @last}}!{{/if}}{{/each}}", {"xs": [5, 6]}, "0^1!"),
        ("{{#each xs}}{{this.n}}{{n}}{{out}} {{/each}}", {"xs": [{"n": 1}, {}], "n": 9, "out": "o"}, "11o 9o "),
        (
            "{{#each a}}{{#each this.b}}{{c}}{{d}}{{@index}} {{/each}}{{@index}};{{/each}}",
            {"a": [{"b": [{"c": 1}, {"c": 2}], "d": "x"}, {"b": []}]},
            "1x0 2x1 0;1;",
        ),
        ("{{add n 2}} {{sub n 1}} {{add missing 1}}", {"n": 5}, "7 4 "),
        ("{{add}}", {"add": "variable"}, "variable"),
        ('{{x IS SET ? "}}" : "{{"}}', {"x": 1}, "}}"),
        ("{{x}}", {"x": "{{y}} ${y}"}, "{{y}} ${y}"),
        ("a{{/each}}b{{else}}c", {}, "abc"),
        ("{{#unless a}}x{{/unless}}", {}, "x"),
        ("{{#if a}}A{{else if b}}B{{else}}C{{/if}}", {"b": 1}, "B"),
        ("{{#if a}}A{{else if b}}B{{else}}C{{/if}}.", {}, "C."),
        ("one\r\n{{#if a}}\r\ntwo\r\n{{/if}}\r\nthree", {"a": 1}, "one\r\ntwo\r\nthree"),
        ("x {{#if a}}\ny\n{{/if}} z", {"a": 1}, "x \ny\n z"),
        ("{{#if a}}{{#if b}}\nx{{/if}}{{/if}}", {"a": 1, "b": 1}, "\nx"),
        ("{{name}} it's {{name}}", {"name": "A"}, "A it's A"),
        ("{{it's}} {{name}} 'x'", {"name": "A"}, "{{it's}} A 'x'"),
    ],
)
def test_rendering(template, context, text):
    assert render(template, context) == text


def test_missing_names_and_errors_are_told():
    rendered = compile_template("{{a}} {{b.c}} {{a}} {{COALESCE(d, 1)}} {{1 / 0}} {{x y}}").render_traced({})
    assert rendered.text == "   1  "
    assert rendered.missing == ["a", "b.c"]
    assert [error.partition(":")[0] for error in rendered.errors] == ["1 / 0", "x y"]


def test_a_branch_that_is_not_taken_misses_nothing():
    rendered = compile_template("{{#if a}}{{b}}{{/if}}{{#each xs}}{{c}}{{/each}}").render_traced({})
    assert rendered.missing == []


def test_one_clock_for_the_whole_template():
    text = render('{{NOW()}} {{now}} {{"{{NOW()}}"}}', {}, now="2026-03-01")
    assert text == " ".join(["2026-03-01T00:00:00.000Z"] * 3)


def test_parts_know_their_places():
    source = "Hi {{name}}{{#if a}}x{{else}}y{{/if}}{{#each xs}}{{this}}{{/each}}"
    template = compile_template(source)
    text, slot, branch, loop = template.parts
    assert isinstance(text, Text)
    assert isinstance(slot, Slot)
    assert isinstance(branch, If)
    assert isinstance(loop, Each)
    assert source[slot.start : slot.end] == "{{name}}"
    assert source[slot.offset : slot.offset + len(slot.source)] == "name"
    assert [(place.slot.source, place.role, place.each_depth) for place in template.slots] == [
        ("name", "value", 0),
        ("a", "if", 0),
        ("xs", "each", 0),
        ("this", "value", 1),
    ]
    assert [source[name.start : name.end] for name in template.names] == ["name", "a", "xs", "this"]
    assert not template.is_static
    assert compile_template("plain {text}").is_static


@pytest.mark.parametrize(
    ("source", "code", "marked"),
    [
        ("a {{name", "ABL250", "{{"),
        ("{{#if a}}x", "ABL251", "{{#if a}}"),
        ("x{{/each}}", "ABL251", "{{/each}}"),
        ("{{else}}", "ABL251", "{{else}}"),
        ("{{#each xs}}{{#if a}}{{/each}}", "ABL251", "{{#if a}}"),
        ("{{#unless a}}x{{/unless}}", "ABL252", "{{#unless a}}"),
        ("{{#if a}}x{{else if b}}y{{/if}}", "ABL252", "{{else if b}}"),
        ("{{mul @index 2}}", "ABL252", "{{mul @index 2}}"),
        ("{{a ===  b}}", "ABL202", "==="),
        ("{{f(a}}", "ABL112", "("),
        ("{{#if a and b}}{{/if}}", "ABL203", "and"),
        ("{{}}", "ABL201", ""),
        ("${name}", "ABL256", "${name}"),
        ("{{this}}", "ABL257", "this"),
        ("{{#if x}}{{@index}}{{/if}}", "ABL257", "@index"),
    ],
)
def test_problems(source, code, marked):
    (problem,) = compile_template(source).problems
    assert (problem.code, source[problem.start : problem.end]) == (code, marked)
    assert problem.reason


def test_the_legacy_form_has_a_replacement():
    (problem,) = compile_template("${user.name}").problems
    assert (problem.name, problem.replacement) == ("user.name", "{{user.name}}")


def test_single_braces_are_noted():
    braces = compile_template("{name} {{x}} ${y} {a b} {u.v} {{#if a}}{z}{{/if}}").single_braces
    assert [brace.name for brace in braces] == ["name", "u.v", "z"]


def test_a_good_template_has_no_problems():
    source = "{{#each xs}}\n{{add @index 1}}. {{this.name}} {{#if @last}}.{{/if}}\n{{/each}}{{COALESCE(a, 'b')}}"
    assert compile_template(source).problems == ()


def test_string_literals_with_slots_are_rendered():
    expression = compile_expression('"{{a}} {{#if b}}yes{{/if}}" == "1 yes"')
    assert expression.evaluate({"a": 1, "b": True}) is True
    assert compile_expression('input matches "(.+)" ? "got {{match.1}}" : ""').evaluate({"input": "it"}) == "got it"


def test_slots_inside_slots_are_bounded():
    assert compile_expression("""\"{{ '{{a}}' }}\"""").evaluate({"a": "x"}) == "x"
    text = "a"
    for _ in range(6):
        text = '"{{ ' + text.replace("\\", "\\\\").replace('"', '\\"') + ' }}"'
    assert isinstance(compile_expression(text).evaluate({"a": "x"}), str)
