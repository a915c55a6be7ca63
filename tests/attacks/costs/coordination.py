"""Cases of what agents share and hand on: calls of each other, policies, profiles, look-ups, intents, guardrails."""

from __future__ import annotations

from typing import Final

from tests.attacks.costs.constructs import ANSWER, COSTLY, numbered, tools
from tests.attacks.costs.grammar import HEAD, Case, Talk, desk, working

ASK: Final = "FLOW:\n  entry_point: s0\n  steps: [s0]\n  s0:\n    REASONING: false\n    GATHER:\n      - f: required\n"
WAITING: Final = f"{ASK}        type: string\n    CLEAR: [f]\n    THEN: s0\n"
"""A flow that takes every message and asks again."""


def delegations(to: str, n: int, **more: str) -> str:
    """So many calls of one agent, each with other inputs."""
    entry = (
        f'  - AGENT: {to}\n    WHEN: true\n    PURPOSE: "x"\n'
        "    INPUT: {{a: {k}}}\n    RETURNS: {{b: r{k}}}\n"
        f'    USE_RESULT: "x"\n'
        + "".join(f"    {key}: {value}\n" for key, value in more.items()).replace("{", "{{").replace("}", "}}")
    )
    return "DELEGATE:\n" + numbered(n, entry)


def tree_of_calls(n: int, width: int = 3) -> Talk:
    """Agents of which each calls the next one several times."""
    levels = min(n, 9)
    leaf = "FLOW:\n  entry_point: s0\n  s0:\n    REASONING: false\n    SET: b = 1\n    THEN: COMPLETE\n"
    others = {f"A{k}": delegations(f"A{k + 1}", width) + leaf for k in range(levels)} | {f"A{levels}": leaf}
    return desk(delegations("A0", width) + WAITING, "go", **others)


def failing(key: str, value: str) -> Talk:
    """A call of an agent that fails each time, and is tried again."""
    asking = f"{ASK}        type: string\n    THEN: COMPLETE\n"
    return desk(delegations("Other", 1, **{key: value}) + WAITING, "go", Other=asking)


def summaries(n: int) -> Talk:
    """Agents that hand over to each other with a summary that holds what was handed to them, twice."""
    entry = (
        "HANDOFF:\n  - TO: {to}\n    WHEN: true\n    RETURN: true\n    CONTEXT:\n      pass: [v]\n"
        '      summary: "{{{{v}}}}{{{{v}}}}"\n      set:\n        v: "ab {{{{v}}}}{{{{v}}}}"\n'
    )
    return desk(entry.format(to="Other"), *["go"] * min(n, 60), Other=entry.format(to="Desk"))


def looked_up(n: int, message: str) -> Talk:
    values = ", ".join(f'"value number {k}"' for k in range(min(n, 20_000)))
    table = f"LOOKUP_TABLES:\n  t:\n    values: [{values}]\n    fuzzy_match: true\n    fuzzy_threshold: 0.5\n"
    ask = f"{ASK}        type: string\n        semantics: {{lookup: t}}\n    THEN: COMPLETE\n"
    return desk(table + ask, message, message)


def many_tables(n: int) -> Talk:
    """A few values that are long, in fields that look for all of them."""
    value = "a" * 2_000
    table = (
        f'LOOKUP_TABLES:\n  t:\n    values: ["{value}b", "{value}c"]\n    fuzzy_match: true\n    fuzzy_threshold: 0.1\n'
    )
    fields = numbered(min(n, 200), "      - f{k}: required\n        type: string\n        semantics: {{lookup: t}}\n")
    return desk(
        f"{table}FLOW:\n  entry_point: s0\n  s0:\n    REASONING: false\n    GATHER:\n{fields}    THEN: COMPLETE\n",
        "a" * 20_000,
    )


def hints(n: int) -> Talk:
    """Fields whose hints are many, and numbers that may be of any of them."""
    listed = ", ".join(f"hint{k}" for k in range(min(n, 2_000)))
    fields = "".join(
        f"      - f{k}: required\n        type: number\n        extraction_hints: [{listed}]\n" for k in range(20)
    )
    return desk(
        f"FLOW:\n  entry_point: s0\n  s0:\n    REASONING: false\n    GATHER:\n{fields}    THEN: COMPLETE\n",
        "12 hint3 " * 2_000,
    )


def listed_options(n: int, options: str, items: str = "option0, " * 2_200) -> Talk:
    """A list of items, each of which is looked for among all options."""
    words = ", ".join(f"option{k}" for k in range(min(n, 20_000)))
    table = f"LOOKUP_TABLES:\n  t:\n    values: [{words}]\n" if options == "table" else ""
    of = "semantics: {lookup: t}" if options == "table" else f"options: [{words}]"
    return desk(f"{table}{ASK}        type: string\n        list: true\n        {of}\n    THEN: COMPLETE\n", items)


