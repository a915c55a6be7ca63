"""How the texts of this package are written, and what many places of the language share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.syntax.vocabulary import canonical_key

Texts = Mapping[str, str]


def texts(block: str) -> dict[str, str]:
    """Lines ``KEY: meaning``, by canonical key."""
    pairs = (line.strip().split(": ", 1) for line in block.splitlines() if line.strip())
    return {canonical_key(key): meaning for key, meaning in pairs}


def only(known: Texts, keys: str) -> dict[str, str]:
    """Some of the texts, by their keys."""
    return {canonical_key(key): known[canonical_key(key)] for key in keys.split()}


def without(known: Texts, keys: str) -> dict[str, str]:
    """The texts but some."""
    left = {canonical_key(key) for key in keys.split()}
    return {key: meaning for key, meaning in known.items() if key not in left}


PRESENTED: Final = texts("""
    FORMATS: other forms of the message, by channel; the plain text is always kept
    RICH_CONTENT: other forms of the message, by channel; the same as FORMATS
    CAROUSEL: cards shown side by side with the message
    VOICE: how the message is spoken
    VOICE INSTRUCTIONS: tone and manner of the spoken message, for the speech model
    BARGE_IN: whether the caller may speak while the message plays
    STREAMING: send the speech while it is made; default true
    ACTIONS: buttons, selections and inputs below the message
""")
REPLY: Final = PRESENTED | texts("""
    MESSAGE_KEY: key of the message in the locale catalogue
""")
RESPONSE: Final = REPLY | texts("""
    MODEL_CONTEXT: text that later model calls see in place of the message; empty: nothing
""")
CALLS: Final = texts("""
    CALL: call a tool; failures go to ON_FAILURE or ON_ERROR
    WITH: arguments of the call: parameter and expression
    AS: variable that receives the result of the call
""")
CHANGES: Final = texts("""
    SET: assign variables: name = expression, from top to bottom
    CLEAR: remove variables from the session; afterwards they are not set
    LOG: text for the trace; the user never sees it
""")
SAYS: Final = texts("""
    RESPOND: send a message; {{...}} is filled in
    SAY: send a message; another spelling of RESPOND
""")
ACTS: Final = CALLS | CHANGES | SAYS
TRANSFORM: Final = texts("""
    TRANSFORM: filter, map, sort and cut a list into a new one
""")
GOES: Final = texts("""
    THEN: where to go next: a step, COMPLETE, ESCALATE or HANDOFF
    GOTO: jump to a step; the same as THEN
    TRANSITION: where to go next; another spelling of THEN
""")
MOVES: Final = texts("""
    HANDOFF: transfer the conversation to an agent
    DELEGATE: call another agent and go on with its result
    RETURN: with DELEGATE: the agent gives control back afterwards
""")
RESULTS: Final = texts("""
    ON_SUCCESS: after the call succeeded, or the GATHER is complete: a step, one block or branches
    ON_FAILURE: after the call failed, or a field failed too often: a step, one block or branches
    ON_RESULT: branches over the result; the first that holds runs
""")
WHEN_SHOWN: Final = texts("""
    when: condition; shown only while it holds
""")
