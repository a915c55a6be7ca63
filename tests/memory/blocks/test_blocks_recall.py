"""Recall: archival lines ranked by BM25 over stemmed, folded words, over HTTP and on its own (docs/spec 11 §1)."""

from __future__ import annotations

from datetime import timedelta
from time import process_time

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from editor import services as editing
from memory.blocks.ranking import ranked
from memory.blocks.services import block_put
from memory.models import Block

RECALL = "/api/v1/memory/recall"
ACME = "- Acme renewal: CFO wants pricing options before the May 12 exec review."
GLOBEX = "- Globex implementation: legal approved the DPA on 2026-04-18."
LINES = [ACME, GLOBEX, "- Acme contract is signed.", "- Café Müller opens at nine.", "- Runs with the dogs on Sundays"]


@pytest.fixture
def user(people):
    return people["viewer"]


@pytest.fixture
def keep(project, user):
    """Write an archival block of the user, or of the user with an agent."""

    def write(*lines, agent_id="", owner=user.username):
        block, _ = block_put(
            project=project,
            owner=owner,
            block_type="archival",
            content="\n".join(lines),
            expected=None,
            agent_id=agent_id,
        )
        return block

    return write


@pytest.fixture
def recall(project, user):
    """Ask as the user: a body, or its fields."""
    _, secret = editing.token_create(project=project, user=user, name="")

    def ask(query="", tail="", **body):
        given = {"query": query, **body}
        headers = {"authorization": f"Bearer {secret}"}
        return Client().post(RECALL + tail, given, content_type="application/json", headers=headers)

    return ask


def found(answer):
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def test_a_match_names_its_line_and_block(keep, recall):
    block = keep("# Notes", "", *LINES)
    best = found(recall("Acme renewal"))[0]
    assert {**best, "score": None} == {
        "content": ACME,
        "score": None,
        "block_type": "archival",
        "scope": "user",
        "agent_id": None,
        "line_number": 3,
        "updated_at": block.updated_at.isoformat(timespec="microseconds"),
    }
    assert 0 < best["score"] <= 1


def test_the_best_line_comes_first_and_others_are_left_out(keep, recall):
    keep(*LINES)
    matches = found(recall("Acme renewal"))
    assert [match["content"] for match in matches] == [ACME, "- Acme contract is signed."]
    assert matches[0]["score"] > matches[1]["score"]


@pytest.mark.parametrize("tail", ["", "/"])
def test_recall_works_with_and_without_a_final_slash(keep, recall, tail):
    keep(*LINES)
    assert len(found(recall("globex", tail=tail))) == 1


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("approving", GLOBEX),
        ("renewals", ACME),
        ("dog running", "- Runs with the dogs on Sundays"),
        ("cafe muller", "- Café Müller opens at nine."),
        ("CAFÉ", "- Café Müller opens at nine."),
        ("when does the café open?", "- Café Müller opens at nine."),
        ("2026-04-18", GLOBEX),
    ],
)
def test_words_are_stemmed_and_diacritics_folded(keep, recall, query, line):
    keep(*LINES)
    assert found(recall(query))[0]["content"] == line


def test_part_of_a_word_is_no_match(keep, recall):
    keep("- The carpet is red", "- A scar on the left")
    assert found(recall("car")) == []


def test_lines_of_an_agent_are_found_only_when_it_is_named(keep, recall):
    keep("- Acme pays late")
    keep("- Acme prefers mail", agent_id="agent_records")
    keep("- Acme is a client", agent_id="agent_emails")
    assert [m["scope"] for m in found(recall("acme"))] == ["user"]
    assert [m["scope"] for m in found(recall("acme", agent_id=None))] == ["user"]
    both = found(recall("acme", agent_id="agent_records"))
    assert {(m["scope"], m["agent_id"]) for m in both} == {("user", None), ("agent", "agent_records")}


def test_core_blocks_and_those_of_others_are_never_found(keep, recall, project, user):
    block_put(project=project, owner=user.username, block_type="core", content="- Acme", expected=None)
    keep("- Acme of somebody else", owner="somebody")
    assert found(recall("acme")) == []


def test_ties_go_to_the_newest_block_then_to_the_earlier_line(keep, recall, project, user):
    old = keep("- same words", "- other", "- same words")
    keep("- same words", agent_id="a")
    places = [(m["scope"], m["line_number"]) for m in found(recall("same words", agent_id="a"))]
    assert places == [("agent", 1), ("user", 1), ("user", 3)]
    Block.objects.filter(pk=old.pk).update(updated_at=old.updated_at + timedelta(hours=1))
    places = [(m["scope"], m["line_number"]) for m in found(recall("same words", agent_id="a"))]
    assert places == [("user", 1), ("user", 3), ("agent", 1)]


def test_limit_and_min_score_cut_from_below(keep, recall):
    keep(*(f"- acme {'renewal ' * (n % 3)}number {n}" for n in range(30)))
    assert len(found(recall("acme renewal"))) == 10
    everything = found(recall("acme renewal", limit=100))
    assert [m["score"] for m in everything] == sorted((m["score"] for m in everything), reverse=True)
    assert found(recall("acme renewal", limit=3)) == everything[:3]
    bound = everything[12]["score"]
    kept = found(recall("acme renewal", limit=100, min_score=bound))
    assert kept == [m for m in everything if m["score"] >= bound]
    assert len(kept) < len(everything)
    assert found(recall("acme", min_score=1)) == []
    assert found(recall("acme renewal", limit=100, min_score=0)) == everything


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"query": ""}, "query"), ({"query": " \n\t"}, "query"), ({"query": None}, "query"), ({"query": 5}, "query"),
        ({"query": "x" * 20_001}, "query"), ({"query": "x\x00"}, "query"), ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"), ({"limit": -1}, "limit"), ({"limit": "many"}, "limit"), ({"limit": 1.5}, "limit"),
        ({"limit": None}, "limit"), ({"min_score": 1.01}, "min_score"), ({"min_score": -0.1}, "min_score"),
        ({"min_score": "nan"}, "min_score"), ({"agent_id": 5}, "agent_id"), ({"agent_id": "a" * 201}, "agent_id"),
    ],
)  # fmt: skip
def test_bad_input_is_named(recall, body, field):
    answer = recall(**{"query": "acme", **body})
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert list(answer.json()["fields"]) == [field]


