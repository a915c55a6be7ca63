"""What one line of ON_FAIL that begins with a word of another notation is meant to do (docs/spec 04 §5)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from abl.analysis import fixes
from abl.analysis.fixes import braces
from abl.analysis.fixes.entries import is_yaml
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes

_LINE: Final = re.compile(r"\s*(?P<word>[A-Za-z_]+)(?P<mark>\s*:|(?=\()|\b)\s*(?P<rest>.*?)\s*", re.DOTALL)
_TEXT: Final = re.compile(r'"[^"]*"|\'[^\']*\'|“[^”]*”')
_NAMES: Final = re.compile(r"\[[\w\s.,]*\]|[\w.]+(?:\s*,\s*[\w.]+)*")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_SAYING: Final = frozenset({"RESPOND", "MESSAGE", "SAY", "TEXT", "REPLY", "SEND", "TELL", "ASK", "PROMPT"})
_ASKS: Final = frozenset({"COLLECT", "ASK", "GATHER", "REPROMPT"})
_JUMPING: Final = frozenset({"GOTO", "JUMP", "THEN"})
_REFUSING: Final = frozenset({"BLOCK", "REJECT", "DENY", "REFUSE", "STOP", "ABORT", "FORBID"})
_HANDING: Final = frozenset({"HANDOFF", "TRANSFER"})


class _Action(NamedTuple):
    """An action on one line, or a key of a block with its value."""

    line: str = ""
    key: str = ""
    value: str = ""


def intended_actions(action: nodes.OnFail, agent: AgentIndex) -> tuple[Fix, ...]:
    """ON_FAIL as it may be meant; nothing where the line may just as well be a sentence."""
    value = action.block.value if action.block is not None else None
    words = _LINE.fullmatch(value.value) if value is not None and "\n" not in value.raw else None
    if value is None or words is None:
        return ()
    meant = _meant(words, agent, quoted=agent.source.text[value.span.start] in "\"'")
    if meant is None:
        return ()
    if meant.line:
        text = meant.line if not is_yaml(agent) or '"' not in meant.line else _in_quotes_of_yaml(meant.line)
        return (Fix(f"Write `{meant.line}`", (Edit(value.span, text),), preferred=True),)
    return (_as_block(meant, value, agent),)


def _meant(words: re.Match[str], agent: AgentIndex, *, quoted: bool) -> _Action | None:
    """``quoted``: the line stands in quotes of YAML, where a single word is more likely a message."""
    written, rest = words["word"], words["rest"]
    word, said = written.upper(), rest[1:-1].strip() if rest[:1] == "(" and rest[-1:] == ")" else rest
    if word in _SAYING and _TEXT.fullmatch(said):
        return _Action(line=f'RESPOND "{said[1:-1]}"')
    if word == "RETRY" and said.lower() in ("", "true") and (written.isupper() or words["mark"].strip()):
        return _Action(key="RETRY", value="true")
    if word in _ASKS and _NAMES.fullmatch(said) and (said[0] == "[" or (written.isupper() and _known(said, agent))):
        return _Action(key="COLLECT", value=said if said[0] == "[" else f"[{said}]")
    if word == "CLEAR" and written.isupper() and _NAMES.fullmatch(said):
        return _Action(key="CLEAR", value=said)
    if word in _JUMPING and said in agent.steps:
        return _Action(key="GOTO", value=said)
    return _leaving(written, said) if said or not quoted else None


def _leaving(written: str, said: str) -> _Action | None:
    """A handoff or a refusal. `transfer it` may be a sentence, `TRANSFER` and `handoff` are none."""
    word = written.upper()
    target = re.sub(r"^to\s+", "", said, flags=re.IGNORECASE)
    if word in _HANDING and _WORD.fullmatch(target) and (written.isupper() or word == "HANDOFF"):
        return _Action(line=f"HANDOFF {target}")
    if word == "ESCALATE" and not said and written != word:
        return _Action(line="ESCALATE")
    if word in _REFUSING and word != written and word == "BLOCK" and not said:
        return _Action(line="BLOCK")
    if word in _REFUSING and written.isupper() and word != "BLOCK" and (not said or _TEXT.fullmatch(said)):
        return _Action(line=f'BLOCK "{said[1:-1]}"' if said else "BLOCK")
    return None


def _known(names: str, agent: AgentIndex) -> bool:
    """True for names of the agent, which a sentence would not consist of."""
    return all(name.strip().partition(".")[0] in agent.written_roots for name in names.split(","))


def _in_quotes_of_yaml(line: str) -> str:
    escaped = line.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _as_block(meant: _Action, value: nodes.Text, agent: AgentIndex) -> Fix:
    """The key below ON_FAIL; in braces where ON_FAIL itself is in some, and in the YAML form."""
    title = f"Write a block with `{meant.key}`"
    start = agent.source.text.rindex(":", 0, value.span.start) + 1
    if is_yaml(agent) or braces.extent(agent.source, value.span) is not None:
        key = meant.key.lower() if is_yaml(agent) else meant.key
        return fixes.replace(value.span, f"{{{key}: {meant.value}}}", title)
    indent = fixes.indent_of(agent.source, start) + "  "
    return fixes.replace(Span(start, value.span.end), f"\n{indent}{meant.key}: {meant.value}", title)
