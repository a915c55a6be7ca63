"""A name that is declared nowhere can be declared in MEMORY, whatever of that is there (docs/spec 05 §3, §5)."""

from __future__ import annotations

from abl.analysis import check
from tests.abl.analysis.test_analysis_rules import applied
from tests.every import every

HEAD = 'AGENT: Desk\nGOAL: "Lend books"\n'
PERSISTENT = "MEMORY:\n  persistent:\n    - user.branch\n      SCOPE: user\n"
READS = 'COMPLETE:\n  - WHEN: done_flag == true\n    RESPOND: "Bye."\n'
SAYS = 'COMPLETE:\n  - WHEN: true\n    RESPOND: "Bye {{done_flag}}."\n'
TRIGGER = "  remember:\n    - WHEN: done_flag IS SET\n      STORE: done_flag -> user.branch\n"
ENTRY = "    - done_flag\n"
CASES = [
    ("no MEMORY", "ABL214", HEAD + READS, f"\nMEMORY:\n  session:\n{ENTRY}COMPLETE:"),
    ("no MEMORY for a text", "ABL253", HEAD + SAYS, f"\nMEMORY:\n  session:\n{ENTRY}COMPLETE:"),
    ("no session", "ABL214", HEAD + PERSISTENT + READS, f"SCOPE: user\n  session:\n{ENTRY}COMPLETE:"),
    ("an empty session", "ABL214", f"{HEAD}MEMORY:\n  session:\n{READS}", f"  session:\n{ENTRY}COMPLETE:"),
    ("a session", "ABL214", f"{HEAD}MEMORY:\n  session:\n    - title\n{READS}", f"    - title\n{ENTRY}COMPLETE:"),
    ("the second of two", "ABL214", f"{HEAD}\nAGENT: Till\nGOAL: 'x'\n{READS}", f"\nMEMORY:\n  session:\n{ENTRY}"),
    (
        "YAML",
        "ABL214",
        'agent: Desk\ngoal: "x"\ncomplete:\n  - when: done_flag == true\n    respond: "Bye."\n',
        f"\nmemory:\n  session:\n{ENTRY}complete:",
    ),
    ("a trigger", "ABL349", HEAD + PERSISTENT + TRIGGER, f'  session:\n{ENTRY}      INITIAL: "…"\n'),
]


@every((name, (code, text, wanted)) for name, code, text, wanted in CASES)
def test_a_name_is_declared(code: str, text: str, wanted: str) -> None:
    problem = next(each for each in check({"a.agent.abl": text}).diagnostics if each.code == code)
    fix = next(fix for fix in problem.fixes if fix.title.startswith("Declare `done_flag` in session"))
    assert not fix.preferred
    mended = applied(text, fix)
    assert wanted in mended
    after = check({"a.agent.abl": mended})
    assert code not in {each.code for each in after.diagnostics}
    assert not after.errors


def test_nothing_is_declared_in_brackets_or_for_what_is_no_name() -> None:
    in_braces = f"{HEAD}MEMORY: {{session: [title]}}\n{READS}"
    dotted = HEAD + READS.replace("done_flag", "done.flag")
    for text in (in_braces, dotted):
        problem = next(each for each in check({"a.agent.abl": text}).diagnostics if each.code == "ABL214")
        assert not [fix for fix in problem.fixes if fix.title.startswith("Declare")]
