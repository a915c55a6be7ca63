"""The index of each document by itself; one is read once per text, and after an edit only what changed in it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from abl.analysis.collect.agent import collect
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Finding
from abl.source import Source
from abl.syntax import nodes, parse
from abl.syntax.incremental.reparse import common_ends, reparse, reread
from abl.syntax.readers.context import Corrections

KEPT_DOCUMENTS = 1_024  # paths: those of a large project; an agent of one page takes about 0.4 MB
KEPT_VERSIONS = 4  # texts of each: those of an author who undoes, and of others whose file has the same path
KEPT_READINGS = 4  # of one text with other words: one for each time that it is read again, mostly


@dataclass(eq=False)
class DocumentIndex:
    """One document, its agents and, once asked for, what was found: by the local rules, by those that ask the project
    (with what they asked for), and in words (with what they are the words of).

    A fragment counts as an agent, and so does what a profile or a tool file holds.
    """

    document: nodes.Document
    agents: tuple[AgentIndex, ...]
    local_findings: tuple[Finding, ...] | None = field(default=None, repr=False)
    across_findings: tuple[Mapping[Any, Any], tuple[Finding, ...]] | None = field(default=None, repr=False)
    worded: Any = field(default=None, repr=False)
    with_imported: tuple[tuple[dict[str, nodes.Tool], ...], DocumentIndex] | None = field(default=None, repr=False)
    readings: tuple[tuple[Corrections, DocumentIndex], ...] = field(default=(), repr=False)

    @property
    def path(self) -> str:
        """The document's path within the project."""
        return self.document.source.path

    @property
    def source(self) -> Source:
        """Text and lines."""
        return self.document.source

    def corrected(self, corrections: Corrections) -> DocumentIndex:
        """The document with words of the language in place of misspelt ones; the same object for the same words."""
        if not corrections:
            return self
        found = next((index for words, index in self.readings if words == corrections), None)
        if found is None:
            found = indexed(reread(self.document, corrections), is_corrected=True)
            self.readings = ((corrections, found), *self.readings[: KEPT_READINGS - 1])
        return found

    def with_tools(self, tools: tuple[dict[str, nodes.Tool], ...]) -> DocumentIndex:
        """The same document whose agents take these tools from others; the same object for the same tools."""
        if not any(tools):
            return self
        kept = self.with_imported
        if kept is None or kept[0] != tools:
            agents = [
                replace(agent, kept={}, imported_tools=own) for agent, own in zip(self.agents, tools, strict=True)
            ]
            kept = self.with_imported = tools, DocumentIndex(self.document, tuple(agents))
        return kept[1]


class _Versions:
    """The last texts of one path, which are mostly versions of one document."""

    def __init__(self) -> None:
        self.versions: tuple[DocumentIndex, ...] = ()

    def get(self, text: str) -> DocumentIndex | None:
        """The index of exactly that text."""
        return next((index for index in self.versions if index.source.text == text), None)

    def like(self, text: str) -> DocumentIndex | None:
        """The index of the text that has most in common with this one."""
        return max(self.versions, key=lambda index: sum(common_ends(index.source.text, text)), default=None)

    def put(self, index: DocumentIndex) -> None:
        """Remember an index and forget the oldest."""
        self.versions = (index, *self.versions[: KEPT_VERSIONS - 1])


@lru_cache(maxsize=KEPT_DOCUMENTS)
def _versions(path: str) -> _Versions:
    return _Versions()


def document_index(path: str, text: str) -> DocumentIndex:
    """Parse and collect one document; the same text gives the same object, while it is remembered."""
    versions = _versions(path)
    index = versions.get(text)
    if index is None:
        like = versions.like(text)
        index = indexed(reparse(like.document, text) if like is not None else parse(text, path))
        versions.put(index)
    return index


def forget_documents() -> None:
    """Read every document from scratch the next time."""
    _versions.cache_clear()


def indexed(document: nodes.Document, *, is_corrected: bool = False) -> DocumentIndex:
    """Collect what a document says; ``is_corrected`` where words are read in place of misspelt ones."""
    inner = (section.content for section in (*document.profiles, *document.tool_files))
    trees = (*document.agents, *document.fragments, *(content for content in inner if content is not None))
    agents = tuple([collect(tree, document) for tree in trees])
    for agent in agents:
        agent.is_corrected = is_corrected
    return DocumentIndex(document, agents)
