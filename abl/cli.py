"""The command ``abl`` (docs/spec 12 §2).

Exit codes: 0 nothing wrong, 1 problems of severity error, 2 wrong use, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abl.cli_fmt import add_fmt
from abl.files import STDIN, UsageError, folder_of, lies_near, projects, stdin_text, text_of
from abl.output import complain, finish, say
from abl.runtime.cli import add_commands as add_runtime_commands

if TYPE_CHECKING:
    from abl.diagnostics import Diagnostic
    from abl.source import Source

OK, PROBLEMS, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
_MOST_DIGITS = 1_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives its exit code and never raises on bad input."""
    arguments = _parser().parse_args(argv)
    if not hasattr(arguments, "handler"):
        _parser().print_usage(sys.stderr)
        return WRONG_USE
    handler: Callable[[argparse.Namespace], int] = arguments.handler
    try:
        code = handler(arguments)
        finish()
    except UsageError as error:
        complain(f"abl: {error}")
        return WRONG_USE
    except OSError as error:
        complain(f"abl: {error}")
        return WRONG_USE
    except KeyboardInterrupt:
        complain("abl: interrupted")
        return INTERRUPTED
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="abl", description="Check, format, evaluate and run agents written in ABL.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and end")
    commands = parser.add_subparsers(metavar="COMMAND")
    _add_check(commands)
    add_fmt(commands)
    _add_lsp(commands)
    _add_eval(commands)
    _add_explain(commands)
    add_runtime_commands(commands)
    return parser


