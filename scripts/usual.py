"""Learns from the examples and the cases what authors write after what, and writes abl/language/usual.py.

Run it when the examples or cases have changed a lot; ``python -m tests.abl.editing.completion.measured`` tells what
became of completion.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
TARGET: Final = ROOT / "abl" / "language" / "usual.py"
WIDTH: Final = 118
MOST: Final = 8
"""Keys that are kept behind a key."""
MORE: Final = 3.0
"""What an example counts, which is a whole agent, beside the agent of a case."""
LESS: Final = 0.2
"""What a text that shows one thing counts, beside an agent that somebody runs."""
RARE, RARE_PAIR = 1.0, 2.0
"""Contexts that count less are left out."""
Follows = defaultdict[tuple[str, ...], Counter[str]]
BEGIN: Final = "_USUAL: Final = {\n"
END: Final = "\n}\n"
"""The rows stand between these in the module; what is around them is written by hand."""


def learned() -> dict[str, Follows]:
    """By place, behind the key before and the two keys before: what followed, and how often."""
    found: dict[str, Follows] = defaultdict(lambda: defaultdict(Counter))
    for weight, text in texts():
        for block, last, second, word in keys_in(text):
            for context in ((), (last,), (second, last)):
                if "" not in context:
                    found[block][context][word] += weight  # type: ignore[assignment]
    return found


def texts() -> Iterator[tuple[float, str]]:
    """The agents to learn from, with what each counts."""
    from tests.abl.analysis.test_analysis_rules import ALL_CASES, files_of
    from tests.abl.editing.completion.measured import projects
    from tests.abl.fuzz.corpus import TEXTS

    for project in projects():
        weight = MORE if (ROOT / "examples" / project.name).is_dir() else 1.0
        yield from ((weight, text) for text in project.files.values())
    yield from ((LESS, text) for text in TEXTS)
    for _, case in ALL_CASES:
        if not case["expect"]:
            yield from ((LESS, text) for path, text in files_of(case).items() if path.endswith(".abl"))


def keys_in(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Every key of a text: its place, the two keys before it, and the key."""
    from abl.editing.completion.ordering import before_of
    from abl.editing.place import place_at, read_line
    from abl.source import Source
    from tests.abl.editing.completion.measured import key_tokens

    source = Source(text)
    for start, word in key_tokens(text):
        number = source.position(start).line
        line = source.line_text(number)
        here = read_line(line)
        before = line[: start - source.line_starts[number - 1]]
        if before.strip(" -"):
            continue  # within braces
        block = place_at(source, number, here.indent, here.item).block
        if not is_offered(block, word):
            continue
        found = before_of(source, number, before, block)
        yield block, found.last, found.second, word.upper()


def is_offered(place: str, word: str) -> bool:
    """True for what completion offers at a place; names of authors and misspelt words are not learned."""
    from abl.language import SECTIONS, offered_keys
    from abl.syntax import vocabulary

    if place in ("agent", "profile"):
        return word.upper() in {*SECTIONS, *vocabulary.HEADERS}
    if place in ("rule", "rules") and word.upper() in vocabulary.RULE_KINDS:
        return True
    return word.upper() in {key.upper() for key in offered_keys(place)}


def rows(follows: Follows) -> Iterator[str]:
    """The rows of a place; of a pair of keys only where it says something else than the last key alone."""
    for context in sorted(follows, key=lambda context: (len(context), context)):
        usual = [word for word, _ in follows[context].most_common(MOST)]
        rare = follows[context].total() < (RARE_PAIR if len(context) == 2 else RARE)
        alone = [word for word, _ in follows[context[-1:]].most_common(3)]
        if not rare and not (len(context) == 2 and usual[:3] == alone[: len(usual[:3])]):
            row = f"{' '.join(context)}: {' '.join(usual)}"
            yield row if len(row) <= WIDTH else row[: row.rindex(" ", 0, WIDTH)]


def packed(rows: list[str]) -> Iterator[str]:
    """As many rows in a line as have room."""
    line = ""
    for row in rows:
        if line and len(line) + len(row) + 2 > WIDTH:
            yield line
            line = ""
        line = f"{line}; {row}" if line else row
    yield line


def main() -> None:
    """Write the table."""
    lines: list[str] = []
    for place, follows in sorted(learned().items()):
        written = list(rows(follows))
        if place and len(written) > 1:
            lines += [f'    "{place}": """', *packed(written), '""",']
    module = TARGET.read_text(encoding="utf-8")
    head, _, rest = module.partition(BEGIN)
    TARGET.write_text(head + BEGIN + "\n".join(lines) + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
