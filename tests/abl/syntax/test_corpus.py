"""Every construct with its expected tree.

A corpus file holds cases: ``=== title``, source, ``---``, tree and findings.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from abl.syntax import parse
from tests.abl.syntax.dump import dump_document
from tests.every import every

CORPUS = Path(__file__).parent.parent / "corpus"


def cases() -> list[pytest.param]:
    found = []
    for path in sorted(CORPUS.glob("*.txt")):
        for case in path.read_text(encoding="utf-8").split("=== ")[1:]:
            title, _, rest = case.partition("\n")
            source, _, expected = rest.partition("\n---\n")
            found.append(pytest.param(source + "\n", expected.strip(), id=f"{path.stem}: {title}"))
    return found


@every((case.id, case.values) for case in cases())
def test_a_source_gives_the_expected_tree_and_findings(source: str, expected: str) -> None:
    assert dump_document(parse(source)) == expected