class _Version(argparse.Action):
    """Looks the version up when it is asked for: that takes time."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            say(f"abl {version('abl-workbench')}")
        except PackageNotFoundError:
            say("abl, not installed")
        finish()
        parser.exit()


# check -----------------------------------------------------------------------------------------------------------


def _add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("check", help="report what is wrong in files and folders; a folder is one project")
    parser.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="file, folder, or - for standard input")
    parser.add_argument("--format", choices=("text", "json", "sarif", "github"), default="text")
    parser.add_argument(
        "--select", type=_some_codes, metavar="CODES", help="only these codes, names or families (ABL3xx)"
    )
    parser.add_argument("--ignore", type=_codes, metavar="CODES", help="not these codes, names or families")
    parser.set_defaults(handler=_check)


def _codes(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _some_codes(text: str) -> list[str]:
    codes = _codes(text)
    if not codes:  # an empty selection would report that all is well
        raise argparse.ArgumentTypeError("write at least one code, such as ABL346 or ABL3xx")
    return codes


def _check(arguments: argparse.Namespace) -> int:
    from abl.analysis import UnknownCode, check
    from abl.analysis.conformance.not_executed import NotExecuted, in_words, not_executed
    from abl.analysis.index import catalogues, testcases
    from abl.analysis.reporting.render import RENDERERS
    from abl.configuration import ConfigurationError, configuration_for
    from abl.language import project_file
    from abl.project import misnamed, misnamed_near, policy_of

    diagnostics: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    unread: list[UsageError] = []
    left: list[NotExecuted] = []
    try:
        beside = (*testcases.SUFFIXES, *catalogues.SUFFIXES, project_file.SUFFIX)
        for files in projects(arguments.paths, unread, beside=beside):
            folder = folder_of(files)
            configuration = configuration_for(folder).under(policy_of(files, folder))
            select, ignore = configuration.chosen(arguments.select, arguments.ignore)
            report = check(files, select=select, ignore=ignore, exists=lies_near)
            diagnostics.extend(report.diagnostics)
            sources.update(report.index.sources)
            left.extend(not_executed(report.index))
    except (UnknownCode, ConfigurationError) as error:
        raise UsageError(str(error)) from error
    output = RENDERERS[arguments.format](diagnostics, sources)
    if output and (sources or not unread):
        say(output, data=arguments.format in ("json", "sarif"))
    if arguments.format == "text" and (not_here := in_words(left)):
        complain(not_here)  # not part of the report, which a program may read
    for path in misnamed_near(Path(name) for name in (*arguments.paths, *sources) if Path(name).exists()):
        complain(f"abl: {misnamed(path)}")
    for unreadable in unread:
        complain(f"abl: {unreadable}")
    if unread:
        return WRONG_USE
    return PROBLEMS if any(d.severity == "error" for d in diagnostics) else OK


# lsp -------------------------------------------------------------------------------------------------------------


def _add_lsp(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("lsp", help="language server over standard input and output, for editors")
    parser.add_argument("--stdio", action="store_true", help="what some editors add; there is no other way")
    parser.set_defaults(handler=_lsp)


def _lsp(arguments: argparse.Namespace) -> int:
    if find_spec("pygls") is None:
        raise UsageError("the language server needs pygls: python3 -m pip install 'abl-workbench[lsp]'")
    from abl.lsp.places import main as serve

    return serve()


# eval ------------------------------------------------------------------------------------------------------------


def _add_eval(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("eval", help="evaluate one expression and print the result as JSON")
    parser.add_argument("expression", metavar="EXPRESSION")
    parser.add_argument("--context", metavar="FILE", help="JSON object with the variables; - for standard input")
    parser.add_argument("--now", metavar="ISO", help="the time that NOW() gives, e.g. 2026-03-01T09:00:00Z")
    parser.add_argument("--template", action="store_true", help="EXPRESSION is a text with {{placeholders}}")
    parser.add_argument("--explain", action="store_true", help="add the tree of how the value came about")
    parser.set_defaults(handler=_eval)


def _eval(arguments: argparse.Namespace) -> int:
    from abl.expressions.budget import REQUEST, Budget, BudgetExceeded

    context = _context(arguments.context)
    now = _moment(arguments.now)
    try:
        with Budget.of(REQUEST):
            result = _rendered(arguments, context, now) if arguments.template else _evaluated(arguments, context, now)
    except BudgetExceeded as problem:
        error = {"name": "budget-exceeded", "message": str(problem), **problem.as_json()}
        result = {"value": None, "type": "null", "truthy": False, "error": error}
    say(json.dumps(result, ensure_ascii=False, indent=2, default=str), data=True)
    return PROBLEMS if result["error"] else OK


def _rendered(arguments: argparse.Namespace, context: dict[str, Any], now: datetime | None) -> dict[str, Any]:
    from abl.expressions import render

    text = render(arguments.expression, context, now=now)
    return {"value": text, "type": "string", "truthy": bool(text), "error": None}


def _evaluated(arguments: argparse.Namespace, context: dict[str, Any], now: datetime | None) -> dict[str, Any]:
    from abl.expressions import ExpressionError, compile_expression
    from abl.expressions.sizes import SizeExceeded, written_size
    from abl.expressions.values import truthy, type_tag
    from abl.limits import MAX_ANSWER

    try:
        expression = compile_expression(arguments.expression)
    except ExpressionError as error:
        unread = {"code": error.code, "message": str(error), "start": error.start, "end": error.end}
        return {"value": None, "type": "null", "truthy": False, "error": unread}
    rng = random.Random(0)  # noqa: S311  (UNIQUE_ID gives the same id for the same command line)
    outcome = expression.evaluate_checked(context, now=now, rng=rng)
    if outcome.exceeded is not None:
        raise outcome.exceeded
    if (size := written_size(outcome.value, "the value")) > MAX_ANSWER:
        raise SizeExceeded("value", "the value", size, MAX_ANSWER)
    value, problem = outcome.value, {"message": outcome.error} if outcome.error else None
    result = {"value": value, "type": type_tag(value), "truthy": truthy(value), "error": problem}
    if arguments.explain:
        result["tree"] = expression.explain(context, now=now, rng=random.Random(0), full=True)  # noqa: S311
    return result


def _context(name: str | None) -> dict[str, Any]:
    if name is None:
        return {}
    text = stdin_text() if name == STDIN else text_of(Path(name))
    try:
        context = json.loads(
            text.removeprefix("\ufeff"), parse_constant=_no_number, parse_float=_finite, parse_int=_whole
        )
    except ValueError as error:
        raise UsageError(f"--context {name}: not JSON: {error}") from error
    except RecursionError as error:
        raise UsageError(f"--context {name}: nested too deeply") from error
    if not isinstance(context, dict):
        raise UsageError(f"--context {name}: a JSON object is needed, not {type(context).__name__}")
    return context


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of more than {_MOST_DIGITS} digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits:.40} is too large for a number")
    return number


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"--now {text}: write a moment like 2026-03-01T09:00:00Z") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


# explain ---------------------------------------------------------------------------------------------------------


def _add_explain(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("explain", help="what a diagnostic means, with a bad and a good example")
    parser.add_argument("code", metavar="CODE", nargs="?", help="a code (ABL346) or name (bad-ttl)")
    parser.add_argument("--off", action="store_true", help="list the codes that are off by default")
    parser.set_defaults(handler=_explain)


def _explain(arguments: argparse.Namespace) -> int:
    from abl.analysis import UnknownCode, lookup
    from abl.analysis.reporting.render import off_text, page_text

    if arguments.off:
        say(off_text())
        return OK
    if arguments.code is None:
        raise UsageError("give a code or name, or --off")
    known = lookup(arguments.code)
    if known is None:
        raise UsageError(str(UnknownCode(arguments.code)))
    say(page_text(known))
    return OK


if __name__ == "__main__":
    sys.exit(main())
