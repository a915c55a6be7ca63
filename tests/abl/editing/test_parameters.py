"""Parameters of tools: their names in signatures, in what a tool makes of them, in calls and in test cases."""

from __future__ import annotations

import pytest

import abl
from abl.editing.hover import hover
from tests.abl.editing.test_rename import at, refusal, renamed

DESK = """\
AGENT: Desk
GOAL: "Lend books"
TOOLS:
  file: "lib.tools.abl" [find]
  log(text: string, level: number = 1, kind?: string) -> {text: string}
    description: "Writes text"
    process:
      before:
        params:
          text: UPPER(text)
    on_result:
      set:
        kept: result.text
  run(n: number) -> {ok: boolean}
    description: "Runs"
    type: sandbox
    runtime: python
    code: |
      return n + 1
MEMORY:
  session:
    - text
    - kind
    - n
FLOW:
  ask:
    REASONING: false
    CALL: log(text: text, level: n)
    CALL: log("x")
    CALL: find(title: text)
    CALL: find
      WITH:
        title: kind
    CALL: run(n: n)
    CALL: other(title: text)
    RESPOND: "{{kept}} {{kind}}"
    THEN: COMPLETE
"""
LIBRARY = 'TOOLS:\n  find(title: string) -> {id: string}\n    description: "Finds"\n'
CASE = """\
scenario: logs
tools:
  log: [{when: 'text == "text" AND text.contains("x")', result: {text: x}}, {when: LENGTH(text) > 1, result: {}}]
  find: [{when: text == "x", result: {}}]
model:
  - {call: log, args: {text: text}}
turns:
  - say: text
    expect:
      calls: [{tool: log, args: {text: a, level: 1}}, {tool: find, args: {title: a}}]
"""
FILES = {"desk.agent.abl": DESK, "lib.tools.abl": LIBRARY, "logs.scenario.yaml": CASE}


def test_a_parameter_is_one_of_its_tool_only() -> None:
    after = renamed(at("desk.agent.abl", "log(te|xt: string", FILES), "line", FILES)
    desk = after["desk.agent.abl"]
    for text in (
        "log(line: string, level",
        "{text: string}",
        '"Writes text"',
        "line: UPPER(line)",
        "result.text",
        "- text\n",
        "CALL: log(line: text, level: n)",
        "find(title: text)",
    ):
        assert text in desk
    assert after["logs.scenario.yaml"] == CASE.replace("text ==", "line ==", 1).replace(
        "AND text.c", "AND line.c"
    ).replace("LENGTH(text)", "LENGTH(line)").replace("{text: text}", "{line: text}").replace("{text: a", "{line: a")


def test_the_parameter_of_a_tool_of_a_file() -> None:
    for path, mark in (("lib.tools.abl", "find(ti|tle"), ("desk.agent.abl", "find(ti|tle: text")):
        after = renamed(at(path, mark, FILES), "name", FILES)
        assert after["lib.tools.abl"] == LIBRARY.replace("title", "name")
        assert after["desk.agent.abl"] == DESK.replace("find(title", "find(name").replace("title: kind", "name: kind")
        assert "{tool: find, args: {name: a}}" in after["logs.scenario.yaml"]


@pytest.mark.parametrize(
    ("mark", "name", "reason"),
    [
        ("log(te|xt: string", "level", "`level` is taken: desk.agent.abl:5 has the parameter `level`."),
        ("log(te|xt: string", "a b", "is not a name for a parameter"),
        (
            "kind?|: string",
            "sort",
            "desk.agent.abl:28 gives `log` no `kind`, which takes the variable of its name; write `kind: kind` there",
        ),
        ("other(tit|le", "name", "`title` is a parameter of `other`, which is not declared in this project."),
        ("run(|n: number", "m", "desk.agent.abl:19 is code that uses `n`; change it by hand first."),
    ],
)
def test_a_parameter_is_not_renamed_where_its_word_binds_it(mark: str, name: str, reason: str) -> None:
    assert reason in refusal(at("desk.agent.abl", mark.replace("kind?|", "ki|nd?"), FILES), name, FILES)


def test_a_call_leads_to_the_signature() -> None:
    place = at("desk.agent.abl", "text, lev|el: n", FILES)
    [declared] = abl.definition(FILES, *place)
    assert (declared["path"], declared["range"]["start"]) == ("desk.agent.abl", {"line": 5, "column": 21})
    about = hover(FILES, *place)
    assert about is not None
    assert (about["title"], about["text"].split("\n")) == (
        "level: number",
        [
            "parameter of log",
            "optional",
            "default 1",
            "declared: desk.agent.abl:5",
            "used: desk.agent.abl:28, logs.scenario.yaml:10",
        ],
    )
    about = hover(FILES, *at("desk.agent.abl", "other(tit|le", FILES))
    assert about is not None
    assert about["text"].split("\n") == [
        "parameter of other",
        "not declared in this project",
        "used: desk.agent.abl:35",
    ]


def test_a_parameter_of_a_tool_of_the_runtime_is_not_renamed() -> None:
    files = {"a.agent.abl": 'AGENT: A\nGOAL: "x"\nON_START:\n  CALL: memory_search(query: "x")\n'}
    assert (
        refusal(at("a.agent.abl", "(que|ry", files), "x", files) == "`query` is a parameter of a tool of the runtime."
    )
