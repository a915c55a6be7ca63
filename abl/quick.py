"""Frozen dataclasses that are made quickly.

The ``__init__`` of a frozen dataclass looks up by name where each of its values goes. The parts of trees are made by
the thousand; theirs puts every value straight into its slot, which takes about half the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from typing import Any


def make_quickly(things: Iterable[Any]) -> None:
    """Give the frozen dataclasses with slots among these things an ``__init__`` that does the same in less time.

    Classes whose ``__init__`` does more than assign values stay unchanged.
    """
    for kind in {each for each in things if isinstance(each, type) and "__slots__" in vars(each)}:
        params = vars(kind).get("__dataclass_params__")
        if params is None or not params.frozen or hasattr(kind, "__post_init__"):
            continue
        if all(field.init for field in fields(kind)):
            init = _init_of(kind)
            init.__annotations__ = vars(kind)["__init__"].__annotations__
            init.__qualname__, init.__module__ = f"{kind.__qualname__}.__init__", kind.__module__
            type.__setattr__(kind, "__init__", init)


def _init_of(kind: Any) -> Callable[..., None]:
    names: dict[str, Any] = {"MISSING": MISSING}
    by_place, lines = ["self"], ["    pass"]
    by_name: list[str] = []
    for field in fields(kind):
        name = value = parameter = field.name
        names[f"put_{name}"] = getattr(kind, name).__set__
        if field.default is not MISSING:
            names[f"default_{name}"] = field.default
            parameter = f"{name}=default_{name}"
        elif field.default_factory is not MISSING:
            names[f"make_{name}"] = field.default_factory
            value, parameter = f"make_{name}() if {name} is MISSING else {name}", f"{name}=MISSING"
        (by_name if field.kw_only else by_place).append(parameter)
        lines.append(f"    put_{name}(self, {value})")
    parameters = ", ".join([*by_place, *(["*", *by_name] if by_name else [])])
    exec(f"def __init__({parameters}):\n" + "\n".join(lines), names)  # noqa: S102 - of the names of fields only
    init: Callable[..., None] = names["__init__"]
    return init
