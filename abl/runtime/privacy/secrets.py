"""Sensitive values that a session has taken, and their replacement in what events show (docs/spec 07 §10, 12 §4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from abl.expressions.budget import spends
from abl.expressions.sizes import SizeExceeded
from abl.limits import MAX_SECRETS
from abl.runtime.state import SessionState

SHORT = 3
"""Secrets below this length are hidden only as whole words of digits; otherwise they would hide half the trace."""
PIECE = 4
"""So many characters of a secret in a row are a piece of it."""
SPACED, SEPARATOR = range(6, 65), r"[^\w\n]{0,2}"
"""Secrets of these lengths are found with separators between their characters, too."""
MAX_TWINS = 200
"""Texts with something sensitive that are remembered as a whole: more than a request to a model looks back."""


class Secrets:
    """What is hidden, kept in the state of the session.

    ``state.secrets`` holds values, found anywhere in a text; ``state.twins`` whole texts with how they are shown.
    """

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._pattern = re.compile("(?!)")
        self._displays: dict[str, str] = {}
        self._known = 0

    def add(self, raw: Any, display: str) -> None:
        """Hide a value from now on, unless it is known already or too short. SizeExceeded for one too many."""
        text = raw if isinstance(raw, str) else number_text(raw)
        secrets = self._state.secrets
        if (len(text) < SHORT and not text.isdigit()) or any(known == text for known, _ in secrets):
            return
        spends(len(secrets) >> 3)
        secrets.append([text, display])
        secrets.sort(key=lambda pair: -len(pair[0]))
        if len(secrets) > MAX_SECRETS:
            # Recorded even so: the last events of the turn must not show it.
            raise SizeExceeded("secrets", "the session", len(secrets), MAX_SECRETS, "sensitive values")

    def add_twin(self, text: str, shown: str) -> None:
        """Show ``shown`` wherever a text that holds something sensitive stands as a whole in an event."""
        twins = self._state.twins
        if text and text != shown:
            twins.pop(text, None)
            twins[text] = shown
            while len(twins) > MAX_TWINS:
                del twins[next(iter(twins))]

    def reveals(self, value: Any, *, short: bool = True) -> bool:
        """True when a computed value still holds a piece of a secret; ``short``: or is a shorter piece of one."""
        plain = plain_text(value if isinstance(value, str) else number_text(value))
        for raw in (plain_text(raw) for raw, _ in self._state.secrets):
            spends(len(plain) + len(raw) >> 2)
            if common_piece(plain, raw) or (short and plain != "" and plain in raw):
                return True
        return False

    def shown(self, value: Any) -> Any:
        """The value with every secret in it replaced by its shown form, at any depth."""
        if not self._state.secrets and not self._state.twins:
            return value
        return self._scrubbed(value)

    def _scrubbed(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {key: self._scrubbed(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._scrubbed(item) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = number_text(value)
            if len(text) < SHORT:  # an index or a count would lose its meaning
                return value
            return next((display for raw, display in self._state.secrets if raw == text), value)
        return value

    def _text(self, text: str) -> str:
        if text in self._state.twins:
            return self._state.twins[text]
        if self._known != len(self._state.secrets):
            self._compile()
        spends(len(text) * len(self._state.secrets) >> 6)
        return self._pattern.sub(lambda found: self._displays.get(plain_text(found[0]), "[REDACTED]"), text)

    def _compile(self) -> None:
        """All secrets, the longest first, in any case and spacing: UPPER(pin) and 41-11 are still the pin 4111."""
        self._known = len(self._state.secrets)
        searched = "|".join(_searched(raw) for raw, _ in self._state.secrets)
        spends(len(searched))
        self._pattern = re.compile(searched or "(?!)", re.IGNORECASE)
        self._displays = {plain_text(raw): display for raw, display in reversed(self._state.secrets)}


def scalars_of(value: Any) -> Iterator[Any]:
    """The texts and numbers in a value."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from scalars_of(item)
    elif value is not None and not isinstance(value, bool):
        yield value


def _searched(raw: str) -> str:
    plain = plain_text(raw)
    if len(plain) in SPACED:
        return f"{re.escape(raw)}|{SEPARATOR.join(re.escape(char) for char in plain)}"
    return re.escape(raw) if len(raw) >= SHORT else rf"(?<!\w){re.escape(raw)}(?!\w)"


def plain_text(text: str) -> str:
    """Letters and digits only, in lower case: what stays of a value however it is written."""
    return "".join(char for char in text.lower() if char.isalnum())


def common_piece(one: str, other: str) -> bool:
    """True when a plain text holds the other, or enough of it to give something away."""
    if any(len(part) >= SHORT and part in whole for part, whole in ((one, other), (other, one))):
        return True
    pieces = {other[at : at + PIECE] for at in range(len(other) - PIECE + 1)}
    return any(one[at : at + PIECE] in pieces for at in range(len(one) - PIECE + 1))


def number_text(value: Any) -> str:
    """Text of a scalar as templates print it, near enough to be found again."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)
