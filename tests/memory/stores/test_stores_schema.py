"""What a schema may be, what breaks one, and what is made from it."""

from __future__ import annotations

import json
import time

import pytest

from memory.stores.forms import content_of, form_of
from memory.stores.samples import examples_of
from memory.stores.schema import LARGEST, problems_of, schema_of
from memory.stores.validation import MOST, errors_of
from tests.memory.stores.kit import PREFERENCES, nested

SECONDS = 20
"""Far more than any check takes on a busy machine, far less than what it would take without a bound."""


def first(schema):
    problem = problems_of(schema)[0]
    return problem["path"], problem["message"]


def object_with(**properties):
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "path", "words"),
    [
        ([], "", "a schema is a JSON object"),
        ("object", "", 'is "object"; a schema is a JSON object'),
        ({}, "/type", 'it has to be "object"'),
        ({"type": "array"}, "/type", 'is "array" at the root; it has to be "object"'),
        ({"type": ["object", "null"]}, "/type", 'it has to be "object"'),
        (object_with(a={"type": "strng"}), "/properties/a/type", '"strng" is not a type; use array, boolean'),
        (object_with(a=5), "/properties/a", "a schema is an object, true or false"),
        ({"type": "object", "properties": []}, "/properties", "is not an object of names and schemas"),
        ({"type": "object", "required": "a"}, "/required", '"a" is not a list of names'),
        ({"type": "object", "required": [1]}, "/required", "is not a list of names"),
        (object_with(a={"enum": 3}), "/properties/a/enum", "3 is not a list of values"),
        (object_with(a={"minimum": "x"}), "/properties/a/minimum", '"x" is not a value for minimum'),
        (object_with(**{"a/b~c": {"type": 1}}), "/properties/a~1b~0c/type", "1 is not a type"),
        (object_with(a={"pattern": "(?=x)"}), "/properties/a/pattern", "not a supported pattern (RE2)"),
        (object_with(a={"patternProperties": {"(": {}}}), "/properties/a/patternProperties/(", "RE2"),
        (object_with(a={"$ref": "http://example.org/s"}), "/properties/a/$ref", "is not inside this schema"),
        (object_with(a={"$ref": "other.json#/x"}), "/properties/a/$ref", "is not inside this schema"),
        (object_with(a={"$ref": "#/$defs/none"}), "/properties/a/$ref", "is not part of this schema"),
        (object_with(a={"$ref": "#/type"}), "/properties/a/$ref", "is not part of this schema"),
        (object_with(a={"$ref": 5}), "/properties/a/$ref", "is not inside this schema"),
        (object_with(a={"$id": "x"}), "/properties/a/$id", "stands only at the root"),
        (object_with(a={"$schema": "http://json-schema.org/draft-07/schema#"}), "/properties/a/$schema", "only at the"),
        (object_with(a={"$dynamicRef": "#a"}), "/properties/a/$dynamicRef", "use $ref"),
        ({"type": "object", "$schema": "http://json-schema.org/draft-03/schema#"}, "/$schema", "is not supported"),
        ({"type": "object", "$schema": 3}, "/$schema", "is not supported"),
        ({"type": "object", "allOf": [{"$ref": "#"}]}, "/allOf/0", "refers to itself"),
        (
            {"type": "object", "patternProperties": {"^a": {}}, "unevaluatedProperties": False},
            "/unevaluatedProperties",
            "use additionalProperties",
        ),
        (object_with(a={"enum": list(range(1001))}), "/properties/a/enum", "has 1,001 entries"),
        (object_with(a=nested(40)), "", "is nested deeper than 32 levels"),
        (object_with(a={"description": "x" * LARGEST}), "", "at most 65,536 are allowed"),
        (object_with(a={"description": "\x00"}), "", "cannot be stored"),
        ({"type": "object", "minimum": float("nan")}, "", "numbers must be finite"),
    ],
)
def test_a_schema_that_cannot_be_is_refused_with_the_pointer(schema, path, words):
    at, message = first(schema)
    assert at == path
    assert words in message


