"""``abl.check`` of 200 agents that hand over to each other: cold, and after an edit of one (docs/architecture.md §8).

After an edit only what depends on it is looked at again: a change of words concerns its own agent, a change of what the
agent declares (a session variable that others are handed, a fact that others read) those that know it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from abl.analysis import check
from benchmarks.check import best, empty_caches

AGENTS = 200
QUICK = {"agents": 8}
AGENT = """\
AGENT: Desk_{n}
GOAL: "Lend books of shelf {n}"

MEMORY:
  session:
    - title_{n}
      TYPE: string
    - fee_{n}
      TYPE: number
      INITIAL: 0
  persistent:
    - user.desk_{n}.visits
      SCOPE: user
      TYPE: number
      DEFAULT: 0
      ACCESS: readwrite
    - user.desk_{next}.visits
      SCOPE: user
      TYPE: number
      DEFAULT: 0
      ACCESS: read
  remember:
    - WHEN: title_{n} IS SET
      STORE: fee_{n} + 1 -> user.desk_{n}.visits
      TTL: "90d"

CONSTRAINTS:
  lending:
    - REQUIRE fee_{n} < {n} + 20
      WHEN: fee_{n} IS SET
      ON_FAIL: "Pay {{{{fee_{n}}}}} first."

HANDOFF:
  - TO: Desk_{next}
    WHEN: user.desk_{next}.visits < 3 AND fee_{n} > 2
    CONTEXT:
      summary: "Another shelf"
      pass: [title_{n}, fee_{n}]

FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      - title_{n}: required
        prompt: "Which book of shelf {n}?"
    THEN: reckon
  reckon:
    REASONING: false
    SET:
      - fee_{n} = user.desk_{n}.visits * 0.5
    RESPOND: "Noted {{{{title_{n}}}}}: {{{{fee_{n}}}}}."
    THEN: COMPLETE
"""


def project_files(agents: int = AGENTS) -> dict[str, str]:
    """The texts of the project by path; each agent has its own words and hands over to the next."""
    return {f"desk_{n}.agent.abl": AGENT.format(n=n, next=(n + 1) % agents) for n in range(agents)}


def edited(files: dict[str, str], old: str, new: str) -> Callable[[], object]:
    """A check after one agent changed, to another text each time."""
    path = f"desk_{len(files) // 2}.agent.abl"
    if old not in files[path]:
        raise AssertionError(f"{old} is not in {path}")
    state = {"n": 0}

    def work() -> object:
        state["n"] += 1
        return check({**files, path: files[path].replace(old, new.format(state["n"]))})

    return work


def measure(agents: int = AGENTS) -> dict[str, Any]:
    """Milliseconds of processor time, and what an edit costs of a cold check."""
    files = project_files(agents)
    report = check(files)
    if report.errors:
        raise AssertionError(report.errors[0])
    cold = best(lambda: check(files), empty_caches)
    check(files)
    words = best(edited(files, "Noted", "Noted {}"))
    declared = best(edited(files, f"- fee_{agents // 2}\n", f"- other_{{}}\n    - fee_{agents // 2}\n"))
    one = best(lambda: check({"desk_0.agent.abl": files["desk_0.agent.abl"]}), empty_caches)
    return {
        "agents": agents,
        "lines": sum(len(text.splitlines()) for text in files.values()),
        "cold_ms": cold,
        "one_agent_alone_ms": one,
        "edit_of_words_ms": words,
        "edit_of_a_declaration_ms": declared,
        "edit_to_cold": max(words, declared) / cold,
    }


if __name__ == "__main__":
    print(measure())
