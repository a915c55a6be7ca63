"""The rows of a run as a table: ``python -m tests.attacks.table FILE``. Exit 1 when a bound does not hold.

An attack that was tried again counts with its last try.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

COLUMNS = ("attack", "what", "bound", "measured")
WIDTHS = (58, 44, 22, 40)


def last_tries(lines: list[str]) -> list[dict[str, object]]:
    """Rows in the order of their attacks; of several about the same the last one."""
    rows = [json.loads(line) for line in lines]
    return list({(row["setup"], row["attack"], row["what"]): row for row in rows}.values())


def cut(text: object, width: int) -> str:
    """A text in a column."""
    plain = str(text)
    return (plain if len(plain) <= width else plain[: width - 1] + "…").ljust(width)


def printed(rows: list[dict[str, object]]) -> str:
    """The table, a block for each set-up."""
    lines = []
    for setup in dict.fromkeys(row["setup"] for row in rows):
        lines += ["", f"== {setup}", "      " + "  ".join(map(cut, COLUMNS, WIDTHS))]
        for row in rows:
            if row["setup"] == setup:
                columns = "  ".join(cut(row[name], width) for name, width in zip(COLUMNS, WIDTHS, strict=True))
                lines.append(f"{'ok  ' if row['holds'] else 'FAIL'}  {columns}".rstrip())
    broken = sum(not row["holds"] for row in rows)
    lines += ["", f"{len(rows)} bounds, {broken} of them do not hold." if broken else f"{len(rows)} bounds hold."]
    return "\n".join(lines)


def main(path: str) -> int:
    """Print the rows of a file."""
    rows = last_tries(Path(path).read_text(encoding="utf-8").splitlines())
    print(printed(rows))
    return 1 if not rows or any(not row["holds"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
