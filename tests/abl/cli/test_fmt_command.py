"""`abl fmt` (docs/spec 12 §2): what it writes, what it prints, with which code it ends."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest
import yaml

from abl.cli import main

ROOT = Path(__file__).resolve().parents[3]
UGLY = "AGENT:   Desk\nGOAL: x\nMEMORY:\n      session:\n      - a\n"
CLEAN = "AGENT: Desk\nGOAL: x\n\nMEMORY:\n  session:\n    - a\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ugly.agent.abl").write_text(UGLY, encoding="utf-8")
    (tmp_path / "clean.agent.abl").write_text(CLEAN, encoding="utf-8")
    (tmp_path / "notes.txt").write_text(UGLY, encoding="utf-8")
    return tmp_path


def read(folder: Path, name: str) -> str:
    return (folder / name).read_bytes().decode()


def test_it_formats_the_documents_of_a_folder_in_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ugly.agent.abl").chmod(0o640)
    assert main(["fmt", str(folder)]) == 0
    assert read(folder, "ugly.agent.abl") == CLEAN
    assert read(folder, "notes.txt") == UGLY
    assert (folder / "ugly.agent.abl").stat().st_mode & 0o777 == 0o640
    out = capsys.readouterr().out
    assert out == f"{folder / 'ugly.agent.abl'}: formatted\n1 file formatted, 1 file as they are.\n"
    assert main(["fmt", str(folder)]) == 0
    assert capsys.readouterr().out == "2 files: nothing to do.\n"
    assert sorted(path.name for path in folder.iterdir()) == ["clean.agent.abl", "notes.txt", "ugly.agent.abl"]


def test_check_and_diff_write_nothing_and_end_with_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ugly = folder / "ugly.agent.abl"
    assert main(["fmt", "--check", str(folder)]) == 1
    assert capsys.readouterr().out.startswith(f"{ugly}: not formatted\n")
    assert main(["fmt", "--diff", str(folder)]) == 1
    out = capsys.readouterr().out
    assert f"--- {ugly}\n" in out
    assert "-AGENT:   Desk\n+AGENT: Desk\n" in out
    assert ugly.read_text(encoding="utf-8") == UGLY


def test_check_and_diff_of_formatted_files_end_with_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clean = str(folder / "clean.agent.abl")
    assert main(["fmt", "--check", clean]) == 0
    assert main(["fmt", "--diff", clean]) == 0
    assert capsys.readouterr().out == "1 file: nothing to do.\n"


def test_standard_input_goes_to_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UGLY.encode()), encoding="utf-8"))
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["fmt", "-"]) == 0
    assert out.buffer.getvalue().decode() == CLEAN


def test_what_cannot_be_read_is_named_and_the_rest_formatted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bytes.agent.abl").write_bytes(b"AGENT: \xff\n")
    missing = folder / "missing.agent.abl"
    assert main(["fmt", str(folder), str(missing)]) == 2
    errors = capsys.readouterr().err
    assert "bytes.agent.abl: not UTF-8 text (byte 7)" in errors
    assert f"{missing}: there is no such file or folder" in errors
    assert read(folder, "ugly.agent.abl") == CLEAN
    assert (folder / "bytes.agent.abl").read_bytes() == b"AGENT: \xff\n"


def test_a_file_that_cannot_be_written_keeps_its_text(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*paths: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("abl.files.os.replace", refuse)
    assert main(["fmt", str(folder)]) == 2
    assert "ugly.agent.abl: not written: Permission denied" in capsys.readouterr().err
    assert read(folder, "ugly.agent.abl") == UGLY
    assert len(list(folder.iterdir())) == 3


def test_a_link_stays_a_link(folder: Path) -> None:
    link = folder / "link.agent.abl"
    link.symlink_to(folder / "ugly.agent.abl")
    assert main(["fmt", str(link)]) == 0
    assert link.is_symlink()
    assert read(folder, "ugly.agent.abl") == CLEAN


def test_no_path_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["fmt"])
    assert ended.value.code == 2
    assert "PATH" in capsys.readouterr().err


def test_the_hooks_for_pre_commit_are_commands_that_there_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["abl-check", "abl-fmt"]
    (folder / "clean.agent.abl").unlink()
    monkeypatch.chdir(folder)
    for hook in reversed(hooks):  # what is formatted has no error
        program, *arguments = hook["entry"].split()
        given = ["ugly.agent.abl"] if hook.get("pass_filenames", True) else []
        assert (program, main([*arguments, *given])) == ("abl", 0)
        for name in ("a.agent.abl", "x/b.tools.abl", "c.agent.yaml"):
            assert re.search(hook["files"], name)
        assert not re.search(hook["files"], "docker.yaml")
    assert read(folder, "ugly.agent.abl") == CLEAN
