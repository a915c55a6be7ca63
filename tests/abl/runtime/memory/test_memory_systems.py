"""The memory systems in memory (docs/spec 11): compare-and-set, limits, ranking, merging, projections."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from abl.runtime.memory.in_memory import FixedClock
from abl.runtime.memory.ports import BlockRefused, RecordRefused, search
from abl.runtime.memory.ranking import scores, words_of
from abl.runtime.memory.systems_in_memory import MemoryBank, MemoryBlocks, MemoryRecords, merged, projected


def write(blocks, content, expected=None, *, kind="core", scope="user", agent=None):
    return blocks.update(
        "u-1", block_type=kind, content=content, scope=scope, agent=agent, expected_updated_at=expected
    )


def test_a_block_has_the_documented_fields():
    block = write(MemoryBlocks(FixedClock()), "- one")
    assert block.id.startswith("mem_")
    assert (block.block_type, block.scope, block.agent_id, block.content) == ("core", "user", None, "- one")
    assert block.created_at == block.updated_at == "2026-03-01T09:00:00.000000+00:00"


def test_two_quick_writes_never_share_a_stamp():
    blocks = MemoryBlocks(FixedClock())
    stamps = [write(blocks, "0").updated_at]
    for at in range(1, 5):
        stamps.append(write(blocks, str(at), stamps[-1]).updated_at)
    assert len(set(stamps)) == 5
    assert stamps == sorted(stamps)


@pytest.mark.parametrize("how", ["null over a block", "an old stamp", "a stamp without a block"])
def test_a_stamp_that_is_not_the_current_one_conflicts_and_carries_the_current_block(how):
    blocks = MemoryBlocks(FixedClock())
    first = write(blocks, "- one")
    second = write(blocks, "- two", first.updated_at)
    kind, expected = {
        "null over a block": ("core", None),
        "an old stamp": ("core", first.updated_at),
        "a stamp without a block": ("archival", first.updated_at),
    }[how]
    with pytest.raises(BlockRefused) as refused:
        write(blocks, "- three", expected, kind=kind)
    assert refused.value.code == "conflict"
    assert refused.value.current == (second if kind == "core" else None)
    assert blocks.block("u-1", "core").content == "- two"


def test_a_stamp_without_a_zone_is_read_as_utc():
    blocks = MemoryBlocks(FixedClock())
    stamp = write(blocks, "- one").updated_at.removesuffix("+00:00")
    assert write(blocks, "- two", stamp).content == "- two"


def test_of_many_writers_on_one_stamp_exactly_one_wins():
    blocks = MemoryBlocks()
    stamp = write(blocks, "start").updated_at

    def race(number):
        try:
            return write(blocks, str(number), stamp).content
        except BlockRefused:
            return None

    with ThreadPoolExecutor(8) as pool:
        won = [content for content in pool.map(race, range(32)) if content is not None]
    assert won == [blocks.block("u-1", "core").content]


@pytest.mark.parametrize(
    ("kind", "content", "fits"),
    [
        ("core", "x" * 4000, True), ("core", "x" * 4001, False), ("core", "x\n" * 20, True),
        ("core", "x\n\n" * 20, True), ("core", "x\n" * 21, False), ("archival", "x" * 8000, True),
        ("archival", "x" * 8001, False), ("archival", "x\n" * 500, True),
    ],
)  # fmt: skip
def test_limits_are_in_characters_and_for_core_in_lines_that_are_not_blank(kind, content, fits):
    blocks = MemoryBlocks(FixedClock())
    if fits:
        assert write(blocks, content, kind=kind).content == content
        return
    with pytest.raises(BlockRefused) as refused:
        write(blocks, content, kind=kind)
    assert refused.value.code == "over-limit"
    assert blocks.block("u-1", kind) is None


@pytest.mark.parametrize(("kind", "scope"), [("side", "user"), ("core", "team"), ("core", "agent")])
def test_an_unknown_type_or_scope_or_a_missing_agent_is_invalid(kind, scope):
    with pytest.raises(BlockRefused) as refused:
        write(MemoryBlocks(FixedClock()), "x", kind=kind, scope=scope)
    assert refused.value.code == "invalid"


def test_core_gives_the_users_block_and_then_the_agents():
    blocks = MemoryBlocks(FixedClock())
    write(blocks, "- of the agent", scope="agent", agent="Desk")
    assert [b.scope for b in blocks.core("u-1", "Desk")] == ["agent"]
    write(blocks, "- of the user")
    assert [b.scope for b in blocks.core("u-1", "Desk")] == ["user", "agent"]
    assert [b.scope for b in blocks.core("u-1", None)] == ["user"]
    assert blocks.core("u-2", "Desk") == []


def test_recall_ties_go_to_the_newest_block_and_then_to_the_line():
    blocks = MemoryBlocks(FixedClock())
    write(blocks, "tea\ntea", kind="archival")
    write(blocks, "tea\ntea", kind="archival", scope="agent", agent="Desk")
    found = blocks.recall("u-1", "tea", agent="Desk", limit=10, min_score=None)
    assert [(m.scope, m.line_number) for m in found] == [("agent", 1), ("agent", 2), ("user", 1), ("user", 2)]
    assert len(blocks.recall("u-1", "tea", agent="Desk", limit=3, min_score=None)) == 3
    assert blocks.recall("u-1", "tea", agent="Desk", limit=10, min_score=0.9) == []


@pytest.mark.parametrize("query", ["", "  "])
def test_an_empty_query_is_invalid(query):
    with pytest.raises(BlockRefused) as refused:
        MemoryBlocks(FixedClock()).recall("u-1", query, agent=None, limit=10, min_score=None)
    assert refused.value.code == "invalid"


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("Prefers café visits", "cafe"),
        ("renewals in North America", "renewal"),
        ("approved the DPA", "approving"),
        ("two companies", "company"),
    ],
)
def test_words_are_found_whatever_their_accents_and_endings(line, query):
    assert scores([line, "nothing alike"], query)[0] > 0
    assert scores([line, "nothing alike"], query)[1] == 0


def test_a_rare_word_counts_more_than_a_common_one_and_a_part_of_a_word_counts_nothing():
    lines = ["Acme renewal", "Acme contact", "Acme invoice"]
    assert scores(lines, "Acme renewal")[0] > scores(lines, "Acme renewal")[1] > 0
    assert scores(lines, "Ac") == [0, 0, 0]
    assert scores([], "x") == []
    assert words_of("Crème brûlée!") == ["crem", "brule"]


def test_merging_is_deep_for_objects_and_changes_neither_side():
    old, new = {"a": {"b": 1, "c": [1, 2]}, "d": 4}, {"a": {"c": [3]}, "e": 5}
    assert merged(old, new) == {"a": {"b": 1, "c": [3]}, "d": 4, "e": 5}
    assert old == {"a": {"b": 1, "c": [1, 2]}, "d": 4}
    assert merged({"a": {"b": 1}}, {"a": 2}) == {"a": 2}


@pytest.mark.parametrize(
    ("projections", "result"),
    [
        ({"a.b": 1, "d": 1}, {"a": {"b": 1}, "d": 4}),
        ({"a": 1, "a.b": 1}, {"a": {"b": 1, "c": 2}}),
        ({"a.b": 0}, {"a": {"c": 2}, "d": 4}),
        ({"a": 0, "d": 0}, {}),
        ({"no.such": 1}, {}),
    ],
)
def test_projections_take_or_leave_out(projections, result):
    assert projected({"a": {"b": 1, "c": 2}, "d": 4}, projections) == result


@pytest.mark.parametrize("projections", [{"a": 1, "d": 0}, {"a": 2}, {"a": "yes"}])
def test_projections_of_both_kinds_or_of_none_are_invalid(projections):
    with pytest.raises(RecordRefused) as refused:
        projected({"a": 1}, projections)
    assert refused.value.code == "invalid"


def test_records_that_are_shared_show_to_each_session_which_has_its_own_session_meta():
    shared = {"flags": None}
    one = MemoryRecords(shared, session_meta={"metadata": {"channel": "web"}})
    other = MemoryRecords(shared, session_meta={"metadata": {"channel": "voice"}})
    one.set_content("flags", {"beta": True})
    assert other.get_content("flags") == {"beta": True}
    assert other.get_content("sessionMeta", {"metadata.channel": 1}) == {"metadata": {"channel": "voice"}}
    assert other.delete_content("flags") is True
    assert one.get_content("flags") is None
    assert one.delete_content("flags") is False


def test_search_over_any_bank_finds_lines_and_all_of_them_for_an_empty_query():
    bank = MemoryBank()
    bank.write("a", "One\ntwo ONE\nthree")
    assert search(bank, "a", "one") == "One\ntwo ONE"
    assert search(bank, "a", "") == "One\ntwo ONE\nthree"
    assert search(bank, "b", "one") == ""
    assert bank.search("a", "three") == "three"


def test_of_lines_with_the_word_once_the_shorter_one_ranks_higher():
    short, long, other = scores(["the atlas", "the atlas stands beside many large old maps", "nothing"], "atlas")
    assert 0 < long < short < 1
    assert other == 0


def test_a_line_of_average_length_is_not_stretched():
    same, more = scores(["red atlas", "red globe"], "atlas"), scores(["red atlas", "big red globe on legs"], "atlas")
    weight = math.log(2)  # of a word that one of two lines has
    assert same[0] == pytest.approx(weight / (1 + weight), abs=1e-6)
    assert more[0] > same[0]
