"""The last value of a name in words, masked as the open text asks for (docs/spec 03 §3, 07 §10)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from abl.analysis.index.shared_names import Symbol
from abl.runtime.plan.program import programs_of
from abl.runtime.privacy.masking import Display, Masker
from editor.models import Document
from editor.ports import ports

_SHOWN: Final = 160
_CODE: Final = (".abl", ".agent.yaml")


def last_seen(document: Document, files: Mapping[str, str], symbol: Symbol) -> str | None:
    """What the newest test conversations of the project gave a variable or path last, or None.

    Traces hold sensitive values masked already; a name that only the open text declares sensitive is masked here.
    """
    fact = symbol.kind == "path"
    found = ports.last_value(document.project_id, symbol.agent.name, symbol.name, fact)
    if found is None:
        return None
    where = f"conversation {found.conversation}, turn {found.turn}"
    if found.gone:
        return f"no value ({where})"
    masker = Masker(dict(_sensitive(files, symbol, fact)))
    text = json.dumps(masker.shown(symbol.name, found.value), ensure_ascii=False)
    return f"{text if len(text) <= _SHOWN else text[:_SHOWN] + '…'} ({where})"


def _sensitive(files: Mapping[str, str], symbol: Symbol, fact: bool) -> Iterator[tuple[str, Display]]:
    """The names that are sensitive in the symbol's agent; a path is where any agent says so."""
    for path, text in files.items():
        for program in programs_of(path, text) if path.endswith(_CODE) else ():
            if fact:
                yield from program.sensitive_paths.items()
            elif program.name == symbol.agent.name:
                yield from program.sensitive.items()
