"""The word lists agree with each other."""

from __future__ import annotations

from abl.syntax import vocabulary as v


def test_aliases_lead_to_legal_keys():
    legal = frozenset().union(*v.KEYS_BY_PLACE.values()) | {"SHOW_FIRST", "SHOW_LAST"}
    assert [target for target in v.ALIASES.values() if target not in legal] == []


def test_a_section_is_found_in_any_case_and_by_its_alias():
    assert v.section_keyword("memory") == "MEMORY"
    assert v.section_keyword("FORMATS") == "RICH_CONTENT"
    assert v.section_keyword("USE BEHAVIOR_PROFILE") == "USE_BEHAVIOR_PROFILE"
    assert v.section_keyword("MEMROY") is None


def test_keys_are_canonical():
    assert v.canonical_key("default_value") == "DEFAULT"
    assert v.canonical_key("initial_value") == "INITIAL"
    assert v.canonical_key("maxSize") == "MAXSIZE"
    assert all(key == key.upper() for keys in v.KEYS_BY_PLACE.values() for key in keys)
