"""6xx about texts by key: MESSAGE_KEY and ``locale.KEY`` (docs/spec 06 §5.1, §5.8, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.collect.records import Read
from abl.analysis.incremental.parts import Part
from abl.analysis.index.catalogues import Catalogues
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.source import Span
from abl.syntax import nodes

_WITH_MESSAGE_KEY = (
    nodes.Respond,
    nodes.Gather,
    nodes.GatherField,
    nodes.Completion,
    nodes.IntentHandler,
    nodes.ActionHandler,
)


@rule(
    "ABL659",
    "missing-locale-key",
    "warning",
    "Locale key `{k}` is missing for {locales}. Did you mean `{y}`?",
    over=AgentIndex,
    project=True,
)
def missing_locale_key(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A text is taken from the locale catalogues by a key that one of them does not have. Looked for where
        catalogues (`*.locale.yaml`) are checked together with the agent.
    Why: In that language the text of the document is sent instead, and a call with such an argument fails.
    Bad:
        # de.locale.yaml holds only `bye: "Auf Wiedersehen!"`.
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            MESSAGE_KEY: hello
            THEN: COMPLETE
    Good:
        # de.locale.yaml holds `hello: "Guten Tag."`.
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            MESSAGE_KEY: hello
            THEN: COMPLETE
    """
    catalogues = project.catalogues
    if not catalogues:
        return
    for placed, keys in agent.each(_keys):
        for key, span in keys:
            yield from _missing(key, placed.at(span), catalogues)
    for placed, reads in agent.each(_reads) if "locale" in agent.read_roots else ():
        for kept in reads:
            read = placed.read(kept)
            prefix = len("locale.")
            yield from _missing(read.path[prefix:], Span(read.span.start + prefix, read.span.end), catalogues)


def _missing(key: str, span: Span, catalogues: Catalogues) -> Iterator[Found]:
    without = [language for language, keys in catalogues if key not in keys]
    if without:
        best, renames = fixes.rename_to(span, key, sorted(frozenset().union(*[keys for _, keys in catalogues])))
        yield found(span, *renames, k=key, locales=", ".join(without), y=best)


def _keys(part: Part) -> list[tuple[str, Span]]:
    """The keys that MESSAGE_KEY names; those with placeholders are not known."""
    settings = [node.value for node in part.all(nodes.Setting) if node.keyword == "MESSAGE_KEY"]
    props = [node.prop("MESSAGE_KEY") for kind in _WITH_MESSAGE_KEY for node in part.all(kind) if node.props]
    texts = [*settings, *(prop.value for prop in props if prop is not None)]
    return [
        (text.value.strip(), text.inner)
        for text in texts
        if text is not None and text.value.strip() and "{" not in text.value
    ]


def _reads(part: Part) -> list[Read]:
    return [read for read in part.reads if read.root == "locale" and "." in read.path]
