"""Documents and comments name files and modules of the repository as they are called today."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.contracts.sources import CODE, ROOT, modules

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/decisions/*.md", "docs/how-to/*.md", "docs/spec/*.md")
FILE = re.compile(
    r"(?<![\w/.*{<-])((?:abl|analysis|benchmarks|config|constraints|editing|editor|expressions|frontend|language|memory"
    r"|runtime|scripts|static|syntax|templates|tests|web)/[\w/-]+\.(?:css|html|js|mjs|py|txt))(?!\w)"
)
MODULE = re.compile(r"(?<![\w./\"'])((?:abl|config|constraints|editor|memory|tests|web)(?:\.[A-Za-z_]\w*)+)")
# Paths and functions of the language and of the client, not modules.
OTHER = re.compile(r"memory\.(?:session\b|get\b|update\b|[gs]et_content|[a-z]*[A-Z])|config\.[A-Z]|abl\.[a-z_]+\(")


def documents() -> Iterator[tuple[str, str]]:
    """Path and text of each document."""
    for pattern in DOCUMENTS:
        for path in sorted(ROOT.glob(pattern)):
            yield path.relative_to(ROOT).as_posix(), path.read_text()


def comments() -> Iterator[tuple[str, str]]:
    """Path and text of the comments and docstrings of each module."""
    return ((module.path, module.prose) for module in modules(*CODE))


def is_file(name: str) -> bool:
    """Whether a path exists: from the root, from ``abl`` (as in docs/architecture.md), or as the name of a template."""
    return any((ROOT / folder / name).exists() for folder in ("", "abl", "templates"))


def is_module(dotted: str) -> bool:
    """Whether a dotted name is a module, or something that a module has."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:end])
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if source.exists():
            return end == len(parts) or bool(re.search(rf"\b{parts[end]}\b", source.read_text()))
    return False


def test_every_file_that_is_named_exists():
    named = [(where, name) for where, text in (*documents(), *comments()) for name in FILE.findall(text)]
    assert len(named) > 40
    assert [(where, name) for where, name in named if not is_file(name)] == []


def test_every_module_that_a_comment_names_exists():
    named = [
        (where, match.group(1))
        for where, text in comments()
        for match in MODULE.finditer(text)
        if not OTHER.match(text, match.start())
    ]
    assert len(named) > 50
    assert [(where, name) for where, name in named if not is_module(name)] == []
