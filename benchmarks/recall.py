"""Recall among 1,000,000 archival lines of 10,000 users, on SQLite and PostgreSQL (docs/architecture.md §8).

    python -m benchmarks.recall --users 10000

Bar: 30 ms, also for words that every line of everybody has. Beside it stands the plain way in the same run: all lines
in one full-text table of SQLite, ranked by its ``bm25()``, then narrowed to the user.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from benchmarks import databases

LINES = 100
"""Lines of each user: as many of 80 characters as an archival block holds."""
WIDTH = 79
SAMPLES = 60
BATCH = 200
QUICK = {"users": 40}
_chance = random.Random(11)
TAILS = [" ".join(f"word{_chance.randrange(3000)}" for _ in range(5)) for _ in range(4999)]
"""What lines end with."""
QUERIES = {
    "common word": "customer",
    "two common words": "customer meeting",
    "rare word": "{rare}",
    "common and rare": "customer {rare}",
    "sentence": "Could you tell me when the customer wants the next meeting about {rare}, and who said so?",
    "no match": "zymurgy",
}


def measure(users: int = 10_000) -> dict[str, Any]:
    """``{"sqlite": {...}, "postgresql": {...}}``: milliseconds of a recall by kind of query, median and 95th per cent.

    PostgreSQL is left out, with the reason, where no server answers at ``BENCH_POSTGRES``.
    """
    return {**databases.on_both("recall", "--users", str(users)), "peer_ms": _peer(users)}


def measure_here(users: int) -> dict[str, Any]:
    """The measurements on the configured database, which is filled first."""
    from django.core.management import call_command
    from django.db import connection

    from editor.models import Project

    call_command("migrate", verbosity=0)
    project = Project.objects.create(slug="bench", name="Bench")
    fill(project, users)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "sqlite" else "VACUUM ANALYZE memory_block")
    return {"lines": users * LINES, "ms": recalls(project, users)}


def fill(project: Any, users: int) -> None:
    """An archival block for each user, and one with an agent for every tenth."""
    from django.utils import timezone

    from memory.models import Block

    now = timezone.now()
    for first in range(0, users, BATCH):
        blocks = []
        for user in range(first, min(first + BATCH, users)):
            content = "\n".join(lines_of(user))
            own = {"project": project, "owner": f"u{user}", "block_type": "archival", "content": content}
            blocks.append(Block(**own, scope="user", created_at=now, updated_at=now))
            if user % 10 == 0:
                blocks.append(Block(**own, scope="agent", agent_id="desk", created_at=now, updated_at=now))
        Block.objects.bulk_create(blocks)


def lines_of(user: int) -> Iterator[str]:
    """Lines that all say "customer" and "meeting"; each has a word that no other line has."""
    for number in range(LINES):
        yield f"- customer {rare(user, number)} meeting {TAILS[(user * 31 + number) % len(TAILS)]}"[:WIDTH]


def rare(user: int, number: int) -> str:
    """A word of one line."""
    return f"deal{user}x{number}"


def recalls(project: Any, users: int) -> dict[str, Any]:
    """For each kind of query the median and the 95th per cent over users chosen by chance."""
    from memory.blocks.selectors import recall

    chance = random.Random(7)
    found = {}
    for name, text in QUERIES.items():

        def once(text: str = text) -> None:
            user = chance.randrange(users) // 10 * 10
            query = text.format(rare=rare(user, chance.randrange(LINES)))
            recall(project=project, owner=f"u{user}", query=query, agent_id="desk")

        found[name] = _times(once, SAMPLES)
    return found


def _peer(users: int) -> dict[str, Any]:
    """One full-text table with the lines of everybody."""
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(f"{folder}/peer.sqlite3")) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("CREATE VIRTUAL TABLE line USING fts5(text, owner UNINDEXED, tokenize='porter unicode61')")
        rows = ((line, f"u{user}") for user in range(users) for line in lines_of(user))
        database.executemany("INSERT INTO line VALUES (?, ?)", rows)
        database.commit()
        chance = random.Random(7)
        ask = "SELECT text, bm25(line) FROM line WHERE line MATCH ? AND owner = ? ORDER BY 2 LIMIT 10"

        def once(word: str) -> None:
            database.execute(ask, (word, f"u{chance.randrange(users)}")).fetchall()

        return {
            "common word": _times(lambda: once("customer"), 3)["median"],
            "rare word": _times(lambda: once(rare(1, 1)), 10)["median"],
        }


def _times(work: Callable[[], Any], samples: int) -> dict[str, float]:
    work()
    times = []
    for _ in range(samples):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    times.sort()
    return {"median": round(statistics.median(times), 2), "p95": round(times[int(len(times) * 0.95)], 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--here", action="store_true", help="on the configured database only, which is filled")
    given = parser.parse_args()
    if not given.here:
        print(json.dumps(measure(given.users), indent=2))
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    print(json.dumps(measure_here(given.users)))


if __name__ == "__main__":
    main()
