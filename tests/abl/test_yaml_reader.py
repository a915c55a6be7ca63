"""YAML of a few lines that would come to billions of values, or to a crash, is refused at once (docs/spec 12 §3)."""

from __future__ import annotations

import time

import pytest
import yaml

import abl
from abl.limits import MAX_YAML_REPEATED
from abl.yaml_reader import UnreadableYaml, compose_yaml, load_yaml


def doubled(levels: int) -> str:
    """Each line holds the one before twice."""
    lines = (f"k{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}}}\n" for n in range(1, levels))
    return "k0: &a0 {x: t}\n" + "".join(lines)


def merged(levels: int) -> str:
    """Each line merges the one before three times."""
    lines = (f"k{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}, *a{n - 1}]}}\n" for n in range(1, levels))
    return "k0: &a0 {x: t, y: t}\n" + "".join(lines)


HARMFUL = {
    "values that double": doubled(40),
    "merges that triple": merged(40),
    "a value that holds itself": "k: &k {x: *k}\n",
    "a list that holds itself": "k: &k [*k]\n",
    "an integer in base 60": f"k: {':'.join(['59'] * 200_000)}\n",
    "a fraction in base 60": f"k: {':'.join(['59'] * 300)}.5\n",
    "an integer of many digits": f"k: {'9' * 10_000}\n",
    "many brackets": "k: " + "[" * 10_000,
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_harmful_text_is_refused_at_once(name):
    began = time.process_time()
    with pytest.raises(UnreadableYaml):
        load_yaml(HARMFUL[name])
    assert time.process_time() - began < 2  # less than 0.2; as PyYAML reads numbers in base 60, 8


@pytest.mark.parametrize("name", HARMFUL)
@pytest.mark.parametrize("path", ["de-DE.locale.yaml", "one.scenario.yaml"])
def test_a_project_with_such_a_file_is_still_checked(name, path):
    files = {path: HARMFUL[name], "a.agent.abl": 'AGENT: A\nGOAL: "Help"\n'}
    began = time.process_time()
    assert abl.check(files)
    abl.complete(files, "a.agent.abl", 2, 3)
    abl.hover(files, path, 1, 1)
    assert time.process_time() - began < 5


def test_aliases_may_repeat_as_much_as_the_bound_says():
    entries = "k: &k [" + "x, " * (MAX_YAML_REPEATED // 2 - 1) + "]\n"
    assert len(load_yaml(f"{entries}a: *k\nb: *k\n")["b"]) == MAX_YAML_REPEATED // 2 - 1
    with pytest.raises(UnreadableYaml, match="repeat more than 10,000 values"):
        load_yaml(f"{entries}a: *k\nb: *k\nc: *k\n")


def test_what_people_write_is_read_as_before():
    text = "order: &o {ask: Which, at: 12:30}\nsame: *o\nmore: {<<: *o, ask: What}\nn: [1, 2.5, 0x10, 2026-03-01]\n"
    assert load_yaml(text) == yaml.safe_load(text)
    assert compose_yaml("") is None
    assert load_yaml("") is None
