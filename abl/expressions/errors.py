"""The two ways an expression goes wrong: it cannot be read, or it cannot be evaluated (docs/spec 02 §10)."""

from __future__ import annotations


class ExpressionError(ValueError):
    """Text that is no expression. `start` and `end` are offsets into the text that was compiled.

    `code` is the diagnostic of docs/spec 05 that describes it: ABL111 unterminated string, ABL112 unclosed bracket,
    ABL201 anything else, ABL202 wrong operator spelling, ABL203 lower-case word operator, ABL204 chained comparison,
    ABL228 nested too deeply. `replacement`, where given, is the text that would be right from `start` to `end`.
    """

    def __init__(
        self, reason: str, start: int, end: int, *, code: str = "ABL201", replacement: str | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.start = start
        self.end = end
        self.code = code
        self.replacement = replacement

    @property
    def message(self) -> str:
        """The same as `reason`: one sentence without a full stop."""
        return self.reason

    def shifted(self, offset: int) -> ExpressionError:
        """The same error in a text in which the expression starts at `offset`."""
        return ExpressionError(
            self.reason, self.start + offset, self.end + offset, code=self.code, replacement=self.replacement
        )

    def kept(self) -> ExpressionError:
        """A copy to keep in a cache: an error that was raised refers to the frames it passed through."""
        return self.shifted(0)


class EvaluationError(Exception):
    """An evaluation that has no value: division by zero, an unknown function … Never leaves `abl.expressions`."""