@pytest.mark.parametrize(
    "schema",
    [
        PREFERENCES,
        {"type": "object"},
        {"type": "object", "additionalProperties": False},
        {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "definitions": {"a": {}}},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.org/s", "type": "object"},
        object_with(child={"$ref": "#"}),
        {"type": "object", "$defs": {"a b": {"type": "string"}}, "properties": {"x": {"$ref": "#/$defs/a%20b"}}},
    ],
)
def test_a_schema_that_can_be_has_no_problems(schema):
    assert problems_of(schema) == []


def test_a_circle_over_several_parts_is_found():
    schema = {"type": "object", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}}
    assert "refers to itself" in first(schema)[1]


def test_a_name_of_a_keyword_in_data_is_no_keyword():
    schema = object_with(a={"enum": [{"$ref": "http://example.org"}]}, b={"default": {"$id": 1}}, **{"$ref": {}})
    assert problems_of(schema) == []


def test_a_text_that_is_no_json_is_named_by_line_and_column():
    with pytest.raises(ValueError, match="line 2 column 3"):
        schema_of('{\n  type: "object"}')


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [
        ({"type": "string"}, 5, "5 is of type number; it has to be string"),
        ({"type": ["string", "null"]}, True, "true is of type boolean; it has to be string or null"),
        ({"type": "integer"}, 1.5, "1.5 is of type number; it has to be integer"),
        ({"enum": ["a", "b"]}, "c", '"c" is not one of ["a", "b"]'),
        ({"const": 1}, 2, "2 has to be 1"),
        ({"minimum": 3}, 2, "2 is less than 3"),
        ({"exclusiveMaximum": 3}, 3, "3 has to be less than 3"),
        ({"minLength": 2}, "a", "it has 1 characters; at least 2 are needed"),
        ({"maxItems": 1}, [1, 2], "it has 2 items; at most 1 are allowed"),
        ({"format": "date-time"}, "yesterday", '"yesterday" is not a "date-time"'),
        ({"format": "date"}, "2026-13-01", "is not a"),
        ({"format": "email"}, "ines", "is not a"),
        ({"format": "uuid"}, "1", "is not a"),
        ({"pattern": "^u"}, "x", 'does not match the pattern "^u"'),
        ({"not": {"type": "string"}}, "x", "is excluded by the schema"),
        ({"oneOf": [{"type": "number"}, {"minimum": 1}]}, 5, "match exactly one of the alternatives"),
        (False, 5, "the schema allows no such field"),
        ({"multipleOf": 0.01}, 10**400, "a number is too large"),
    ],
)
def test_what_breaks_a_schema_is_said_in_words(part, value, words):
    (error,) = errors_of(object_with(a=part), {"a": value})
    assert words in error["message"]
    assert error["path"] == ("" if "too large" in words else "/a")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ({"format": "date-time"}, "2026-03-01T09:30:00Z"),
        ({"format": "date-time"}, "2026-03-01T09:30:00.123456"),
        ({"format": "unknown-format"}, "anything"),
        ({"type": "integer"}, 2.0),
        ({"uniqueItems": True}, [1, True, "1", {"a": 1}, {"a": True}]),
        ({"patternProperties": {"^x": {"type": "number"}}, "additionalProperties": False}, {"x1": 1}),
    ],
)
def test_what_fits_a_schema_has_no_errors(part, value):
    assert errors_of(object_with(a=part), {"a": value}) == []


def test_errors_name_what_is_missing_and_what_is_not_known():
    schema = {**object_with(a={"type": "object", "additionalProperties": False}), "required": ["b"]}
    errors = errors_of(schema, {"a": {"x": 1}})
    assert {"path": "", "message": "the field 'b' is missing"} in errors
    assert {"path": "/a/x", "message": "the schema allows no such field"} in errors


def test_an_item_that_is_there_twice_is_named():
    (error,) = errors_of(object_with(a={"uniqueItems": True}), {"a": [{"x": 1}, {"x": 1.0}]})
    assert error["path"] == "/a/1"


