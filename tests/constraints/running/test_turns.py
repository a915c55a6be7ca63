"""Claims, leases, the sweeper, cancelling: a turn happens once, whatever happens to workers and messages."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import strip_tags
from kombu.exceptions import OperationalError as BrokerError

from abl.expressions.budget import TURN
from constraints.conversations import services
from constraints.models import Conversation, ProcessValue, TraceEvent, Turn
from constraints.running import changes
from constraints.running.leases import Lease, LeaseLost
from constraints.running.runner import Outcome, TurnProblem
from constraints.running.stops import place_of
from tests.constraints.conftest import AGENT, Runner, event
from web.errors import Conflict, Invalid

pytestmark = pytest.mark.django_db


def reload(turn):
    turn.refresh_from_db()
    return turn


def expire(turn):
    """As if the worker had been silent for too long."""
    Turn.objects.filter(pk=turn.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


class TestRunning:
    def test_it_writes_replies_events_and_facts_once(self, start, runner):
        assert services.turn_run(turn_id=start.pk, runner=runner) == "done"
        reload(start)
        assert start.replies == ["Hello"]
        assert start.attempt == 1
        assert list(start.events.values_list("seq", "parent", "depth")) == [(1, None, 0), (2, 1, 1)]
        assert runner.facts_committed == 1

    def test_a_repeated_message_does_nothing(self, start, runner):
        services.turn_run(turn_id=start.pk, runner=runner)
        assert services.turn_run(turn_id=start.pk, runner=runner) is None
        assert len(runner.tasks) == 1

    def test_it_goes_on_from_the_turn_before(self, start, say, runner):
        services.turn_run(turn_id=start.pk, runner=runner)
        turn = say()
        services.turn_run(turn_id=turn.pk, runner=runner)
        assert runner.tasks[1].before == start
        assert list(turn.events.values_list("seq", flat=True)) == [3, 4]

    def test_a_later_turn_waits_for_the_earlier_ones(
        self, start, say, runner, sent, django_capture_on_commit_callbacks
    ):
        later = say()
        assert services.turn_run(turn_id=later.pk, runner=runner) is None
        with django_capture_on_commit_callbacks(execute=True):
            services.turn_run(turn_id=start.pk, runner=runner)
        assert sent == [later.pk]
        assert services.turn_run(turn_id=later.pk, runner=runner) == "done"

    def test_a_message_in_a_conversation_that_never_started_fails_with_words(self, start, say, runner):
        services.turn_cancel(turn=start)
        turn = say()
        assert services.turn_run(turn_id=turn.pk) == "failed"
        assert "failed to start" in reload(turn).error["message"]

    def test_a_turn_that_computes_too_much_fails_and_says_what_ran_out(self, start, monkeypatch):
        monkeypatch.setattr("constraints.running.runner.TURN", replace(TURN, operations=1))
        assert services.turn_run(turn_id=start.pk) == "failed"
        error = reload(start).error
        assert (error["code"], error["what"], error["limit"]) == ("budget-exceeded", "operations", 1)
        assert error["message"].startswith("The turn was stopped: ")
        assert error["at"]["agent"] == "Lending_Desk"
        assert error["last_events"]
        assert start.attempt == 1

    def test_a_turn_whose_guard_takes_too_much_says_which_rule_it_was(self, start):
        condition = "open_loans + requested == 5"
        guard = event(
            3,
            kind="constraint",
            status="error",
            step="ask",
            span={"start": {"line": 25}},
            data={"path": "CONSTRAINTS.lending[0]", "condition_text": condition, "exceeded": {"what": "operations"}},
        )

        def run(task):
            task.on_event(event(1, kind="turn.start"))
            task.on_event(event(2, step="ask"))
            task.on_event(guard)
            raise TurnProblem("budget-exceeded", "Too much", what="operations", limit=1)

        assert services.turn_run(turn_id=start.pk, runner=run) == "failed"
        error = reload(start).error
        assert error["at"] == {
            "agent": "Lending_Desk",
            "step": "ask",
            "rule": "CONSTRAINTS.lending[0]",
            "expression": condition,
            "event": "Constraint",
            "span": {"start": {"line": 25}},
        }
        assert [each["kind"] for each in error["last_events"]] == ["turn.start", "log", "constraint"]
        assert "data" not in str(error["last_events"]), "no value of the turn is kept"
        page = " ".join(strip_tags(render_to_string("constraints/_stopped_at.html", {"error": error})).split())
        assert f"rule CONSTRAINTS.lending[0] in step ask of Lending_Desk, while evaluating {condition}." in page
        assert f"Last steps: {error['last_events'][0]['name']}, " in page
        assert not start.events.exists()

    def test_a_real_guard_that_takes_too_much_is_named_and_the_next_turn_counts_on(self, start, say, monkeypatch):
        condition = 'REPEAT("a", 50000) != "b"'
        text = AGENT.replace("open_loans + requested <= 5", condition)
        monkeypatch.setattr("constraints.running.programs.texts_of", lambda pins: {"desk.agent.abl": text})
        monkeypatch.setattr("constraints.running.runner.TURN", replace(TURN, characters=20_000))
        assert services.turn_run(turn_id=start.pk) == "done"
        turn = say("3")
        assert services.turn_run(turn_id=turn.pk) == "failed"
        error = reload(turn).error
        assert (error["code"], error["what"]) == ("budget-exceeded", "characters")
        assert condition in error["at"]["expression"]
        assert error["at"]["step"] == "ask"
        assert error["at"]["rule"]
        assert error["at"]["span"]
        monkeypatch.setattr("constraints.running.runner.TURN", TURN)
        after = say("3")
        assert services.turn_run(turn_id=after.pk) == "done"
        seqs = list(TraceEvent.objects.values_list("seq", flat=True).order_by("seq"))
        assert seqs == list(range(1, len(seqs) + 1))

    def test_a_text_that_takes_too_much_is_named_by_what_the_runtime_recorded(self):
        why = "the budget ran out: it computes longer than 5 s"
        told = event(2, kind="error", status="error", data={"code": "RUN016", "message": f"{{{{a: b}}}}: {why}"})
        assert place_of([event(1), told, event(3)], why)["at"]["expression"] == "{{a: b}}"
        assert place_of([]) == {}

    def test_a_turn_out_of_time_says_where_it_was(self, start, settings):
        def run(task):
            task.on_event(event(1, kind="turn.start"))
            task.on_event(event(2, step="ask"))
            task.poll.__self__.until = 0.0
            task.poll()

        assert services.turn_run(turn_id=start.pk, runner=run) == "failed"
        error = reload(start).error
        assert (error["code"], error["at"]["step"]) == ("time-exceeded", "ask")
        assert "expression" not in error["at"]

    def test_a_problem_of_the_agents_is_the_error_of_the_turn_and_nothing_is_kept(self, start):
        def during(task):
            raise TurnProblem("not-runnable", "Line 3 says nothing")

        runner = Runner(during=during)
        assert services.turn_run(turn_id=start.pk, runner=runner) == "failed"
        assert reload(start).error == {"code": "not-runnable", "message": "Line 3 says nothing"}
        assert not start.events.exists()
        assert runner.facts_committed == 0

    def test_a_crash_ends_the_turn_and_the_next_one_may_run(self, start, say, sent, django_capture_on_commit_callbacks):
        def during(task):
            raise ZeroDivisionError

        later = say()
        with django_capture_on_commit_callbacks(execute=True):
            services.turn_run(turn_id=start.pk, runner=Runner(during=during))
        assert reload(start).error["code"] == "internal"
        assert sent == [later.pk]

    def test_a_session_that_ended_takes_no_more_messages(self, conversation, start, say):
        services.turn_run(turn_id=start.pk, runner=Runner(ended=True))
        conversation.refresh_from_db()
        assert conversation.state == Conversation.State.ENDED
        with pytest.raises(Conflict, match="has ended"):
            say()

    def test_events_of_a_long_turn_are_visible_while_it_runs(self, start):
        seen = []

        def during(task):
            task.on_event.__self__.flush()
            seen.extend(TraceEvent.objects.filter(turn=start).values_list("seq", flat=True))

        services.turn_run(turn_id=start.pk, runner=Runner(during=during))
        assert seen == [1]
        assert start.events.count() == 2

    def test_an_event_completed_after_it_was_written_is_written_again(self, start):
        def during(task):
            log = task.on_event.__self__
            log.flush()
            first = log._written[0][0]
            first["duration_us"], first["data"] = 42, {"outcome": "passed"}

        services.turn_run(turn_id=start.pk, runner=Runner(during=during))
        written = start.events.get(seq=1)
        assert (written.duration_us, written.data) == (42, {"outcome": "passed"})
        assert written.version == reload(start).version

    def test_a_message_that_gave_a_sensitive_value_is_kept_masked(self, monkeypatch, start, say):
        text = AGENT.replace("        type: number\n", "        type: number\n        sensitive: true\n")
        monkeypatch.setattr("constraints.running.programs.texts_of", lambda pins: {"desk.agent.abl": text})
        services.turn_run(turn_id=start.pk)
        turn = say("778899")
        services.turn_run(turn_id=turn.pk)
        assert reload(turn).status == "done", turn.error
        assert turn.input == {"text": "[REDACTED]"}

    def test_only_facts_that_are_there_count_as_recalled(self, start):
        def run(task):
            task.on_event(event(1, kind="recall"))
            task.on_event(event(2, parent=1, kind="fact.read"))
            task.on_event(event(3, kind="recall"))
            task.on_event(event(4, kind="fact.read"))
            return Outcome(replies=[], snapshot={"seq": 4}, number=1)

        services.turn_run(turn_id=start.pk, runner=run)
        assert reload(start).tally == {"recalled": 1}

    def test_values_of_the_process_are_kept_for_the_next_conversation(self, project, start, monkeypatch):
        class Keeping(Runner):
            def __call__(self, task):
                from dataclasses import replace

                return replace(super().__call__(task), process_values={"Lending_Desk.seen": 3})

        services.turn_run(turn_id=start.pk, runner=Keeping())
        assert ProcessValue.objects.get(project=project, agent="Lending_Desk", name="seen").value == 3


class TestTakingOver:
    def test_the_sweeper_queues_the_turn_of_a_dead_worker_and_the_new_attempt_replaces_its_events(self, start, runner):
        first = services.turn_claim(turn_id=start.pk, worker="dead:1")
        TraceEvent.objects.create(
            conversation=start.conversation, turn=start, attempt=1, seq=1, kind="log", status="ok", at=timezone.now()
        )
        expire(first)
        assert services.turn_sweep() == 1
        assert reload(start).status == Turn.Status.QUEUED
        services.turn_run(turn_id=start.pk, runner=runner)
        assert set(start.events.values_list("attempt", flat=True)) == {2}
        assert runner.facts_committed == 1

    def test_a_living_lease_is_left_alone(self, start):
        services.turn_claim(turn_id=start.pk)
        assert services.turn_sweep() == 0

    def test_whoever_lost_the_lease_keeps_nothing(self, start, runner):
        other = Runner(replies=["from the second worker"])

        def during(task):
            expire(start)
            services.turn_sweep()
            services.turn_run(turn_id=start.pk, worker="second:2", runner=other)

        slow = Runner(replies=["from the first worker"], during=during)
        services.turn_run(turn_id=start.pk, worker="first:1", runner=slow)
        assert reload(start).replies == ["from the second worker"]
        assert (slow.facts_committed, other.facts_committed) == (0, 1)
        assert set(start.events.values_list("attempt", flat=True)) == {2}

    def test_it_is_given_up_after_the_last_attempt_with_a_reason(self, start, settings):
        for _ in range(settings.TURN_MAX_ATTEMPTS):
            expire(services.turn_claim(turn_id=start.pk))
            services.turn_sweep()
        assert reload(start).status == Turn.Status.FAILED
        assert start.error["code"] == "worker-lost"

    def test_a_turn_somebody_cancelled_is_not_given_to_another_worker(self, start):
        claimed = services.turn_claim(turn_id=start.pk)
        services.turn_cancel(turn=claimed)
        expire(claimed)
        services.turn_sweep()
        assert reload(start).status == Turn.Status.CANCELLED

    def test_a_lost_message_is_sent_again_but_not_at_once(self, start, sent):
        assert services.turn_sweep() == 0
        Turn.objects.update(enqueued_at=timezone.now() - timedelta(seconds=3))
        assert services.turn_sweep() == 1
        assert services.turn_sweep() == 0
        assert sent == [start.pk]

    def test_a_turn_behind_an_unfinished_one_is_not_sent(self, start, say, sent):
        say()
        Turn.objects.update(enqueued_at=timezone.now() - timedelta(seconds=3))
        services.turn_sweep()
        assert sent == [start.pk]

    def test_a_lease_is_renewed_while_the_work_goes_on(self, start, settings):
        claimed = services.turn_claim(turn_id=start.pk)
        expire(claimed)
        Lease(claimed).renew()
        assert reload(start).lease_until > timezone.now()

    def test_a_lease_of_an_earlier_attempt_cannot_be_renewed(self, start):
        first = services.turn_claim(turn_id=start.pk, worker="first:1")
        expire(first)
        services.turn_sweep()
        services.turn_claim(turn_id=start.pk, worker="second:2")
        lease = Lease(first)
        lease.renew()
        with pytest.raises(LeaseLost):
            lease.check()

    def test_a_database_that_goes_away_leaves_the_turn_to_the_sweeper(self, start):
        def during(task):
            raise OperationalError("server closed the connection")

        with pytest.raises(OperationalError):
            services.turn_run(turn_id=start.pk, runner=Runner(during=during))
        assert reload(start).status == Turn.Status.RUNNING


class TestCancelling:
    def test_a_queued_turn_is_cancelled_at_once(self, start, runner):
        services.turn_cancel(turn=start)
        assert reload(start).status == Turn.Status.CANCELLED
        assert services.turn_run(turn_id=start.pk, runner=runner) is None

    def test_a_running_turn_stops_and_nothing_of_it_is_kept(self, start):
        def during(task):
            services.turn_cancel(turn=start)
            task.on_event.__self__.flush()

        runner = Runner(during=during)
        assert services.turn_run(turn_id=start.pk, runner=runner) == "cancelled"
        assert not start.events.exists()
        assert runner.facts_committed == 0

    def test_cancelling_just_before_the_end_still_keeps_nothing(self, start):
        runner = Runner(events=1, during=lambda task: services.turn_cancel(turn=start))
        assert services.turn_run(turn_id=start.pk, runner=runner) == "cancelled"
        assert runner.facts_committed == 0

    def test_a_finished_turn_cannot_be_cancelled(self, start, runner):
        services.turn_run(turn_id=start.pk, runner=runner)
        with pytest.raises(Conflict, match="has already finished"):
            services.turn_cancel(turn=start)


class TestPosting:
    def test_the_same_message_twice_is_one_turn(self, conversation, start, say):
        assert say(message_id="m-1") == say(message_id="m-1")
        assert conversation.turns.count() == 2

    def test_turns_are_numbered_in_order(self, start, say):
        assert [say().index, say().index] == [1, 2]

    @pytest.mark.parametrize(
        ("kind", "data", "field"),
        [
            ("say", {}, "text"),
            ("say", {"text": "   "}, "text"),
            ("say", {"text": "x" * 20_001}, "text"),
            ("set", {"value": 1}, "name"),
            ("set", {"name": "x", "value": float("nan")}, "value"),
            ("set", {"name": "x", "value": {"a": [float("inf")]}}, "value.a[0]"),
            ("advance", {"by": "2h"}, "by"),
            ("dance", {}, "kind"),
        ],
    )
    def test_bad_input_names_the_field(self, conversation, owner, kind, data, field):
        with pytest.raises(Invalid) as raised:
            services.turn_post(conversation=conversation, author=owner, kind=kind, data=data)
        assert list(raised.value.fields) == [field]
        assert conversation.turns.count() == 1

    @pytest.mark.parametrize(("by", "right"), [("2h", True), ("1 day", False), ("", False), ("-1h", False)])
    def test_time_passes_by_durations_only(self, conversation, owner, by, right):
        conversation.clock_mode, conversation.clock_start = "fixed", timezone.now()
        conversation.save()

        def post():
            return services.turn_post(conversation=conversation, author=owner, kind="advance", data={"by": by})

        if right:
            assert post()[0].input == {"by": by}
        else:
            with pytest.raises(Invalid, match="by"):
                post()

    def test_a_broker_that_is_away_leaves_the_turn_queued(self, monkeypatch, start):
        def refuse(*args, **kwargs):
            raise BrokerError("connection refused")

        monkeypatch.undo()
        monkeypatch.setattr(changes.current_app, "send_task", refuse)
        assert changes.send(start.pk) is False
        assert reload(start).status == Turn.Status.QUEUED


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_with_the_same_message_one_wins(start):
    won, barrier = [], threading.Barrier(6)

    def claim(n):
        try:
            barrier.wait()
            if services.turn_claim(turn_id=start.pk, worker=f"w:{n}"):
                won.append(n)
        finally:
            connection.close()

    threads = [threading.Thread(target=claim, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(won) == 1
    start.refresh_from_db()
    assert (start.attempt, start.worker) == (1, f"w:{won[0]}")


@pytest.mark.django_db(transaction=True)
def test_messages_from_many_people_at_once_get_one_place_each(conversation, owner):
    barrier = threading.Barrier(5)

    def post(n):
        try:
            barrier.wait()
            services.turn_post(conversation=conversation, author=owner, kind="say", data={"text": str(n)})
        finally:
            connection.close()

    threads = [threading.Thread(target=post, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert list(conversation.turns.values_list("index", flat=True)) == [0, 1, 2, 3, 4, 5]


@pytest.mark.django_db(transaction=True)
def test_the_lease_is_kept_from_a_thread_of_its_own(start, settings):
    settings.TURN_LEASE_SECONDS = 0.2
    claimed = services.turn_claim(turn_id=start.pk)
    first = claimed.lease_until
    renewed = threading.Event()
    lease = Lease(claimed)
    original = lease.renew

    def renew():
        original()
        renewed.set()

    lease.renew = renew
    with lease.kept():
        assert renewed.wait(5)
    start.refresh_from_db()
    assert start.lease_until > first
    assert lease.stop is None
