"""Fixes over the whole of an open text, each with what it would change (docs/spec 05 §9, 10 §8)."""

from __future__ import annotations

import pytest

from tests.editor.test_editing import AGENT, post


@pytest.fixture
def client(as_, document):
    return as_("editor")


def test_fixes_over_the_text_tell_places_changes_and_what_they_would_look_like(client):
    text = AGENT.replace("AGENT: Desk", "AGENT: Desk  # 😀")
    text += "    - WHEN: amount > limit\n      STORE: amount -> user.last\n      TTL: 1w\n"
    text += "CONSTRAINTS:\n  - REQUIRE amount < ceiling\n"
    fixes = {fix["title"]: fix for fix in post(client, "bulk_fixes", {"text": text}).json()["fixes"]}
    ttls = fixes["Fix all 2 of ABL346 (bad-ttl)"]
    assert (ttls["kind"], ttls["places"], ttls["more"]) == ("fix_kind", 2, 0)
    assert [(line["sign"], line["text"].strip()) for line in ttls["lines"] if line["sign"] in "-+"] == [
        ("-", "TTL: 90 days"),
        ("+", 'TTL: "90d"'),
        ("-", "TTL: 1w"),
        ("+", 'TTL: "7d"'),
    ]
    units = text.encode("utf-16-le")
    for edit in reversed(ttls["edits"]):
        units = units[: edit["from"] * 2] + edit["insert"].encode("utf-16-le") + units[edit["to"] * 2 :]
    assert units.decode("utf-16-le") == text.replace("90 days", '"90d"').replace("1w", '"7d"')
    declared = fixes["Declare all undeclared names as session variables"]
    assert (declared["kind"], declared["places"]) == ("bulk", 1)
    assert fixes["Fix all problems that have one safe fix"]["places"] >= 2


def test_a_long_preview_is_cut(client):
    text = AGENT + "".join(
        f"    - WHEN: amount > {n}\n      STORE: amount -> user.n{n}\n      TTL: 1w\n" for n in range(99)
    )
    fix = next(f for f in post(client, "bulk_fixes", {"text": text}).json()["fixes"] if "ABL346" in f["title"])
    assert len(fix["lines"]) == 200
    assert fix["more"] > 0
