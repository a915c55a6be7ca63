"""Made-up requests to every operation of the API, against the running product: no mistake, nothing undescribed."""

from __future__ import annotations

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.workbench import eventually, running

pytestmark = pytest.mark.slow

CASES = 6
"""Made-up requests to each operation."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
PROJECT = "hotel-desk"
KNOWN = {"slug": PROJECT, "name": "booking_desk.agent.abl", "number": 1, "index": 0}
"""Parts of addresses that exist, so that most requests get further than "there is no such project"."""


@pytest.fixture(scope="module")
def workbench(tmp_path_factory):
    with running(tmp_path_factory.mktemp("schema"), {"ABL_API_RATE": "0"}) as found:
        yield found


@pytest.fixture(scope="module")
def token(workbench):
    """A token of the owner of a project that has a conversation."""
    secret = workbench.manage("api_token", "admin", PROJECT).stdout.split()[-1]
    with httpx.Client(base_url=workbench.url, headers={"Authorization": f"Bearer {secret}"}, timeout=30) as client:
        assert client.post(f"/api/v1/projects/{PROJECT}/conversations/", json={}).status_code == 201
        first = f"/api/v1/projects/{PROJECT}/conversations/1/turns/0/"
        eventually(lambda: client.get(first).json()["status"] == "done", 30, "the conversation has begun")
    return secret


def failure_of(operation, token: str) -> str:
    """What is wrong with the answers of an operation to made-up requests; empty when nothing is."""

    @settings(
        max_examples=CASES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def try_it(case) -> None:
        # What is there is needed by the other operations, so nothing of it is deleted.
        known = {"slug": PROJECT} if case.method.upper() == "DELETE" else KNOWN
        for name in known.keys() & (case.path_parameters or {}).keys():
            case.path_parameters[name] = known[name]
        answer = case.call(headers={"Authorization": f"Bearer {token}"}, timeout=60)
        case.validate_response(answer, checks=CHECKS)

    try:
        try_it()
    except (AssertionError, BaseExceptionGroup) as error:
        return str(error)[:1500]
    return ""


def test_every_answer_is_described_and_none_is_a_mistake(workbench, token):
    schema = schemathesis.openapi.from_url(f"{workbench.url}/api/schema/", wait_for_schema=60)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 60
    failures = {operation.label: failure_of(operation, token) for operation in operations}
    assert {label: words for label, words in failures.items() if words} == {}


def test_afterwards_nothing_went_wrong_in_the_log(workbench):
    assert workbench.health()["status"] == "ok"
    assert "Traceback" not in workbench.log
