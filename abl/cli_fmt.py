"""``abl fmt`` (docs/spec 12 §2, docs/reference/style.md)."""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path

from abl.files import STDIN, STDIN_NAME, UsageError, projects, write_text
from abl.output import complain, say, write, write_bytes

OK, PROBLEMS, WRONG_USE = 0, 1, 2


def add_fmt(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register ``fmt``."""
    parser = commands.add_parser("fmt", help="write files in the canonical layout")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder, or - for standard input to output")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is not formatted")
    only.add_argument("--diff", action="store_true", help="write nothing; print what would change, exit 1 if anything")
    parser.set_defaults(handler=format_command)


def format_command(arguments: argparse.Namespace) -> int:
    """``abl fmt``; 0 fine, 1 with --check or --diff when something is not formatted, 2 wrong use."""
    problems: list[UsageError] = []
    texts = {path: text for files in projects(arguments.paths, problems) for path, text in files.items()}
    changed = 0
    for path, text in texts.items():
        try:
            changed += _formatted(path, text, arguments)
        except UsageError as error:
            problems.append(error)
    for problem in problems:
        complain(f"abl: {problem}")
    if problems:
        return WRONG_USE
    if STDIN not in arguments.paths and not arguments.diff:
        say(_summary(changed, len(texts), arguments.check))
    return PROBLEMS if changed and (arguments.check or arguments.diff) else OK


def _formatted(path: str, text: str, arguments: argparse.Namespace) -> bool:
    """Handle one file; True when it was not formatted."""
    from abl.editing.format import format_source

    formatted = format_source(text)
    is_stdin = path == STDIN_NAME and STDIN in arguments.paths
    if arguments.diff:
        write("".join(_difference(path, text, formatted)))
    elif arguments.check:
        if formatted != text:
            say(f"{path}: not formatted")
    elif is_stdin:
        write_bytes(formatted.encode("utf-8"))
    elif formatted != text:
        write_text(Path(path), formatted)
        say(f"{path}: formatted")
    return formatted != text


def _difference(path: str, before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), path, f"{path} (formatted)", lineterm="")
    return [f"{line}\n" for line in lines]


def _summary(changed: int, count: int, check: bool) -> str:
    what = "not formatted" if check else "formatted"
    rest = "" if count == changed else f", {_files(count - changed)} as they are"
    return f"{_files(changed)} {what}{rest}." if changed else f"{_files(count)}: nothing to do."


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
