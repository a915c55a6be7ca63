"""A session variable that was meant to expire: a remember trigger stores it with the TTL (docs/spec 03 §2, §4)."""

from __future__ import annotations

import re
from typing import Final

from abl.analysis import fixes
from abl.analysis.fixes import braces
from abl.analysis.fixes.entries import declare_path, is_yaml, remember_edit, remove_property
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Edit, Fix
from abl.syntax import nodes

_DURATION: Final = re.compile(r"[1-9][0-9]{0,5}[smhd]")


def remembered(agent: AgentIndex, variable: nodes.SessionVariable, prop: nodes.Property) -> tuple[Fix, ...]:
    """Take the TTL out, declare ``user.NAME`` if nobody did, and store the variable there with the TTL."""
    name, ttl = variable.name.value, prop.value.value.strip() if prop.value is not None else ""
    path = f"user.{name}"
    removal, trigger = remove_property(agent, prop), remember_edit(agent, name, path)
    if not removal and braces.extent(agent.source, prop.block.span) is not None:
        removal = (fixes.remove_lines(agent.source, prop.block.span, ""),)
    if not removal or trigger is None or not _DURATION.fullmatch(ttl) or path in agent.persistent:
        return ()
    declared = declare_path(agent, path)
    pad = re.match(r"\s*", trigger.text.rsplit("\n", 1)[-1])
    stored = Edit(trigger.span, f"{trigger.text}\n{pad[0] if pad else ''}{'ttl' if is_yaml(agent) else 'TTL'}: {ttl}")
    edits = _apart(agent.source.text, [*removal[0].edits, *(edit for fix in declared for edit in fix.edits), stored])
    return (Fix(f"Remember `{name}` as `{path}` for {ttl}", edits),) if declared else ()


def _apart(text: str, edits: list[Edit]) -> tuple[Edit, ...]:
    """The edits without overlap: what is put in at the end of the removed lines is put in their place."""
    removed, *inserted = edits
    start, end = removed.span.start, removed.span.end
    touching = [edit for edit in inserted if start <= edit.span.start <= end]
    others = [edit for edit in inserted if edit not in touching]
    if not touching:
        return tuple(edits)
    break_ = "\n" if text[start:end].endswith("\n") else ""
    return (Edit(removed.span, "".join(edit.text for edit in touching).strip("\n") + break_), *others)
