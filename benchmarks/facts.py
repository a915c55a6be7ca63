"""Facts: a page of 50 among many, compare-and-set by eight writers, and purging beside both, on SQLite and PostgreSQL
(docs/architecture.md §8).

    python -m benchmarks.facts --count 1000000

Bars: a page within 5 ms whatever the filter; no update lost, at least 3,000 writes a second on SQLite and 1,500 on
PostgreSQL; while 100,000 expired facts are purged no writer waits over a second and no reader gets an expired value.
Beside each page stands the same page by OFFSET, in the same run. A write is what the product does: compare, set,
change log with its chain, commit.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks import databases

WRITERS = 8
SECONDS = 4.0
TARGETS = 1000
SAMPLES = 101
PURGED = 100_000
QUICK = {"count": 2_000}

# One fact in ten has expired, one in ten expires within the hour, four in ten never do; 200 facts an owner. One in a
# hundred was written by the rarer of two agents, one in a thousand is declared in a domain of its own.
FILL = """
INSERT INTO memory_fact (project_id, scope, owner, path, domain, tag, agent, value, type, version, written_at,
  expires_at, purged_at, ttl, sensitive, masking, source, virtual_clock, recorded_at)
WITH RECURSIVE numbers(n) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
SELECT {project}, CASE WHEN n % 20 = 0 THEN 'project' WHEN n % 20 = 1 THEN 'execution_tree' ELSE 'user' END,
  CASE WHEN n % 20 = 0 THEN '' ELSE 'u' || (n / 200) END, 'user.f' || (n * 7919 % 1000003) || '.' || n,
  'f' || (n * 7919 % 1000003), CASE WHEN n % 1000 = 0 THEN 'billing' ELSE '' END,
  CASE WHEN n % 100 = 0 THEN 'Rare_Desk' ELSE 'Desk' END, '"gold"', 'string', 1, {now},
  CASE (n / 20) % 10 WHEN 0 THEN {past} WHEN 1 THEN {soon} WHEN 2 THEN {later} WHEN 3 THEN {later} WHEN 4 THEN {later}
    WHEN 5 THEN {later} ELSE NULL END,
  CASE (n / 20) % 10 WHEN 0 THEN {now} ELSE NULL END, '', {no}, '{{}}', '{{}}', {no}, {now} FROM numbers
"""
DUE = """
INSERT INTO memory_fact (project_id, scope, owner, path, domain, tag, agent, value, type, version, written_at,
  expires_at, ttl, sensitive, masking, source, virtual_clock, recorded_at)
WITH RECURSIVE numbers(n) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
SELECT {project}, 'user', 'due', 'user.due.f' || n, 'due', '', '', '"gold"', 'string', 1, {now}, {past}, '1m', {no},
  '{{}}', '{{}}', {no}, {now} FROM numbers
