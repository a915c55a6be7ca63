"""What people type into the field of a value: JSON or a text, and an error that helps where it is neither."""

from __future__ import annotations

import pytest
from django.test import Client

from constraints.conversations import services
from constraints.conversations.typed import value_typed
from constraints.models import Turn
from memory.values import VALUE_BYTES
from tests.constraints.conftest import Runner
from tests.every import each
from web.errors import Invalid

PAGE = "/p/library/test/7/turns/"
API = "/api/v1/projects/library/conversations/7/turns/"
SCRIPT = {"Accept": "application/json"}

GOOD = [
    ("180", 180), ("-1.5e3", -1500.0), ("true", True), ("null", None), ('"180"', "180"), ('"NaN"', "NaN"),
    ('["a", {"b": []}]', ["a", {"b": []}]), ("9" * 308, int("9" * 308)),
]  # fmt: skip
WORDS = ["hello", "12 May", "NaN bread", "nan", "Infinity pool", "+49 170 1", "1e999 times", "007", "-07", "1.", ""]
BAD = {
    "1e999": "1e999 is not valid JSON: 1e999 is not a finite number",
    "-1e400": "-1e400 is not valid JSON: -1e400 is not a finite number",
    " NaN ": "NaN is not valid JSON: NaN is not a finite number",
    "Infinity": "Infinity is not valid JSON",
    "-Infinity": "-Infinity is not valid JSON",
    "[1e999]": "[1e999] is not valid JSON: 1e999 is not a finite number",
    '{"a": NaN}': "NaN is not a finite number",
    "[" * 101 + "]" * 101: "is nested deeper than 100 levels",
    "[" * 100_000: "is nested deeper than 100 levels",
    '{"a":' * 50_000: "is nested deeper than 100 levels",
    "9" * 309: "has 309 digits; 308 are allowed",
    "9" * 5000: "digits; 308 are allowed",
    "[1, 2": "[1, 2 is not valid JSON",
    "{a: 1}": "{a: 1} is not valid JSON",
    '"hello': '"hello is not valid JSON',
    "[urgent] call me": "for a text, put it in double quotes",
}


@pytest.mark.parametrize(("text", "value"), [*GOOD, *zip(WORDS, WORDS, strict=True)])
def test_json_is_json_and_words_are_a_text(text, value):
    found = value_typed(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", BAD, ids=lambda text: f"{text[:20]} ({len(text)})")
def test_what_is_meant_as_json_and_is_none_is_refused_with_field_value_and_what_is_right(text):
    with pytest.raises(Invalid) as caught:
        value_typed(text)
    ((field, words),) = caught.value.fields.items()
    assert field == "value"
    assert BAD[text] in words
    assert "Give a JSON value" in words
    assert len(words) < 250


@pytest.mark.django_db
class TestForms:
    @pytest.fixture
    def client(self, conversation, start, owner):
        services.turn_run(turn_id=start.pk, runner=Runner())
        client = Client()
        client.force_login(owner)
        return client

    @pytest.mark.parametrize("kind", ["set", "act"])
    def test_nothing_of_it_is_stored(self, client, kind):
        each(((text[:20], (client, text, kind)) for text in BAD), self.is_not_stored)

    def is_not_stored(self, client, text, kind):
        form = {"kind": kind, "name": "requested", "id": "requested", "value": text}
        script = client.post(PAGE, form, headers=SCRIPT)
        assert script.status_code == 400
        assert BAD[text] in script.json()["fields"]["value"]
        assert script.json()["detail"].startswith("value: ")
        page = client.post(PAGE, form)
        assert page.status_code == 400
        assert "is not valid JSON" in page.text
        assert Turn.objects.count() == 1

    def test_what_is_right_is_stored(self, client):
        answer = client.post(PAGE, {"kind": "set", "name": "requested", "value": "[1, 2]"}, headers=SCRIPT)
        assert answer.status_code == 202
        assert Turn.objects.get(index=1).input["value"] == [1, 2]

    @pytest.mark.parametrize(
        "value",
        [b"1e999", b"NaN", b"-Infinity", b"[" * 200 + b"]" * 200, b"9" * 309, b"[" + b'"0123456789",' * 30_000 + b"0]"],
        ids=["1e999", "NaN", "-Infinity", "deep", "309 digits", "large"],
    )
    def test_programs_are_refused_too(self, client, value):
        body = b'{"kind": "set", "name": "requested", "value": %s}' % value
        answer = client.post(API, body, content_type="application/json")
        assert answer.status_code == 400
        assert answer["Content-Type"] == "application/problem+json"
        assert Turn.objects.count() == 1

    def test_a_value_may_be_as_large_as_a_fact(self, client):
        rows = ["x" * 1000] * (VALUE_BYTES // 1010)
        allowed = {"kind": "set", "name": "requested", "value": rows}
        assert client.post(API, allowed, content_type="application/json").status_code == 202
        too_many = {"kind": "set", "name": "requested", "value": rows * 2}
        refused = client.post(API, too_many, content_type="application/json")
        assert refused.status_code == 400
        assert "262,144 are allowed" in refused.json()["fields"]["value"]
