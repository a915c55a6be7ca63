"""Which lines may behave differently after a change of code that runs when its module is loaded.

A constant, a default or a table is noticed where its name is used: in functions, and in other tables that have names of
their own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from mutators import ROOT


class Part(NamedTuple):
    """A function, or a statement outside of functions: its lines, what it names, and the names that it gives."""

    path: Path
    first: int
    last: int
    mentions: frozenset[str]
    names: frozenset[str]
    is_function: bool


_FUNCTION: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def users(path: Path, line: int) -> set[tuple[str, int]]:
    """The lines of functions that use, by whatever way, what is in this line outside of functions."""
    own = [part for part in parts() if part.path == path and part.first <= line <= part.last]
    names = {name for part in own for name in part.names}
    done: set[str] = set()
    found = {part for part in own if part.is_function}
    while names:
        done |= names
        using = [part for part in parts() if part.mentions & names]
        found.update(part for part in using if part.is_function)
        names = {name for part in using if not part.is_function for name in part.names} - done
    return {(str(part.path), number) for part in found for number in range(part.first, part.last + 1)}


@cache
def parts() -> tuple[Part, ...]:
    """Those of the whole language."""
    found: list[Part] = []
    for path in sorted((ROOT / "abl").rglob("*.py")):
        found += _parts(path, ast.parse(path.read_text(encoding="utf-8")).body, frozenset())
    return tuple(found)


def _parts(path: Path, body: list[ast.stmt], owner: frozenset[str]) -> Iterator[Part]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            heads: list[ast.AST] = [*node.bases, *node.keywords, *node.decorator_list]
            first = min([node.lineno, *(head.lineno for head in node.decorator_list)])
            yield Part(path, first, node.lineno, _mentioned(heads), frozenset({node.name}), is_function=False)
            yield from _parts(path, node.body, frozenset({node.name}))
        elif isinstance(node, _FUNCTION):
            first = min([node.lineno, *(head.lineno for head in node.decorator_list)])
            names = frozenset({node.name})
            yield Part(path, first, node.end_lineno or first, _mentioned([node]), names, is_function=True)
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            names = frozenset(_bound(node)) | owner
            yield Part(path, node.lineno, node.end_lineno or 0, _mentioned([node]) - names, names, is_function=False)


def _bound(node: ast.stmt) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


def _mentioned(nodes: list[ast.AST]) -> frozenset[str]:
    found = set()
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                found.add(each.id)
            elif isinstance(each, ast.Attribute):
                found.add(each.attr)
            elif isinstance(each, ast.keyword) and each.arg:
                found.add(each.arg)
    return frozenset(found)
