"""How the slots of a message are shown in events, which its reader does not see (docs/spec 07 §10, 12 §4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from abl.expressions.api import Expression
from abl.expressions.nodes import Path
from abl.expressions.values import text
from abl.runtime.events.recorder import Recorder
from abl.runtime.privacy.masking import REDACT, Masker
from abl.runtime.state import Thread


class Conversation(Protocol):
    """What is read of a running session; its engine is one."""

    @property
    def recorder(self) -> Recorder: ...
    def derives(self, thread: Thread, names: Iterable[str]) -> bool: ...
    def masker(self, thread: Thread) -> Masker: ...


class Concealer:
    """Called for every slot of one template (``abl.expressions.api.Conceal``)."""

    def __init__(self, engine: Conversation, thread: Thread) -> None:
        self._engine = engine
        self._thread = thread
        self.revealing = False
        """A slot was concealed that would reveal something: a piece of a secret does, true or false about it does
        not.
        """

    def __call__(self, expression: Expression, value: Any, inside: bool) -> str | None:
        """The slot's display: as declared for a sensitive name itself, redacted for what is computed from one."""
        engine = self._engine
        if value is None or isinstance(value, bool):
            return None
        names = [name.text for name in expression.names]
        if not inside and not engine.derives(self._thread, names):
            twin = engine.recorder.shown(value) if isinstance(value, str) else value
            if twin == value:
                return None
            self.revealing = True
            return str(twin)
        self.revealing = self.revealing or engine.recorder.secrets.reveals(value)
        if inside or not isinstance(expression.node, Path):
            return str(REDACT.show(value))
        masker = engine.masker(self._thread)
        return text(engine.recorder.shown(masker.shown(names[0], value, whole=True)))
