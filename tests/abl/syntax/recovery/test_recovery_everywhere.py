"""An unreadable line costs one diagnostic, wherever it stands: all else is read as before (docs/spec 01 §10)."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from abl.syntax import nodes, parse
from abl.syntax.incremental.reparse import reparse
from abl.syntax.readers.content import content_of
from tests.abl.syntax.dump import dump_document
from tests.abl.syntax.recovery.test_missing_colons import WHOLE
from tests.abl.syntax.test_corpus import cases
from tests.every import every

JUNK = ["???\n", "what is this\n", "foo: bar\n", "}}\n"]
FOLDER = Path(__file__).parents[4] / "examples"
YAML = """agent: Desk
goal: "Lend books"
tools:
  - name: find
    parameters:
      - name: title
        type: string
    description: "Find a book"
gather:
  title:
    prompt: "Which?"
    type: string
memory:
  session:
    - loans
    - {name: fines, type: number}
  persistent:
    - path: user.branch
      scope: user
  remember:
    - when: "loans IS SET"
      store: "loans -> user.loans"
  recall:
    - on: "session:start"
      action: inject_context
      paths: [user.branch]
constraints:
  always:
    - require: "loans < 5"
      on_fail: "Too many"
    - limit: "fines < 9"
      on_fail: {respond: "Pay first", goto: look}
handoff:
  - to: Clerk
    when: "loans > 3"
flow:
  entry_point: ask
  steps: [ask, look]
  ask:
    reasoning: false
    gather:
      - title: required
        prompt: "Which?"
    on_input:
      - if: "input == 'a'"
        then: look
      - else:
        then: COMPLETE
  look:
    reasoning: false
    set:
      found: "true"
    then: COMPLETE
escalate:
  triggers:
    - when: "fines > 9"
      reason: "Much money"
"""


LISTS = {"keyword form": WHOLE, "YAML form": YAML}
"""Every list that the language has, in each form."""
EXAMPLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("**/*.abl"))}
deep = pytest.mark.parametrize("deep", [False, True], ids=["at the margin", "in the column of the next line"])


def said(document: nodes.Document) -> str:
    """The tree of a document, without its unreadable lines and findings."""
    rows = [row for row in dump_document(document).splitlines() if not row.startswith(("(Unknown", "! "))]
    for agent in (*document.agents, *document.fragments):
        rows += [_content(content_of(section.block)) for section in agent.sections if section.block is not None]
    return "\n".join(rows)


def _content(content: nodes.Content) -> str:
    text = content.text.value if content.text is not None else ""
    below = " ".join(_content(part) for part in (*content.members, *content.items))
    return f"({content.key} {text} {below})"


def inner_lines(text: str) -> set[int]:
    """The lines (from 0) in front of which a line would stand within a text or brackets of several lines."""
    document = parse(text)
    found: set[int] = set()
    for root in document.blocks:
        for block in root.walk():
            if block.value is not None and "\n" in text[slice(*block.value.span)]:
                first, last = (document.source.position(at).line for at in block.value.span)
                found.update(range(first, last + 1 if block.value.style == "pipe" else last))
    return found


def costs_one_finding_anywhere(text: str, deep: bool) -> None:
    """Try an unreadable line in front of every line of a text."""
    rows = text.splitlines(keepends=True)
    document, within = parse(text), inner_lines(text)
    whole = said(document)
    first = next(n for n, row in enumerate(rows) if row.strip() and not row.startswith("#"))
    for number in range(first + 1, len(rows)):
        if number in within or rows[number - 1].rstrip().endswith(("|", "(", "[", "{")):
            continue
        following = next((row for row in rows[number:] if row.strip()), "")
        margin = following[: len(following) - len(following.lstrip())] if deep else ""
        harmed = parse("".join([*rows[:number], f"{margin}???\n", *rows[number:]]))
        assert said(harmed) == whole, f"line {number + 1}: {rows[number]}"
        assert len(harmed.findings) == len(document.findings) + 1, f"line {number + 1}: {rows[number]}"


@pytest.mark.full
@deep
@pytest.mark.parametrize("form", LISTS)
def test_an_unreadable_line_changes_nothing_else(form: str, deep: bool) -> None:
    costs_one_finding_anywhere(LISTS[form], deep)


@pytest.mark.thorough
@deep
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_unreadable_line_changes_nothing_else_in_an_example(name: str, deep: bool) -> None:
    costs_one_finding_anywhere(EXAMPLES[name], deep)


@every((case.id, (case.values[0],)) for case in cases())
def test_a_line_behind_a_construct_leaves_the_sections_after_it_alone(source: str) -> None:
    document = parse(f'{source}}}}}}}\nPERSONA: "Calm"\nLIMITATIONS:\n  - "None"\n')
    holders = [*document.agents, *document.fragments, *(p.content for p in document.profiles if p.content is not None)]
    keywords = {section.keyword for holder in holders for section in holder.sections}
    assert keywords >= {"PERSONA", "LIMITATIONS"} or not holders


@pytest.mark.parametrize("base", LISTS.values(), ids=LISTS)
@pytest.mark.slow
def test_a_document_is_the_same_after_edits_around_unreadable_lines(base: str) -> None:
    random = Random(5)
    for _ in range(8):
        text, document = base, parse(base)
        for _ in range(10):
            rows = text.splitlines(keepends=True)
            at = random.randrange(len(rows))
            if random.random() < 0.6:
                rows.insert(at, " " * random.choice([0, 0, 2, 4]) + random.choice(JUNK))
            else:
                rows[at] = random.choice(["", f"  {rows[at]}", rows[at].replace(":", "", 1)])
            text = "".join(rows)
            document = reparse(document, text)
            assert dump_document(document) == dump_document(parse(text)), text
