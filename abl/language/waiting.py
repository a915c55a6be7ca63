"""Steps that wait for files, secret digits and destinations (docs/spec 06 §5.10, §5.11)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, place
from abl.language.types import (
    ANY,
    AT_LEAST_ONE,
    FLAG,
    LIMIT_S,
    MS,
    NAMES,
    TEXT,
    TEXTS,
    below,
    list_of,
    one_of,
    prose,
    ref,
)

_AWAIT_ATTACHMENT: Final = place(
    "await_attachment",
    key("NAME", ANY, "variable that receives the upload: name, mime, size"),
    key("PROMPT", TEXT, "message that asks for the upload"),
    key(
        "CATEGORY",
        one_of(
            "image document audio video",
            slips={"photo": "image", "picture": "image", "file": "document", "pdf": "document", "voice": "audio"},
        ),
        "kind of file that is expected",
        code="ABL647",
    ),
    key("REQUIRED", FLAG, "false: a text reply goes on without an upload", default="true"),
    key("TIMEOUT", LIMIT_S, "seconds to wait"),
    key("ON_TIMEOUT", ref("steps"), "step to go to when nothing came in time"),
    runs="platform",
    spec="06 §5.10",
)
_SECURE_INPUT: Final = place(
    "secure_input",
    key(
        "MODE",
        one_of(dtmf="keys of the phone", speech="spoken digits", many=True),
        "how the caller may answer: keys, speech or both",
        code="ABL649",
    ),
    key("FIELDS", list_of("secure_field"), "what is asked for, one after the other"),
    key("MAX_ATTEMPTS", AT_LEAST_ONE, "how often the caller may try; integer"),
    key("CANCEL", below("secure_cancel"), "how the caller gives up"),
    key("CALL", below("call") | ref("tools"), "the one tool that receives the values"),
    key("WITH", below("with"), 'arguments of the call, such as "{{secure.field}}"'),
    key("ON_SUCCESS", ref("steps"), "step after the call succeeded"),
    key("ON_TIMEOUT", ref("steps"), "step when nothing came in time"),
    key("ON_CANCEL", ref("steps"), "step when the caller gave up"),
    key(
        "ON_FAIL",
        ref(
            "steps",
            HANDOFF="transfer to an agent",
            ESCALATE="transfer to a human",
            BLOCK="stop; without a message unless a text follows",
            REDACT="acts as BLOCK; write that",
            RESPOND="send a message",
            GOTO="jump to a step",
            THEN="where to go next",
        ),
        "step after too many attempts, or when the call failed",
    ),
    title="SECURE_INPUT",
    runs="platform",
    spec="06 §5.11",
)
_SECURE_FIELD: Final = place(
    "secure_field",
    key("name", ANY, "name of the value, read as {{secure.name}}"),
    key("PROMPT", prose(below("secure_prompt")), "what is spoken: text by locale, or a template"),
    key("COLLECT", below("secure_collect"), "how the digits are taken"),
    key(
        "VALIDATE",
        one_of("luhn", many=True, open=True),
        "rules for the value, such as luhn or {length: 13..19}",
        code="ABL649",
    ),
    title="a field of SECURE_INPUT",
    runs="platform",
    spec="06 §5.11",
)
_SECURE_PROMPT: Final = place(
    "secure_prompt",
    key("template", ref("templates"), "entry of TEMPLATES to speak"),
    others=ANY,
    free=True,
    runs="platform",
    spec="06 §5.11",
)
_SECURE_COLLECT: Final = place(
    "secure_collect",
    key("digits", ANY, "how many digits, such as 13..19"),
    key("finishOnKey", ANY, "key that ends the entry"),
    key("interDigitTimeoutMs", MS, "longest pause between two digits, in ms"),
    key("asrTimeoutMs", MS, "longest wait for speech, in ms"),
    title="COLLECT of SECURE_INPUT",
    runs="platform",
    spec="06 §5.11",
)
_SECURE_CANCEL: Final = place(
    "secure_cancel",
    key("dtmf_key", ANY, "key that gives up"),
    key("keywords", TEXTS, "spoken words that give up"),
    title="CANCEL of SECURE_INPUT",
    runs="platform",
    spec="06 §5.11",
)
_RESOLVE_SIP: Final = place(
    "resolve_sip",
    key("FROM_WORKFLOW", ref("tools"), "tool that tells the destination"),
    key("FROM_MEMORY", NAMES, "variable that holds the destination"),
    key("TIMEOUT_MS", MS, "longest wait, in ms"),
    runs="platform",
    spec="06 §5.11",
)

PLACES: Final[tuple[Place, ...]] = (
    _AWAIT_ATTACHMENT,
    _SECURE_INPUT,
    _SECURE_FIELD,
    _SECURE_PROMPT,
    _SECURE_COLLECT,
    _SECURE_CANCEL,
    _RESOLVE_SIP,
)
