"""Properties that are computed when they are first asked for."""

from __future__ import annotations

from abl.once import once


class _Shelf:
    def __init__(self) -> None:
        self.counted = 0

    @once
    def books(self) -> list[str]:
        """The books on it."""
        self.counted += 1
        return ["Emma"]


def test_a_value_is_computed_once_for_each_object() -> None:
    one, other = _Shelf(), _Shelf()
    assert one.books is one.books
    assert one.books is not other.books
    assert (one.counted, other.counted) == (1, 1)


def test_the_class_shows_the_property_and_its_words() -> None:
    assert isinstance(_Shelf.books, once)
    assert _Shelf.books.__doc__ == "The books on it."
