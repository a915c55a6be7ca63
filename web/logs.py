"""Log lines by structlog, for our own loggers and for those of libraries alike."""

from __future__ import annotations

import logging
from typing import Any

import structlog

LONGEST = 300
"""Characters of a value in a log line: an address or a name may come from anybody."""
LONGEST_EVENT = 4_000
"""Characters of what a log line says; libraries write tracebacks into it."""


def shortened(logger: Any, method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """A line whose texts are cut; tracebacks are added behind this and stay whole."""
    for name, value in event.items():
        most = LONGEST_EVENT if name == "event" else LONGEST
        if isinstance(value, str) and len(value) > most and not name.startswith("_"):
            event[name] = f"{value[:most]}… ({len(value):,} characters)"
    return event


SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso"),
    shortened,
]

structlog.configure(
    processors=[structlog.stdlib.filter_by_level, *SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)


def formatter() -> logging.Formatter:
    """A formatter that renders structlog events and plain records the same way."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=SHARED,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ],
    )
