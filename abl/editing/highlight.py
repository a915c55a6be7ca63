"""A Pygments lexer for ABL over the same tokens as the editor (docs/spec 12 §1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from pygments.lexer import Lexer
from pygments.lexers import LEXERS
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    Text,
    _TokenType,
)

from abl.editing.tokens import tokens

__all__ = ["AblLexer"]  # Pygments reads it

_TYPES: Final[dict[str, _TokenType]] = {
    "section": Keyword.Namespace,
    "key": Keyword,
    "kind": Keyword.Declaration,
    "word": Operator.Word,
    "op": Operator,
    "name": Name.Variable,
    "label": Name.Label,
    "string": String,
    "slot": String.Interpol,
    "number": Number,
    "func": Name.Function,
    "type": Keyword.Type,
    "comment": Comment.Single,
    "text": Text,
}
_HEADER = re.compile(r"^(AGENT|SUPERVISOR|BEHAVIOR_PROFILE):", re.MULTILINE)
_SECTION = re.compile(r"^(MEMORY|CONSTRAINTS|FLOW|GATHER|TOOLS|HANDOFF):[ \t]*$", re.MULTILINE)


class AblLexer(Lexer):
    """Agents written in ABL."""

    name = "ABL"
    aliases: ClassVar[list[str]] = ["abl", "abl-agent"]
    filenames: ClassVar[list[str]] = ["*.abl"]
    mimetypes: ClassVar[list[str]] = ["text/x-abl"]
    url = ""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Offset, Pygments token type and text of each piece."""
        for start, end, kind in tokens(text):
            yield start, _TYPES[kind], text[start:end]

    @staticmethod
    def analyse_text(text: str) -> float:
        """How likely a text is ABL."""
        if _HEADER.search(text):
            return 0.8
        return 0.4 if _SECTION.search(text) else 0.0


def _before_namesakes() -> None:
    """Let the alias ``abl`` mean this lexer, in processes that have loaded it.

    Pygments has a lexer of another language with that alias, and asks plugins only when none of its own knows an alias
    (docs/how-to/editors.md). The alias ``abl-agent`` is found in any process.
    """
    known = dict(LEXERS)
    LEXERS.clear()
    names = (AblLexer.aliases, AblLexer.filenames, AblLexer.mimetypes)
    LEXERS[AblLexer.__name__] = (__name__, AblLexer.name, *map(tuple, names))
    LEXERS.update(known)


_before_namesakes()
