"""The snippets of the language's own reference pages have no errors. Skipped where the pages are not at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from abl.analysis import check

SEEDS = Path(__file__).resolve().parents[4] / "shared" / "seeds"
FENCED = re.compile(r"^```yaml[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
STARTS = re.compile(r"(MEMORY|CONSTRAINTS|FLOW|AGENT|SET|RESPOND|ON_FAIL|TRANSFORM):|- (REQUIRE|LIMIT|RESTRICT|WARN) ")


def fenced(text: str) -> Iterator[str]:
    return (match[1] for match in FENCED.finditer(text))


def unfenced(text: str) -> Iterator[str]:
    """Runs of lines that begin like ABL; a line in column 0 that does not begin so ends a run."""
    run: list[str] = []
    for line in [*text.splitlines(), "end"]:
        if STARTS.match(line) or (run and (not line.strip() or line.startswith(" "))):
            run.append(line)
            continue
        if run:
            yield "\n".join(run).rstrip() + "\n"
        run = []


def snippets() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for pattern, read in (("000*", unfenced), ("001*", fenced)):
        for path in SEEDS.glob(pattern):
            found += [(f"{path.name[:3]}-{n}", text) for n, text in enumerate(read(path.read_text(encoding="utf-8")))]
    return found


SNIPPETS = snippets()


@pytest.mark.skipif(not SNIPPETS, reason="the reference pages are not beside this checkout")
def test_the_pages_hold_the_expected_number_of_snippets() -> None:
    assert len(SNIPPETS) >= 40


@pytest.mark.parametrize(("name", "text"), SNIPPETS, ids=[name for name, _ in SNIPPETS])
def test_a_snippet_has_no_error(name: str, text: str) -> None:
    errors = [f"{d.code} {d.message}" for d in check({f"{name}.agent.abl": text}).diagnostics if d.severity == "error"]
    assert errors == [], text
