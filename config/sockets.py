"""The socket that the workbench listens on, and the descriptors that connections need."""

from __future__ import annotations

import resource
import socket

from config.forked import HIGHEST_DESCRIPTOR


def listen(host: str, port: int) -> socket.socket:
    """An open socket for the web process; port 0 takes a free one. Raises ``OSError`` when the address is taken."""
    family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
        0
    ]
    listening = socket.socket(family, kind, proto)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(512)
    except OSError:
        listening.close()
        raise
    listening.set_inheritable(True)
    return listening


def allow_descriptors() -> None:
    """As many open files as connections and data may need; a shell often allows 1,024."""
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = HIGHEST_DESCRIPTOR if most == resource.RLIM_INFINITY else min(most, HIGHEST_DESCRIPTOR)
    if least != resource.RLIM_INFINITY and least < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