def test_a_schema_of_its_root_is_held_against_what_is_below():
    schema = {
        **object_with(child={"$ref": "#"}, n={"type": "number"}),
        "$schema": "http://json-schema.org/draft-07/schema#",
    }
    (error,) = errors_of(schema, {"child": {"child": {"n": "x"}}})
    assert error["path"] == "/child/child/n"


def test_only_the_first_errors_are_kept():
    errors = errors_of(object_with(a={"items": {"type": "string"}}), {"a": list(range(1000))})
    assert len(errors) == MOST


HOSTILE = [
    (object_with(a={"pattern": "^(a+)+$"}), {"a": "a" * 50_000 + "!"}),
    (object_with(a={"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}), {"a": {"a" * 999 + "!": 1}}),
    (object_with(a={"uniqueItems": True}), {"a": [{"x": n} for n in range(20_000)]}),
    ({"type": "object", "anyOf": [{"minProperties": 99}] * 1_900}, {"a": ["x" * 100] * 2_500}),
    (
        {
            "$defs": {"n": {"properties": {"c": {"allOf": [{"$ref": "#/$defs/n"}] * 2}}}},
            "type": "object",
            "$ref": "#/$defs/n",
        },
        nested(60),
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("schema", "content"), HOSTILE)
def test_no_schema_and_content_stop_the_server(schema, content):
    assert problems_of(schema) == []
    began = time.process_time()
    errors_of(schema, content)
    assert time.process_time() - began < SECONDS


def test_too_much_work_is_an_error_not_a_pass():
    schema, content = HOSTILE[-1]
    (error,) = errors_of(schema, content)
    assert "would take more than 60,000 steps" in error["message"]


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ({"type": "string"}, "a"),
        ({"type": "string", "format": "email"}, "ines@example.org"),
        ({"type": "string", "format": "date-time"}, "2026-03-01T09:30:00Z"),
        ({"enum": ["x", "y"]}, "x"),
        ({"const": {"k": 1}}, {"k": 1}),
        ({"type": "string", "default": "en"}, "en"),
        ({"type": "string", "examples": ["gold"]}, "gold"),
        ({"type": "integer", "minimum": 3}, 3),
        ({"type": "integer", "maximum": -2}, -2),
        ({"type": "integer", "exclusiveMinimum": 3}, 4),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.2}, 0.1),
        ({"type": "integer", "multipleOf": 5, "minimum": 7}, 10),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": ["null", "integer"]}, 1),
        ({"type": "array", "items": {"type": "integer"}}, [1, 2]),
        ({"items": {"type": "string"}, "minItems": 3, "uniqueItems": True}, ["text", "text 2", "text 3"]),
        ({"type": "array", "maxItems": 1, "items": {"type": "boolean"}}, [True]),
        ({"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}, [1, "text 2"]),
        ({"type": "string", "minLength": 12}, "a and more a"),
        ({"type": "string", "maxLength": 0}, ""),
        ({"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"}, "AB-123"),
        ({"$ref": "#/$defs/word"}, "w"),
        ({"allOf": [{"properties": {"q": {"const": 4}}}], "required": ["q"]}, {"q": 4}),
        ({"type": "object", "required": ["z"]}, {"z": "text"}),
    ],
)
def test_an_example_has_a_sensible_value(part, value):
    schema = {**object_with(a=part), "$defs": {"word": {"const": "w"}}}
    title, content = examples_of(schema)[0]
    assert title == "Every field"
    assert content["a"] == value
    assert errors_of(schema, content) == []


@pytest.mark.parametrize(
    "part",
    [
        {"type": "number", "minimum": 1e308, "multipleOf": 1e-300},
        {"type": "integer", "minimum": 1e10, "multipleOf": 1e-300},
        {"type": "number", "exclusiveMinimum": 1.7e308, "multipleOf": 1.7e308},
        {"type": "number", "exclusiveMaximum": -1.7e308, "multipleOf": 1.7e308},
        {"type": "number", "minimum": 10**400},
        {"type": "integer", "minimum": 10**400, "multipleOf": 0.5},
        {"exclusiveMinimum": 10**400, "exclusiveMaximum": 10**401},
        {"type": "array", "items": {"type": "number", "multipleOf": 1e308}, "minItems": 5},
    ],
)
def test_bounds_with_which_nobody_can_compute_still_have_a_page(part, as_role):
    schema = object_with(a=part)
    for _, content in examples_of(schema):
        json.dumps(content, allow_nan=False)
    answer = as_role("editor").post(
        "/api/v1/projects/kiln/store-check/", {"schema": schema}, content_type="application/json"
    )
    assert answer.status_code in (200, 400), answer.content


def test_a_second_example_holds_only_what_is_required():
    schema = {**PREFERENCES, "required": ["recentOrders"]}
    assert [content for _, content in examples_of(schema)][1] == {"recentOrders": []}


def test_a_schema_that_refers_to_itself_has_an_example_with_an_end():
    assert json.dumps(examples_of(object_with(child={"$ref": "#"}))).count("child") == 6


def test_a_schema_that_nothing_fits_has_no_example():
    assert examples_of({**object_with(a={"type": "string", "pattern": "^never this$"}), "required": ["a"]}) == []


def test_a_form_has_an_input_for_each_field():
    schema = {
        **object_with(
            language={"type": "string", "enum": ["en", "de"], "default": "en", "description": "Spoken"},
            age={"type": "integer", "minimum": 0, "maximum": 120},
            note={"type": "string", "maxLength": 5000, "title": "A note"},
            born={"type": "string", "format": "date"},
            active={"type": "boolean"},
            tags={"type": "array", "items": {"type": "string"}},
            free={},
            address={"type": "object", "properties": {"city": {"type": "string"}}},
        ),
        "required": ["age"],
    }
    fields = {field.name: field for field in form_of(schema).fields}
    kinds = {name: field.kind for name, field in fields.items()}
    assert kinds == {
        "/language": "choice",
        "/age": "number",
        "/note": "long",
        "/born": "text",
        "/active": "switch",
        "/tags": "lines",
        "/free": "json",
        "/address": "group",
    }
    assert fields["/language"].value == '"en"'
    assert fields["/language"].help == "Spoken"
    assert fields["/age"].attributes == {"min": "0", "max": "120", "step": "1"}
    assert fields["/age"].required
    assert fields["/note"].label == "A note"
    assert fields["/born"].input == "date"
    assert [inner.name for inner in fields["/address"].fields] == ["/address/city"]


def test_a_filled_form_says_a_content():
    schema = object_with(
        language={"enum": ["en", 5]},
        age={"type": "integer"},
        price={"type": "number"},
        active={"type": "boolean"},
        tags={"type": "array", "items": {"type": "string"}},
        free={},
        name={"type": "string"},
        address={"type": "object", "properties": {"city": {"type": "string"}, "a/b": {"type": "string"}}},
        empty={"type": "object", "properties": {"x": {"type": "string"}}},
    )
    given = {
        "/language": "5", "/age": "42", "/price": "1.5", "/active": "false", "/tags": "a\r\n\r\nb", "/free": "[1]",
        "/name": "", "/address/city": "Rome", "/address/a~1b": "x", "/empty/x": "",
    }  # fmt: skip
    assert content_of(form_of(schema), given) == {
        "language": 5,
        "age": 42,
        "price": 1.5,
        "active": False,
        "tags": ["a", "b"],
        "free": [1],
        "address": {"city": "Rome", "a/b": "x"},
    }


@pytest.mark.parametrize(("name", "typed"), [("/age", "old"), ("/free", "{")])
def test_a_field_that_cannot_be_read_is_named(name, typed):
    form = form_of(object_with(age={"type": "integer"}, free={}))
    with pytest.raises(ValueError, match=f"^{name[1:]}: "):
        content_of(form, {name: typed})


def test_a_form_of_a_schema_without_end_has_one():
    waiting, seen = [form_of(object_with(a={"$ref": "#"}, b={"$ref": "#"}))], 0
    while waiting:
        seen += 1
        waiting += waiting.pop().fields
    assert 30 < seen < 300
