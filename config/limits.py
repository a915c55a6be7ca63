"""What one user, one token or one request may use: the table of docs/reference/limits.md, a row for each bound.

A row names where the bound stands; its value and its words, the text below it there, are read from the code. A new
bound is one line here, and ``make docs``. A test holds that every bound of the modules in ``WHOLE`` has its row,
or is ``INTERNAL``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from config.options import KNOWN

WHOLE = ("web.limits", "abl.limits", "abl.expressions.bounds")
"""Modules all of whose constants are bounds."""

INTERNAL = frozenset(
    {
        "abl.limits.MAX_PATHS_ABOVE",
        "abl.limits.LINE_CACHE",
        "abl.limits.TOKEN_CACHE",
        "abl.expressions.bounds.MAX_COMPILED_HEIGHT",
        "abl.expressions.bounds.MAX_COMPILED_NODES",
        "abl.expressions.bounds.MAX_FAST_NODES",
        "abl.expressions.bounds.MAX_QUICK_PATTERN",
        "abl.expressions.bounds.MAX_QUICK_TEXT",
    }
)
"""Constants of those modules that only say how something is computed: caches, and which of two ways is quicker."""

APPS = ("web", "editor", "memory", "constraints")
"""Applications whose constants named MOST, LONGEST, LARGEST or MAX are bounds, too."""

SHOWN_ONLY = frozenset(
    {
        "constraints.running.stops.LONGEST_TEXT",
        "constraints.running.sweeping.SEND_AT_MOST",
        "constraints.running.sweeping.SWEEP_AT_MOST",
        "constraints.running.event_log.MAX_DEPTH",
        "constraints.traces.flips.MOST_NODES",
        "constraints.traces.values.MOST_MEMBERS",
        "editor.texts.MAX_MESSAGE",
        "editor.texts.MAX_PATH",
        "memory.blocks.notes.LONGEST_VALUE",
        "memory.facts.purge.LONGEST_DAYS",
        "memory.facts.purge.LONGEST_REST",
        "memory.facts.readers.MOST_PLACES",
        "memory.stores.forms.MOST_FIELDS",
        "memory.stores.samples.LONGEST",
        "memory.stores.samples.MOST_ITEMS",
        "memory.stores.validation.MOST",
        "web.logs.LONGEST",
        "web.logs.LONGEST_EVENT",
        "web.sign_in.guessing.LONGEST_NAME",
    }
)
"""Constants of these applications that say how something is shown, stored in a column, or done in portions."""

NO_BOUND = frozenset({"ABL_PREFETCH", "ABL_TURN_LEASE_SECONDS", "ABL_MEMORY_SETTLE_SECONDS"})
"""Settings with a number that are no bounds."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound: the dotted name of its constant, or the name of its setting, and what is answered beyond it.

    ``about`` takes the place of the words in the code.
    """

    of: str
    answer: str
    about: str = ""

    @property
    def setting(self) -> str:
        """The setting that changes it, empty without one."""
        return self.of if self.of in KNOWN else ""

    @property
    def value(self) -> str:
        """The bound as people read it; of a setting its default."""
        if self.setting:
            found = KNOWN[self.of].partition(" Default: ")[2].rstrip(".")
            return f"{int(found):,}" if found.isdecimal() else found
        return written(resolve_name(self.of))

    @property
    def words(self) -> str:
        """What is bounded."""
        if self.about:
            return self.about
        if self.setting:
            return KNOWN[self.of].partition(" Default: ")[0]
        module, _, name = self.of.rpartition(".")
        return words_of(module)[name]


def written(value: Any) -> str:
    """A number with a separator between thousands."""
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


@cache
def words_of(module: str) -> dict[str, str]:
    """Constants of a module that have a text below them, with it."""
    path = import_module(module).__file__ or ""
    body = ast.parse(Path(path).read_text(encoding="utf-8")).body
    found = {}
    for each, below in pairwise(body):
        targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", None)]
        text = below.value if isinstance(below, ast.Expr) else None
        if isinstance(targets[0], ast.Name) and isinstance(text, ast.Constant) and isinstance(text.value, str):
            found[targets[0].id] = " ".join(text.value.split())
    return found


BAD = "400 `invalid`"
LATER = "429 `busy`"
WRONG = "429 `slowed-down`"
ROOM = "413 `quota-exceeded`, with what is used"
LEFT = "the rest is left alone"
NOT_EVALUATED = "an evaluation error"
SPENT = "the turn fails, `budget-exceeded`"
TRIED = "422 `budget-exceeded`"

LIMITS: dict[str, tuple[Limit, ...]] = {
    "Signing in": (
        Limit("web.limits.FAILURES_OF_NAME_FROM_ADDRESS", WRONG),
        Limit("web.limits.FAILURES_OF_NAME", WRONG),
        Limit("web.limits.FAILURES_FROM_ADDRESS", WRONG),
        Limit("web.limits.FAILURES", WRONG),
        Limit("web.limits.SIGN_INS_FROM_ADDRESS", LATER),
        Limit("web.limits.SIGN_IN_LINE", LATER),
    ),
    "Requests": (
        Limit("ABL_API_RATE", "429 `throttled`"),
        Limit("web.limits.COSTLY_OF_USER", LATER),
        Limit("web.limits.COSTLY_OF_TOKEN", LATER),
        Limit("web.limits.COSTLY", LATER),
        Limit("web.limits.COSTLY_AT_WORK", "the others wait"),
        Limit("web.limits.TYPED_OF_USER", LATER),
        Limit("web.limits.TYPED", LATER),
        Limit("web.limits.TYPED_AT_WORK", "the others wait"),
        Limit("web.limits.LONGEST_WAIT", LATER),
        Limit("web.limits.DOWNLOADS_OF_USER", LATER),
        Limit("web.limits.DOWNLOADS", LATER),
        Limit("web.limits.STREAMS_OF_USER", LATER),
        Limit("web.limits.STREAMS", LATER),
        Limit("web.limits.STREAM_BYTES", "the rest waits"),
        Limit("web.limits.STREAM_BYTES_OF_USER", "the stream ends; the browser continues it"),
        Limit("web.limits.REQUESTS_OF_USER", LATER),
        Limit("web.limits.REFUSALS_AT_ONCE", "the others are held"),
        Limit("web.limits.REFUSAL_PAUSE", "each is answered after the pause"),
    ),
    "Bodies and headers": (
        Limit("web.limits.MAX_BODY", "413 `too-large`"),
        Limit("web.limits.MAX_SMALL_BODY", "413 `too-large`"),
        Limit("web.limits.MAX_VALUES", "413 `too-large`"),
        Limit("web.limits.MAX_TARGET", "414 `address-too-long`"),
        Limit("web.limits.MAX_HEADERS", "431 `header-too-large`"),
        Limit("web.limits.MAX_CONTENT_TYPE", "431 `header-too-large`"),
        Limit("web.limits.MAX_DEPTH", "400"),
        Limit("web.limits.MAX_DIGITS", "400"),
        Limit("ABL_UPLOAD_BYTES", "400 or 413, `too-large`"),
        Limit("editor.serializers.MAX_FILES", BAD, "Files of a check or a completion."),
        Limit("editor.serializers.MAX_CODES", BAD),
        Limit("editor.language_api.MOST_EXPLAINED", BAD),
        Limit("editor.trials.MAX_MOCKS", BAD, "Characters of the mock cases of a project."),
    ),
    "Test conversations and memory": (
        Limit("constraints.running.turns.MAX_TEXT", BAD, "Characters of a message or a value."),
        Limit("constraints.conversations.pages.SHOWN_TURNS", "earlier ones behind a link"),
        Limit("constraints.conversations.pages.SHOWN_CHARS", "earlier ones behind a link"),
        Limit("constraints.running.turns.MAX_QUEUED", "409 `queue-full`", "Turns of a conversation that wait."),
        Limit("constraints.running.run_settings.MOST_LINES", BAD, "Lines of a scripted model."),
        Limit("constraints.previews.prompt.LONGEST", BAD, "Characters of a message whose prompt is shown."),
        Limit("ABL_WORKERS", "the others wait"),
        Limit("ABL_TURN_SECONDS", "the turn fails, `time-exceeded`"),
        Limit("ABL_TURN_MAX_ATTEMPTS", "the turn fails, `worker-lost`"),
        Limit(
            "constraints.running.sweeping.MAX_KILLS",
            "the turn fails, `worker-lost`",
            "Attempts at a turn that may end with its process killed, for want of memory perhaps.",
        ),
        Limit(
            "constraints.running.worker.OVERTAKEN_AT_MOST",
            "the turn fails, `overtaken`",
            "Attempts at a turn whose facts others change while it runs.",
        ),
        Limit("memory.values.VALUE_BYTES", BAD, "Bytes of a value as JSON."),
        Limit("memory.values.VALUE_DEPTH", BAD, "Levels of a value."),
        Limit("memory.facts.revising.MOST_DELETED", BAD, "Facts that are deleted at once."),
        Limit("memory.facts.saved_views.MOST_VIEWS", BAD, "Views that a user saves in a project."),
        Limit("memory.stores.services.artifacts.MOST_FILES", BAD),
        Limit(
            "memory.stores.extraction.SECONDS", "the file is kept without its text", "Seconds in which a file is read."
        ),
        Limit(
            "memory.stores.extraction.MEMORY", "the file is kept without its text", "Bytes of memory to read a file."
        ),
        Limit("memory.stores.extraction.PAGES", LEFT, "Pages of a PDF whose text is read."),
        Limit("memory.stores.extraction.CHARACTERS", LEFT, "Characters of the text of a file that are kept."),
        Limit(
            "memory.stores.extraction.UNPACKED",
            "the file is kept without its text",
            "Bytes that a packed document may have when it is unpacked.",
        ),
        Limit("memory.stores.extraction.MEMBERS", "the file is kept without its text", "Parts of a packed document."),
        Limit(
            "memory.stores.extraction.RATIO",
            "the file is kept without its text",
            "Times its size to which a part of a packed document may unpack.",
        ),
        Limit("memory.stores.services.sessions.LARGEST", BAD, "Bytes of the metadata of a session."),
        Limit("memory.stores.services.definitions.MOST_STORES", BAD, "Stores of a project."),
        Limit("memory.stores.services.exchange.MOST", BAD, "Stores in a file of definitions."),
        Limit("memory.stores.views.LARGEST_FILE", BAD, "Bytes of a file of definitions."),
        Limit("memory.stores.schema.LARGEST", BAD, "Bytes of the schema of a store."),
        Limit("memory.stores.schema.DEEPEST", BAD, "Levels of the schema of a store."),
        Limit("memory.stores.schema.MOST_PARTS", BAD, "Parts of the schema of a store."),
        Limit("memory.stores.schema.MOST_PROGRAM", BAD),
        Limit("memory.stores.schema.MOST_NAMES", BAD, "Names or values in a list of a schema."),
        Limit("memory.stores.keywords.MOST_WORK", "400 `invalid` in a strict store, else the record is flagged"),
        Limit("memory.stores.content.MOST_PATHS", BAD, "Paths that a request for a record may choose."),
        Limit("memory.stores.own_api.LONGEST_PROJECTIONS", BAD, "Characters of these paths in an address."),
        Limit("memory.banks.texts.CONTENT_LENGTH", BAD, "Characters of an entry of a bank."),
        Limit("memory.banks.texts.MOST_LINES", BAD, "Lines that a bank may be set to keep."),
        Limit("memory.banks.api.LONGEST_QUERY", BAD, "Characters of what is looked for in a bank."),
        Limit("memory.blocks.texts.CORE_CHARACTERS", BAD, "Characters of a core block."),
        Limit("memory.blocks.texts.CORE_ENTRIES", BAD, "Entries of a core block."),
        Limit("memory.blocks.texts.ARCHIVAL_CHARACTERS", BAD, "Characters of an archival block."),
        Limit("memory.blocks.ranking.LONGEST_QUERY", BAD, "Characters of what is looked for in memory blocks."),
        Limit(
            "memory.blocks.ranking.MOST_WORDS", "the others are left out", "Words that are looked for in memory blocks."
        ),
        Limit("memory.blocks.api.MOST_MATCHES", BAD, "Lines that a search of memory blocks answers."),
        Limit("memory.lists.query.LONGEST", BAD, "Characters of a filter of a list."),
        Limit("memory.lists.query.CHOSEN", BAD),
        Limit("memory.lists.paging.LARGEST", BAD, "Facts of a page."),
        Limit("memory.lists.paging.PATIENCE", "the page shows what was found and how to go on"),
    ),
    "Room on the disk": (
        Limit("ABL_PROJECT_FILES_MB", ROOM),
        Limit("ABL_USER_FILES_MB", ROOM),
        Limit("ABL_PROJECT_CONVERSATIONS_MB", f"{ROOM}; turns that wait fail with it"),
        Limit("ABL_USER_CONVERSATIONS_MB", f"{ROOM}; turns that wait fail with it"),
        Limit("ABL_PROJECT_TEXTS_MB", ROOM),
        Limit("ABL_USER_TEXTS_MB", ROOM),
        Limit("ABL_PROJECT_MEMORY_MB", f"{ROOM}; a turn that writes fails with it"),
        Limit("ABL_USER_PROJECTS", BAD),
        Limit("editor.services.MOST_DOCUMENTS", BAD),
        Limit("editor.services.MOST_TOKENS", BAD),
        Limit("editor.services.REVOKED_KEPT", "older ones are forgotten"),
    ),
    "Connections": (
        Limit("ABL_CONNECTIONS", "the one that waited longest for its client is closed; 503 if none waits"),
        Limit("config.threads.CLIENT_THREADS", "the others of the client wait for these"),
        Limit("config.threads.TOKEN_THREADS", "the others with tokens wait for these"),
        Limit("config.threads.CLIENT_STREAMS", "the others of the client wait for these"),
        Limit("config.threads.CLIENT_REQUESTS", "429 `busy`"),
        Limit("config.threads.ADDRESS_REQUESTS", "429 `busy`"),
        Limit("ABL_HEAD_SECONDS", "408 `too-slow`"),
        Limit("ABL_BODY_SECONDS", "408 `too-slow`"),
        Limit("ABL_IDLE_SECONDS", "408 `too-slow`"),
        Limit("ABL_READ_SECONDS", "the connection is closed"),
        Limit("ABL_HANG_SECONDS", "the process is killed and starts again; its requests fail, the others wait"),
        Limit("ABL_BODIES_BYTES", "503 for the body that has been arriving the longest"),
    ),
    "Computing": (
        Limit("abl.expressions.budget.TURN.seconds", SPENT, "Seconds that a turn computes."),
        Limit("abl.expressions.budget.TURN.operations", SPENT, "Steps of the evaluations of a turn."),
        Limit("abl.expressions.budget.TURN.characters", SPENT, "Characters of the texts that a turn makes, in sum."),
        Limit("abl.expressions.budget.TURN.elements", SPENT, "Elements of lists and objects that a turn makes."),
        Limit("abl.expressions.budget.EXPLORATION.seconds", TRIED, "Seconds that `/evaluate/` computes."),
        Limit("abl.expressions.budget.EXPLORATION.operations", TRIED, "Steps of `/evaluate/`."),
        Limit("abl.expressions.budget.EXPLORATION.characters", TRIED, "Characters of the texts that it makes."),
        Limit("abl.expressions.budget.EXPLORATION.elements", TRIED, "Elements that it makes."),
        Limit("abl.limits.MAX_ANSWER", TRIED),
        Limit("abl.limits.MAX_VARIABLE", SPENT),
        Limit("abl.limits.MAX_VARIABLES", SPENT),
        Limit("abl.limits.LARGE_VARIABLE", "it counts among the large ones"),
        Limit("abl.limits.MAX_FACT", SPENT),
        Limit("abl.limits.MAX_REPLY", SPENT),
        Limit("abl.limits.MAX_REPLIES", SPENT),
        Limit("abl.limits.MAX_EVENTS", SPENT),
        Limit("abl.limits.MAX_EVENT_CHARS", SPENT),
        Limit("abl.limits.MAX_SNAPSHOT", SPENT),
        Limit("abl.limits.MAX_SECRETS", SPENT),
        Limit("abl.expressions.bounds.MAX_VALUE_DEPTH", SPENT),
    ),
    "The language": (
        Limit("abl.limits.MAX_SOURCE_CHARS", LEFT),
        Limit("abl.limits.MAX_DOCUMENTS", LEFT),
        Limit("abl.limits.MAX_PROJECT_TEXT", BAD),
        Limit("abl.limits.MAX_BLOCK_DEPTH", LEFT),
        Limit("abl.limits.MAX_VALUE_DEPTH", "a diagnostic"),
        Limit("abl.limits.MAX_TTL_DAYS", "a diagnostic"),
        Limit("abl.limits.MAX_COMPARED_RULES", "the others are not compared with it; a run judges them all"),
        Limit("abl.limits.MAX_CYCLE_STEPS", "one cycle for each group of steps is reported"),
        Limit("abl.limits.MAX_COMPARED_NAMES", "the others are not suggested"),
        Limit("abl.limits.MAX_READINGS", "what follows from those behind is reported beside them"),
        Limit("abl.limits.MAX_PARSER_FINDINGS", "the others are reported when some are fixed"),
        Limit("abl.limits.MAX_TOKEN_LINE", "the line is coloured as one piece"),
        Limit("abl.limits.MAX_YAML_REPEATED", "a diagnostic, 400 for mocks"),
        Limit("abl.limits.MAX_COMPARED_LINES", "the difference is coarse"),
        Limit("abl.limits.MAX_LINE_COMPARISONS", "the difference is coarse"),
        Limit("editor.changes.MOST_SHOWN", LEFT),
        Limit("editor.editing.fixes.MOST_SHOWN", LEFT),
        Limit("abl.limits.MAX_PROJECT_FILES", LEFT),
        Limit("abl.limits.MAX_FOLDER_ENTRIES", LEFT),
    ),
    "Expressions": (
        Limit("abl.expressions.bounds.MAX_EXPRESSION_LENGTH", "a diagnostic"),
        Limit("abl.expressions.bounds.MAX_TEMPLATE_LENGTH", "a diagnostic"),
        Limit("abl.expressions.bounds.MAX_NESTING", "a diagnostic"),
        Limit("abl.expressions.bounds.MAX_HEIGHT", "a diagnostic"),
        Limit("abl.expressions.bounds.MAX_FUNCTION_DEPTH", NOT_EVALUATED),
        Limit("abl.expressions.bounds.MAX_TEMPLATE_DEPTH", "the text is printed as it is"),
        Limit("abl.expressions.bounds.MAX_TEXT", "the text is cut"),
        Limit("abl.expressions.bounds.MAX_RENDERED", "the text is cut"),
        Limit("abl.expressions.bounds.MAX_ITERATIONS", "the text is cut"),
        Limit("abl.expressions.bounds.MAX_BLOCK_NESTING", "a diagnostic"),
        Limit("abl.expressions.bounds.MAX_PATTERN_LENGTH", NOT_EVALUATED),
        Limit("abl.expressions.bounds.MAX_PATTERN_MEMORY", NOT_EVALUATED),
        Limit("abl.expressions.bounds.MAX_SEARCH", SPENT),
        Limit("abl.expressions.bounds.MAX_RENDER_ERRORS", "the others are not reported"),
        Limit("abl.expressions.bounds.MAX_TRACED_SIZE", "the value is cut"),
        Limit("abl.expressions.bounds.MAX_MATCHED_TEXT", "it scores 0"),
        Limit("abl.expressions.bounds.EXACT_INTEGER", "a double, whose last digits may be rounded"),
        Limit("abl.expressions.bounds.MAX_ID_LENGTH", "the text is cut"),
    ),
}
"""Sections of the page, and their rows in order."""


def page() -> str:
    """The text of docs/reference/limits.md."""
    lines = [
        "# Limits",
        "",
        "<!-- Written by `make docs` from config/limits.py. -->",
        "",
        "What one user, one token or one request may use, so that nobody stops the workbench for the others. An",
        "answer of 429 says in words what is too much, and in `Retry-After` when to try again. Counts lie in the",
        "memory of the web process and begin anew with it.",
        "",
        "Costly requests are those that check, format, complete, evaluate, export, import, search, preview a prompt,",
        "rename or fix over a whole text. What an editor asks while somebody types is counted apart, so that",
        "scripts of an author do not hold up the author's editor.",
    ]
    for section, limits in LIMITS.items():
        lines += ["", f"## {section}", "", "| Limit | Default | Setting | Beyond it |", "|---|---|---|---|"]
        for each in limits:
            words = each.words.replace("|", "\\|")
            lines.append(f"| {words} | {each.value} | {f'`{each.setting}`' if each.setting else '—'} | {each.answer} |")
    return "\n".join(lines) + "\n"
