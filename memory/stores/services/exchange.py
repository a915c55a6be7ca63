"""Importing definitions of stores from a file of ``definitions_export``; it contains no data (docs/spec 11 §2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from editor.models import Project, User
from memory.stores import selectors
from memory.stores.selectors import DEFINITION
from memory.stores.services.definitions import CHANGEABLE, store_create, store_update
from memory.stores.validation import shown
from web.errors import AppError, Invalid

MOST = 200
NEEDED = ("technical_name", "schema", "access", "retention")


def definitions_import(
    *, project: Project, data: Any, replace: bool = False, actor: User | None = None
) -> dict[str, list[str]]:
    """Take over the definitions of a file, all or none. Returns technical names: created, changed, unchanged.

    :param replace: change a store that is there with another definition; else that is refused.
    :raises Invalid: ``fields`` names each problem by its place in the file, such as ``stores[2].schema``.
    """
    entries = _entries(data)
    done: dict[str, list[str]] = {"created": [], "changed": [], "unchanged": []}
    problems: dict[str, str] = {}
    with transaction.atomic():
        there = {
            store.technical_name: selectors.definition_dict(store) for store in selectors.store_list(project=project)
        }
        for number, entry in enumerate(entries):
            place = f"stores[{number}]"
            found = _refusals(entry, place)
            if found:
                problems |= found
                continue
            try:
                with transaction.atomic():
                    name = entry["technical_name"]
                    done[_take(project, entry, there.get(name), replace, actor)].append(name)
            except AppError as error:
                named = error.fields if isinstance(error, Invalid) else {"technical_name": error.detail}
                problems |= {f"{place}.{field}": words for field, words in named.items()}
        if problems:
            raise Invalid(fields=problems)
    return done


def _entries(data: Any) -> list[Any]:
    """The list of stores in a file. Raises ``Invalid`` for what is no such file."""
    if not isinstance(data, Mapping) or not isinstance(data.get("stores"), list):
        raise Invalid(
            fields={"stores": 'is missing; a file has {"version": 1, "stores": [...]}, as written by an export'}
        )
    if data.get("version", 1) != 1:
        raise Invalid(fields={"version": f"{shown(data['version'])} is not supported; use version 1"})
    if len(data["stores"]) > MOST:
        raise Invalid(fields={"stores": f"has {len(data['stores']):,} entries; {MOST} are allowed"})
    return list(data["stores"])


def _refusals(entry: Any, place: str) -> dict[str, str]:
    """What is wrong with the shape of an entry."""
    if not isinstance(entry, Mapping):
        return {place: f"is {shown(entry)}; give an object with {', '.join(DEFINITION)}"}
    problems = {f"{place}.{name}": "is missing" for name in NEEDED if name not in entry}
    for name in entry:
        if name not in DEFINITION:
            problems[f"{place}.{str(name)[:40]}"] = f"is not known; a store has {', '.join(DEFINITION)}"
    if not isinstance(entry.get("technical_name", ""), str) or not isinstance(entry.get("name", ""), str):
        problems[f"{place}.technical_name"] = "name and technical_name are texts"
    return problems


def _take(
    project: Project, entry: Mapping[str, Any], there: Mapping[str, Any] | None, replace: bool, actor: User | None
) -> str:
    """Create or change one store; what was done."""
    wanted = {"name": entry["technical_name"], "description": "", "strict": False, **entry}
    if there is None:
        store_create(project=project, actor=actor, **wanted)
        return "created"
    if dict(there) == wanted:
        return "unchanged"
    if not replace:
        differing = [name for name in DEFINITION if there[name] != wanted[name]]
        raise Invalid(
            fields=dict.fromkeys(differing, "differs from the existing store; import with `replace` to change it")
        )
    store_update(
        project=project,
        technical_name=wanted["technical_name"],
        changes={name: wanted[name] for name in CHANGEABLE},
        actor=actor,
    )
    return "changed"
