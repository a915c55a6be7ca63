"""Bounds that hold for every request, whatever it asks for."""

from __future__ import annotations

from web.errors import TooLarge

MAX_BODY = 25_000_000
"""Bytes of a body: two million characters, which JSON may write as twelve bytes each (an escaped surrogate pair), and
some room."""
MAX_SMALL_BODY = 2_000_000
"""Bytes of a body that starts a conversation or posts a turn: no text of an agent is among it."""
MAX_VALUES = 200_000
"""Values (texts, numbers, lists, objects, …) of a JSON body: each takes more memory than its bytes, an empty list
twenty times as much."""
MAX_TARGET = 4_000
"""Bytes of the address of a request, with its query."""
MAX_DEPTH = 100
"""Levels of nesting that JSON may have: far more than anything that is stored, far less than Python can walk."""
MAX_DIGITS = 308
"""Digits of a whole number: with more it is beyond every number with a fraction, and no sum can hold both."""

MAX_HEADERS = 65_536
"""Bytes of the names and values of all headers of a request."""
MAX_CONTENT_TYPE = 1_000
"""Bytes of the header Content-Type."""
SIGN_IN_LINE = 3
"""Passwords that are hashed or wait to be, in all; each holds a thread that answers requests."""
SIGN_INS_FROM_ADDRESS = 2
"""Sign-ins from one address at once: who knows a password and sends it all the time does not keep others out."""
FAILURES_OF_NAME_FROM_ADDRESS = 10
"""Wrong passwords in a minute for a user name from an address."""
FAILURES_OF_NAME = 30
"""Wrong passwords in a minute for a user name; not for one that has signed in from the address before."""
FAILURES_FROM_ADDRESS = 30
"""Wrong passwords in a minute from an address; not for a name that has signed in from there before."""
FAILURES = 120
"""Wrong passwords in a minute in all; not for a name that has signed in from the address before."""
COSTLY_OF_USER = 3
"""Costly requests of a user at once, with all sessions and tokens; one is worked on, the others wait their turn."""
COSTLY_OF_TOKEN = 2
"""Costly requests with a token at once."""
COSTLY = 5
"""Costly requests at once, of all users."""
COSTLY_AT_WORK = 2
"""Costly requests, of different users, that are worked on: more would take no less time and hold up other pages."""
TYPED_OF_USER = 3
"""Requests at once that the editors of a user send while they type: an editor has three, of different kinds."""
TYPED = 5
"""Requests at once that editors send while people type, of all users."""
TYPED_AT_WORK = 2
"""Requests of editors, of different users, that are worked on."""
LONGEST_WAIT = 10
"""Seconds that a request waits for its turn."""
DOWNLOADS_OF_USER = 2
"""Files of a user that are sent while they are made."""
DOWNLOADS = 20
"""Files that are sent while they are made, in all."""
STREAMS_OF_USER = 100
"""Conversations that a user watches at once, in all windows and scripts; each holds a connection."""
STREAMS = 800
"""Conversations that are watched at once, in all; the other connections are for pages."""
STREAM_BYTES = 256_000
"""Bytes that wait for the client of a stream; it gets no more until it has taken them, but for what changed at once."""
STREAM_BYTES_OF_USER = 8_000_000
"""Bytes that wait for all clients of a user's streams; then slow streams end, and continue where they were."""
REQUESTS_OF_USER = 8
"""Requests of a user's sessions at once, whatever they ask for, until their answers are sent; files of pages and
streams are not among them."""
REFUSALS_AT_ONCE = 60
"""Answers 429 in a minute that go out at once."""
REFUSAL_PAUSE = 1.0
"""Seconds for which each further answer 429 is held, so that a client that asks again at once does so less often."""


def too_large(size: int, most: int = MAX_BODY) -> TooLarge:
    """The error for a body above a bound, in bytes."""
    return TooLarge(fields={"body": f"has {size:,} bytes; the limit is {most:,}."})
