"""A client's positions and files, without a server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from abl.lsp import texts
from abl.lsp.texts import Lines, OpenDocument, Projects

TEXTS = st.text(alphabet=st.sampled_from("ab \n\r\u00e9\u4e2d\U0001f600\u2028\x0c"), max_size=40)
ENCODINGS = ["utf-8", "utf-16", "utf-32"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS)
def test_every_offset_comes_back_from_its_position(encoding: str, text: str) -> None:
    lines = Lines(text, encoding)
    for offset in range(len(text) + 1):
        if text[max(offset - 1, 0) : offset + 1] != "\r\n":  # between the two there is no position
            assert lines.offset(lines.position(offset)) == offset


def test_units_and_lines_are_those_of_the_protocol() -> None:
    text = "a\rb\r\n\U0001f600\u00e9x\u2028y"
    at = text.index("x")
    characters = [Lines(text, encoding).position(at) for encoding in ENCODINGS]
    assert characters == [types.Position(2, 6), types.Position(2, 3), types.Position(2, 2)]
    assert Lines(text, "utf-16").position(len(text)) == types.Position(2, 6)


def test_positions_outside_of_the_text_are_clamped() -> None:
    lines = Lines("ab\ncd", "utf-16")
    assert [lines.offset(types.Position(*at)) for at in ((0, 99), (1, 99), (99, 0))] == [2, 5, 5]
    assert (lines.position(-4), lines.position(99)) == (types.Position(0, 0), types.Position(1, 2))


def project(folder: Path, *names: str) -> Projects:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("AGENT: A\n", encoding="utf-8")
    return Projects(roots=[str(folder)])


def names(projects: Projects, path: Path) -> list[str]:
    return sorted(os.path.relpath(name, path.parent) for name in projects.files(str(path)))


def test_the_nearest_marked_folder_is_the_project_and_marked_ones_below_it_are_not_part_of_it(tmp_path: Path) -> None:
    projects = project(
        tmp_path,
        "project.yaml",
        "a.agent.abl",
        "deep/b.agent.abl",
        "own/project.yaml",
        "own/c.agent.abl",
        ".git/d.agent.abl",
        "node_modules/e.agent.abl",
    )
    assert names(projects, tmp_path / "a.agent.abl") == ["a.agent.abl", "deep/b.agent.abl", "project.yaml"]
    assert names(projects, tmp_path / "own/c.agent.abl") == ["c.agent.abl", "project.yaml"]
    assert projects.folder(str(tmp_path / "deep/b.agent.abl")) == str(tmp_path)


def test_without_a_mark_it_is_the_folder_of_the_file_and_nothing_outside_of_the_workspace(tmp_path: Path) -> None:
    projects = project(tmp_path, "a.agent.abl", "deep/b.agent.abl")
    assert projects.folder(str(tmp_path / "deep/b.agent.abl")) == str(tmp_path / "deep")
    assert Projects().folder(str(tmp_path / "deep/b.agent.abl")) == str(tmp_path / "deep")


def test_open_texts_stand_over_the_files_and_changes_on_disk_are_seen(tmp_path: Path) -> None:
    projects = project(tmp_path, "a.agent.abl", "b.agent.abl")
    one, two = str(tmp_path / "a.agent.abl"), str(tmp_path / "b.agent.abl")
    projects.open_documents[one] = OpenDocument("file:///a", 1, "open\ud800")
    assert projects.files(one) == {one: "open\ufffd", two: "AGENT: A\n"}
    (tmp_path / "b.agent.abl").write_text("AGENT: Changed\n", encoding="utf-8")
    assert projects.files(one)[two] == "AGENT: Changed\n"
    (tmp_path / "b.agent.abl").unlink()
    assert list(projects.files(one)) == [one]


def test_a_project_is_read_up_to_a_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MAX_PROJECT_FILES", 3)
    projects = project(tmp_path, *(f"{n}.agent.abl" for n in range(9)))
    assert len(projects.files(str(tmp_path / "8.agent.abl"))) == 3


def test_a_folder_is_looked_through_up_to_a_number_of_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MAX_FOLDER_ENTRIES", 4)
    projects = project(tmp_path, *(f"d{n}/x.agent.abl" for n in range(9)), "a.agent.abl")
    assert len(projects.files(str(tmp_path / "a.agent.abl"))) < 9


def test_a_configuration_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    projects = project(tmp_path, "a.agent.abl")
    (tmp_path / "pyproject.toml").write_text('[tool.abl]\nselect = "NONSENSE"\n', encoding="utf-8")
    configuration, problem = projects.configuration(str(tmp_path / "a.agent.abl"))
    assert configuration.select is None
    assert "select" in problem
