"""The web process: uvicorn on a socket that the supervisor has opened (``python -m config.server FD``).

The socket outlives the process, so a restart refuses nobody: connections wait in the queue of the socket.
"""

from __future__ import annotations

import gc
import socket
import sqlite3
import sys

import uvicorn

# Open streams end when the process does; browsers connect again by themselves.
GRACE_SECONDS = 1


def hold_database() -> sqlite3.Connection | None:
    """A connection that stays open without doing anything; None where the database is a server.

    SQLite sets up its log and the index of it for the first connection and removes both with the last one. Requests
    come one by one, so each would pay for that, and on a full disk, where nothing can be set up, none could even read.
    """
    from django.db import connection

    if connection.vendor != "sqlite":
        return None
    opened = sqlite3.connect(str(connection.settings_dict["NAME"]), isolation_level=None)
    opened.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    return opened


def serve(descriptor: int) -> None:
    """Answer requests on an open socket until a signal says stop."""
    from config.asgi import application

    held = hold_database()
    # What is loaded by now stays: the collector need not go through it again while somebody waits for an answer.
    gc.collect()
    gc.freeze()
    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        lifespan="off",
        proxy_headers=True,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])
    if held is not None:
        held.close()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
