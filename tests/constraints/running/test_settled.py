"""Sleep-time memory: what a conversation stored reaches its user's memory once, after it has settled."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from constraints import tasks
from constraints.conversations import services
from constraints.models import Conversation, Turn
from constraints.running import sleep_time as settled
from memory.blocks.notes import Note, noted
from memory.blocks.selectors import block_find
from memory.blocks.services import block_put
from memory.facts.services import fact_put
from memory.models import Block, Fact, FactChange
from tests.constraints.conftest import member
from tests.factories import DocumentFactory, ProjectFactory

pytestmark = pytest.mark.django_db

AGENT = """AGENT: Desk
GOAL: "Remember"

MEMORY:
  session:
    - answer
      TYPE: string
    - tier
      TYPE: string
    - secret
      TYPE: string
  persistent:
    - user.tier
      TYPE: string
    - user.secret
      TYPE: string
      SENSITIVE: true
    - project.last_tier
      SCOPE: project
      TYPE: string
    - workflow.tier
      SCOPE: execution_tree
      TYPE: string
    - user.set_by_hand
      TYPE: string
  remember:
    - WHEN: tier IS SET
      STORE: tier -> user.tier
    - WHEN: tier IS SET
      STORE: {tier: tier, length: LENGTH(tier)} -> user.profile
      TTL: "30d"
    - WHEN: tier IS SET
      STORE: tier -> project.last_tier
    - WHEN: tier IS SET
      STORE: tier -> workflow.tier
    - WHEN: secret IS SET
      STORE: secret -> user.secret

FLOW:
  entry_point: ask
  steps:
    - ask

  ask:
    REASONING: false
    GATHER:
      - answer: required
        type: string
        prompt: "Which tier?"
    SET:
      - tier = answer
      - secret = "4471"
      - user.set_by_hand = "by SET"
    RESPOND: "Noted."
    CLEAR: [answer]
    THEN: ask
"""


@pytest.fixture
def project(db):
    found = ProjectFactory(slug="desk")
    DocumentFactory(project=found, path="desk.agent.abl", text=AGENT)
    return found


@pytest.fixture
def talk(project):
    """A conversation of the user u-17 in which these messages were said."""
    owner = member(project, "owner")

    def run(*messages, found=None, **more):
        found = found or services.conversation_start(project=project, started_by=owner, user="u-17", **more)
        for text in messages:
            services.turn_post(conversation=found, author=owner, kind="say", data={"text": text})
        for turn in found.turns.filter(status="queued").order_by("index"):
            assert services.turn_run(turn_id=turn.pk) == "done"
        return found

    return run


@pytest.fixture
def archival(project):
    """The user's archival block, if any."""
    return lambda: block_find(project=project, owner="u-17", block_type="archival")


def pass_time(found, seconds=301):
    """As if the last change of a conversation were so long ago."""
    Conversation.objects.filter(pk=found.pk).update(unsettled_since=timezone.now() - timedelta(seconds=seconds))


def test_a_settled_conversation_leaves_one_line_for_each_fact(talk, archival):
    found = talk("gold")
    pass_time(found)
    assert tasks.settle_conversations() == 1
    lines = archival().content.split("\n")
    ends = Fact.objects.get(path="user.profile").expires_at
    assert lines == [
        "- user.tier: gold",
        f'- user.profile: {{"tier": "gold", "length": 4}} (until {ends:%Y-%m-%d %H:%M} UTC)',
        "- project.last_tier: gold",
    ]


def test_what_is_sensitive_or_ends_with_the_tree_or_was_set_stays_out(talk, archival):
    pass_time(talk("gold"))
    services.conversations_settle()
    assert Fact.objects.filter(path__in=["user.secret", "workflow.tier", "user.set_by_hand"]).count() == 3
    for word in ("secret", "4471", "workflow", "set_by_hand"):
        assert word not in archival().content


def test_it_waits_until_nothing_has_happened_for_the_set_time(talk, archival, settings):
    found = talk("gold")
    assert services.conversations_settle() == 0
    pass_time(found, 299)
    assert services.conversations_settle() == 0
    settings.MEMORY_SETTLE_SECONDS = 250
    assert services.conversations_settle() == 1
    assert archival() is not None


def test_it_waits_while_a_turn_is_under_way(talk, archival, project):
    found = talk("gold")
    turn, _ = services.turn_post(
        conversation=found, author=member(project, "owner"), kind="say", data={"text": "silver"}
    )
    for status in ("queued", "running"):
        Turn.objects.filter(pk=turn.pk).update(status=status)
        pass_time(found)
        assert services.conversations_settle() == 0
    assert archival() is None


def test_a_task_that_is_delivered_twice_writes_once(talk, archival):
    found = talk("gold")
    pass_time(found)
    assert services.conversation_settle(conversation_id=found.pk)
    assert not services.conversation_settle(conversation_id=found.pk)
    assert services.conversations_settle() == 0
    assert archival().version == 1
    assert FactChange.objects.filter(system="block").count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_many_workers_at_once_write_once(talk, archival):
    found = talk("gold")
    pass_time(found)
    ready = threading.Barrier(8)

    def settle(_):
        try:
            connection.ensure_connection()
            ready.wait(30)
            return services.conversation_settle(conversation_id=found.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(settle, range(8)))
    assert done.count(True) == 1
    assert archival().version == 1


