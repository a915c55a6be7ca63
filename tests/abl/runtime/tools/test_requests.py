"""The request that an HTTP tool would send, as `call.start` shows it (docs/spec 08 §3.1)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.abl.runtime.harness import events_of, session

FLOW = """FLOW:
  steps: [work]
  work:
    REASONING: false
    CALL: send(CALLED)
    THEN: COMPLETE
"""


def request(lines: str, called: str = '"b1", 2', signature: str = "id: string, n: number") -> dict[str, Any]:
    """The request of one call; ``lines`` are the properties of the tool."""
    tool = "".join(f"    {line}\n" for line in lines.strip("\n").splitlines())
    text = f"TOOLS:\n  send({signature}) -> object\n    type: http\n{tool}{FLOW.replace('CALLED', called)}"
    turn = session(text, tools={"send": [{"result": {"ok": True}}]}, checked=True).start()
    (start,) = events_of(turn, "call.start")
    return start["request"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "get"])
def test_what_has_no_place_goes_into_the_query(method):
    made = request(f'endpoint: "https://x.test/loans/{{id}}"\nmethod: {method}')
    assert made["endpoint"] == "https://x.test/loans/b1"
    assert made["query_params"] == {"n": 2}
    assert "body" not in made


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_what_has_no_place_goes_into_the_body(method):
    made = request(f'endpoint: "https://x.test/loans/{{id}}"\nmethod: {method}')
    assert made["endpoint"] == "https://x.test/loans/b1"
    assert made["body"] == {"n": 2}
    assert "query_params" not in made


def test_without_a_method_it_is_a_get():
    assert request('endpoint: "https://x.test/loans"')["query_params"] == {"id": "b1", "n": 2}


def test_nothing_is_added_when_all_has_its_place():
    made = request('endpoint: "https://x.test/loans/{id}/{n}"\nmethod: GET')
    assert made["endpoint"] == "https://x.test/loans/b1/2"
    assert "query_params" not in made


def test_an_authored_query_or_body_stays_as_it_is():
    made = request('endpoint: "https://x.test/loans"\nmethod: GET\nquery_params:\n  copy: "{{input.id}}-{{n}}"')
    assert made["query_params"] == {"copy": "b1-2"}
    made = request('endpoint: "https://x.test/loans"\nmethod: POST\nbody_template: "take {{input.id}}"')
    assert made["body_template"] == "take b1"
    assert "body" not in made


def test_body_mode_none_sends_no_body():
    assert "body" not in request('endpoint: "https://x.test/loans"\nmethod: POST\nbody_mode: none')
    assert request('endpoint: "https://x.test/loans"\nmethod: POST\nbody_mode: auto')["body"] == {"id": "b1", "n": 2}


VARIANTS = """endpoint: "https://x.test/loans"
method: GET
request_variants:
  - name: many
    when: n > 5
    method: POST
    endpoint: "https://x.test/bulk/{id}"
  - name: two
    when: input.n == 2
    query_params:
      pair: "{{input.id}}"
  - name: rest
    default: true
    headers:
      X-Kind: "{{id}}"
"""


def test_the_first_variant_that_holds_stands_over_the_tool():
    made = request(VARIANTS, '"b1", 9')
    assert (made["variant"], made["method"], made["endpoint"]) == ("many", "POST", "https://x.test/bulk/b1")
    assert made["body"] == {"n": 9}
    made = request(VARIANTS, '"b1", 2')
    assert (made["variant"], made["method"], made["endpoint"]) == ("two", "GET", "https://x.test/loans")
    assert made["query_params"] == {"pair": "b1"}


def test_the_default_variant_is_taken_when_none_holds():
    made = request(VARIANTS, '"b1", 1')
    assert (made["variant"], made["headers"]) == ("rest", {"X-Kind": "b1"})
    assert "default" not in made
    assert made["query_params"] == {"id": "b1", "n": 1}


def test_without_a_variant_that_holds_or_a_default_the_request_is_that_of_the_tool():
    made = request(VARIANTS.replace("default: true", "default: false"), '"b1", 1')
    assert "variant" not in made
    assert made["endpoint"] == "https://x.test/loans"


def test_a_variant_stands_over_keys_that_the_tool_writes_after_it():
    lines = [*VARIANTS.splitlines()[2:], *VARIANTS.splitlines()[:2]]
    made = request("\n".join(lines), '"b1", 9')
    assert (made["method"], made["endpoint"]) == ("POST", "https://x.test/bulk/b1")


def test_a_client_secret_that_is_written_out_is_not_shown():
    lines = 'endpoint: "https://x.test"\nauth: oauth2_client\nauth_config:\n  client_id: me\n  client_secret: SECRET'
    assert request(lines.replace("SECRET", "s3cret"))["auth_config"] == {
        "client_id": "me",
        "client_secret": "[REDACTED]",
    }
    reference = request(lines.replace("SECRET", '"{{_secret.KEY}}"'))["auth_config"]
    assert reference == {"client_id": "me", "client_secret": "{{_secret.KEY}}"}
