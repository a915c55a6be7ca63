"""Tools that an agent takes from tool files and behaviour profiles, put behind its text (docs/spec 08 §9, 09 §12).

What an agent imports is read as if it stood at the end of its document, each tool in a TOOLS section of its own, so
that everything that runs a tool runs an imported one. Places in it are shown where they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from abl.analysis.index.imported_tools import places_of
from abl.analysis.index.imports import Import, import_lines
from abl.language.written import listed
from abl.runtime.plan.insertions import Lent, lent_by
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.nodes import same_key
from abl.syntax.readers.content import content_of

SHARED: Final = (
    "timeout",
    "retry",
    "retry_delay",
    "retry_policy",
    "rate_limit",
    "circuit_breaker",
    "auth",
    "auth_config",
    "headers",
)
"""What the tools of a file take over from the lines before them; a tool's own value wins."""


class Piece(NamedTuple):
    """A part of a linked text: where it begins, and the document, line and column that it was taken from."""

    start: int
    path: str
    line: int
    column: int


class Linked(NamedTuple):
    """Text that is read behind a document, in pieces; behind it stand documents with steps of profiles."""

    text: str
    pieces: tuple[Piece, ...]
    lent: tuple[Lent, ...] = ()


def linked(documents: Mapping[str, nodes.Document]) -> dict[str, Linked]:
    """What is read behind each document that holds agents; nothing where nothing is imported."""
    files = {path: document for path, document in documents.items() if document.tool_files}
    profiles: dict[str, tuple[nodes.Document, nodes.Fragment]] = {}
    for document in documents.values():
        for section in document.profiles:
            profile = section.content.profile if section.content is not None else None
            if (
                section.content is not None
                and profile is not None
                and profile.name is not None
                and section.content.tools
            ):
                profiles.setdefault(profile.name.value.strip(), (document, section.content))
    lent = lent_by(documents)
    if not files and not profiles and not lent:
        return {}
    made = {path: _of(path, document, files, profiles) for path, document in documents.items() if document.agents}
    made = {path: one._replace(lent=_lent_to(documents[path], lent)) for path, one in made.items()}
    return {path: one for path, one in made.items() if one.text or one.lent}


def _lent_to(document: nodes.Document, lent: tuple[Lent, ...]) -> tuple[Lent, ...]:
    """Those of which an agent of the document uses a profile."""
    used = {name for agent in document.agents for name in _used(agent)}
    return tuple(each for each in lent if used.intersection(each.profiles))


def _of(
    path: str,
    document: nodes.Document,
    files: Mapping[str, nodes.Document],
    profiles: Mapping[str, tuple[nodes.Document, nodes.Fragment]],
) -> Linked:
    """The tools that the agents of a document take; only for one agent, and where both are written in lines."""
    if document.yaml or len(document.agents) != 1:
        return Linked("", ())
    agent = document.agents[0]
    own = {tool.name.value for tool in agent.tools}
    parts: list[tuple[str, Source, int]] = []
    for source, content, wanted in _taken(path, agent, files, profiles):
        for tool in content.tools:
            if tool.name.value not in own and (not wanted or tool.name.value in wanted):
                own.add(tool.name.value)
                parts += _section(source, content, tool)
    text, pieces = "", []
    for part, source, start in parts:
        place = source.position(start)
        pieces.append(Piece(len(text), source.path, place.line, place.column))
        text += part
    return Linked(text, tuple(pieces))


def _taken(
    path: str,
    agent: nodes.Agent,
    files: Mapping[str, nodes.Document],
    profiles: Mapping[str, tuple[nodes.Document, nodes.Fragment]],
) -> Iterator[tuple[Source, nodes.Fragment, tuple[str, ...]]]:
    """Each content that tools are taken from, with their names; none for all of them."""
    for _, written in import_lines(agent):
        found = _file(path, written, files)
        if found is not None and not found.yaml:
            for section in found.tool_files:
                if section.content is not None:
                    yield found.source, section.content, written.names
    for name in _used(agent):
        if name in profiles and not profiles[name][0].yaml:
            yield profiles[name][0].source, profiles[name][1], ()


def _used(agent: nodes.Agent) -> Iterator[str]:
    """Names of the profile documents that an agent uses."""
    for section in agent.sections:
        if section.keyword == "USE_BEHAVIOR_PROFILE" and section.value is not None:
            yield from listed(section.value)