def intents(n: int, message: str, queue: str = "") -> Talk:
    listed = numbered(
        min(n, 5_000), '    - NAME: i{k}\n      PATTERNS: ["go{k}", "a"]\n      EXAMPLES: ["go {k} there", "b"]\n'
    )
    return desk(f"NLU:\n  intents:\n{listed}{queue}{WAITING}", message, message)


def patterns(n: int) -> Talk:
    """An intent whose patterns are as many as fit into a file."""
    listed = ", ".join(f"zz{k}" for k in range(12 * n))
    return desk(f"NLU:\n  intents:\n    - NAME: a\n      PATTERNS: [{listed}]\n{WAITING}", "go there now " * 1_500)


def policies(n: int) -> Talk:
    rules = numbered(min(n, 2_000), f'      - forbiddenWhen: {COSTLY} > {{k}}\n        behavior: "x"\n')
    text = f'SUPERVISOR: Desk\nGOAL: "Help"\nPOLICIES:\n  - NAME: p\n    RULES:\n{rules}{WAITING}'
    return Talk({"desk.agent.abl": text}, ("go", "go"))


def state(n: int) -> Talk:
    variables = numbered(min(n, 2_000), f'    v{{k}}:\n      type: string\n      default: "{"x" * 1_000}"\n')
    text = f'SUPERVISOR: Desk\nGOAL: "Help"\nSTATE:\n  ns:\n{variables}{WAITING}'
    return Talk({"desk.agent.abl": text}, ("go", "go"))


def profiles(n: int) -> Talk:
    """Profiles that hold in every other turn, each with a tool and an instruction."""
    n = min(n, 300)
    files = {
        f"p{k}.profile.abl": f'BEHAVIOR_PROFILE: p{k}\nPRIORITY: {k}\nWHEN: f == "odd" OR {COSTLY} > {k}\n'
        f'INSTRUCTIONS: "{"x" * 100}"\nTOOLS:\n  ADD:\n    t{k}() -> {{ok: boolean}}\n      description: "x"\n'
        for k in range(n)
    }
    used = numbered(n, "USE BEHAVIOR_PROFILE: p{k}\n")
    return Talk({"desk.agent.abl": HEAD + used + WAITING, **files}, ("odd", "even") * 3)


def guardrails(n: int, check: str, action: str, message: str = "a@b.de " * 2_800) -> Talk:
    listed = numbered(
        min(n, 500), f"  g{{k}}:\n    kind: both\n    check: {check}\n    action: {action}\n    priority: {{k}}\n"
    )
    echo = (
        "FLOW:\n  entry_point: s0\n  steps: [s0, s1]\n  s0:\n    REASONING: false\n    GATHER:\n      - f: required\n"
        '        type: string\n    THEN: s1\n  s1:\n    REASONING: false\n    RESPOND: "{{f}}{{f}}{{f}}"\n'
        "    CLEAR: [f]\n    THEN: s0\n"
    )
    return desk(f"GUARDRAILS:\n{listed}{echo}", message)


def forms(n: int) -> Talk:
    """A message in all forms, in many messages."""
    listed = "".join(f"        {name}: '{{{{REPEAT(\"x\", 100000)}}}}'\n" for name in ("MARKDOWN", "HTML", "SLACK"))
    return working(*[f'RESPOND: "x"\n      FORMATS:\n{listed.rstrip()}'] * min(n, 2_000))


def buttons(n: int) -> Talk:
    listed = numbered(min(n, 5_000), "        - BUTTON: '{{{{REPEAT(\"x\", 10000)}}}}' -> b{k}\n")
    return working(f'RESPOND: "x"\n      ACTIONS:\n{listed.rstrip()}')


def entities(n: int, message: str) -> Talk:
    n = min(n, 2_000)
    words = "".join(f"      w{k}: [" + ", ".join(f"s{k}x{j}" for j in range(20)) + "]\n" for k in range(n))
    values = ", ".join(f"w{k}" for k in range(n))
    head = f"ENTITIES:\n  size:\n    VALUES: [{values}]\n    SYNONYMS:\n{words}"
    return desk(f"{head}{ASK}        entity_ref: size\n    THEN: COMPLETE\n", message, message)


def human(n: int) -> Talk:
    context = numbered(min(n, 2_000), "    - NAME: c{k}\n      TEMPLATE: '{{{{REPEAT(\"x\", 100000)}}}}'\n")
    return desk(
        f'ESCALATE:\n  triggers:\n    - WHEN: true\n      REASON: "x"\n  context_for_human:\n{context}{WAITING}', "go"
    )


