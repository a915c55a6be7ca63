"""Python sources taken apart: comments, docstrings and identifiers of each module, read once for all tests."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CODE = ("abl", "config", "constraints", "editor", "memory", "web")
# Not ``tokenize``, which takes seconds for the whole product.
TOKEN = re.compile(
    r'(?P<docstring>[rR]?"""(?:[^\\]|\\.)*?""")'
    r"""|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"|(?P<comment>\#[^\n]*)|(?P<name>[A-Za-z_]\w*)",
    re.DOTALL,
)


class Module(NamedTuple):
    """``prose``: comments and docstrings. ``identifiers``: each name in the code with the line where it comes first."""

    path: str
    prose: str
    identifiers: dict[str, int]


def taken_apart(path: str, text: str) -> Module:
    """The parts of one module."""
    prose: list[str] = []
    first: dict[str, int] = {}
    for match in TOKEN.finditer(text):
        if match.lastgroup in ("docstring", "comment"):
            prose.append(match[0])
        elif match.lastgroup == "name":
            first.setdefault(match[0], match.start())
    return Module(path, "\n".join(prose), {name: text.count("\n", 0, at) + 1 for name, at in first.items()})


@cache
def modules(*folders: str) -> tuple[Module, ...]:
    """The modules of some folders that the repository holds."""
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = (path for path in listed.splitlines() if path.endswith(".py") and (ROOT / path).exists())
    return tuple(taken_apart(path, (ROOT / path).read_text(encoding="utf-8")) for path in paths)
