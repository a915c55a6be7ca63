"""The Pygments lexer."""

from __future__ import annotations

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.token import Comment, Error, Keyword, Name, String

from abl.editing.highlight import AblLexer

TEXT = '# note\nAGENT: Desk\nMEMORY:\n  session:\n    - a\n      TYPE: number\nRESPOND: "Hi {{a}}"\n'


def test_the_lexer_gives_the_text_back_and_no_errors():
    found = list(AblLexer().get_tokens(TEXT))
    assert "".join(value for _, value in found) == TEXT
    assert Error not in {kind for kind, _ in found}


def test_kinds_have_pygments_token_types():
    found = {value: kind for kind, value in AblLexer().get_tokens(TEXT)}
    assert found["# note"] is Comment.Single
    assert found["AGENT:"] is Keyword.Namespace
    assert found["Desk"] is Name.Label
    assert found["number"] is Keyword.Type
    assert found["{{a}}"] is String.Interpol


def test_a_text_is_recognised_by_its_header():
    assert AblLexer.analyse_text(TEXT) > AblLexer.analyse_text("MEMORY:\n  session:\n") > 0
    assert AblLexer.analyse_text("def f(): pass") == 0


def test_html_comes_out():
    assert '<span class="kn">AGENT:</span>' in highlight(TEXT, AblLexer(), HtmlFormatter())
