"""Functions of a text whose results are kept, within bounds of memory.

``functools.lru_cache`` counts entries, whatever they hold. What is made of a text takes many times its length: a few
thousand long expressions, each sent once, would fill the memory of a server. Long texts therefore have few places here,
and very long ones none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
Result = TypeVar("Result")

SHORT: Final = 128
"""Characters of a text that counts as one entry; nearly every expression of an agent is shorter."""
LONG: Final = 4_096
"""Characters above which nothing is kept."""
LONG_SHARE: Final = LONG // SHORT
"""Of so many entries one is for a long text, so that both kinds take about the same memory."""


def remembered(maxsize: int) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Keep the results of a function whose first argument is a text, given by position; all arguments are hashable.

    :param maxsize: entries for texts of up to ``SHORT`` characters; beside them are ``maxsize / LONG_SHARE`` for longer
        ones.
    """

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        short = lru_cache(maxsize)(function)
        long = lru_cache(max(1, maxsize // LONG_SHARE))(function)

        @wraps(function)
        def call(text: str, *args: Any, **options: Any) -> Any:
            size = len(text)
            if size <= SHORT:
                return short(text, *args, **options)
            return (long if size <= LONG else cast("Any", function))(text, *args, **options)

        def cache_clear() -> None:
            short.cache_clear()
            long.cache_clear()

        vars(call)["cache_clear"] = cache_clear
        return cast("Callable[P, Result]", call)

    return decorate
