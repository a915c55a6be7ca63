"""The command `abl` where things go wrong around it: files, pipes, disks, terminals (docs/spec 12 §2)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from abl import files
from abl.analysis.registry import RULES
from abl.cli import main

GOOD = 'AGENT: Desk\nGOAL: "Lend books"\n'
WRONG = "AGENT: Desk\n"
UGLY = "AGENT:   Desk\nGOAL: x\n"
CLEAN = "AGENT: Desk\nGOAL: x\n"
COMMAND = [sys.executable, "-m", "abl.cli"]
ROOT = Path(__file__).resolve().parents[3]
PLACEHOLDER = re.compile(r"\{[a-z_A-Z]\w*\}")
Captured = pytest.CaptureFixture[str]
slow = pytest.mark.slow
NOBODY = 65534


def run(*arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    options: dict[str, Any] = {"input": b"", "stdout": PIPE, "stderr": PIPE, "timeout": 120, **more}
    if "stdin" in options:
        del options["input"]
    return subprocess.run([*COMMAND, *arguments], check=False, **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "desk.agent.abl").write_text(GOOD, encoding="utf-8")
    return tmp_path


# What is read ----------------------------------------------------------------------------------------------------


def test_loops_and_links_to_nowhere_are_passed_over_in_folders(folder: Path, capsys: Captured) -> None:
    (folder / "loop").symlink_to(folder)
    (folder / "nowhere.agent.abl").symlink_to(folder / "none.abl")
    (folder / "self.agent.abl").symlink_to("self.agent.abl")
    os.mkfifo(folder / "pipe.agent.abl")
    assert main(["check", str(folder)]) == 0
    assert capsys.readouterr().out == "No problems found.\n"
    assert main(["check", str(folder / "self.agent.abl")]) == 2
    assert "Too many levels of symbolic links" in capsys.readouterr().err


def test_a_pipe_in_the_place_of_the_configuration_is_not_waited_for(folder: Path, capsys: Captured) -> None:
    os.mkfifo(folder / "pyproject.toml")
    assert main(["check", str(folder)]) == 2
    assert "pyproject.toml: cannot be read: no regular file" in capsys.readouterr().err


def test_folders_below_with_a_mark_are_projects_of_their_own(tmp_path: Path, capsys: Captured) -> None:
    agent = 'AGENT: Desk\nGOAL: "Lend books"\nHANDOFF:\n  - TO: {to}\n    WHEN: true\n'
    for place, mark in (("one", "project.yaml"), ("two/inner", "pyproject.toml"), ("two/inner/agents", "")):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "desk.agent.abl").write_text(agent.format(to="Shelf"), encoding="utf-8")
        if mark:
            (tmp_path / place / mark).touch()
    (tmp_path / "two" / "shelf.agent.abl").write_text('AGENT: Shelf\nGOAL: "Keep books"\n', encoding="utf-8")
    assert main(["check", str(tmp_path), "--select", "ABL121"]) == 1
    assert capsys.readouterr().out.count("ABL121") == 1  # of those in two/inner, which are one project
    (tmp_path / "two" / "inner" / "agents" / "desk.agent.abl").unlink()
    assert main(["check", str(tmp_path), "--select", "ABL121"]) == 0


def test_names_with_blanks_and_signs_are_names(folder: Path, capsys: Captured) -> None:
    name = folder / "a b;$(c) #é.agent.abl"
    name.write_text(WRONG, encoding="utf-8")
    assert main(["check", str(name)]) == 1
    assert f"{name}:1:1: error ABL102" in capsys.readouterr().out


@slow
def test_a_name_that_is_no_text_is_shown_with_escapes(folder: Path) -> None:
    name = os.fsencode(folder) + b"/n\xff.agent.abl"
    Path(os.fsdecode(name)).write_text(WRONG, encoding="utf-8")
    text = run("check", str(folder))
    assert text.returncode == 1
    assert b"n\\udcff.agent.abl:1:1: error" in text.stdout
    report = json.loads(run("check", str(folder), "--format", "json").stdout)
    assert os.fsencode(report["diagnostics"][0]["path"]) == name
    log = json.loads(run("check", str(folder), "--format", "sarif").stdout)
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/n%FF.agent.abl")


def test_an_empty_file_and_a_very_long_line_are_told_and_no_more(folder: Path, capsys: Captured) -> None:
    (folder / "desk.agent.abl").write_text("", encoding="utf-8")
    (folder / "long.agent.abl").write_text(f'AGENT: Long\nGOAL: "{"x" * 3_000_000}"\n', encoding="utf-8")
    assert main(["check", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "The file is empty" in out
    assert "longer than 2000000 characters" in out
    assert max(map(len, out.splitlines())) < 1_000
    assert main(["fmt", "--check", str(folder / "long.agent.abl")]) == 0


def test_what_has_no_end_is_read_up_to_a_bound(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 10_000)
    assert main(["check", "/dev/zero"]) == 2
    assert "/dev/zero: longer than 10,000 bytes" in capsys.readouterr().err


@slow
def test_a_closed_standard_input_is_told() -> None:
    done = run("check", "-", stdin=None, preexec_fn=lambda: os.close(0))
    assert (done.returncode, done.stderr) == (2, b"abl: standard input is closed\n")


# Where the output goes -------------------------------------------------------------------------------------------


@slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "{}"], 1),
        (["check", "{}", "--format", "json"], 1),
        (["check", "{}", "--format", "sarif"], 1),
        (["check", "{}", "--format", "github"], 1),
        (["fmt", "--diff", "{}"], 1),
        (["fmt", "--check", "{}"], 1),
        (["explain", "ABL346"], 0),
        (["eval", "1"], 0),
        (["test", "{}"], 2),
        (["--version"], 0),
    ],
)
def test_a_pipe_that_nobody_reads_changes_no_exit_code_and_shows_no_traceback(
    folder: Path, arguments: list[str], code: int
) -> None:
    text = WRONG + "".join(f"x{n}:   [\n" for n in range(3_000))
    (folder / "desk.agent.abl").write_text(text, encoding="utf-8")
    words = [word.format(folder) for word in arguments]
    with subprocess.Popen([*COMMAND, *words], stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        complaints = process.stderr.read()
        assert process.wait(120) == code
    assert b"Traceback" not in complaints
    assert b"BrokenPipe" not in complaints


@slow
def test_formatting_goes_on_when_nobody_reads_what_is_said(folder: Path) -> None:
    names = [folder / f"{number}.agent.abl" for number in range(3)]
    for name in names:
        name.write_text(UGLY, encoding="utf-8")
    with subprocess.Popen([*COMMAND, "fmt", str(folder)], stdout=PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(120) == 0
    assert [name.read_text(encoding="utf-8") for name in names] == [CLEAN] * 3


@slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_told_and_is_no_success(folder: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run("check", str(folder), stdout=full)
    assert (done.returncode, done.stderr) == (2, b"abl: standard output: No space left on device\n")


@slow
def test_a_terminal_of_few_characters_gets_escapes_and_programs_get_utf_8(folder: Path) -> None:
    few = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    text = "AGENT: Ünï\nGOAL: x\n".encode()
    shown = run("check", "-", input=text, env=few)
    assert (shown.returncode, b"`\\xdcn\\xef` is not a valid agent name" in shown.stdout) == (1, True)
    report = json.loads(run("check", "-", "--format", "json", input=text, env=few).stdout.decode("utf-8"))
    assert "`Ünï`" in report["diagnostics"][0]["message"]


# What is asked for -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codes", ["", " ", ","])
def test_to_look_for_nothing_is_wrong_use_since_it_would_always_succeed(codes: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "--select", codes, "."])
    assert ended.value.code == 2
    assert "write at least one code" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": NaN}', "NaN is no number of JSON"),
        ('{"a": -Infinity}', "-Infinity is no number of JSON"),
        ('{"a": 1e999}', "1e999 is too large for a number"),
        (f'{{"a": {"1" * 5_000}}}', "a number of more than 1000 digits"),
        ("[" * 100_000, "nested too deeply"),
        ("", "not JSON"),
    ],
)
def test_a_context_that_is_no_json_is_wrong_use(tmp_path: Path, text: str, words: str, capsys: Captured) -> None:
    context = tmp_path / "context.json"
    context.write_text(text, encoding="utf-8")
    assert main(["eval", "a", "--context", str(context)]) == 2
    assert words in capsys.readouterr().err


def test_the_version_is_told(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("abl")


@pytest.mark.parametrize("words", [["run", "{}/none"], ["run", "{}", "--scenario", "{}/none"], ["test", "{}/none"]])
def test_what_is_not_there_is_told_by_its_name(folder: Path, words: list[str], capsys: Captured) -> None:
    assert main([word.format(folder) for word in words]) != 0
    told = capsys.readouterr()
    assert f"{folder}/none" in told.err + told.out
    assert "Traceback" not in told.err


# What is written -------------------------------------------------------------------------------------------------


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@contextmanager
def without_rights() -> Iterator[None]:
    """As somebody who may write only what anybody may; root may write everything."""
    root = os.geteuid() == 0
    if root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if root:
            os.setresuid(0, 0, 0)


def test_a_file_that_may_not_be_written_is_not_replaced(folder: Path, capsys: Captured) -> None:
    other = folder / "other.agent.abl"
    other.write_text(UGLY, encoding="utf-8")
    assert main(["fmt", str(other)]) == 0  # with rights: whatever is imported late is imported now
    with TemporaryDirectory() as made:  # pytest's folders are closed to others
        open_to_all = Path(made)
        open_to_all.chmod(0o777)
        name = open_to_all / "desk.agent.abl"
        name.write_text(UGLY, encoding="utf-8")
        name.chmod(0o444)
        with without_rights():
            assert main(["fmt", str(name)]) == 2
        assert f"{name}: not written: Permission denied" in capsys.readouterr().err
        assert (name.read_text(encoding="utf-8"), names(open_to_all)) == (UGLY, [name.name])


def test_a_file_that_may_not_be_written_is_not_replaced_though_its_folder_would_allow_it(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = folder / "desk.agent.abl"
    name.write_text(UGLY, encoding="utf-8")
    monkeypatch.setattr("abl.files.os.access", lambda path, mode: False)
    assert main(["fmt", str(name)]) == 2
    assert f"{name}: not written: Permission denied" in capsys.readouterr().err
    assert (name.read_text(encoding="utf-8"), names(folder)) == (UGLY, [name.name])


def test_an_interrupt_while_writing_leaves_the_old_text_and_nothing_else(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = folder / "desk.agent.abl"
    name.write_text(UGLY, encoding="utf-8")

    def stop(*paths: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("abl.files.os.replace", stop)
    assert main(["fmt", str(name)]) == 130
    assert (name.read_text(encoding="utf-8"), names(folder)) == (UGLY, [name.name])


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_mode_and_names_of_any_length_are_kept(folder: Path, mode: int) -> None:
    name = folder / ("x" * 240 + ".agent.abl")
    name.write_text(UGLY, encoding="utf-8")
    name.chmod(mode)
    assert main(["fmt", str(name)]) == 0
    assert (name.read_text(encoding="utf-8"), name.stat().st_mode & 0o7777) == (CLEAN, mode)


# SARIF, explain --------------------------------------------------------------------------------------------------


def test_sarif_has_what_its_schema_asks_for(folder: Path, capsys: Captured) -> None:
    odd = folder / "a b #é%.agent.abl"
    odd.write_text(
        f"{WRONG}CONSTRAINTS:\n  - REQUIRE a == 1\n    ON_FAIL: sorry\nFLOW:\n  s:\n    THEN: t\n", encoding="utf-8"
    )
    assert main(["check", str(odd), "--format", "sarif"]) == 1
    log = json.loads(capsys.readouterr().out)
    assert (log["version"], log["$schema"].endswith("sarif-2.1.0.json")) == ("2.1.0", True)
    (run_,) = log["runs"]
    driver = run_["tool"]["driver"]
    assert (driver["name"], run_["columnKind"]) == ("abl", "unicodeCodePoints")
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
    assert {result["level"] for result in run_["results"]} >= {"error", "note"}
    for result in run_["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        address = urlsplit(place["artifactLocation"]["uri"])
        assert (address.scheme, address.fragment, unquote(address.path)) == ("file", "", str(odd))
        region = place["region"]
        assert (region["startLine"], region["startColumn"]) >= (1, 1)
        assert (region["endLine"], region["endColumn"]) >= (region["startLine"], region["startColumn"])


@slow
def test_no_explanation_shows_a_placeholder(capsys: Captured) -> None:
    assert main(["explain", "ABL346"]) == 0
    assert 'TTL `90 days` is not a duration like "90d" (units s m h d)\n' in capsys.readouterr().out
    left = {}
    for code, rule in RULES.items():
        assert main(["explain", code]) == 0
        message = capsys.readouterr().out.split("\n")[2]
        left[code] = set(PLACEHOLDER.findall(rule.message)) & set(PLACEHOLDER.findall(message))
    assert {code: words for code, words in left.items() if words} == {}


def test_links_that_lead_out_of_a_folder_are_passed_over(tmp_path: Path, capsys: Captured) -> None:
    inside, elsewhere = tmp_path / "clone", tmp_path / "elsewhere"
    for place in (inside, elsewhere):
        place.mkdir()
        (place / "desk.agent.abl").write_text(GOOD, encoding="utf-8")
    ugly = "AGENT: Other\nGOAL:   'x'\n\n\n\n\n"
    (elsewhere / "other.agent.abl").write_text(ugly, encoding="utf-8")
    (inside / "link.agent.abl").symlink_to(elsewhere / "other.agent.abl")
    assert main(["fmt", str(inside)]) == 0
    assert (elsewhere / "other.agent.abl").read_text(encoding="utf-8") == ugly
    (elsewhere / "other.agent.abl").write_text("root:x:0", encoding="utf-8")
    main(["check", str(inside)])
    assert "link.agent.abl" not in capsys.readouterr().out
    assert main(["check", str(inside / "link.agent.abl")]) == 1  # one that is named is meant


def test_a_run_names_the_file_that_it_cannot_read(folder: Path, capsys: Captured) -> None:
    (folder / "bad.agent.abl").write_bytes(b"AGENT: Caf\xe9\n")
    assert main(["run", str(folder)]) == 2
    assert "bad.agent.abl: not UTF-8 text (byte 10)" in capsys.readouterr().err


def test_lines_that_end_as_on_old_systems_are_told(folder: Path, capsys: Captured) -> None:
    (folder / "desk.agent.abl").write_bytes(GOOD.replace("\n", "\r").encode())
    assert main(["check", str(folder)]) == 1
    assert "Lines end with a carriage return alone" in capsys.readouterr().out
