"""Coverage-guided fuzzing by atheris, which is not among the project's packages (CONTRIBUTING.md says how).

    python tests/abl/fuzz/fuzz_atheris.py FOLDER [-max_total_time=3600 …]

FOLDER gets ``corpus/`` (what reaches something new) and ``findings/`` (a text and its traceback per place that failed);
a finding does not end the run. The other arguments are libFuzzer's.
"""

from __future__ import annotations

import hashlib
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import atheris  # type: ignore[import-not-found]

with atheris.instrument_imports(include=["abl"]):
    from abl.syntax import vocabulary
    from tests.abl.fuzz import properties
    from tests.abl.fuzz.corpus import EXPRESSIONS, TEXTS


def _answered(text: str, at: int) -> None:
    properties.answered(text, at * len(text) // 256)


def _rechecked(text: str, at: int) -> None:
    first = at * len(text) // 256
    properties.rechecked(text[:first] + text[first + 20 :], text)


PROVE: Final[tuple[Callable[[str, int], None], ...]] = (
    *(lambda text, _, prove=prove: prove(text) for prove in properties.ON_DOCUMENTS),
    lambda text, _: properties.mended(text),
    _answered,
    _rechecked,
    *(lambda text, _: properties.evaluated(text),) * 3,  # short, and there is much to them
)
"""What one input is for; each runs one function, so that many inputs run in a second."""

EXPRESSION: Final = len(PROVE) - 1
LONGEST: Final = 400


def prove(data: bytes) -> None:
    """One input: a byte that chooses the function, one for a place, then UTF-8 of any kind."""
    if len(data) < 2:
        return
    text = data[2:].decode("utf-8", "surrogateescape")
    with properties.in_time(text):
        PROVE[data[0] % len(PROVE)](text, data[1])


def seeds() -> Iterator[bytes]:
    """Texts to begin with, the long ones in parts."""
    for number, text in enumerate(TEXTS):
        parts = [text[at : at + LONGEST - 2] for at in range(0, len(text), LONGEST - 2)]
        for at, part in enumerate(parts):
            yield bytes(((number + at) % (len(PROVE) - 3), 128)) + part.encode()
    for text in EXPRESSIONS:
        yield bytes((EXPRESSION, 0)) + text.encode()


class Findings:
    """A folder with one text per place in the code that failed."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder

    def keep(self, data: bytes, error: BaseException) -> None:
        """Write the text and the traceback, unless a shorter one for the same place is there."""
        frames = traceback.extract_tb(error.__traceback__)
        place = "|".join(f"{frame.filename}:{frame.lineno}" for frame in frames[-2:])
        target = self.folder / hashlib.sha256(f"{type(error)}{place}".encode()).hexdigest()[:12]
        if not target.exists() or target.stat().st_size > len(data):
            target.write_bytes(data)
            target.with_suffix(".txt").write_text("".join(traceback.format_exception(error)), "utf-8", "replace")


def main() -> None:
    """Fill the folder and run until libFuzzer ends."""
    folder = Path(sys.argv[1])
    findings = Findings(folder / "findings")
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    words = {*vocabulary.SECTIONS, *vocabulary.STEP_DIRECTIVES, *vocabulary.RULE_KEYS, *vocabulary.PERSISTENT_KEYS}
    dictionary = folder / "words.dict"
    dictionary.write_text("".join(f'"{word}: "\n"- {word}: "\n' for word in sorted(words)))

    def one_input(data: bytes) -> None:
        try:
            prove(data)
        except (Exception, RecursionError) as error:
            findings.keep(data, error)

    arguments = [sys.argv[0], str(corpus), f"-dict={dictionary}", f"-max_len={LONGEST}", "-timeout=60", *sys.argv[2:]]
    atheris.Setup(arguments, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
