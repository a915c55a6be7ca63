"""Spans point at the very characters, also through escapes, pipe blocks, tabs, CRLF, BOM and emoji."""

from __future__ import annotations

from abl.syntax import nodes, parse


def at(text: str, span: nodes.Span) -> str:
    return text[span.start : span.end]


def only_rule(text: str) -> nodes.Rule:
    (fragment,) = parse(text).fragments
    assert fragment.constraints is not None
    return fragment.constraints.rules[0]


def only_variable(text: str) -> nodes.SessionVariable:
    (fragment,) = parse(text).fragments
    assert fragment.memory is not None
    return fragment.memory.session[0]


def test_the_spans_of_a_rule_cut_out_its_parts():
    text = 'CONSTRAINTS:\n  p:\n    - REQUIRE a == "é😀" BEFORE calling pay WHEN b\n      ON_FAIL: HANDOFF Desk\n'
    rule = only_rule(text)
    assert rule.condition is not None
    assert rule.when is not None
    assert rule.before is not None
    assert rule.before.tool is not None
    assert rule.on_fail is not None
    assert rule.on_fail.target is not None
    assert at(text, rule.kind.span) == "REQUIRE"
    assert at(text, rule.condition.span) == 'a == "é😀"'
    assert at(text, rule.before.tool.span) == "pay"
    assert at(text, rule.when.span) == "b"
    assert at(text, rule.on_fail.target.span) == "Desk"


def test_offsets_in_an_escaped_string_lead_back_to_the_source():
    text = 'MEMORY:\n  session:\n    - a\n      DESCRIPTION: "x \\"y\\" \\u00e9z"\n'
    description = only_variable(text).description
    assert description is not None
    assert description.value == 'x "y" éz'
    assert at(text, description.span_of(2, 5)) == '\\"y\\"'
    assert at(text, description.span_of(6, 8)) == "\\u00e9z"
    assert at(text, description.span_of(7, 8)) == "z"


def test_an_unknown_escape_keeps_its_backslash():
    variable = only_variable('MEMORY:\n  session:\n    - a\n      INITIAL: "\\d+\\."\n')
    assert variable.initial is not None
    assert variable.initial.value == "\\d+\\."


def test_offsets_in_a_pipe_block_lead_back_to_the_source():
    text = "GOAL: |\r\n    one {{a}}\r\n\r\n      two {{b}}\r\n"
    goal = parse(text).agents[0].goal
    assert goal is not None
    assert goal.value == "one {{a}}\n\n  two {{b}}"
    start = goal.value.index("{{b}}")
    assert at(text, goal.span_of(start, start + 5)) == "{{b}}"
    start = goal.value.index("{{a}}")
    assert at(text, goal.span_of(start, start + 5)) == "{{a}}"


def test_a_bom_and_crlf_do_not_shift_anything():
    text = "\ufeffAGENT: Desk\r\nGOAL: bring books\r\n"
    (agent,) = parse(text).agents
    assert agent.name is not None
    assert agent.goal is not None
    assert at(text, agent.name.span) == "Desk"
    assert at(text, agent.goal.span) == "bring books"
    assert parse(text).findings == ()


def test_a_tab_counts_to_the_next_multiple_of_four():
    text = "MEMORY:\n\tsession:\n\t\t- a\n\t\t  TYPE: number\n"
    variable = only_variable(text)
    assert variable.type is not None
    assert at(text, variable.type.span) == "number"
    assert variable.block is not None
    assert variable.block.column == 9


def test_every_block_holds_its_children_and_comments():
    text = "# about memory\nMEMORY:\n  # about a\n  session:\n    - a\n"
    document = parse(text)
    (memory,) = document.blocks
    assert [comment.text for comment in memory.comments] == ["about memory"]
    assert [comment.text for comment in memory.children[0].comments] == ["about a"]
    assert [comment.text for comment in document.comments] == ["about memory", "about a"]
    assert [block.key or (block.value and block.value.value) for block in memory.walk()] == ["MEMORY", "session", "a"]
    assert memory.span.end == text.rindex("a") + 1


def test_paths_name_the_place_in_the_tree():
    text = "AGENT: A\nMEMORY:\n  session:\n    - a\n    - b\nCONSTRAINTS:\n  p:\n    - REQUIRE a\n      ON_FAIL: x\nAGENT: B\nMEMORY:\n  session:\n    - c\n"  # noqa: E501
    first, second = parse(text).agents
    assert first.memory is not None
    assert first.constraints is not None
    assert second.memory is not None
    assert [variable.path for variable in first.memory.session] == ["memory.session[0]", "memory.session[1]"]
    assert first.constraints.rules[0].path == "constraints.p[0]"
    assert first.constraints.rules[0].on_fail is not None
    assert first.constraints.rules[0].on_fail.path == "constraints.p[0].ON_FAIL"
    assert second.memory.session[0].path == "agents[1].memory.session[0]"


def types_of(type_: nodes.TypeRef) -> list[nodes.TypeRef]:
    below = [type_.item] if type_.item is not None else []
    return [*below, *(kind for _, _, kind in type_.fields)]


def lies_around(type_: nodes.TypeRef) -> bool:
    start, end = type_.span
    return all(start <= below.span.start and below.span.end <= end and lies_around(below) for below in types_of(type_))


def test_a_described_type_lies_around_what_it_is_made_of():
    flow = "tools: [{name: find, returns: {type: array, items: {type: object, fields: {id: string}}}}]\n"
    lines = "tools:\n  - name: find\n    returns:\n      fields:\n        - {name: ids, type: 'array<string>'}\n"
    for tools in (flow, lines, f"{lines}      type: array\n"):
        text = f"agent: Desk\n{tools}"
        returns = parse(text).agents[0].tools[0].returns
        assert returns is not None
        assert types_of(returns)
        assert lies_around(returns)
        assert at(text, returns.span).startswith("returns:")
