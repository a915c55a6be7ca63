"""Documents made from the sections of docs/spec 01 and 03–09, in the keyword form.

Every function takes ``chance``, a ``random.Random`` or what hypothesis gives for one.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from abl.syntax import vocabulary
from tests.abl.fuzz.expressions import any_expression, expression, template

STEPS = ["ask", "lend", "done", "COMPLETE", "ESCALATE", "nowhere"]
NAMES = ["a", "b", "loans", "user.branch", "project.rate", "title", "_hidden", "input", "Ask", "a-b"]
TYPES = [
    "string",
    "number",
    "boolean",
    "date",
    "array",
    "object",
    "array<string>",
    "enum<[a, b]>",
    "{x: {y: string}[]}",
    "int",
]
WORDS = [
    "yes",
    "true",
    "3",
    '"text"',
    "'text'",
    "[a, b]",
    "{k: 1}",
    "null",
    "30d",
    "user",
    "per_step",
    "a -> b",
    "x # y",
    "",
]
EVENTS = ["session:start", "tool:find:after", "search:before", "agent:Desk:before", "step:ask:enter", "nothing"]
SECTIONS = sorted(vocabulary.SECTIONS)
ANY_KEYS = sorted(
    vocabulary.STEP_DIRECTIVES
    | vocabulary.PERSISTENT_KEYS
    | vocabulary.RULE_KEYS
    | vocabulary.ON_FAIL_KEYS
    | vocabulary.RECALL_KEYS
    | vocabulary.HANDLER_KEYS
)


class Block(NamedTuple):
    """One line and what stands deeper."""

    line: str
    children: list[Block]


def document(chance: random.Random) -> str:
    """A file in the keyword form: one or more agents with some sections, or a fragment."""
    blocks: list[Block] = []
    for _ in range(1 if chance.random() < 0.9 else 2):
        if chance.random() < 0.8:
            header = chance.choice(["AGENT", "AGENT", "AGENT", "SUPERVISOR", "TOOLS", "BEHAVIOR_PROFILE"])
            blocks.append(Block(f"{header}: {chance.choice(['Desk', 'Desk', 'Other_Desk', '1x', ''])}", []))
            blocks.append(Block('GOAL: "Lend books"', []))
        blocks += [chance.choice(MAKERS)(chance) for _ in range(chance.choice((1, 1, 2, 3)))]
    return "\n".join(lines(blocks, chance, chance.choice(["  ", "  ", "    ", "\t"]))) + "\n"


def lines(blocks: list[Block], chance: random.Random, unit: str, depth: int = 0) -> list[str]:
    """The blocks as lines; comments and blank lines come in between now and then."""
    found = []
    for block in blocks:
        if chance.random() < 0.04:
            found.append(unit * depth + chance.choice(["", "# note", "# abl-ignore ABL214", "// note"]))
        found.append(unit * depth + block.line + ("  # why" if chance.random() < 0.02 else ""))
        found += lines(block.children, chance, unit, depth + 1)
    return found


def _some(chance: random.Random, make: Callable[[random.Random], Block], most: int = 3) -> list[Block]:
    return [make(chance) for _ in range(chance.randrange(1, most + 1))]


def _few(chance: random.Random, blocks: list[Block], share: float = 0.5) -> list[Block]:
    return [block for block in blocks if chance.random() < share]


def _line(text: str) -> Block:
    return Block(text, [])


def condition(chance: random.Random) -> str:
    """A condition, bare or in quotes."""
    text = any_expression(chance).replace("\n", " ")
    return text if chance.random() < 0.85 else f'"{text}"'


def message(chance: random.Random) -> str:
    """A text that is sent, in quotes or bare."""
    text = template(chance).replace("\n", " ").replace('"', '\\"')
    return f'"{text}"' if chance.random() < 0.8 else text


def _value(chance: random.Random) -> str:
    return expression(chance, 2).replace("\n", " ")


def _memory(chance: random.Random) -> Block:
    parts = [
        Block("session:", _some(chance, _session)),
        Block("persistent:", _some(chance, _persistent)),
        Block("remember:", _some(chance, _remember, 2)),
        Block("recall:", _some(chance, _recall, 2)),
        _line("READS: [user.branch, project.rate]"),
    ]
    return Block("MEMORY:", _few(chance, parts, 0.6))


def _session(chance: random.Random) -> Block:
    keys = [
        _line(f"TYPE: {chance.choice(TYPES)}"),
        _line(f"INITIAL: {chance.choice(WORDS)}"),
        _line(f"RESET: {chance.choice(vocabulary.RESET_POLICIES)}"),
        _line(f"DESCRIPTION: {message(chance)}"),
    ]
    return Block(f"- {chance.choice(['', '', 'NAME: '])}{chance.choice(NAMES)}", _few(chance, keys, 0.4))


def _persistent(chance: random.Random) -> Block:
    keys = [
        _line(f"SCOPE: {chance.choice(vocabulary.SCOPES)}"),
        _line(f"ACCESS: {chance.choice(vocabulary.ACCESS_MODES)}"),
        _line(f"TYPE: {chance.choice(TYPES)}"),
        _line(f"DEFAULT: {chance.choice(WORDS)}"),
        _line("SENSITIVE: true"),
    ]
    return Block(f"- {chance.choice(['', '', 'PATH: '])}{chance.choice(NAMES)}", _few(chance, keys, 0.4))


def _remember(chance: random.Random) -> Block:
    store = f"STORE: {_value(chance)} -> {chance.choice(NAMES)}"
    keys = [_line(store), _line(f"TTL: {chance.choice(['30d', '90 days', '0s', '12h'])}")]
    return Block(f"- WHEN: {condition(chance)}", _few(chance, keys, 0.8))


def _recall(chance: random.Random) -> Block:
    keys = [
        _line(f"ACTION: {chance.choice(vocabulary.RECALL_ACTIONS)}"),
        _line(f"PATHS: [{chance.choice(NAMES)}, {chance.choice(NAMES)}]"),
        _line(f"INSTRUCTION: {message(chance)}"),
    ]
    return Block(f"- ON: {chance.choice(EVENTS)}", _few(chance, keys, 0.6))


def _constraints(chance: random.Random) -> Block:
    rules = _some(chance, _rule)
    phase = Block(chance.choice(["lending:", "always:", "b c:"]), rules)
    return Block("CONSTRAINTS:", [phase] if chance.random() < 0.8 else rules)


def _rule(chance: random.Random) -> Block:
    text = f"- {chance.choice(vocabulary.RULE_KINDS)} {condition(chance)}"
    if chance.random() < 0.25:
        text += f" BEFORE {chance.choice(['calling find', 'returning results', 'ask', 'x y'])}"
    if chance.random() < 0.2:
        text += f" WHEN {condition(chance)}"
    return Block(text, _few(chance, [_line(f"WHEN: {condition(chance)}"), _on_fail(chance)], 0.5))


def _on_fail(chance: random.Random) -> Block:
    if chance.random() < 0.6:
        actions = [
            message(chance),
            f"HANDOFF {chance.choice(['Desk', 'Beside'])}",
            "ESCALATE",
            f"GOTO {chance.choice(STEPS)}",
        ]
        return _line(f"ON_FAIL: {chance.choice([*actions, 'BLOCK', 'REDACT', chance.choice(STEPS), ''])}")
    keys = [
        _line(f"RESPOND: {message(chance)}"),
        _line("COLLECT: [title]"),
        _line(f"GOTO: {chance.choice(STEPS)}"),
        _line(f"THEN: {chance.choice(['retry', 'continue', 'x'])}"),
        _line("CLEAR: [a, b]"),
    ]
    return Block("ON_FAIL:", _few(chance, keys))


def _flow(chance: random.Random) -> Block:
    head = [
        _line(f"entry_point: {chance.choice(STEPS)}"),
        _line("steps: [ask, lend, done]"),
        _line("ask -> lend -> done"),
    ]
    names = ["ask", "lend", "done", "ask"][: chance.randrange(1, 5)]
    return Block("FLOW:", [*_few(chance, head), *(_step(chance, name) for name in names)])


def _step(chance: random.Random, name: str) -> Block:
    return Block(f"{name}:", [_line(f"REASONING: {chance.choice(['true', 'false'])}"), *_some(chance, directive, 4)])


def directive(chance: random.Random) -> Block:
    """One directive of a step, with what is below it."""
    return chance.choice(DIRECTIVES)(chance)


def _set(chance: random.Random) -> Block:
    one = [f"{chance.choice(NAMES)} = {_value(chance)}" for _ in range(chance.randrange(1, 3))]
    return _line(f"SET: {one[0]}") if len(one) == 1 else Block("SET:", [_line(f"- {text}") for text in one])


def _call(chance: random.Random) -> Block:
    below = [
        Block("WITH:", [_line(f"title: {_value(chance)}")]),
        _line("AS: found"),
        Block("ON_FAILURE:", _branches(chance)),
        Block("ON_SUCCESS:", _branches(chance)),
    ]
    return Block(
        f"CALL: {chance.choice([f'find({_value(chance)})', 'find', 'find(title, ', 'f(g(1))'])}",
        _few(chance, below, 0.4),
    )


def _branches(chance: random.Random) -> list[Block]:
    return [
        Block(f"- IF: {condition(chance)}", [_line(f"THEN: {chance.choice(STEPS)}")]),
        Block("- ELSE:", [_line(f"RESPOND: {message(chance)}")]),
    ]


def _gather(chance: random.Random) -> Block:
    if chance.random() < 0.5:
        return Block("GATHER:", [_line(f"- {name}: required") for name in ("title", "loans")])
    keys = [
        _line(f"prompt: {message(chance)}"),
        _line(f"type: {chance.choice(vocabulary.GATHER_TYPES)}"),
        _line("required: true"),
        _line(f"validate: {condition(chance)}"),
        _line(f"default: {chance.choice(WORDS)}"),
    ]
    return Block("GATHER:", [Block("title:", _few(chance, keys)), Block("- loans:", _few(chance, keys, 0.3))])


def _respond(chance: random.Random) -> Block:
    if chance.random() < 0.6:
        return _line(f"RESPOND: {message(chance)}")
    return Block("RESPOND: |", [_line(line) for line in template(chance).split("\n")])


def _transform(chance: random.Random) -> Block:
    parts = [_line(f"FILTER: {condition(chance)}"), Block("MAP:", [_line(f"k: {_value(chance)}")])]
    return Block("TRANSFORM: xs AS x INTO ys", _few(chance, parts))


def _deeper(chance: random.Random) -> Block:
    """Any key with directives below it, whether they belong there or not."""
    return Block(f"{chance.choice(ANY_KEYS)}:", _some(chance, directive, 2) if chance.random() < 0.3 else [])


DIRECTIVES: list[Callable[[random.Random], Block]] = [
    _set, _call, _gather, _respond, _on_fail,
    lambda chance: Block("ON_INPUT:", _branches(chance)),
    lambda chance: _line(f"CHECK: {condition(chance)}"),
    lambda chance: _line(f"WHEN: {condition(chance)}"),
    lambda chance: _line(f"THEN: {chance.choice(STEPS)}"),
    lambda chance: _line(f"CLEAR: {chance.choice(['[a, b]', 'a, b', 'a', '['])}"),
    lambda chance: _line(f"{chance.choice(ANY_KEYS)}: {chance.choice(WORDS)}"),
    _transform, _deeper,
]  # fmt: skip


def _tools(chance: random.Random) -> Block:
    signature = f"find(title: {chance.choice(TYPES)}, n?: number = {chance.choice(WORDS)}) -> {chance.choice(TYPES)}"
    keys = [
        _line('description: "Find a book."'),
        _line("confirm: always"),
        _line("type: http"),
        _line("timeout: 3000"),
        Block("on_result:", [_line(f"set: {{a: {_value(chance)}}}")]),
    ]
    return Block("TOOLS:", [Block(chance.choice([signature, signature, "find", "find("]), _few(chance, keys))])


def _coordination(chance: random.Random) -> Block:
    keys = [
        _line(f"WHEN: {condition(chance)}"),
        _line("RETURN: true"),
        Block("CONTEXT:", [_line("pass: [a, b]"), _line(f"summary: {message(chance)}")]),
        Block("ON_RETURN:", [_line("map: {a: b}")]),
        _line(f"RESPOND: {message(chance)}"),
    ]
    name = chance.choice(["HANDOFF", "DELEGATE", "COMPLETE", "ESCALATE"])
    head = {"HANDOFF": "- TO: Beside", "DELEGATE": "- AGENT: Beside", "COMPLETE": "- WHEN: a", "ESCALATE": "triggers:"}[
        name
    ]
    return Block(f"{name}:", [Block(head, _few(chance, keys))])


def _anything(chance: random.Random) -> Block:
    """A section by its name, with a value, a text or lines of any kind below."""
    head = f"{chance.choice(SECTIONS)}: {chance.choice(['', '', '', *WORDS, '|'])}".rstrip()
    return Block(head, [_loose(chance, 2) for _ in range(chance.randrange(4))])


def _loose(chance: random.Random, depth: int) -> Block:
    key = chance.choice(
        [f"{chance.choice(ANY_KEYS)}:", f"{chance.choice(NAMES)}:", "-", f"- {chance.choice(NAMES)}:", ""]
    )
    value = chance.choice([chance.choice(WORDS), condition(chance), message(chance), ""])
    below = [_loose(chance, depth - 1) for _ in range(chance.randrange(3))] if depth else []
    return Block(f"{key} {value}".strip(), below)


def _on_start(chance: random.Random) -> Block:
    if chance.random() < 0.5:
        return Block("ON_START:", _some(chance, directive))
    return Block("HOOKS:", [Block("before_turn:", _some(chance, directive))])


MAKERS: list[Callable[[random.Random], Block]] = [
    _memory, _memory, _constraints, _constraints, _flow, _flow, _flow, _tools, _gather, _coordination, _on_start,
    _anything, _anything,
]  # fmt: skip
