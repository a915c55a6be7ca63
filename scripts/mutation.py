"""Changes abl/runtime and abl/expressions in small ways, one at a time, and tells which changes no test notices.

    scripts/mutation.py [--sample 600] [--seed 1] [--least 0.9] [PATH…]

A sample of the mutants that is the same for a seed. The quick tests of the folder of the same name run first, then the
quick ones of the package, then all of it; what takes five times as long as without a change counts as noticed. The
working copy is not touched: ``scripts/mutant.py`` loads the changed module from a temporary file.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
MODULE, FILE = "MUTANT_MODULE", "MUTANT_FILE"
"""What ``scripts/mutant.py`` reads."""
PACKAGES: Final = ("abl/runtime", "abl/expressions")
LEAST_SECONDS: Final = 120
ALL: Final = "not thorough and not browser and not server"
QUICK: Final = f"{ALL} and not slow and not full"
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
        return other()

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
            return ast.Constant(not node.value) if self._change(node.lineno, f"{node.value} is its opposite") else node
        if isinstance(node.value, int) and self._change(node.lineno, f"{node.value} is one more"):
            return ast.Constant(node.value + 1)
        return node

    def visit_Break(self, node: ast.Break) -> ast.AST:
        """``break``."""
        return self._sign(node, node.lineno)

    def visit_Continue(self, node: ast.Continue) -> ast.AST:
        """``continue``."""
        return self._sign(node, node.lineno)

    def visit_If(self, node: ast.If) -> ast.AST:
        """``if a:``."""
        self.generic_visit(node)
        if self._change(node.lineno, "the condition is its opposite"):
            node.test = ast.UnaryOp(ast.Not(), node.test)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """The value alone: annotations do not run."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


def mutants(paths: list[Path]) -> Iterator[Mutant]:
    """Every change that is possible in these files."""
    for path in paths:
        mutator = Mutator()
        mutator.visit(ast.parse(path.read_text(encoding="utf-8")))
        yield from (Mutant(path, number, *change) for number, change in enumerate(mutator.changes))


def mutated(mutant: Mutant) -> str:
    """The text of the file with the change."""
    tree = Mutator(mutant.number).visit(ast.parse(mutant.path.read_text(encoding="utf-8")))
    return ast.unparse(ast.fix_missing_locations(tree))


def tests_of(path: Path) -> list[tuple[str, str]]:
    """What runs for a file, one after another until something fails."""
    folder = ROOT / "tests" / path.relative_to(ROOT).parent
    package = ROOT / "tests" / Path(*path.relative_to(ROOT).parts[:2])
    near = [(folder, QUICK)] if folder != package and folder.is_dir() else []
    return [(str(each.relative_to(ROOT)), marks) for each, marks in (*near, (package, QUICK), (package, ALL))]


def is_noticed(mutant: Mutant, most: float) -> bool:
    """Whether some test fails, or takes too long."""
    with tempfile.TemporaryDirectory(prefix="abl-mutant-") as folder:
        file = Path(folder) / mutant.path.name
        file.write_text(mutated(mutant), encoding="utf-8")
        name = ".".join(mutant.path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        environment = {**os.environ, MODULE: name, FILE: str(file)}
        return any(not _passes(tests, environment, most) for tests in tests_of(mutant.path))


def _passes(tests: tuple[str, str], environment: dict[str, str], most: float) -> bool:
    folder, marks = tests
    path = os.pathsep.join(filter(None, [str(ROOT / "scripts"), environment.get("PYTHONPATH")]))
    environment = {**environment, "PYTHONPATH": path, "TEST_RERUNS": "0"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "mutant", "-p", "no:cacheprovider"]
    command += ["-m", marks, folder]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=most, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in (0, 5)  # 5: no test is among those that are chosen


def main() -> int:
    """Try a sample; 1 where too few are noticed."""
    parser = argparse.ArgumentParser(description="Which small changes of the runtime does no test notice?")
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / package for package in PACKAGES])
    parser.add_argument("--sample", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.9, help="the share that has to be noticed")
    arguments = parser.parse_args()
    files = [
        file.resolve()
        for path in arguments.paths
        for file in ([path] if path.is_file() else sorted(path.rglob("*.py")))
    ]
    possible = list(mutants(files))
    chosen = random.Random(arguments.seed).sample(possible, min(arguments.sample, len(possible)))  # noqa: S311
    begun = time.monotonic()
    for tests in {tests_of(mutant.path)[-1] for mutant in chosen}:
        if not _passes(tests, {**os.environ}, 3_600):
            sys.stderr.write(f"The tests in {tests[0]} fail without a change.\n")
            return 2
    most = max(LEAST_SECONDS, 5 * (time.monotonic() - begun))
    left = []
    for at, mutant in enumerate(chosen, 1):
        noticed = is_noticed(mutant, most)
        left += [] if noticed else [mutant]
        sys.stdout.write(f"{at}/{len(chosen)} {'noticed' if noticed else 'NOT NOTICED'}  {mutant}\n")
        sys.stdout.flush()
    share = 1 - len(left) / len(chosen)
    sys.stdout.write(f"{share:.1%} of {len(chosen)} of {len(possible)} possible changes are noticed.\n")
    return 0 if share >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
