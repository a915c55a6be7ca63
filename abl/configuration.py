"""The table ``[tool.abl]`` of a project's pyproject.toml (docs/spec 12 §2).

    [tool.abl]
    select = ["ABL3xx", "bad-ttl"]   # only these; codes, names or families
    ignore = ["ABL331"]              # never these
    unset-policy = "skip_unset"      # docs/spec 04 §6.1; evaluate unless said otherwise

The nearest pyproject.toml with such a table counts, from a file's folder upwards. Options of the command line take
precedence.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from abl.analysis.reporting.report import UnknownCode, codes_of
from abl.syntax.recovery.suggest import closest

FILE: Final = "pyproject.toml"
POLICIES: Final = ("evaluate", "skip_unset")
POINTLESS: Final = {"skip_unset": ("ABL448",)}
"""Codes that a policy makes wrong: a rule over an unset name blocks nothing if such rules are skipped."""


class ConfigurationError(ValueError):
    """A table that cannot be used; the message names file, key, value and what would be right."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """``select`` None: every code. ``path`` is the file that says so."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    policy: str = "evaluate"
    path: Path | None = None

    def chosen(
        self, select: Iterable[str] | None, ignore: Iterable[str] | None
    ) -> tuple[Iterable[str] | None, tuple[str, ...]]:
        """What to check for, where a command line says ``select`` and ``ignore``: each wins when it is given."""
        ignored = self.ignore if ignore is None else ignore
        return self.select if select is None else select, (*ignored, *POINTLESS.get(self.policy, ()))

    def under(self, policy: str | None) -> Configuration:
        """The same under the policy of project.yaml, where that names one (docs/spec 12 §3.1)."""
        return self if policy is None else replace(self, policy=policy)


def configuration_for(place: Path) -> Configuration:
    """What holds for a file or folder; the default where no table says anything. Raises ConfigurationError."""
    start = place.resolve()
    for folder in (start, *start.parents):
        table = _table(folder / FILE)
        if table is not None:
            return _read(table, folder / FILE)
    return Configuration()


def _table(path: Path) -> Any:
    """The table of a file; None where there is no file, or no table in it."""
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise ConfigurationError(f"{path}: cannot be read: no regular file")
        text = path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        tools = tomllib.loads(text).get("tool", {})
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{path}: not TOML: {error}") from error
    if not isinstance(tools, dict):
        raise ConfigurationError(f"{path}: tool is {tools!r:.80}; write tables, such as [tool.abl]")
    return tools.get("abl")


def _read(table: Any, path: Path) -> Configuration:
    if not isinstance(table, dict):
        raise ConfigurationError(f"{path}: tool.abl is {table!r:.80}; write a table, [tool.abl]")
    for key in table:
        if key not in _KEYS:
            near = closest(key, _KEYS)
            hint = f"did you mean {near[0]}?" if near else f"it may have {', '.join(_KEYS)}"
            raise ConfigurationError(f"{path}: [tool.abl] has an unknown key {key!r:.80}; {hint}")
    given = {key: _KEYS[key](value, f"{path}: [tool.abl] {key}") for key, value in table.items()}
    return Configuration(given.get("select"), given.get("ignore", ()), given.get("unset-policy", "evaluate"), path)


def _codes(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ConfigurationError(f'{where} is {value!r:.80}; write a list of codes, such as ["ABL331"]')
    try:
        codes_of(value)
    except UnknownCode as error:
        raise ConfigurationError(f"{where}: {error}") from error
    return tuple(value)


def _policy(value: Any, where: str) -> str:
    if value not in POLICIES:
        raise ConfigurationError(f"{where} is {value!r:.80}; it is {' or '.join(POLICIES)}")
    return str(value)


def _selected(value: Any, where: str) -> tuple[str, ...]:
    if value == []:
        raise ConfigurationError(f"{where} is empty, so nothing would be reported; leave it out to report everything")
    return _codes(value, where)


_KEYS: Final[dict[str, Callable[[Any, str], Any]]] = {"select": _selected, "ignore": _codes, "unset-policy": _policy}
