"""10xx about how NLU and the rest of an agent refer to each other (docs/spec 06 §7, 09 §10, 10 §6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from abl.analysis import fixes
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.index.vocabularies import flow_intents_known
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes
from abl.syntax.nodes import same_key
from abl.syntax.recovery.suggest import closest

_OUTSIDE: Final = re.compile(r"[/\\~]|[A-Za-z]:[/\\]|[a-z]+://")
_GAPS: Final = re.compile(r"[_\-\s]+")
_FILE_KEYS: Final = frozenset({"examplesfile", "configfile"})


@rule(
    "ABL1027",
    "file-not-found",
    "warning",
    "File `{f}` not found. Did you mean `{y}`?",
    over=nodes.Understanding,
    project=True,
)
def file_not_found(section: nodes.Understanding, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: EXAMPLES_FILE or config_file leads out of the project, or to a file that the project does not have. Files that
        are no documents are looked for on disk, beside the document and in the folders above it.
    Why: Its contents are not read.
    Bad:
        NLU:
          config_file: "../shared/intents.yaml"
    Good:
        NLU:
          config_file: "nlu/intents.yaml"
    """
    for member in section.content.walk():
        if same_key(member.key) not in _FILE_KEYS or member.text is None or not member.word_of():
            continue
        path = member.word_of()
        outside = _OUTSIDE.match(path) is not None or _leaves_project(agent.source.path, path)
        if outside or not _is_there(path, agent.source.path, project):
            best, renames = ("", ()) if outside else fixes.rename_to(member.text.inner, path, project.documents)
            yield found(member.text.inner, *renames, node=section.path, f=path, y=best)


def _leaves_project(document: str, path: str) -> bool:
    """True for a path that leads out of the project, whether it starts at the document or at the project."""
    depth = len(PurePosixPath(document).parent.parts)
    for part in re.split(r"[/\\]", path):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return True
    return False


def _is_there(path: str, document: str, project: Index) -> bool:
    beside = (PurePosixPath(document).parent / path).as_posix()
    if path.removeprefix("./") in project.documents or beside in project.documents:
        return True
    return not path.endswith(".abl") and not project.lacks_file(document, path)


@rule("ABL1028", "intent-by-its-words", "hint", "INTENT `{i}` is matched by its words only", over=nodes.IntentHandler)
def intent_by_its_words(handler: nodes.IntentHandler, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A digression has no KEYWORDS, and neither NLU nor INTENTS declares its intent.
    Why: Without a model only a message with these very words, in this order, leads there.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [ask]
          global_digressions:
            - INTENT: "opening hours"
              RESPOND: "We open at nine."
              RESUME: true
          ask:
            REASONING: false
            RESPOND: "Which book?"
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [ask]
          global_digressions:
            - INTENT: "opening hours"
              KEYWORDS: [open, hours]
              RESPOND: "We open at nine."
              RESUME: true
          ask:
            REASONING: false
            RESPOND: "Which book?"
            THEN: COMPLETE
    """
    if agent.fragment or handler.intent is None or handler.keywords or not handler.intent.value.strip():
        return
    known = flow_intents_known(agent)
    if known is None or (not known and ".SUB_INTENTS" in handler.path):
        return  # a sub-intent cannot have keywords, so without NLU there is nothing to say it better with
    words = _plain(handler.intent.value)
    if words not in {_plain(word) for word in known}:
        close = closest(handler.intent.value, known)
        renames = fixes.rename_fixes(handler.intent.inner, close) if close else ()
        yield found(handler.intent.inner, *renames, node=handler.path, i=handler.intent.value)


def _plain(word: str) -> str:
    return _GAPS.sub("", word).casefold()
