"""How often completion offers the word that an author wrote among its first three (docs/spec 12 §1).

Places are those of every key, and of every value out of a closed list, of agents that somebody wrote: the text ends
there, as it does while it is written, with none and with one character of the word. As a program it prints the share,
and the words that are missed most often: ``python -m tests.abl.editing.completion.measured``.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import abl
from abl.editing.place import place_at, read_line
from abl.language import words_at
from abl.source import Source
from tests.abl.fuzz.corpus import ROOT
from tests.abl.runtime.harness import load_cases

FIRST: Final = 3
_KEYS: Final = frozenset({"section", "key"})
_RULES: Final = frozenset({"REQUIRE", "LIMIT", "RESTRICT", "WARN"})


class Project(NamedTuple):
    """A project of realistic agents."""

    name: str
    files: Mapping[str, str]


class Place(NamedTuple):
    """Where a word of the language stands: ``start`` is its offset."""

    project: Project
    path: str
    start: int
    word: str
    kind: str


class Answer(NamedTuple):
    """What was offered first with so many characters typed."""

    place: Place
    typed: int
    first: tuple[str, ...]

    @property
    def right(self) -> bool:
        """The word is among them."""
        return self.place.word.casefold() in (word.casefold() for word in self.first)

    @property
    def context(self) -> str:
        """The key that the word stands below."""
        text = self.place.project.files[self.place.path]
        source = Source(text, self.place.path)
        line = source.position(self.place.start).line
        here = read_line(source.line_text(line))
        return f"{place_at(source, line, here.indent, here.item).block}: {self.place.word}"


def projects() -> Iterator[Project]:
    """The examples, and the agents of the cases of the runtime, each once."""
    for folder in sorted((ROOT / "examples").iterdir()):
        files = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.abl"))}
        yield Project(folder.name, files)
    seen: set[str] = set()
    for name, files, _ in load_cases():
        if not seen.issuperset(files.values()):
            seen.update(files.values())
            yield Project(name, files)


def places(project: Project) -> Iterator[Place]:
    """Every key and every value out of a closed list."""
    for path, text in project.files.items():
        source = Source(text, path)
        for start, word in key_tokens(text):
            yield Place(project, path, start, word, "key")
            value = _value(source, start)
            if value is not None:
                yield Place(project, path, *value, "value")


def key_tokens(text: str) -> Iterator[tuple[int, str]]:
    """Every key and kind of rule in a text, with its place."""
    for start, end, kind in abl.tokens(text):
        word = text[start:end].rstrip(": ")
        if kind in _KEYS or (kind == "kind" and word in _RULES):
            yield start, word


def _value(source: Source, start: int) -> tuple[int, str] | None:
    """The place and the word behind a key, where it is one out of a closed list."""
    number = source.position(start).line
    text = source.line_text(number)
    line = read_line(text)
    head, _, behind = text.partition(":")
    word = behind.strip()
    block = place_at(source, number, line.indent, line.item).block
    if not line.key or start != source.line_starts[number - 1] + line.column or word not in words_at(block, line.key):
        return None
    return source.line_starts[number - 1] + len(head) + 1 + len(behind) - len(behind.lstrip()), word


def answers(place: Place) -> Iterator[Answer]:
    """What is offered where the text ends before the word, and behind its first character."""
    text = place.project.files[place.path]
    for typed in (0, 1):
        cut = text[: place.start + typed]
        line, column = cut.count("\n") + 1, len(cut) - (cut.rfind("\n") + 1) + 1
        offered = abl.complete({**place.project.files, place.path: cut}, place.path, line, column)
        yield Answer(place, typed, tuple([item["label"] for item in offered[:FIRST]]))


def measured(sample: int | None = None) -> list[Answer]:
    """The answers at all places, or at a sample of them that is always the same."""
    found = [place for project in projects() for place in places(project)]
    if sample is not None and sample < len(found):
        found = random.Random(1).sample(found, sample)
    return [answer for place in found for answer in answers(place)]


def share(found: list[Answer]) -> float:
    """The share of the answers that are right."""
    return sum(answer.right for answer in found) / len(found)


def main() -> None:
    """Print the shares and what is missed most often."""
    found = measured(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    for kind in ("key", "value"):
        for typed in (0, 1):
            some = [answer for answer in found if (answer.place.kind, answer.typed) == (kind, typed)]
            print(f"{kind} with {typed} typed: {share(some):.1%} of {len(some)}")
    print(f"together: {share(found):.1%} of {len(found)}")
    missed = Counter((answer.typed, answer.context) for answer in found if not answer.right)
    for (typed, context), count in missed.most_common(40):
        print(f"{count:5}  {typed} typed  {context}")


if __name__ == "__main__":
    main()
