"""Messages and fixes of the rules that check properties by table (docs/spec 05 §1, 09 §14)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance.properties import Lack, Misfit, misspelt
from abl.analysis.conformance.values import none_of
from abl.analysis.fixes import content as content_fixes
from abl.analysis.index.formats import PROPERTIES
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found


def worded(problem: Lack | Misfit, agent: AgentIndex, path: str) -> Iterator[Found]:
    """A problem as a finding of a rule whose message is ``{format} needs `{prop}```."""
    if isinstance(problem, Lack):
        yield _lack(problem, agent, path)
    elif problem.legal:
        words = "Unknown {prop} `{x}`. Did you mean `{y}`?"
        member = problem.content
        yield from none_of(member.text, problem.legal, path, prop=member.key, x=member.word_of(), wording=words)
    else:
        words = "`{prop}` must be between {low} and {high}"
        low, high = f"{problem.low:g}", f"{problem.high:g}"
        place, prop = problem.content.place, problem.content.key
        yield found(place, node=path, prop=prop, low=low, high=high, wording=words)


def _lack(problem: Lack, agent: AgentIndex, path: str) -> Found:
    content, only = problem.content, len(problem.keys) == 1
    prop = "` and `".join(problem.keys)
    for key in problem.keys:
        other = misspelt(content, key, PROPERTIES)
        if other is not None and only:
            repair = fixes.replace(other.key_span, key, f"Change to `{key}`")
            return found(other.key_span, repair, node=path, format=problem.what, prop=prop)
    if any(content.get(key) is not None for key in problem.keys):
        return found(content.place, node=path, format=problem.what, prop=prop)  # it is there, and is empty
    chosen = next((key for key in problem.keys if key in problem.values), "")
    words = problem.values[chosen] if chosen else ("",)
    repairs = [
        fix
        for word in words
        for fix in content_fixes.all_added(
            agent.source,
            content,
            [(key, word if key == chosen else '"…"') for key in problem.keys],
            preferred=len(words) == 1,
        )
    ]
    return found(content.place, *repairs, node=path, format=problem.what, prop=prop)
