"""The queries of a document's rules to its project: if the answers are the same, the findings are the same.

After an edit of one agent, each of the others is asked for nothing but these answers. A question is an attribute of the
``Index``, a key that is looked up in one, or a call of one of its functions. An answer that is an agent is the same as
long as nobody edited that agent, because a text gives the same object
(``abl.analysis.index.documents.document_index``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, cast

from abl.analysis.index.project import Index

_MISSING: Final = object()


class Question(NamedTuple):
    """``kind``: value (of an attribute), item (of a mapping), keys (of a mapping), call (of a function)."""

    kind: str
    name: str
    given: tuple[Any, ...] = ()


Answers = dict[Question, Any]


class QueriedProject:
    """A project that keeps what it was asked for. ``answers`` are in the order of the questions."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.answers: Answers = {}

    @property
    def project(self) -> Index:
        """The same, as rules take it."""
        return cast(Index, self)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._index, name)
        if isinstance(value, dict):
            return _QueriedMapping(name, value, self.answers)
        if callable(value):
            return self._called(name, value)
        return _keep(self.answers, Question("value", name), value)

    def _called(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            return _keep(self.answers, Question("call", name, given), _materialized(function(*given)))

        return call


class _QueriedMapping(Mapping[Any, Any]):
    """A mapping of the index: what is looked up by key depends on that key alone."""

    def __init__(self, name: str, mapping: Mapping[Any, Any], answers: Answers) -> None:
        self._name, self._mapping, self._answers = name, mapping, answers

    def __getitem__(self, key: Any) -> Any:
        found = _keep(self._answers, Question("item", self._name, (key,)), self._mapping.get(key, _MISSING))
        if found is _MISSING:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter(_keep(self._answers, Question("keys", self._name), tuple(self._mapping)))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def still(answers: Mapping[Question, Any], index: Index) -> bool:
    """Whether a project gives the same answers."""
    return all(_same(answer, _answer(index, question)) for question, answer in answers.items())


def _answer(index: Index, question: Question) -> Any:
    value = getattr(index, question.name)
    if question.kind == "item":
        return value.get(question.given[0], _MISSING)
    if question.kind == "keys":
        return tuple(value)
    return _materialized(value(*question.given)) if question.kind == "call" else value


def _materialized(value: Any) -> Any:
    """An iterator can be asked once; the answer has to stay."""
    return tuple(value) if isinstance(value, Iterator) else value


def _same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and bool(one == other))


def _keep(answers: Answers, question: Question, answer: Any) -> Any:
    return answers.setdefault(question, answer)
