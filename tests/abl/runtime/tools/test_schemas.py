"""The JSON Schema that the model is given for the parameters of a tool (docs/spec 08 §1)."""

from __future__ import annotations

import pytest

from abl.runtime.memory.in_memory import MockTools
from tests.abl.runtime.harness import HEAD, FixedClock, Session
from tests.abl.runtime.models import Steps

ADDRESS = {"type": "object", "properties": {"street": {"type": "string"}, "no": {"type": "number"}}}


@pytest.mark.parametrize(
    ("written", "schema"),
    [
        ("string", {"type": "string"}),
        ("number", {"type": "number"}),
        ("boolean", {"type": "boolean"}),
        ("string[]", {"type": "array", "items": {"type": "string"}}),
        ("array<number>", {"type": "array", "items": {"type": "number"}}),
        ("enum<[red, blue]>", {"enum": ["red", "blue"]}),
        ("nullable<string>", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("union<[string, number]>", {"anyOf": [{"type": "string"}, {"type": "number"}]}),
        ("{street: string, no?: number}", {**ADDRESS, "required": ["street"]}),
    ],
)
def test_a_type_is_offered_as_its_schema(written, schema):
    model = Steps("Fine.")
    tool = f'TOOLS:\n  find(x: {written}, more?: string) -> object\n    description: "Find"\n'
    run = Session({"desk.agent.abl": HEAD + tool}, tools=MockTools({}), clock=FixedClock(), model=model)
    run.start()
    run.say("Hello")
    (offered,) = [each for each in model.requests[0]["declarations"] if each["name"] == "find"]
    assert offered["parameters"]["properties"]["x"] == schema
    assert offered["parameters"]["required"] == ["x"]
