"""Every ABL sample of the language's reference documents parses without a finding, where they are at hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from abl.syntax import parse

SEEDS = Path(__file__).parents[4] / "shared" / "seeds"
STARTS = re.compile(r"MEMORY:|CONSTRAINTS:|- (REQUIRE|LIMIT|RESTRICT|WARN) |ON_FAIL:|SET:|RESPOND:|TRANSFORM:")


def fenced(text: str) -> list[str]:
    return re.findall(r"```yaml[^\n]*\n(.*?)```", text, re.DOTALL)


def unfenced(text: str) -> list[str]:
    """Runs of lines that begin like ABL and what is indented below them."""
    found: list[str] = []
    run: list[str] = []
    for line in [*text.split("\n"), "end"]:
        prose = "•" in line or re.match(r"  \d\.", line)
        if STARTS.match(line) or (run and not prose and (line.startswith("  ") or not line.strip())):
            run.append(line)
        elif run:
            found.append("\n".join(run))
            run = []
    return found


def snippets() -> list[pytest.param]:
    if not SEEDS.exists():
        return []
    texts = [path.read_text(encoding="utf-8") for path in sorted(SEEDS.glob("00[01]_*.txt"))]
    found = [snippet for text in texts for snippet in (fenced(text) or unfenced(text))]
    return [pytest.param(snippet, id=f"{i}") for i, snippet in enumerate(found)]


@pytest.mark.skipif(not SEEDS.exists(), reason="the reference documents are not at hand")
def test_there_are_samples_of_both_documents():
    assert len(snippets()) > 40


@pytest.mark.parametrize("snippet", snippets())
def test_a_sample_parses_without_a_finding(snippet: str) -> None:
    document = parse(snippet)
    assert [finding.code for finding in document.findings] == []
    assert document.agents or document.fragments
    assert document.unknown == ()
