"""Exit 0 when the servers of DATABASE_URL and BROKER_URL accept connections, else 1 naming what does not."""

from __future__ import annotations

import os
import socket
import sys
from urllib.parse import urlsplit

DEFAULTS = {
    "DATABASE_URL": ("PostgreSQL", "postgres://postgres:postgres@127.0.0.1:5432/postgres", 5432),
    "BROKER_URL": ("Redis", "redis://127.0.0.1:6379/9", 6379),
}


def answers(url: str, port: int) -> bool:
    """Whether the server of a URL accepts a connection within a second."""
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "127.0.0.1", parts.port or port), timeout=1):
            return True
    except OSError:
        return False


def main() -> int:
    """0 when all answer."""
    silent = [title for name, (title, url, port) in DEFAULTS.items() if not answers(os.environ.get(name) or url, port)]
    for title in silent:
        sys.stderr.write(f"{title} does not answer.\n")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