def test_a_body_without_a_query_is_bad_input(project, user, recall):
    _, secret = editing.token_create(project=project, user=user, name="")
    answer = Client().post(RECALL, {}, content_type="application/json", headers={"authorization": f"Bearer {secret}"})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["query"])


HOSTILE = [
    '"', '"acme', "acme OR", "NEAR(acme renewal)", "acme*", "text: acme", "^acme", "-acme", "acme AND (",
    "'; DROP TABLE x",
    "{acme}", "line MATCH acme", "a" * 20_000, "acme " * 4_000, "\\", "%", "_", "acme\nrenewal", "ACME\u0301",
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE)
def test_a_hostile_query_is_only_words(keep, recall, query):
    keep(*LINES)
    matches = found(recall(query))
    assert bool(matches) == ("acme" in query.lower())


@pytest.mark.parametrize("query", ["🙂", "!?…", "—", "«»", "\u200b", "().*"])
def test_a_query_without_words_finds_nothing(keep, recall, query):
    keep(*LINES, "- 🙂 !? —")
    assert found(recall(query)) == []


def test_a_user_without_blocks_gets_no_matches(recall):
    assert found(recall("anything")) == []


def test_a_line_whose_time_has_passed_is_not_found(keep, recall):
    keep(
        "- user.acme: acme (until 2020-01-01 00:00 UTC)",
        "- user.acme: acme (until 2999-01-01 00:00 UTC)",
        "- acme (until 99)",
    )
    assert sorted(m["line_number"] for m in found(recall("acme"))) == [2, 3]


@pytest.mark.parametrize("line", ["running shoes", "- running shoes", "- shoes: running", "ask user.shoes: running"])
def test_a_line_that_a_person_wrote_lasts_whatever_it_ends_with(keep, recall, line):
    keep(f"{line} (until 2020-01-01 00:00 UTC)")
    assert len(found(recall("running"))) == 1


# The ranking alone -------------------------------------------------------------------------------------------------


def test_a_rare_word_counts_more_than_a_common_one():
    lines = ["common"] * 8 + ["rare", "neither"]
    assert ranked(lines, "common rare")[0][0] == 8


def test_a_word_in_every_line_still_counts():
    assert ranked(["acme"], "acme")[0][1] > 0.5
    scores = dict(ranked(["acme acme acme other", "acme other other other"], "acme"))
    assert scores[0] > scores[1] > 0


def test_a_short_line_that_says_it_beats_a_long_one():
    long = "acme " + "and this and that " * 20
    assert ranked([long, "acme"], "acme")[0][0] == 1


def test_a_line_with_all_the_words_beats_one_that_repeats_one_of_them():
    assert ranked(["acme acme acme acme", "acme renewal"], "acme renewal")[0][0] == 1


@pytest.mark.parametrize("times", [1, 2, 3, 30])
def test_a_line_with_all_the_words_goes_before_one_that_says_one_of_them_again_and_again(times):
    lines = ["acme " * times, "Renewal of Acme contract in March", "Globex is signed", "Runs with the dogs"]
    assert [index for index, _ in ranked(lines, "Acme renewal")] == [1, 0]
    assert [index for index, _ in ranked(lines[:2], "Acme renewal")] == [1, 0]


def test_to_say_a_word_again_counts_where_nothing_is_missing():
    (first, _), (second, _) = ranked(["acme and others", "acme and acme"], "acme")
    assert (first, second) == (1, 0)


def test_empty_words_count_only_when_there_is_no_other():
    lines = ["the cat is on the mat", "acme"]
    assert [index for index, _ in ranked(lines, "where is the acme?")] == [1]
    assert [index for index, _ in ranked(lines, "the")] == [0]


@pytest.mark.parametrize(
    ("line", "query"),
    [("我在北京工作", "北京"), ("Straße", "STRASSE"), ("İstanbul", "istanbul"), ("ﬁnal", "final"), ("ภาษาไทย", "ไทย")],
)
def test_words_of_other_writings_are_found(line, query):
    assert [index for index, _ in ranked(["something else", line], query)] == [1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=12), st.text(max_size=60))
def test_whatever_is_asked_the_scores_are_in_order_and_in_bounds(lines, query):
    clean = [line.replace("\0", "").encode("utf-8", "replace").decode() for line in lines]
    matches = ranked(clean, query.encode("utf-8", "replace").decode())
    assert all(0 < score <= 1 for _, score in matches)
    assert [score for _, score in matches] == sorted((score for _, score in matches), reverse=True)
    assert len({index for index, _ in matches}) == len(matches)


def test_a_full_pair_of_blocks_is_ranked_in_a_moment():
    lines = [f"- client {n} of acme renews in {2000 + n}" for n in range(400)]
    ranked(lines, "acme renewal")
    best = min(_seconds(lambda: ranked(lines, "when does acme client 77 renew?")) for _ in range(5))
    assert best < 0.2


def _seconds(work):
    began = process_time()
    work()
    return process_time() - began
