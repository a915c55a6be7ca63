"""Locale catalogues among the files of a project: ``de-DE.locale.yaml`` says the texts of one language by key.

Keys may be nested; ``order: {ask: "…"}`` is the key ``order.ask`` (docs/spec 06 §5.8, 09 §2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from abl.yaml_reader import UnreadableYaml, load_yaml

SUFFIXES: Final = (".locale.yaml", ".locale.yml", ".locale.json")
Catalogues = tuple[tuple[str, frozenset[str]], ...]  # language and keys of each, in order


def is_catalogue(path: str) -> bool:
    """True for a file that holds a locale catalogue, not a document."""
    return path.endswith(SUFFIXES)


def catalogues_of(files: Mapping[str, str]) -> Catalogues:
    """The catalogues of a project; those that cannot be read are left out."""
    read = ((_language(path), keys_of(files[path])) for path in sorted(files) if is_catalogue(path))
    return tuple([(language, keys) for language, keys in read if keys is not None])


def _language(path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2]
    return name[: -len(next(suffix for suffix in SUFFIXES if name.endswith(suffix)))]


@lru_cache(maxsize=256)
def keys_of(text: str) -> frozenset[str] | None:
    """Every key of a catalogue; None if it cannot be read."""
    try:
        data = load_yaml(text)
    except UnreadableYaml:
        return None
    return frozenset(_keys(data, "")) if isinstance(data, dict) else None


def _keys(data: Mapping[Any, Any], prefix: str) -> Iterator[str]:
    for key, value in data.items():
        name = f"{prefix}{key}"
        yield name
        if isinstance(value, dict):
            yield from _keys(value, f"{name}.")