def handlers(n: int) -> Talk:
    """A tool that fails, and is called again as often as the agent says."""
    return working(
        "CALL: t0",
        head=tools(1)
        + f"ON_ERROR:\n  tool_error:\n    RETRY: {n * 1_000}\n    RETRY_DELAY: 10\n    THEN: RETRY_STEP\n",
        tools={"t1": {}},
    )


def hooks(n: int) -> Talk:
    sets = numbered(min(n, 2_000), f"    SET: h{{k}} = {COSTLY}\n")
    return desk(
        "HOOKS:\n" + "".join(f"  {when}:\n{sets}" for when in ("before_agent", "before_turn", "after_turn")) + WAITING,
        "go",
    )


def completions(n: int) -> Talk:
    listed = numbered(min(n, 2_000), f'  - WHEN: {COSTLY} == {{k}}\n    RESPOND: "x"\n')
    return desk(f"COMPLETE:\n{listed}{WAITING}", "go")


def routes(n: int) -> Talk:
    listed = numbered(min(n, 2_000), f"  - TO: Other\n    WHEN: {COSTLY} == {{k}}\n    RETURN: true\n")
    return desk(f"HANDOFF:\n{listed}{WAITING}", "go", Other="")


def calls_of_calls(n: int) -> Talk:
    """Tools whose results lead to further calls, each of them several."""
    again = "".join("        - CALL: t0(a = go)\n" for _ in range(min(n, 2_000)))
    return working(
        "CALL: t0(a = go)", head=f"{tools(1)}    on_result:\n      do:\n{again}", tools={"t0": {"rows": [1] * 100}}
    )


def calls_with_loops(n: int) -> Talk:
    """A result that is mapped and looked through in branches of a tool."""
    branches = "".join(f"        - IF: {COSTLY} == {k}\n          SET: x = {k}\n" for k in range(min(n, 2_000)))
    return working("CALL: t0(a = go)", head=f"{tools(1)}    on_result:\n      do:\n{branches}", tools=ANSWER)


COORDINATION: Final[dict[str, Case]] = {
    "agents that call each other as a tree": tree_of_calls,
    "many calls of an agent": lambda n: desk(
        delegations("Other", min(n, 2_000)) + WAITING, "go", "go", Other="FLOW:\n  entry_point: s0\n  s0:\n"
        f"    REASONING: false\n    SET: b = {COSTLY}\n    THEN: COMPLETE\n"
    ),
    "a call of an agent that is tried again": lambda n: failing("ON_FAIL", f"{{type: retry, count: {n * 1_000}}}"),
    "summaries that double": summaries,
    "a look-up of a long message": lambda n: looked_up(n, "x" * 20_000),
    "a look-up of many words": lambda n: looked_up(n, "valeu nubmer " * 1_500),
    "look-ups of long values": many_tables,
    "hints of fields": hints,
    "a list of options": lambda n: listed_options(n, "options"),
    "a list of keys of a table": lambda n: listed_options(n, "table"),
    "intents": lambda n: intents(n, "word " * 4_000),
    "intents that all are meant": lambda n: intents(n, " a b go1 go2" * 1_600, "MULTI_INTENT:\n  max_intents: 10\n"),
    "patterns of an intent": patterns,
    "policies": policies,
    "variables that are shared": state,
    "profiles": profiles,
    "guardrails that redact": lambda n: guardrails(n, "abl.contains_email(content)", "redact"),
    "guardrails with a pattern": lambda n: guardrails(n, 'abl.matches_pattern(content, "(a|b|@)*{k}x$")', "warn"),
    "guardrails that fix": lambda n: guardrails(n, "abl.word_count(content) < 5", "fix\n    fix_strategy: normalize"),
    "guardrails of a long word": lambda n: guardrails(n, "abl.contains_pii(content)", "redact", "a" * 20_000),
    "guardrails of digits": lambda n: guardrails(n, "abl.contains_pii(content)", "redact", "4111 1111 " * 2_000),
    "guardrails of code": lambda n: guardrails(n, "abl.contains_code(content)", "redact", "def (){" * 2_800),
    "forms of a message": forms,
    "buttons": buttons,
    "entities": lambda n: entities(n, "s1x1 " * 4_000),
    "entities and a long word": lambda n: entities(n, "s" * 20_000),
    "what a human is told": human,
    "a tool that is tried again": handlers,
    "hooks": hooks,
    "completions": completions,
    "routes": routes,
    "calls that lead to calls": calls_of_calls,
    "branches of a result": calls_with_loops,
}  # fmt: skip
