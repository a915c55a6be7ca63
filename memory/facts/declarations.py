"""Which paths the agents of a project declare sensitive (docs/spec 03 §3), for whoever writes a fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from abl.runtime.plan.parts import PathPlan
from abl.runtime.plan.program import programs_of
from abl.runtime.privacy.fact_masks import PARTS
from abl.runtime.privacy.masking import part_of
from editor.models import Document, Project, Revision

Pins = tuple[tuple[str, int], ...]
"""Paths of documents with the keys of their revisions, in order."""
Paths = Mapping[str, Mapping[str, Any]]
KEPT = 64
"""Sets of revisions that a process remembers; a revision never changes."""


def declared_now(*, project: Project, path: str, value: Any = None) -> Mapping[str, Any] | None:
    """How a path is shown according to the saved documents of a project; None if no document declares it sensitive.

    The fields of ``abl.runtime.privacy.masking.Display``; for an object in which only parts are sensitive, that it is
    so.
    """
    heads = Document.objects.filter(project=project, kind=Document.Kind.AGENT, head__isnull=False)
    pins = tuple(heads.order_by("path").values_list("path", "head_id"))
    declared = sensitive_paths(pins) if pins else {}
    found = nearest(declared, path)
    return found if found is not None or not has_parts(declared, path, value) else {PARTS: True}


def nearest(declared: Paths, path: str) -> Mapping[str, Any] | None:
    """The declaration of a path, or of the nearest object that it is a part of."""
    parts = path.split(".")
    above = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((declared[name] for name in above if name in declared), None)


def has_parts(declared: Paths, path: str, value: Any) -> bool:
    """Whether an object to be stored at a path has something at a path below it that is declared sensitive."""
    below = (name[len(path) + 1 :].split(".") for name in declared if name.startswith(f"{path}."))
    return isinstance(value, Mapping) and any(part_of(value, keys) is not None for keys in below)


@lru_cache(maxsize=KEPT)
def sensitive_paths(pins: Pins) -> Paths:
    """Persistent paths that documents declare sensitive, with how they are shown."""
    return {path: asdict(plan.display) for path, plan in persistent(pins) if plan.display is not None}


def persistent(pins: Pins) -> Iterator[tuple[str, PathPlan]]:
    """Every declaration of a persistent path, in order of the documents."""
    texts = dict(Revision.objects.filter(pk__in=[pk for _, pk in pins]).values_list("pk", "text"))
    for document, pk in pins:
        for program in programs_of(document, texts[pk]):
            yield from program.persistent.items()
