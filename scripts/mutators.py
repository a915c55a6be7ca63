"""The small changes that ``scripts/mutation.py`` makes: all that are possible in a file, and the code with one of them.

Left out is what no test can notice: annotations, ``slots`` and ``frozen`` of a dataclass, ``strict`` of ``zip``, the
size of a cache, how many parts a text is split into of which one is taken. ``equivalent_mutants.txt`` names single
changes that alter no behaviour, each with its reason.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
EQUIVALENT: Final = Path(__file__).with_name("equivalent_mutants.txt")
_UNSEEN_KEYWORDS: Final = frozenset({"slots", "frozen", "strict", "maxsize"})
_SWAPPED: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Break: ast.Continue, ast.Continue: ast.Break,
}  # fmt: skip
_SIGNS: Final = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not", ast.And: "and", ast.Or: "or", ast.Add: "+", ast.Sub: "-",
    ast.Mult: "*", ast.FloorDiv: "//", ast.Break: "break", ast.Continue: "continue",
}  # fmt: skip


class Mutant(NamedTuple):
    """One change: the ``number``-th that is possible in a file, in this line, said in words."""

    path: Path
    number: int
    line: int
    change: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.change}"

    @property
    def package(self) -> str:
        """``abl/runtime`` or ``abl/expressions``."""
        return "/".join(self.path.relative_to(ROOT).parts[:2])


class Mutator(ast.NodeTransformer):
    """Visits every change that is possible; makes the one that is chosen."""

    def __init__(self, chosen: int = -1) -> None:
        self.chosen = chosen
        self.changes: list[tuple[int, str]] = []

    def _change(self, line: int, words: str) -> bool:
        self.changes.append((line, words))
        return len(self.changes) - 1 == self.chosen

    def _sign(self, sign: ast.AST, line: int) -> ast.AST:
        other = _SWAPPED.get(type(sign))
        if other is None or not self._change(line, f"`{_SIGNS[type(sign)]}` is `{_SIGNS[other]}`"):
            return sign
        return ast.copy_location(other(), sign)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """``a < b``."""
        self.generic_visit(node)
        node.ops = [self._sign(sign, node.lineno) for sign in node.ops]  # type: ignore[misc]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """``a and b``."""
        self.generic_visit(node)
        node.op = self._sign(node.op, node.lineno)  # type: ignore[assignment]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """``a + b``."""
        self.generic_visit(node)
        node.op = self._sign(node.op, node.lineno)  # type: ignore[assignment]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """``not a``."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and self._change(node.lineno, "`not` is gone"):
            return node.operand
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Numbers and truth values; texts are left, most are messages."""
        if isinstance(node.value, bool):
            changed = self._change(node.lineno, f"{node.value} is its opposite")
            return ast.copy_location(ast.Constant(not node.value), node) if changed else node
        if isinstance(node.value, int) and self._change(node.lineno, f"{node.value} is one more"):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node

    def visit_Break(self, node: ast.Break) -> ast.AST:
        """``break``."""
        return self._sign(node, node.lineno)

    def visit_Continue(self, node: ast.Continue) -> ast.AST:
        """``continue``."""
        return self._sign(node, node.lineno)

    def visit_If(self, node: ast.If) -> ast.AST:
        """``if a:``; what only the checker of types imports does not run."""
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node
        self.generic_visit(node)
        if self._change(node.lineno, "the condition is its opposite"):
            node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """``a.split(".", 1)[0]``: how many parts follow the first does not matter."""
        if _takes_end(node) and isinstance(node.value, ast.Call):
            node.value.func = self.visit(node.value.func)
            return node
        return self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        """``a=b`` of a call."""
        return node if node.arg in _UNSEEN_KEYWORDS else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """``remembered(4_096)``: the size of a cache."""
        return node if isinstance(node.func, ast.Name) and node.func.id == "remembered" else self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Annotations do not run."""
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Without what it says to return."""
        returns, node.returns = node.returns, None
        self.generic_visit(node)
        node.returns = returns
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """The value alone: annotations do not run."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


def _takes_end(node: ast.Subscript) -> bool:
    """The first part of ``split``, or the last of ``rsplit``."""
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or len(call.args) != 2:
        return False
    return (call.func.attr, ast.unparse(node.slice)) in {("split", "0"), ("rsplit", "-1")}


def mutants(paths: list[Path]) -> Iterator[Mutant]:
    """Every change that is possible in these files."""
    for path in paths:
        mutator = Mutator()
        mutator.visit(ast.parse(text_of(path)))
        yield from (Mutant(path, number, *change) for number, change in enumerate(mutator.changes))


@lru_cache(maxsize=512)
def code_of(path: Path, number: int = -1) -> CodeType:
    """The code of a file, with its change of this number; lines and names are those of the file."""
    tree = Mutator(number).visit(ast.parse(text_of(path)))
    return compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)


@cache
def equivalent() -> dict[tuple[str, str, str], str]:
    """Why a change alters nothing, by (path, line of code, change).

    A line of the file is ``path | code | change | reason``. A change that stands in it covers all equal ones of equal
    lines in the file.
    """
    lines = text_of(EQUIVALENT).splitlines()
    rows = [[part.strip() for part in line.split(" | ")] for line in lines if line and not line.startswith("#")]
    return {(path, code, change): reason for path, code, change, reason in rows}


def key_of(mutant: Mutant) -> tuple[str, str, str]:
    """What ``equivalent`` names a change by."""
    return str(mutant.path.relative_to(ROOT)), lines_of(mutant.path)[mutant.line - 1].strip(), mutant.change


@cache
def lines_of(path: Path) -> list[str]:
    """The lines of a file."""
    return text_of(path).splitlines()


@cache
def text_of(path: Path) -> str:
    """The text of a file as it was when it was first read: who edits it while mutants are tried disturbs nothing."""
    return path.read_text(encoding="utf-8")


def figures(mutants: list[Mutant]) -> Counter[str]:
    """How many there are in each package."""
    return Counter(mutant.package for mutant in mutants)
