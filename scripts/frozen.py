"""Holds what the language says of a corpus against what it said before.

scripts/frozen.py write           put down a digest for each text and aspect, in tests/abl/frozen/digests.txt
scripts/frozen.py check           name the texts and aspects that differ from it (exit 1)
scripts/frozen.py show FOLDER     write what is said of every text to files; two checkouts compare by `diff -r`

Behind `check` and `show` may stand aspects, which is quicker: tokens diagnostics hover completion format events.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.abl.frozen.observed import ASPECTS, corpus, digests, observed  # noqa: E402

DIGESTS = ROOT / "tests/abl/frozen/digests.txt"


def _rows(aspects: Sequence[str] = ASPECTS) -> dict[str, dict[str, str]]:
    return {frozen.name: digests(observed(frozen, aspects)) for frozen in corpus()}


def _write() -> int:
    lines = [" ".join([name, *(row.get(aspect, "-") for aspect in ASPECTS)]) for name, row in _rows().items()]
    DIGESTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def _check(wanted: Sequence[str]) -> int:
    kept = {}
    for line in DIGESTS.read_text(encoding="utf-8").splitlines():
        name, *row = line.split()
        kept[name] = {
            aspect: digest for aspect, digest in zip(ASPECTS, row, strict=True) if digest != "-" and aspect in wanted
        }
    now = _rows(wanted)
    differing = Counter[str]()
    for name in [*kept, *(name for name in now if name not in kept)]:
        one, other = kept.get(name, {}), now.get(name, {})
        aspects = [aspect for aspect in ASPECTS if one.get(aspect) != other.get(aspect)]
        if aspects:
            differing.update(aspects)
            sys.stdout.write(f"{name}: {', '.join(aspects)}\n")
    sys.stdout.write(f"{len(now)} texts, differing: {dict(differing)}\n")
    return 1 if differing else 0


def _show(folder: Path, wanted: Sequence[str]) -> int:
    for frozen in corpus():
        for aspect, said in observed(frozen, wanted).items():
            if said and said != "null":
                path = folder / aspect / frozen.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(said + "\n", encoding="utf-8")
    return 0


def main(arguments: list[str]) -> int:
    """Run one of the commands."""
    match arguments:
        case ["write"]:
            return _write()
        case ["check", *wanted]:
            return _check(wanted or ASPECTS)
        case ["show", folder, *wanted]:
            return _show(Path(folder), wanted or ASPECTS)
    sys.stderr.write(__doc__ or "")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
