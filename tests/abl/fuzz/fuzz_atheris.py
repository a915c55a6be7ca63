"""Coverage-guided fuzzing by atheris, which is not among the project's packages (CONTRIBUTING.md says how).

    python tests/abl/fuzz/fuzz_atheris.py FOLDER [-max_total_time=3600 …]

FOLDER gets ``corpus/`` (what reaches something new) and ``findings/`` (a text and its traceback per place that failed);
a finding does not end the run. The other arguments are libFuzzer's.
"""

from __future__ import annotations

import hashlib
import sys
import traceback
from pathlib import Path

import atheris  # type: ignore[import-not-found]

with atheris.instrument_imports(include=["abl"]):
    from abl.syntax import vocabulary
    from tests.abl.fuzz import properties
    from tests.abl.fuzz.corpus import EXPRESSIONS, TEXTS

ON_EXPRESSION = 200  # a first byte from here on: the rest is an expression


def prove(data: bytes) -> None:
    """One input: a first byte that chooses, then UTF-8 of any kind."""
    text = data[1:].decode("utf-8", "surrogateescape")
    if not data:
        return
    if data[0] >= ON_EXPRESSION:
        with properties.in_time(text):
            properties.evaluated(text)
    else:
        properties.survives(text, data[0] * len(text) // ON_EXPRESSION)
        if data[0] % 2:
            properties.survives_changes(text, text[: len(text) // 3] + text[len(text) // 2 :])


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
    for number, text in enumerate(TEXTS):
        (corpus / f"text-{number}").write_bytes(b"\x40" + text.encode())
    for number, text in enumerate(EXPRESSIONS):
        (corpus / f"expression-{number}").write_bytes(b"\xff" + text.encode())
    words = {*vocabulary.SECTIONS, *vocabulary.STEP_DIRECTIVES, *vocabulary.RULE_KEYS, *vocabulary.PERSISTENT_KEYS}
    dictionary = folder / "words.dict"
    dictionary.write_text("".join(f'"{word}: "\n"- {word}: "\n' for word in sorted(words)))

    def one_input(data: bytes) -> None:
        try:
            prove(data)
        except (Exception, RecursionError) as error:
            findings.keep(data, error)

    arguments = [sys.argv[0], str(corpus), f"-dict={dictionary}", "-max_len=3000", "-timeout=60", *sys.argv[2:]]
    atheris.Setup(arguments, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
