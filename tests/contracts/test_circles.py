"""No module imports itself by way of others, so that each can be read after those it needs (docs/architecture.md §1).

Every import counts: also those in functions and under TYPE_CHECKING, by which import-linter and Python see no circle.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ("abl", "config", "constraints", "editor", "memory", "web")

Imports = Mapping[str, Mapping[str, int]]
"""For each module those that it imports, with a line on which it does."""


def modules(root: Path, packages: Collection[str]) -> dict[str, Path]:
    """The files of all modules of some packages, by their dotted names."""
    files = {path.relative_to(root): path for package in packages for path in (root / package).rglob("*.py")}
    return {".".join(_without_init(short.with_suffix("").parts)): path for short, path in files.items()}


def _without_init(parts: tuple[str, ...]) -> tuple[str, ...]:
    return parts[:-1] if parts[-1] == "__init__" else parts


def imports(known: Mapping[str, Path]) -> dict[str, dict[str, int]]:
    """What each module imports of these, wherever the import is in it."""
    found: dict[str, dict[str, int]] = {}
    for module, path in known.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = [(name, node.lineno) for node in ast.walk(tree) for name in names_of(node, package)]
        found[module] = {_module_of(name, known): line for name, line in reversed(named)}
        found[module] = {name: line for name, line in found[module].items() if name not in ("", module)}
    return found


def names_of(node: ast.AST, package: str) -> Iterator[str]:
    """The dotted names that a statement imports, or a call that is given the name of a module."""
    match node:
        case ast.Import():
            yield from (alias.name for alias in node.names)
        case ast.ImportFrom():
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)
        case ast.Call(
            func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str() as name), *_],
        ):
            yield resolve_name(name, package)


def _module_of(name: str, known: Collection[str]) -> str:
    """The module that a name is, or is in; empty for one of another package."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def circles(graph: Imports) -> list[frozenset[str]]:
    """The largest groups of modules in which each leads to every other (strongly connected components)."""
    into: dict[str, list[str]] = {name: [] for name in graph}
    for name, others in graph.items():
        for other in others:
            into[other].append(name)
    left, groups = set(graph), []
    for name in reversed(_finished(graph)):
        group, open_ = set(), [name] if name in left else []
        while open_:
            if (current := open_.pop()) in left:
                left.discard(current)
                group.add(current)
                open_.extend(into[current])
        if len(group) > 1:
            groups.append(frozenset(group))
    return groups


def _finished(graph: Imports) -> list[str]:
    """The modules, each behind all that it alone leads to."""
    seen: set[str] = set()
    order: list[str] = []
    for start in graph:
        path = [] if start in seen else [(start, iter(graph[start]))]
        seen.add(start)
        while path:
            name, others = path[-1]
            following = next((other for other in others if other not in seen), None)
            if following is None:
                order.append(name)
                path.pop()
            else:
                seen.add(following)
                path.append((following, iter(graph[following])))
    return order


def lines_of(circle: Collection[str], graph: Imports) -> list[str]:
    """The imports by which the modules of a circle lead to each other."""
    within = ((name, other, line) for name in circle for other, line in graph[name].items() if other in circle)
    return [f"{name}:{line} imports {other}" for name, other, line in sorted(within)]


@pytest.fixture(scope="module")
def graph() -> Imports:
    """What all of the code imports."""
    return imports(modules(ROOT, CODE))


@pytest.mark.slow
def test_no_module_imports_itself_by_way_of_others(graph):
    assert len(graph) > 500
    assert [lines_of(circle, graph) for circle in circles(graph)] == []


def test_a_circle_is_found_by_whatever_import(tmp_path):
    texts = {
        "house/__init__.py": "from house.door import knock",
        "house/door.py": "def knock():\n    from house import hall\n    return hall",
        "house/hall.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .rooms.attic import View",
        "house/rooms/__init__.py": "",
        "house/rooms/attic.py": "from .. import stairs",
        "house/stairs.py": "import importlib\nlower = importlib.import_module('.door', __package__)",
        "house/garden.py": "import house.door, house.stairs, os",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    graph = imports(modules(tmp_path, ["house"]))
    assert [lines_of(circle, graph) for circle in circles(graph)] == [
        [
            "house.door:2 imports house.hall",
            "house.hall:3 imports house.rooms.attic",
            "house.rooms.attic:1 imports house.stairs",
            "house.stairs:2 imports house.door",
        ]
    ]
