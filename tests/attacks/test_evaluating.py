"""``/evaluate/`` for a viewer: expressions that make much of little."""

from __future__ import annotations

import threading
import time

import httpx
import pytest

from tests.attacks.bounds import proof
from tests.attacks.people import client_of, populate
from tests.attacks.watching import watched
from tests.workbench import Workbench

pytestmark = [pytest.mark.thorough, pytest.mark.attack]

TEXT = "a" * 8_000_000
SECONDS = 8.0
"""What a request may take: the five seconds that a computation has, and the way there and back."""


def splits(number: int) -> str:
    """A list of lists of all the characters of ``s``."""
    return "[" + ", ".join(['SPLIT(s, "")'] * number) + "]"


EXPENSIVE: dict[str, dict[str, object]] = {
    "40 SPLITs of 8 MB": {"expression": splits(40), "context": {"s": TEXT}},
    "7,000 SPLITs of 2 MB": {"expression": splits(7_000), "context": {"s": TEXT[:2_000_000]}},
    "40 SPLITs, explained": {"expression": splits(40), "context": {"s": TEXT[:2_000_000]}, "explain": True},
    "a template with a loop of SPLITs": {
        "expression": '{{#each l}}{{LENGTH(SPLIT(REPEAT("a,", 50000), ","))}}{{/each}}',
        "context": {"l": [0] * 100_000},
        "template": True,
    },
    "a template that prints much": {
        "expression": "{{#each l}}{{s}}{{/each}}",
        "context": {"l": [0] * 100_000, "s": TEXT[:90_000]},
        "template": True,
    },
    "a list in a list that is compared": {
        "expression": " OR ".join(["l == m"] * 2_000),
        "context": {"l": [[n] for n in range(100_000)], "m": [[n] for n in range(100_000)]},
    },
    "IN over long lists": {"expression": " OR ".join(["x IN l"] * 5_000), "context": {"x": "z", "l": ["y"] * 300_000}},
    "texts of large values": {
        "expression": "LENGTH(" + " + ".join(['""', *["TO_STRING(l)"] * 90]) + ")",
        "context": {"l": list(range(800_000))},
    },
    "a search in a long text, often": {
        "expression": " OR ".join(['s matches "(a?){50}b"'] * 2_000),
        "context": {"s": TEXT[:4_000_000]},
    },
    "replacements that grow": {
        "expression": "REGEX_REPLACE(" * 30 + "s" + ', "a", "aaaaaaaaaa")' * 30,
        "context": {"s": "a" * 90_000},
    },
    "merged objects": {
        "expression": "OBJECT_MERGE(" + ", ".join(["o"] * 5_000) + ")",
        "context": {"o": {f"k{n}": n for n in range(100_000)}},
    },
    "scores of long names": {
        "expression": " + ".join(['MATCH_SCORE(s, t, "name")'] * 90),
        "context": {"s": "ab " * 340, "t": "ba " * 340},
    },
}


@pytest.mark.parametrize("what", EXPENSIVE)
def test_an_expensive_expression_is_cut(workbench: Workbench, setup: str, what: str) -> None:
    cookies = populate(workbench, "evaluating", viewer="viewer")
    with (
        proof(setup, f"/evaluate/ with {what}") as found,
        client_of(workbench, cookies["viewer"]) as client,
    ):
        with watched(workbench, {"/": client}) as seen:
            began = time.perf_counter()
            status = asked(client, EXPENSIVE[what])
            took = time.perf_counter() - began
        found.is_one_of("status", status, 200, 413, 422)
        found.at_most("time", took / seen.busy, SECONDS, "s")
        seen.judge(found)


def asked(client: httpx.Client, body: dict[str, object]) -> int:
    """The status of the answer; 0 when none comes in half a minute."""
    try:
        return client.post("/api/v1/evaluate/", json=body, timeout=30).status_code
    except httpx.TransportError:
        return 0


def test_many_of_them_at_once_stop_nobody(workbench: Workbench, setup: str) -> None:
    cookies = populate(workbench, "evaluating", viewer="viewer", other="viewer")
    body = EXPENSIVE["a template with a loop of SPLITs"]
    with (
        proof(setup, "20 expensive evaluations of a viewer at once") as found,
        client_of(workbench, cookies["viewer"]) as client,
        client_of(workbench, cookies["other"]) as other,
    ):
        statuses: list[int] = []
        with watched(workbench, {"/": other}) as seen:
            threads = [threading.Thread(target=lambda: statuses.append(asked(client, body))) for _ in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        found.is_one_of("statuses", sorted(set(statuses) - {422, 429}), [])
        found.at_most("a page of somebody else, p95", seen.milliseconds("/", 0.95), 1_000, "ms")
        seen.judge(found)
