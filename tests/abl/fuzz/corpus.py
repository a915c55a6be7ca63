"""Texts to begin with: the examples, the parser's corpus, and the expressions of the cases."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.abl.edits import EXAMPLES

ROOT = Path(__file__).resolve().parents[3]


def _corpus() -> list[str]:
    texts = []
    for path in sorted((ROOT / "tests/abl/corpus").glob("*.txt")):
        for case in re.split(r"(?m)^=== .*\n", path.read_text(encoding="utf-8")):
            text = case.split("\n---\n")[0]
            if text.strip():
                texts.append(text)
    return texts


def _expressions() -> list[str]:
    cases = yaml.safe_load((ROOT / "tests/cases/expressions.yaml").read_text(encoding="utf-8"))
    templates = yaml.safe_load((ROOT / "tests/cases/templates.yaml").read_text(encoding="utf-8"))
    return [case["expr"] for case in cases] + [case["template"] for case in templates]


TEXTS = [*EXAMPLES, *_corpus()]
EXPRESSIONS = _expressions()