def _file(path: str, written: Import, files: Mapping[str, nodes.Document]) -> nodes.Document | None:
    return next((files[at] for at in places_of(path, written.path) if at in files), None)


def _section(source: Source, content: nodes.Fragment, tool: nodes.Tool) -> Iterator[tuple[str, Source, int]]:
    """A TOOLS section with one tool, and what it takes over from its file."""
    begins = source.text.rfind("\n", 0, tool.span.start) + 1
    shared = _shared(content)
    base = shared.pop("base_url", "").rstrip("/")
    lines = _with_base(source, begins, tool, base).splitlines()
    depth = len(lines[0]) - len(lines[0].lstrip())
    yield "\nTOOLS:\n", source, begins
    at, more = _merged_headers(source, begins, shared.get("headers"), tool)
    for first, last in ((0, at), (at, len(lines))):
        own = "\n".join(f"  {line[depth:]}" for line in lines[first:last])
        if own:
            yield f"{own}\n", source, begins + sum(map(len, source.text[begins:].splitlines(keepends=True)[:first]))
        if first == 0:
            yield from more
    given = {prop.key.lower() for prop in tool.props}
    for key, block in shared.items():
        if key not in given:
            start = source.text.rfind("\n", 0, block.span.start) + 1
            below = source.text[start : block.span.end].splitlines()
            left = len(below[0]) - len(below[0].lstrip())
            yield "".join(f"    {line[left:]}\n" for line in below), source, start


def _with_base(source: Source, begins: int, tool: nodes.Tool, base: str) -> str:
    """The text of a tool from the beginning of its line, with ``base`` before each endpoint that is a mere path."""
    text = source.text[begins : tool.span.end]
    for written in sorted(_endpoints(tool), key=lambda found: found.inner.start, reverse=True) if base else ():
        at = written.offset_of(len(written.value) - len(written.value.lstrip())) - begins
        if written.value.lstrip().startswith("/"):
            text = text[:at] + base + text[at:]
    return text


def _endpoints(tool: nodes.Tool) -> Iterator[nodes.Text]:
    """What a tool and its request variants say as the endpoint."""
    for prop in tool.props:
        if same_key(prop.key) == same_key("ENDPOINT") and prop.value is not None:
            yield prop.value
        elif same_key(prop.key) == same_key("REQUEST_VARIANTS"):
            for variant in content_of(prop.block).items:
                text = variant.text_of("endpoint")
                if text is not None:
                    yield text


def _merged_headers(
    source: Source, begins: int, shared: Any, tool: nodes.Tool
) -> tuple[int, list[tuple[str, Source, int]]]:
    """Headers of the file that a tool with headers of its own has not, and before which of its lines they stand."""
    own = next((prop.block for prop in tool.props if prop.key.lower() == "headers"), None)
    if shared is None or own is None or not own.children:
        return 0, []
    known = {child.key.lower() for child in own.children}
    first = own.children[0]
    at = source.position(first.span.start).line - source.position(begins).line
    left = source.position(first.span.start).column - source.position(begins + _indent(source, begins)).column
    found = []
    for child in shared.children:
        if child.key.lower() not in known:
            text = source.text[child.span.start : child.span.end].strip()
            found.append((f"  {' ' * left}{text}\n", source, child.span.start))
    return at, found


def _indent(source: Source, at: int) -> int:
    line = source.text[at:].split("\n", 1)[0]
    return len(line) - len(line.lstrip())


def _shared(content: nodes.Fragment) -> dict[str, Any]:
    """What stands before the tools of a file, by key; ``base_url`` as a text."""
    section = content.section("TOOLS")
    found: dict[str, Any] = {}
    for child in section.block.children if section is not None and section.block is not None else ():
        key = child.key.lower()
        if child.colon and key in SHARED and content.profile is None:
            found[key] = child
        elif child.colon and key == "base_url" and child.value is not None:
            found[key] = child.value.value
    return found


def placed(pieces: Iterable[Piece], begin: int, source: Source, span: Span) -> dict[str, Any]:
    """The place of a span behind the document, where it is written (docs/spec 12 §4)."""
    at = next(piece for piece in reversed(tuple(pieces)) if piece.start + begin <= span.start)
    first = source.position(at.start + begin)
    shown = source.range(span).as_dict()
    for end in ("start", "end"):
        shown[end] = {**shown[end], "line": shown[end]["line"] - first.line + at.line}
    return {"path": at.path, **shown}
