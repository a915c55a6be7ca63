"""Tags, anchors, aliases and merge keys of YAML have no meaning in the YAML form: each is told, once, at its place."""

from __future__ import annotations

from abl.analysis import check
from abl.syntax import parse
from abl.syntax.incremental.reparse import reparse
from tests.abl.edits import edits
from tests.every import every

HEAD = 'agent: Desk\ngoal: "Lend books"\n'
WHOLE = (
    HEAD
    + """memory:
  session:
    - &base
      name: loans
      type: number
    - <<: *base
      name: fines
    - &b {name: a, type: !!str string}
    - {<<: *b, name: c}
    - {name: e, <<: [*base, *b]}
    - !x d
    - *b
gather: &fields
  title: !!map   # of the book
    prompt: !!str "Which?"
    type: &t string
  author:
    <<: *common
    prompt: &p Who?
    type: *t # as above
  &ready branch:
    prompt: "Where?"
limitations:
  - *bold* text
  - "*fine* & !good"
flow:
  &s ask:
    reasoning: false
    respond: !!str |
      *no* &x !y
      <<: *z
    set: [
      x = title,
      # *comment
      *y,
      !z q = author]
    on_input:
      - if: !done
        then: COMPLETE
      - else: !!null
        respond: a & b * c ! d
"""
)
TOLD = """
5:&base 8:<<: *base 10:&b 10:!!str 11:<<: *b 12:<<: [*base, *b] 13:!x 14:*b 15:&fields 16:!!map 17:!!str 18:&t
20:<<: *common 21:&p 22:*t 23:&ready 26:*bold* text 29:&s 31:!!str 37:*y 38:!z 40:!done 42:!!null
"""


def told(text: str) -> list[tuple[int, str, str]]:
    """Line, code and words of the errors and warnings in a text."""
    report = check({"desk.agent.yaml": text})
    source = report.index.sources["desk.agent.yaml"]
    return [
        (source.position(d.span.start).line, d.code, text[slice(*d.span)])
        for d in report.diagnostics
        if d.severity in ("error", "warning")
    ]


def test_each_is_told_once_at_its_place_and_nothing_else_is_misread() -> None:
    left = [each for each in told(WHOLE) if each[1] not in ("ABL725", "ABL602")]
    assert [code for _, code, _ in left if code != "ABL125"] == []
    assert " ".join(f"{line}:{words}" for line, _, words in left) == " ".join(TOLD.split())


def test_what_stands_around_them_is_read_as_if_they_were_not_there() -> None:
    agent = parse(WHOLE).agents[0]
    assert agent.memory is not None
    names = [(each.name.value, each.type.value if each.type else "") for each in agent.memory.session]
    assert names[:6] == [("loans", "number"), ("fines", ""), ("a", "string"), ("c", ""), ("e", ""), ("d", "")]
    assert agent.gather is not None
    fields = [(each.name.value, each.prompt.value if each.prompt else "") for each in agent.gather.fields]
    assert fields == [("title", "Which?"), ("author", "Who?"), ("branch", "Where?")]
    assert agent.flow is not None
    assert [step.name.value for step in agent.flow.steps] == ["ask"]


@every(
    (before, (before, after))
    for before, after in (
        ("  title:\n    prompt: &p Which?\n  author:\n    prompt: *p", "    prompt: Which?"),
        ("  title:\n    prompt: !Please tell", '    prompt: "!Please tell"'),
        ("  title:\n    prompt: *Please* tell", '    prompt: "*Please* tell"'),
        ('  title:\n    prompt: *Please* "tell"', "    prompt: '*Please* \"tell\"'"),
        ("  title:\n    prompt: !!str Which?", "    prompt: Which?"),
        ("  title: &t\n    prompt: Which?", "    prompt: Which?"),
    )
)
def test_a_fix_writes_what_was_meant(before: str, after: str) -> None:
    text = f"{HEAD}gather:\n{before}\n"
    problem = [d for d in check({"desk.agent.yaml": text}).diagnostics if d.code == "ABL125"][-1]
    [edit_list] = [fix.edits for fix in problem.fixes][-1:]
    for edit in sorted(edit_list, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert text.rstrip().splitlines()[-1] == after


def test_texts_of_the_keyword_form_may_begin_with_any_of_these() -> None:
    text = (
        "AGENT: Desk\nGOAL: *Lend* books\nPERSONA: !kind\nLIMITATIONS:\n  - *no* fees\n  - &co\n  - !never\n"
        "FLOW:\n  ask:\n    REASONING: false\n    RESPOND: *Hello* &you\n    THEN: end\n"
        "  end:\n    REASONING: false\n    RESPOND: !Bye\n    THEN: COMPLETE\n"
    )
    assert told(text) == []


def test_a_text_in_quotes_or_in_the_middle_may_hold_any_of_these() -> None:
    text = HEAD + (
        'persona: "*kind*"\nlimitations:\n  - \'!never\'\n  - a *b* &c !d\n  - "[*x]"\nmemory:\n  session:\n'
        "    - {name: a, description: \"x, *y, &z\", initial: 'it, *is'}\n    - {name: b, initial: a&b}\n"
    )
    assert told(text) == []


def test_an_edit_near_them_gives_what_reading_anew_gives() -> None:
    for seed in range(4):
        document = parse(WHOLE)
        for text in edits(WHOLE, seed, 20):
            document = reparse(document, text)
            assert document == parse(text)
