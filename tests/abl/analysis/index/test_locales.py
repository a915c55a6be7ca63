"""Locale catalogues beside the documents of a project (ABL659, docs/spec 10 §2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl.analysis import check
from abl.analysis.index.catalogues import catalogues_of, keys_of
from abl.cli import main

AGENT = """\
AGENT: Desk
GOAL: "Lend books"
FLOW:
  greet:
    REASONING: false
    RESPOND: "Hello."
    MESSAGE_KEY: order.hello
    THEN: COMPLETE
"""


def test_a_catalogue_is_no_document() -> None:
    report = check({"desk.agent.abl": AGENT, "de.locale.yaml": "order:\n  hello: Tag\n"})
    assert list(report.index.documents) == ["desk.agent.abl"]
    assert report.diagnostics == ()


def test_the_languages_come_from_the_names_of_the_files() -> None:
    files = {"texts/pt-BR.locale.json": '{"a": {"b": "x"}}', "en.locale.yml": "a: x", "bad.locale.yaml": "a: ["}
    assert catalogues_of(files) == (("en", frozenset({"a"})), ("pt-BR", frozenset({"a", "a.b"})))


@pytest.mark.parametrize(
    "text",
    ["", "- a", "a: [", pytest.param("[" * 5000, marks=pytest.mark.slow), "a: !!python/object:os.system x", "\x00"],
)
def test_a_text_that_is_no_catalogue_says_nothing(text: str) -> None:
    assert keys_of(text) is None


def test_a_new_catalogue_is_seen_though_the_document_is_the_same() -> None:
    def missing(catalogue: str) -> list[str]:
        found = check({"desk.agent.abl": AGENT, "de.locale.yaml": catalogue}).diagnostics
        return [d.code for d in found]

    assert [missing("order: {hello: Tag}"), missing("order: {}"), missing("order: {hello: Tag}")] == [
        [],
        ["ABL659"],
        [],
    ]


def test_the_command_reads_the_catalogues_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "desk.agent.abl").write_text(AGENT, encoding="utf-8")
    (tmp_path / "locales").mkdir()
    (tmp_path / "locales" / "de.locale.yaml").write_text("bye: Ciao\n", encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 0
    assert "ABL659 missing-locale-key: Locale key `order.hello` is missing for de" in capsys.readouterr().out
