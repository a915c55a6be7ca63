"""The Pygments lexer."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
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


def test_once_it_is_loaded_it_has_the_alias_that_another_language_has_too():
    assert type(get_lexer_by_name("abl")) is AblLexer
    assert type(get_lexer_for_filename("desk.agent.abl")) is AblLexer
    assert get_lexer_by_name("openedge").name == "OpenEdge ABL"


def in_a_process_of_its_own(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


@pytest.mark.slow
def test_in_any_process_it_is_found_by_its_own_alias_and_by_the_name_of_a_file():
    ask = "from pygments.lexers import {0}; print(type({0}({1!r})).__module__)"
    assert in_a_process_of_its_own(ask.format("get_lexer_by_name", "abl-agent")) == "abl.editing.highlight"
    assert in_a_process_of_its_own(ask.format("get_lexer_for_filename", "a.agent.abl")) == "abl.editing.highlight"


@pytest.mark.slow
def test_pygmentize_colours_by_its_own_alias(tmp_path):
    file = tmp_path / "desk.agent.abl"
    file.write_text(TEXT, encoding="utf-8")
    for chosen in (["-l", "abl-agent"], []):
        command = [sys.executable, "-m", "pygments", "-f", "html", *chosen, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert '<span class="kn">AGENT:</span>' in done.stdout
