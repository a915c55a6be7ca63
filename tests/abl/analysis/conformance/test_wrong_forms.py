"""A list where properties are due, and properties where a list is due, are told at every place of the table.

Each block of the corpus is written in the other form once; somebody has to tell of it, as an error.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from abl import parse
from abl.analysis.check import check
from abl.analysis.conformance.value_forms import takes_either
from abl.analysis.conformance.value_walk import Stood, below, properties
from abl.language import section_value
from abl.source import Source
from abl.syntax.nodes import Block
from abl.syntax.vocabulary import canonical_key
from tests.abl.syntax.test_corpus import cases
from tests.every import each

PATH = "desk.agent.abl"
READ = ("section.FLOW",)
"""A list of steps is read as the steps."""


def in_corpus() -> Iterator[tuple[str, str, str]]:
    """The name of each place and key, with a text in which it is written in the other form."""
    seen = set()
    for case in cases():
        document = parse(str(case.values[0]), PATH)
        for whole in (*document.agents, *document.fragments):
            for section in whole.sections:
                for stood in in_section(document.source, section.keyword, section.block):
                    name = f"{stood.place}.{canonical_key(stood.block.key)}"
                    changed = name not in (*seen, *READ) and in_the_other_form(document.source, stood)
                    if changed:
                        seen.add(name)
                        yield name, *changed


def in_section(source: Source, keyword: str, block: Block | None) -> Iterator[Stood]:
    if block is not None and any(section_value(keyword)):
        yield Stood("section", block, section_value(keyword), True)
        yield from (stood for stood in properties(below(source, keyword, block)) if stood.listed)


def in_the_other_form(source: Source, stood: Stood) -> tuple[str, str] | None:
    """The changed text, and its first changed line; None where both forms may stand."""
    children, value = stood.block.children, stood.value
    if stood.block.value is not None or not children or takes_either(value):
        return None
    first, *others = lines_of(source, children[0], children[-1])
    if children[0].item and children[0].colon and value.lists:
        first, *others = lines_of(source, children[0], children[0])  # of one entry
        changed = [first.replace("- ", "", 1), *(line.removeprefix("  ") for line in others)]
    elif not any(child.item for child in children) and (value.maps or value.named_maps):
        changed = [first.replace(first.lstrip(), f"- {first.lstrip()}"), *(f"  {line}" for line in others)]
    else:
        return None
    start = source.line_starts[source.position(children[0].span.start).line - 1]
    return source.text[:start] + "\n".join(changed) + source.text[children[-1].span.end :], changed[0]


def lines_of(source: Source, first: Block, last: Block) -> list[str]:
    start = source.line_starts[source.position(first.span.start).line - 1]
    return source.text[start : last.span.end].split("\n")


def told(text: str, line: str) -> None:
    report = check({PATH: text})
    starts = [problem.span.start for problem in report.diagnostics if problem.severity in ("error", "warning")]
    before = text.index(f"\n{line}") + 1
    lines = {text.count("\n", 0, start) for start in starts}
    number = text.count("\n", 0, before)
    assert lines & {number - 1, number, number + 1}


@pytest.mark.slow
def test_every_block_in_the_other_form_is_told() -> None:
    known = list(in_corpus())
    assert len(known) > 60
    each([(name, (text, line)) for name, text, line in known], told)