def test_a_worker_that_dies_before_the_end_leaves_it_to_be_done(talk, archival, monkeypatch):
    found = talk("gold")
    pass_time(found)

    def dies(**_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(settled, "block_put", dies)
        with pytest.raises(KeyboardInterrupt):
            services.conversation_settle(conversation_id=found.pk)
    assert archival() is None
    assert services.conversation_settle(conversation_id=found.pk)
    assert archival().version == 1


def test_one_that_fails_holds_up_no_other_and_is_tried_later(talk, archival, monkeypatch, project):
    bad, good = talk("gold"), talk("silver", found=None)
    pass_time(bad, 900)
    pass_time(good, 600)
    remember = settled.remember

    def fails(conversation, *more):
        if conversation.pk == bad.pk:
            raise ValueError("cannot")
        remember(conversation, *more)

    monkeypatch.setattr(settled, "remember", fails)
    assert services.conversations_settle() == 1
    assert archival() is not None
    bad.refresh_from_db()
    assert bad.unsettled_since > timezone.now() - timedelta(seconds=60)


def test_a_conversation_that_goes_on_settles_again_with_what_is_new(talk, archival):
    found = talk("gold")
    pass_time(found)
    services.conversations_settle()
    talk("silver", found=found)
    assert services.conversations_settle() == 0
    pass_time(found)
    assert services.conversations_settle() == 1
    assert [line.split(" (")[0] for line in archival().content.split("\n")] == [
        "- user.tier: silver",
        '- user.profile: {"tier": "silver", "length": 6}',
        "- project.last_tier: silver",
    ]


def test_lines_of_others_stay_and_the_same_names_are_replaced(talk, archival, project):
    text = "- Acme renewal is due in May\n\n- user.tier: bronze\n- user.old: x (until 2020-01-01 00:00 UTC)"
    block_put(project=project, owner="u-17", block_type="archival", content=text, expected=None)
    pass_time(talk("gold"))
    services.conversations_settle()
    lines = archival().content.split("\n")
    assert lines[:2] == ["- Acme renewal is due in May", "- user.tier: gold"]
    assert len(lines) == 4


def test_what_a_full_block_cannot_hold_is_the_oldest_and_the_log_says_so(talk, archival, project):
    text = "\n".join(f"- line {n:03}: {'x' * 87}" for n in range(80))
    block_put(project=project, owner="u-17", block_type="archival", content=text, expected=None)
    found = talk("gold")
    pass_time(found)
    services.conversations_settle()
    content = archival().content
    assert len(content) <= 8000
    assert content.startswith("- line 002")
    assert content.endswith("- project.last_tier: gold")
    entry = FactChange.objects.filter(system="block").order_by("-seq")[0]
    assert entry.reason == f"sleep-time memory of conversation {found.number}; 2 oldest lines were dropped to fit"
    assert entry.source["cause"] == "sleep_time"
    assert entry.source["conversation"] == found.number


def test_a_writer_in_between_is_heard(talk, archival, project, monkeypatch):
    block, _ = block_put(project=project, owner="u-17", block_type="archival", content="- first", expected=None)
    pass_time(talk("gold"))
    find = settled.block_find
    between = [block.updated_at]

    def finds(**place):
        found = find(**place)
        if between:
            block_put(**place, content="- first\n- by another", expected=between.pop())
        return found

    monkeypatch.setattr(settled, "block_find", finds)
    assert services.conversations_settle() == 1
    lines = archival().content.split("\n")
    assert lines[:3] == ["- first", "- by another", "- user.tier: gold"]


def test_a_fact_that_is_gone_or_changed_by_then_is_taken_as_it_is(talk, archival, project):
    found = talk("gold")
    Fact.objects.filter(path="user.profile").update(expires_at=timezone.now())
    fact_put(project=project, scope="user", owner="u-17", path="user.tier", value="corrected")
    pass_time(found)
    services.conversations_settle()
    assert archival().content == "- user.tier: corrected\n- project.last_tier: gold"


def test_on_a_clock_of_its_own_the_time_left_counts(talk, archival):
    found = talk("gold", clock_mode="fixed", clock_start=datetime(2020, 1, 1, tzinfo=UTC))
    pass_time(found)
    services.conversations_settle()
    expected = timezone.now() + timedelta(days=30)
    line = next(line for line in archival().content.split("\n") if "profile" in line)
    until = datetime.strptime(line.split("(until ")[1], "%Y-%m-%d %H:%M UTC)").replace(tzinfo=UTC)
    assert abs(until - expected) < timedelta(minutes=5)


def test_a_conversation_that_stored_nothing_writes_nothing(talk, archival):
    found = talk()
    pass_time(found)
    assert services.conversations_settle() == 1
    assert archival() is None
    assert Block.objects.count() == 0


# Lines ---------------------------------------------------------------------------------------------------------------

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("two\nlines  and\tspace", "- a.b: two lines and space"),
        (5, "- a.b: 5"),
        (True, "- a.b: true"),
        (["x", {"y": None}], '- a.b: ["x", {"y": null}]'),
        ("x" * 400, "- a.b: " + "x" * 299 + "…"),
    ],
)
def test_a_note_is_one_line(value, line):
    assert Note("a.b", value).line() == line


def test_the_same_name_twice_is_one_note_the_last():
    assert noted("", [Note("a", 1), Note("b", 2), Note("a", 3)], NOW) == ("- a: 3\n- b: 2", 0)


def test_a_name_that_begins_like_another_is_another():
    assert noted("- user.tier_old: x\n- user.tier: y", [Note("user.tier", "z")], NOW)[0] == (
        "- user.tier_old: x\n- user.tier: z"
    )


def test_more_notes_than_fit_leave_the_newest():
    content, dropped = noted("- first", [Note(f"n{n:03}", "x" * 290) for n in range(60)], NOW)
    assert len(content) <= 8000
    assert content.endswith("- n059: " + "x" * 290)
    assert dropped == 61 - len(content.split("\n"))
