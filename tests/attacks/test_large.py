"""What is large already when somebody asks for it: revisions, conversations, traces, uploads, texts for patterns."""

from __future__ import annotations

import io
import threading
import time
import zipfile
from collections.abc import Callable

import httpx
import pytest

from tests.attacks.bounds import LONG, proof
from tests.attacks.people import client_of, conversation, over, populate
from tests.attacks.test_turns import CODES, HELLO, TURN_SECONDS
from tests.attacks.watching import watched
from tests.workbench import Workbench, busyness

pytestmark = [pytest.mark.thorough, pytest.mark.attack]

PAGE_SECONDS = 4.0
"""What a page about something large may take."""
OTHERS_MS = 1_000
LINES = 100_000 if LONG else 20_000

PAIRS: dict[str, tuple[Callable[[int], str], Callable[[int], str]]] = {
    "lines that are all others": (lambda n: lines(n, "a {}"), lambda n: lines(n, "b {}")),
    "lines in the other order": (lambda n: lines(n, "{}"), lambda n: "\n".join(reversed(lines(n, "{}").split("\n")))),
    "two lines again and again": (lambda n: "a\nb\n" * (n // 2), lambda n: "b\na\na\n" * (n // 3)),
    "every second line": (lambda n: lines(n, "{}"), lambda n: "\n".join(lines(n, "{}").split("\n")[::2])),
    "one long line": (lambda n: "a" * 20 * n, lambda n: "ab" * 10 * n),
}


def lines(count: int, form: str) -> str:
    """So many lines that hold their number."""
    return "\n".join(form.format(n) for n in range(count))


@pytest.mark.parametrize("shape", PAIRS)
def test_the_difference_of_two_large_revisions(workbench: Workbench, setup: str, shape: str) -> None:
    before, after = (make(LINES) for make in PAIRS[shape])
    path = f"{list(PAIRS).index(shape)}.agent.abl"
    cookies = populate(workbench, "large", {path: before}, author="editor", normal="viewer")
    with (
        proof(setup, f"a difference of {LINES:,} lines: {shape}") as found,
        client_of(workbench, cookies["author"]) as client,
        client_of(workbench, cookies["normal"]) as normal,
    ):
        saved = client.put(f"/api/v1/projects/large/agents/{path}/", json={"text": after, "base_revision": 1})
        found.is_one_of("saved", saved.status_code, 200, 409)  # 409: by an earlier try
        with watched(workbench, {"/": normal}) as seen:
            times = [fetched(client, f"/p/large/edit/{path}/revisions/2/") for _ in range(3)]
        found.is_one_of("status", times[-1][1], 200)
        found.at_most("the page, best of three", min(each for each, _ in times) / seen.busy, PAGE_SECONDS, "s")
        found.at_most("pages of others, p95", seen.milliseconds("/", 0.95), OTHERS_MS, "ms")
        seen.judge(found)


def fetched(client: httpx.Client, path: str) -> tuple[float, int]:
    """Seconds and status of a page."""
    began = time.perf_counter()
    status = client.get(path).status_code
    return time.perf_counter() - began, status


TURNS, EVENTS = (20_000, 10_000) if LONG else (2_000, 10_000)
LONG_CONVERSATION = """
from constraints.models import Conversation, TraceEvent, Turn
from django.utils import timezone
from editor.models import Project
talk = Conversation.objects.get(project__slug="long", number={number})
now = timezone.now()
Turn.objects.bulk_create((
    Turn(
        conversation=talk, index=n, message_id=str(n), kind="say", input={{"text": "x" * 2_000}}, status="done",
        replies=["y" * 2_000], snapshot={{}}, number=n, started_at=now, finished_at=now,
    )
    for n in range(1, {turns} + 1)
), batch_size=500)
last = talk.turns.get(index={turns})
TraceEvent.objects.bulk_create((
    TraceEvent(
        conversation=talk, turn=last, attempt=1, seq=1_000_000 + n, depth=n % 30,
        parent=1_000_000 + n - 1 if n % 30 else None,
        number={turns}, kind="log", status="ok", at=now, offset_us=n, data={{"message": "z" * 1_000}},
    )
    for n in range({events})
), batch_size=500)
"""


def test_pages_of_a_long_conversation_and_its_trace(workbench: Workbench, setup: str) -> None:
    cookies = populate(workbench, "long", {"hello.agent.abl": HELLO}, author="editor", normal="viewer")
    with (
        proof(setup, f"pages of {TURNS:,} turns and a trace of {EVENTS:,} events") as found,
        client_of(workbench, cookies["author"]) as client,
        client_of(workbench, cookies["normal"]) as normal,
    ):
        talk = conversation(client, "long")
        over(client, talk, 0)
        number = int(talk.rstrip("/").rpartition("/")[2])
        workbench.shell(LONG_CONVERSATION.format(number=number, turns=TURNS, events=EVENTS))
        page = f"/p/long/test/{number}/"
        paths = {
            "the page": page,
            "its trace": f"{page}turns/{TURNS}/events/",
            "its rules": f"{page}turns/{TURNS}/rules/",
            "the list of turns": f"{talk}turns/?page_size=200",
            "events behind all but some": f"{talk}events/?after={1_000_000 + EVENTS - 100}",
            "the list of conversations": "/p/long/test/",
            "the last event": f"{page}events/{1_000_000 + EVENTS - 1}/",
        }
        took: dict[str, tuple[float, int]] = {}
        with watched(workbench, {"/": normal}) as seen:
            for name, path in paths.items():
                took[name] = min(fetched(client, path) for _ in range(2))
        for name, (seconds, status) in took.items():
            found.is_one_of(f"{name}: status", status, 200)
            found.at_most(name, seconds / seen.busy, PAGE_SECONDS, "s")
        found.at_most("pages of others, p95", seen.milliseconds("/", 0.95), OTHERS_MS, "ms")
        seen.judge(found)


def packed(size: int) -> bytes:
    """A document of Word whose text unpacks to so many bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", "<Types/>")
        file.writestr("word/document.xml", "<w:document>" + "a" * size + "</w:document>")
    return out.getvalue()


UPLOADS: dict[str, Callable[[], bytes]] = {
    "packed documents that unpack to 200 MB": lambda: packed(200_000_000),
    "packed documents with 20,000 parts": lambda: many_parts(20_000),
    "PDFs with pages that name each other": lambda: tangled_pdf(3_000),
    "JSON that is nested 1,000,000 deep": lambda: b"[" * 1_000_000,
    "texts that patterns go back in": lambda: b"a" * 4_999_999 + b"!",
    "files a byte too large": lambda: b"a" * 10_000_001,
}


def tangled_pdf(count: int) -> bytes:
    """A PDF with so many groups of pages; each names the next one twice."""
    groups = (
        b"%d 0 obj << /Type /Pages /Kids [%d 0 R %d 0 R] >> endobj\n" % (n, n + 1, n + 1) for n in range(1, count)
    )
    return b"%PDF-1.4\n" + b"".join(groups) + b"trailer << /Root 1 0 R >>\n%%EOF"


def many_parts(count: int) -> bytes:
    """A packed document of so many parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("[Content_Types].xml", "<Types/>")
        for number in range(count):
            file.writestr(f"word/{number}.xml", "")
    return out.getvalue()


@pytest.mark.parametrize("kind", UPLOADS)
def test_eight_uploads_at_once(workbench: Workbench, setup: str, kind: str) -> None:
    cookies = populate(workbench, "uploads", {"hello.agent.abl": HELLO}, hostile="editor", normal="viewer")
    data = UPLOADS[kind]()
    with (
        proof(setup, f"eight uploads: {kind}") as found,
        client_of(workbench, cookies["hostile"]) as hostile,
        client_of(workbench, cookies["normal"]) as normal,
    ):
        session = hostile.get(conversation(hostile, "uploads")).json()["session_id"]
        path, statuses = f"/api/v1/projects/uploads/sessions/{session}/artifacts/", []

        def send() -> None:
            statuses.append(hostile.post(path, files={"file": ("a.docx", data)}, timeout=60).status_code)

        with watched(workbench, {"/": normal}) as seen:
            began = time.monotonic()
            threads = [threading.Thread(target=send) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            took = time.monotonic() - began
        found.is_one_of(
            "answers other than 201, 400, 413 and 429",
            ", ".join(sorted({str(each) for each in statuses} - {"201", "400", "413", "429"})) or "none",
            "none",
        )
        found.at_most("until all are answered", took / seen.busy, 60, "s")
        found.at_most("pages of others, p95", seen.milliseconds("/", 0.95), OTHERS_MS, "ms")
        seen.judge(found)


BACK = "(a+)+$"
PATTERNS = f"""AGENT: Patterns
GOAL: "Read patterns"

FLOW:
  entry_point: ask
  steps: [ask, no]
  ask:
    REASONING: false
    GATHER:
      - word: required
        type: string
        extraction_pattern: "{BACK}"
    CHECK: word matches "(a|aa)+$" OR word matches "(.*a){{20}}b"
    ON_FAIL: no
    RESPOND: "You said {{{{word}}}}."
    CLEAR: [word]
    THEN: ask
  no:
    REASONING: false
    RESPOND: "Not {{{{word}}}}."
    CLEAR: [word]
    THEN: ask
"""
MESSAGES = {
    "one letter": "a" * 19_999 + "!",
    "open tags": "{{" * 10_000,
    "open blocks": "{{#each word}}" * 1_400,
    "digits": "1,1.1 " * 3_300,
    "marks that combine": "e\u0301" * 9_999,
    "backslashes": "\\" * 19_999,
    "spaces": "a" + " " * 19_990 + "b",
    "addresses": "a@a." * 4_999,
}


@pytest.mark.parametrize("shape", MESSAGES)
def test_messages_that_patterns_go_back_in(workbench: Workbench, setup: str, shape: str) -> None:
    agents = {"patterns.agent.abl": PATTERNS, "hello.agent.abl": HELLO}
    cookies = populate(workbench, "patterns", agents, hostile="editor", normal="viewer")
    with (
        proof(setup, f"messages that patterns go back in: {shape}") as found,
        client_of(workbench, cookies["hostile"]) as hostile,
        client_of(workbench, cookies["normal"]) as normal,
    ):
        for entry in ("Patterns", "Hello"):
            talk = conversation(hostile, "patterns", entry=entry)
            over(hostile, talk, 0)
            busy, began = busyness(), time.monotonic()
            with watched(workbench, {"/": normal}) as seen:
                said = hostile.post(f"{talk}turns/", json={"kind": "say", "text": MESSAGES[shape]})
                turn = over(hostile, talk, 1, 30)
                took = time.monotonic() - began
            error = turn.get("error")
            ended = error["code"] if isinstance(error, dict) else turn["status"]
            found.is_one_of(f"{entry}: posted", said.status_code, 202)
            found.is_one_of(f"{entry}: turn", ended, "done", *CODES)
            found.at_most(f"{entry}: the turn", took / busy, TURN_SECONDS, "s")
            found.at_most(f"{entry}: pages of others, p95", seen.milliseconds("/", 0.95), OTHERS_MS, "ms")
            seen.judge(found)
