"""Operators, literals and the runtime's own names (docs/spec 02 §3, §5, §7, 09 §17)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, str]] = {
    "AND": "true when both sides are; the right one is looked at only when the left one is",
    "&&": "true when both sides are; the same as AND",
    "OR": "true when a side is; the right one is looked at only when the left one is not",
    "||": "true when a side is; the same as OR",
    "NOT": "true when what follows is not; binds weaker than comparisons: NOT a == b is NOT (a == b)",
    "!": "true when what follows is not; binds tighter than comparisons",
    "IMPLIES": "A IMPLIES B: when A holds B must hold too; NOT A OR B",
    "IN": "true when the left value is an element of the list, or a key of the object, on the right",
    "IS": "IS SET, IS NOT SET, IS EMPTY, IS NOT EMPTY: whether there is a value",
    "SET": "IS SET: there is a value; empty text, 0, false and empty lists are values",
    "EMPTY": "no value, empty text, an empty list or an empty object",
    "contains": "text: the right one is part of it, in this case; list: an element equals it",
    "matches": 'the regex on the right, "..." or /.../, is found in the text; match.0, match.1 then hold what it found',
    "startsWith": "the text begins with the right one, in this case",
    "endsWith": "the text ends with the right one, in this case",
    "is_number": "a number, or text that reads as one",
    "==": "equal; numbers and numeric texts are compared as numbers, lists and objects by what they hold",
    "!=": "not equal; false when neither side has a value",
    "<": "less; dates by time, else as numbers; without a value 0",
    "<=": "less or equal; dates by time, else as numbers; without a value 0",
    ">": "greater; dates by time, else as numbers; without a value 0",
    ">=": "greater or equal; dates by time, else as numbers; without a value 0",
    "+": "adds numbers, or joins texts; without a value on a side there is none",
    "-": "subtracts, or changes the sign; without a value on a side there is none",
    "*": "multiplies; without a value on a side there is none",
    "/": "divides; by zero is an error: a condition does not hold then",
    "%": "remainder, with the sign of the left side; by zero is an error",
    "?": "condition ? value when it holds : value when it does not",
}
LITERALS: Final[Mapping[str, str]] = {
    "true": "boolean literal: yes",
    "false": "boolean literal: no",
    "null": "no value; IS SET is false for it",
    "undefined": "no value; the same as null",
}
_ALIKE: Final = {
    "in": "IN",
    "starts_with": "startsWith",
    "ends_with": "endsWith",
    "startswith": "startsWith",
    "endswith": "endsWith",
}

RUNTIME: Final[Mapping[str, str]] = {
    "input": "the user's message of this turn; in a guardrail's check the text that is judged",
    "recent_input": "the last 3 messages of the user",
    "input_transcript": "what the caller said, as text",
    "match": "what the last successful `matches` found: match.0 the whole, match.1 and match.<name> the groups",
    "channel": "channel of the conversation, such as web or voice",
    "language": "language of the conversation",
    "intent": "what was understood of the message: intent.name, .category, .confidence, .unclear, .candidates",
    "session": "the session: session.id, session.channel, session.interaction.current.language",
    "context": "what was passed to the agent",
    "user.intent": "name of the intent of the last message",
    "user.sentiment": "mood of the last message",
    "sentiment_trajectory": "how the mood changed",
    "all_fields_gathered": "true when every required field of the agent has a value",
    "tool_failures": "failed tool calls in a row; a success sets it to 0",
    "constraint_failures": "rules that failed so far",
    "routing_failures": "transfers that failed so far",
    "handoff_count": "transfers so far",
    "handoff": "handoff.completed: true when an agent gave control back",
    "handoff.completed": "true when an agent gave control back",
    "escalate": "escalate.completed: true when the human is done",
    "escalate.completed": "true when the human is done",
    "turn_count": "turns of the session so far",
    "conversation_summary": "what was said so far, in short; the platform writes it",
    "result": "result of the last tool call; in on_result the result of this one",
    "call_result": "result of the last tool call; after a failure {success: false, error}",
    "response": "in a guardrail's check: the agent's reply",
    "output": "in a guardrail's check: the agent's reply",
    "content": "in a guardrail's check: the text that is judged",
    "system": "system.channel and system.locale",
    "human": "what the human left when done: human.resolved and other fields",
    "action": "the button or form that was used: action.id, action.value, action.fields.<id>",
    "error": "the error that is handled: error.type, .subtype, .code, .message",
    "memory": "records of memory stores: memory.<store>.<path>",
    "now": "current time, as NOW()",
    "route": "destination that RESOLVE_SIP_DESTINATION found: route.vdn, route.ip, route.port",
    "locale": "texts of the locale catalogue, by key",
    "config": "variables of the project's configuration",
    "secure": "values of SECURE_INPUT; only as a whole argument of its call",
    "_clarification_count": "messages in a row that did not answer the question",
    "_validation_retries": "answers that did not fit, by field",
    "_pending_inferences": "inferred values that wait for the user's yes",
    "_constraint_warnings": "messages of rules that only warned",
    "_disambiguation_intents": "intents that the user is to choose from",
    "_error": "the last error",
    "_summary": "summary of the conversation",
    "_correction": "the last correction of an answer",
    "_meta": "values that go along with the trace; authors may set them",
}
_LAST: Final = re.compile(r"last_(\w+)_result")


def operator_meaning(word: str) -> str:
    """What an operator or a literal means; an empty text for other words."""
    return OPERATORS.get(_ALIKE.get(word.lower(), word)) or LITERALS.get(word.lower(), "")


def runtime_meaning(name: str) -> str:
    """What a name that the runtime sets holds; an empty text for others."""
    last = _LAST.fullmatch(name.partition(".")[0])
    if last is not None:
        return f"result of the last call of {last[1]}"
    parts = name.split(".")
    return next((RUNTIME[head] for n in range(len(parts), 0, -1) if (head := ".".join(parts[:n])) in RUNTIME), "")
