"""The bounds on what the variables of a session hold (docs/spec 02 §8)."""

from __future__ import annotations

from typing import Any

from abl.expressions.sizes import SizeExceeded, written_size
from abl.limits import LARGE_VARIABLE, MAX_VARIABLE, MAX_VARIABLES
from abl.runtime.state import SessionState


class VariableSizes:
    """Sizes of the variables that are large; they are measured when the first one turns up."""

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._large: dict[tuple[str, str], int] | None = None

    def forget(self) -> None:
        """Measure again: threads have changed."""
        self._large = None

    def measure(self, agent: str, name: str, value: Any) -> None:
        """Refuse a value that is too large, alone or with the other large ones. Raises BudgetExceeded."""
        if value is None or type(value) in (bool, int, float) or (type(value) is str and len(value) < LARGE_VARIABLE):
            if self._large is not None:
                self._large.pop((agent, name), None)
            return
        size = written_size(value, name)
        if size > MAX_VARIABLE:
            raise SizeExceeded("variable", name, size, MAX_VARIABLE)
        if size <= LARGE_VARIABLE and self._large is None:
            return
        large = self._large_variables()
        large[agent, name] = size
        total = sum(large.values())
        if total > MAX_VARIABLES:
            raise SizeExceeded("variables", f"with {name}, all variables together", total, MAX_VARIABLES)

    def _large_variables(self) -> dict[tuple[str, str], int]:
        if self._large is None:
            self._large = {}
            for thread in self._state.threads.values():
                for name, value in thread.variables.items():
                    if (size := written_size(value, name)) > LARGE_VARIABLE:
                        self._large[thread.agent, name] = size
        return self._large