"""
SQLITE = {
    "now": "datetime('now')",
    "past": "datetime('now', '-' || (n % 100000 + 60) || ' seconds')",
    "soon": "datetime('now', '+' || (n % 3500 + 60) || ' seconds')",
    "later": "datetime('now', '+' || (n % 9000000 + 7200) || ' seconds')",
    "no": "0",
}
POSTGRES = {
    "now": "now()",
    "past": "now() - (n % 100000 + 60) * interval '1 second'",
    "soon": "now() + (n % 3500 + 60) * interval '1 second'",
    "later": "now() + (n % 9000000 + 7200) * interval '1 second'",
    "no": "false",
}


def measure(count: int = 1_000_000) -> dict[str, Any]:
    """``{"sqlite": {...}, "postgresql": {...}}``: milliseconds of pages by filter, writes a second, updates lost.

    PostgreSQL is left out, with the reason, where no server answers at ``BENCH_POSTGRES``.
    """
    return databases.on_both("facts", "--count", str(count))


def measure_here(count: int) -> dict[str, Any]:
    """The measurements on the configured database, which is filled first."""
    from django.core.management import call_command
    from django.db import connection

    from editor.models import Project

    call_command("migrate", verbosity=0)
    project = Project.objects.create(slug="bench", name="Bench")
    words = SQLITE if connection.vendor == "sqlite" else POSTGRES
    with connection.cursor() as cursor:
        cursor.execute(FILL.format(count=count, project=project.pk, **words))
        cursor.execute("ANALYZE" if connection.vendor == "sqlite" else "VACUUM ANALYZE memory_fact")
    found = {"facts": count, **writes(project), "page_ms": pages(project, count)}
    return {**found, "purge": purge(project, min(PURGED, count), words)}


def pages(project: Any, count: int) -> dict[str, Any]:
    """Median milliseconds of a first page, of one far on, and of the latter by OFFSET, for each filter."""
    from memory.lists.query import FactQuery

    owner = f"u{count // 400}"
    queries = {
        "all": FactQuery(),
        "all by time left": FactQuery(sort="time"),
        "scope": FactQuery(scope="user"),
        "owner": FactQuery(scope="user", owner=owner),
        "prefix": FactQuery(prefix="user.f5"),
        "below": FactQuery(scope="user", owner=owner, below="user"),
        "scope and prefix": FactQuery(scope="project", prefix="user.f77"),
        "domain": FactQuery(domain="billing"),
        "agent": FactQuery(agent="Rare_Desk"),
        "changed since": FactQuery(since="24h"),
        "live": FactQuery(state="live"),
        "expiring": FactQuery(state="expiring"),
        "expired": FactQuery(scope="user", state="expired"),
        "no expiry": FactQuery(scope="user", state="forever"),
        "owner and live": FactQuery(scope="user", owner=owner, state="live"),
        "agent and expiring": FactQuery(agent="Rare_Desk", state="expiring"),
        "agent by time left": FactQuery(agent="Rare_Desk", sort="time"),
        "domain and expired": FactQuery(domain="billing", state="expired"),
        "owner and expiring": FactQuery(scope="user", owner=owner, state="expiring"),
        "prefix and live": FactQuery(prefix="user.f5", state="live"),
        "domain and agent": FactQuery(domain="billing", agent="Rare_Desk"),
    }
    return {name: _page(project, query) for name, query in queries.items()}


def _page(project: Any, query: Any) -> dict[str, Any]:
    from django.utils import timezone

    from memory.lists.paging import fact_page
    from memory.models import Fact

    now = timezone.now()

    def page(cursor: str) -> Any:
        return fact_page(project=project, query=query, now=now, cursor=cursor)

    cursor, far = "", 0
    while far < 40:
        following = page(cursor).next
        if following is None:
            break
        cursor, far = following, far + 1
    facts = Fact.objects.filter(project=project, scope=query.scope or "user")
    if query.owner:
        facts = facts.filter(owner=query.owner)
    column = "expires_at" if query.sort == "time" or query.state in ("expiring", "expired") else "path"
    offset = min(facts.count() // 2, 100_000)
    return {
        "first": _median(lambda: page("")),
        f"page {far + 1}": _median(lambda: page(cursor)),
        f"peer: OFFSET {offset} in one scope": _median(
            lambda: list(facts.order_by(column, "pk")[offset : offset + 50]), 5
        ),
    }


def _median(work: Callable[[], Any], samples: int = SAMPLES) -> float:
    work()
    times = []
    for _ in range(samples):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return round(statistics.median(times) * 1000, 2)


def writes(project: Any) -> dict[str, Any]:
    """Compare-and-sets a second by eight processes in one project; one in ten goes to a fact that all of them write."""
    from django.db import connection

    from memory.facts.services import fact_put
    from memory.log.chain import first_break
    from memory.models import ChangeHead, Fact, FactChange

    for number in range(TARGETS):
        fact_put(project=project, scope="project", owner="", path=f"project.target{number}", value=0)
    connection.close()
    context = multiprocessing.get_context("spawn")
    start = context.Event()
    results = context.Queue()
    writers = [context.Process(target=_writer, args=(project.pk, n, start, results)) for n in range(WRITERS)]
    for writer in writers:
        writer.start()
    for _ in writers:
        results.get(timeout=60)
    start.set()
    done = [results.get(timeout=SECONDS + 60) for _ in writers]
    for writer in writers:
        writer.join()
    written, refused = (sum(column) for column in zip(*done, strict=True))
    facts = Fact.objects.filter(project=project, path__startswith="project.target")
    kept = sum(fact.value for fact in facts)
    head = ChangeHead.objects.get(project=project)
    log = FactChange.objects.filter(project=project).order_by("seq").iterator()
    return {
        "cas_per_s": round(written / SECONDS),
        "cas_refused_per_s": round(refused / SECONDS),
        "updates_lost": written - kept,
        "log_whole": first_break(log, head_seq=head.seq, head_digest=head.digest) is None,
    }


def _writer(project_id: int, number: int, start: Any, results: Any) -> None:
    import django

    django.setup()
    from editor.models import Project
    from memory.facts.services import fact_put
    from memory.models import Fact
    from web.errors import Conflict

    project = Project.objects.get(pk=project_id)
    facts = Fact.objects.filter(project=project, path__startswith="project.target")
    known = {path: (version, value) for path, version, value in facts.values_list("path", "version", "value")}
    chance, shared = random.Random(number), list(known)
    own = shared[number::WRITERS]
    written = refused = 0
    results.put("ready")
    start.wait()
    until = time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        path = chance.choice(own if chance.random() < 0.9 else shared)
        version, value = known[path]
        try:
            fact = fact_put(
                project=project, scope="project", owner="", path=path, value=value + 1, expected_version=version
            )
            known[path] = fact.version, value + 1
            written += 1
        except Conflict as error:
            known[path] = error.current["version"], error.current["value"]
            refused += 1
    results.put((written, refused))


def purge(project: Any, count: int, words: dict[str, str]) -> dict[str, Any]:
    """Purging ``count`` expired facts while one process writes and one reads: seconds, and the longest wait in ms.

    Both rest a little between two of theirs: without, the purge would mostly wait for the lock of the database.
    """
    from django.db import connection

    from memory.facts.purge import purge_expired
    from memory.models import Fact

    with connection.cursor() as cursor:
        cursor.execute(DUE.format(count=count, project=project.pk, **words))
    connection.close()
    context = multiprocessing.get_context("spawn")
    stop, results = context.Event(), context.Queue()
    others = [context.Process(target=each, args=(project.pk, stop, results)) for each in (_beside_writer, _reader)]
    for other in others:
        other.start()
    for _ in others:
        results.get(timeout=60)
    began, gone = time.perf_counter(), 0
    while some := purge_expired():
        gone += some
    seconds = time.perf_counter() - began
    stop.set()
    found: dict[str, Any] = {}
    for _ in others:
        found |= results.get(timeout=60)
    for other in others:
        other.join()
    left = Fact.objects.filter(project=project, owner="due", purged_at__isnull=True).count()
    return {"facts": gone, "left": left, "seconds": round(seconds, 1), **found}


def _beside_writer(project_id: int, stop: Any, results: Any) -> None:
    import django

    django.setup()
    from editor.models import Project
    from memory.facts.services import fact_put

    project = Project.objects.get(pk=project_id)
    place = {"project": project, "scope": "project", "owner": "", "path": "project.beside"}
    fact_put(**place, value=0)
    results.put("ready")
    waits = []
    while not stop.is_set():
        began = time.perf_counter()
        fact_put(**place, value=len(waits))
        waits.append(time.perf_counter() - began)
        time.sleep(0.01)
    waits.sort()
    middle = round(waits[len(waits) // 2] * 1000, 2) if waits else None
    longest = round(waits[-1] * 1000, 1) if waits else None
    results.put({"writes": len(waits), "write_median_ms": middle, "write_longest_ms": longest})


def _reader(project_id: int, stop: Any, results: Any) -> None:
    import django

    django.setup()
    from django.utils import timezone

    from editor.models import Project
    from memory.facts.selectors import fact_now

    project = Project.objects.get(pk=project_id)
    chance, reads, stale = random.Random(1), 0, 0
    results.put("ready")
    while not stop.is_set():
        place = {"scope": "user", "owner": "due", "path": f"user.due.f{chance.randrange(1, PURGED)}"}
        stale += fact_now(project=project, place=place, now=timezone.now()) is not None
        reads += 1
        time.sleep(0.002)
    results.put({"reads": reads, "expired_values_read": stale})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--here", action="store_true", help="on the configured database only, which is filled")
    given = parser.parse_args()
    if not given.here:
        print(json.dumps(measure(given.count), indent=2))
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    print(json.dumps(measure_here(given.count)))


if __name__ == "__main__":
    main()
