"""How sensitive values are masked outside of the session (docs/spec 03 §3, 07 §10)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from abl.language.entry import Entry
from abl.runtime.events.recorder import cut
from abl.runtime.privacy.secrets import number_text


@dataclass(frozen=True, slots=True)
class Display:
    """How one sensitive name is shown."""

    how: str = "redact"
    show_first: int = 0
    show_last: int = 4
    char: str = "*"
    pii_type: str | None = None

    @classmethod
    def of(cls, how: str | None, config: Entry | None, pii_type: str | None = None) -> Display:
        """From the properties of a declaration; ``redact`` when no display is written."""
        config = config if config is not None else Entry("mask_config", {})
        first, last, char = (config.value(key) for key in ("showFirst", "showLast", "char"))
        return cls(how or "redact", first, last, (char or "*")[:1], pii_type)

    @classmethod
    def read(cls, masking: Mapping[str, Any]) -> Display:
        """From the fields of one, as a stored fact keeps them; ``redact`` where they say nothing."""
        return cls(**{item.name: masking[item.name] for item in fields(cls) if item.name in masking})

    def show(self, value: Any) -> Any:
        """The shown form of a value; null stays null."""
        if value is None:
            return None
        if self.how == "replace":
            return f"[{(self.pii_type or 'SENSITIVE').upper()}]"
        if self.how == "mask" and not isinstance(value, dict | list):
            text = number_text(value)
            hidden = len(text) - self.show_first - self.show_last
            if hidden <= 0:
                return self.char * len(text)
            return text[: self.show_first] + self.char * hidden + text[len(text) - self.show_last :]
        return "[REDACTED]"


REDACT = Display()
HIDDEN_ERROR = "it cannot be computed from these values"
"""Stands for an error that may quote a sensitive value."""


class Masker:
    """Shows values of one agent: sensitive names masked, at any depth, everything cut above 2 kB.

    ``stored`` are paths whose facts are stored as sensitive, with the fields of ``Display``: they go first.
    """

    def __init__(
        self,
        sensitive: Mapping[str, Display],
        tainted: Collection[str] = (),
        scrub: Callable[[Any], Any] = lambda value: value,
        stored: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self._sensitive = sensitive
        self._tainted = tainted
        self._scrub = scrub
        self._stored = stored if stored is not None else {}

    @property
    def _nothing(self) -> bool:
        """Nothing at all is sensitive."""
        return not self._sensitive and not self._tainted and not self._stored

    def _known(self) -> Iterator[tuple[str, Display]]:
        """Every name that is sensitive itself, not by what its value was computed from."""
        for path, masking in self._stored.items():
            yield path, Display.read(masking)
        yield from self._sensitive.items()

    def display(self, name: str) -> Display | None:
        """The display of a name that is sensitive, lies below one that is, or was computed from one."""
        if self._nothing:
            return None
        own = self.own_display(name)
        if own is not None:
            return own
        parts = name.split(".")
        tainted = any(".".join(parts[:size]) in self._tainted for size in range(1, len(parts) + 1))
        return REDACT if tainted else None

    def own_display(self, name: str) -> Display | None:
        """The display of a name that is sensitive itself or lies below one that is."""
        for known, display in self._known():
            if name == known or name.startswith(known + "."):
                return display
        return None

    def hidden(self, name: str, value: Any) -> Any:
        """A value that is sensitive whatever its name says."""
        return (self.display(name) or REDACT).show(value)

    def shown(self, name: str, value: Any, *, whole: bool = False) -> Any:
        """The value of ``name`` for an event; with ``whole`` it is not cut, as a model needs it."""
        if self._nothing:
            return value if whole else cut(value, self._scrub)
        display = self.display(name)
        if display is not None:
            return display.show(value)
        if isinstance(value, dict):
            prefix = name + "."
            below = {known[len(prefix) :]: d for known, d in self._known() if known.startswith(prefix)}
            if below:
                return Masker(below).below(value, whole=whole)
        return value if whole else cut(value, self._scrub)

    def below(self, value: dict[str, Any], *, whole: bool = False) -> dict[str, Any]:
        """An object whose keys are the names."""
        return {key: self.shown(key, item, whole=whole) for key, item in value.items()}

    def secrets(self, name: str, value: Any) -> Iterator[tuple[Any, Display]]:
        """The parts of the value of ``name`` that are sensitive, each with how it is shown."""
        if self._nothing:
            return
        display = self.display(name)
        if display is not None:
            yield value, display
            return
        for known, how in self._known():
            if known.startswith(name + "."):
                yield part_of(value, known[len(name) + 1 :].split(".")), how

    def reads_sensitive(self, names: Iterable[str]) -> bool:
        """True when a computation from these names must not show its result."""
        if self._nothing:
            return False
        names = list(names)
        return any(self.display(name) for name in names) or any(
            known.startswith(name + ".")
            for name in names
            for known in (*self._sensitive, *self._tainted, *self._stored)
        )


def part_of(value: Any, keys: list[str]) -> Any:
    """What lies below an object along some keys; None where there is nothing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
