"""A project with an agent that needs no tool, people of each role, and a runner whose doings a test decides."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection

from constraints.conversations import services
from constraints.models import Conversation, Turn
from constraints.running.runner import Outcome
from editor.models import Membership, User
from tests.factories import DocumentFactory, ProjectFactory, members_of

ROLES = ("owner", "editor", "reviewer", "viewer")
TESTERS = ("owner", "editor", "reviewer")

AGENT = """AGENT: Lending_Desk
GOAL: "Lend books"
PERSONA: "Friendly"

MEMORY:
  session:
    - name: open_loans
      type: number
      initial: 4
    - name: requested
      type: number
  persistent:
    - path: user.branch
      type: string
  remember:
    - WHEN: requested IS SET
      STORE: requested -> user.last_request
      TTL: "30d"

CONSTRAINTS:
  lending:
    - LIMIT open_loans + requested <= 5
      WHEN: requested IS SET
      ON_FAIL: "You may hold 5 items, and you have {{open_loans}}."

FLOW:
  entry_point: ask
  steps:
    - ask

  ask:
    REASONING: false
    GATHER:
      - requested: required
        type: number
    RESPOND: "You asked for {{requested}}."
    THEN: ask
"""


def event(seq, *, parent=None, kind="log", status="ok", data=None, **more):
    """A trace event as the runtime hands it over (docs/spec 12 §4)."""
    return {
        "seq": seq, "parent": parent, "turn": 1, "kind": kind, "at": "2026-03-01T09:00:00.000Z", "duration_us": 0,
        "agent": "Lending_Desk", "step": None, "span": None, "status": status, "data": data or {}, **more,
    }  # fmt: skip


class Runner:
    """Stands for the runtime: emits ``events`` after those of the turn before, then says ``replies``.

    ``during`` is called between two events, where a test lets things go wrong.
    """

    def __init__(self, replies=("Hello",), events=2, during=None, ended=False):
        self.replies, self.count, self.during, self.ended = list(replies), events, during, ended
        self.tasks = []
        self.facts_committed = 0

    def __call__(self, task):
        self.tasks.append(task)
        first = (task.before.snapshot["seq"] if task.before else 0) + 1
        for n in range(self.count):
            task.on_event(event(first + n, parent=first if n else None))
            if n == 0 and self.during:
                self.during(task)
        return Outcome(
            replies=self.replies,
            snapshot={"seq": first + self.count - 1},
            commit_facts=self.commit,
            number=len(self.tasks),
            ended=self.ended,
            clock_at=datetime(2026, 3, 1, 9, tzinfo=UTC),
        )

    def commit(self):
        assert connection.in_atomic_block
        self.facts_committed += 1


@pytest.fixture
def runner():
    return Runner()


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """Ids of the turns that were sent to the broker, which is not there in these tests."""
    ids = []
    monkeypatch.setattr("constraints.running.changes.send", lambda turn_id: ids.append(turn_id) or True)
    monkeypatch.setattr("constraints.running.sweeping.send", lambda turn_id: ids.append(turn_id) or True)
    return ids


@pytest.fixture
def project(db):
    found = ProjectFactory(name="Library", slug="library")
    DocumentFactory(project=found, path="desk.agent.abl", text=AGENT)
    return found


@pytest.fixture
def people(project, owner):
    """User by role; the stranger is an owner elsewhere, anonymous is None."""
    users = {"owner": owner, **members_of(project, ROLES[1:])}
    users["stranger"] = member(ProjectFactory(slug="elsewhere"), "owner", "stranger")
    users["anonymous"] = None
    return users


def member(project, role, username=""):
    """A member without a password: hashing one takes longer than a test, and nobody signs in here."""
    user, _ = User.objects.get_or_create(username=username or role)
    Membership.objects.get_or_create(project=project, user=user, role=role)
    return user


@pytest.fixture
def owner(project):
    return member(project, "owner")


@pytest.fixture
def conversation(project, owner):
    """A conversation whose start is queued."""
    found = Conversation.objects.create(project=project, number=7, user="u-17", started_by=owner, version=1)
    found.pins = {"desk.agent.abl": project.documents.get().head_id}
    found.save()
    Turn.objects.create(conversation=found, index=0, message_id="start", kind="start", version=1)
    return found


@pytest.fixture
def start(conversation):
    """The turn 0 of the conversation."""
    return conversation.turns.get(index=0)


@pytest.fixture
def say(conversation, owner):
    """Posts a message and gives its turn."""

    def post(text="5", message_id=""):
        return services.turn_post(
            conversation=conversation, author=owner, kind="say", data={"text": text}, message_id=message_id
        )[0]

    return post
