"""What follows the keys of sections and properties that have no nodes of their own (docs/spec 06-09).

A ``PlaceSchema`` is the table of one object: by key, as ``same_key`` compares them, a ``Slot`` for a scalar (or a list
of them) or the shape of what is below. ``-`` stands for the items of a list, ``*`` for every other key, and ``""`` for
an item that is a scalar. What no shape knows is kept as words, and as a text where it holds placeholders.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from abl.analysis.collect.records import BINDING, GUARDRAIL

Kind = Literal[
    "nothing",  # a word or number that names nothing
    "opaque",  # not known: words, and placeholders
    "granted",  # paths that another agent may read or write, which declares none of them
    "condition",
    "formula",  # a value expression; its quotes, if any, are those of the property
    "given",  # a value expression, or in quotes a text (06 §5.8)
    "assigned",  # the same, but what is in quotes is an expression if it can be read as one (06 §5.3)
    "text",
    "quoted",  # an action with texts in quotes: ``ESCALATE with REASON: "..."``
    "names",  # names that are read
    "targets",  # names that get a value
    "cleared",  # names that lose theirs
    "assignments",  # SET
    "incoming",  # field of another agent -> variable here
    "outgoing",  # field of another agent <- expression here
    "store",  # ``expression -> path``
]


class Slot(NamedTuple):
    """What one key holds. ``place`` is that of the records; ``names`` are known there, and others may be if it is not
    ``certain``."""

    kind: Kind
    place: str = ""
    names: frozenset[str] = frozenset()
    certain: bool = True


PlaceSchema: TypeAlias = "Mapping[str, Slot | PlaceSchema]"

NOTHING: Final = Slot("nothing")
OPAQUE: Final = Slot("opaque")
GRANTED: Final = Slot("granted")
SET: Final = Slot("assignments", "SET")
NAMES: Final = Slot("names")
SENT: Final = Slot("text", BINDING, certain=False)


def text(place: str) -> Slot:
    """A text with placeholders."""
    return Slot("text", place)


def condition(place: str) -> Slot:
    """A condition."""
    return Slot("condition", place)


# Coordination (09 §4-§7) ------------------------------------------------------------------------------------------

_TRIGGER: Final[PlaceSchema] = {
    "when": condition("ESCALATE"),
    "reason": text("REASON"),
    "set": SET,
    "priority": NOTHING,
    "tags": NOTHING,
}
_PACKAGE: Final[PlaceSchema] = {"": NAMES, "name": NOTHING, "template": text("TEMPLATE"), "include": NAMES}
_DESTINATION: Final[PlaceSchema] = {
    "when": condition("ROUTE"),
    "voice": {"customtools": OPAQUE, "*": SENT},
    "*": SENT,
}
ESCALATE: Final[PlaceSchema] = {
    "triggers": {"-": _TRIGGER},
    "contextforhuman": {**_PACKAGE, "-": _PACKAGE},
    "routing": {**_DESTINATION, "-": _DESTINATION},
    "onhumancomplete": {"-": NOTHING},  # of which the walk makes directives
}
RETURNED: Final[PlaceSchema] = {
    "map": Slot("incoming"),
    "set": SET,
    "action": NOTHING,
    "resumewith": NOTHING,
    "handler": NOTHING,
}
DELEGATION: Final[PlaceSchema] = {
    "agent": NOTHING, "to": NOTHING, "when": condition("DELEGATE"), "purpose": text("PURPOSE"),
    "summary": text("PURPOSE"), "input": Slot("outgoing", "INPUT"), "pass": Slot("outgoing", "INPUT"),
    "returns": Slot("incoming"), "useresult": text("USE_RESULT"), "failuremessage": text("FAILURE_MESSAGE"),
    "onreturn": RETURNED, "timeout": NOTHING, "onfail": NOTHING, "onfailure": NOTHING, "experiencemode": NOTHING,
    "memorygrants": GRANTED,
}  # fmt: skip
HANDOFF: Final[Mapping[str, PlaceSchema | Slot]] = {
    "ON_RETURN": {**RETURNED, "": NOTHING},
    "ON_FAILURE": Slot("quoted", "ON_FAILURE"),
    "CONTEXT": {"memorygrants": GRANTED, "*": NOTHING},  # the rest is typed
    "MEMORY_GRANTS": GRANTED,
}
COMPLETION: Final[Mapping[str, Slot]] = {"STORE": Slot("store"), "MODEL_CONTEXT": text("MODEL_CONTEXT")}
_ROUTE_ACTION: Final = Slot("quoted", "ROUTE_TO_USER")
_ROUTE: Final[PlaceSchema] = {
    "name": NOTHING, "description": NOTHING, "priority": NOTHING, "when": condition("ROUTING"), "flags": NOTHING,
    "routetouser": text("ROUTE_TO_USER"), "routetovariable": NAMES,
    "intentmatch": {"-": {"intents": NOTHING, "fallback": _ROUTE_ACTION}, "fallback": _ROUTE_ACTION},
}  # fmt: skip
_POLICY_RULE: Final[PlaceSchema] = {
    "allowedwhen": condition("POLICY"),
    "forbiddenwhen": condition("POLICY"),
    "triggersignal": NOTHING,
    "behavior": text("POLICY"),
}
_POLICY: Final[PlaceSchema] = {
    "name": NOTHING,
    "description": NOTHING,
    **_POLICY_RULE,
    "rules": {**_POLICY_RULE, "-": _POLICY_RULE},
}
_RETURN_HANDLER: Final[PlaceSchema] = {
    "respond": text("RESPOND"),
    "clear": Slot("cleared"),
    "continue": NOTHING,
    "resumeintent": NOTHING,
}

# Errors, steps, fields (09 §8, 06, 07) ----------------------------------------------------------------------------

_ERROR_HANDLER: Final[PlaceSchema] = {
    "": Slot("quoted", "REASON"), "type": NOTHING, "subtype": NOTHING, "subtypes": NOTHING, "respond": text("RESPOND"),
    "set": SET, "log": text("LOG"), "retry": NOTHING, "retrydelay": NOTHING, "retrybackoff": NOTHING,
    "retrymaxdelay": NOTHING, "then": Slot("quoted", "REASON"), "reason": text("REASON"), "voice": NOTHING,
    "voiceinstructions": NOTHING, "formats": NOTHING, "richcontent": NOTHING, "actions": NOTHING, "carousel": NOTHING,
    "handofftarget": NOTHING,
}  # fmt: skip
"""How a handler's answer is shown is made nodes of by ``ContentCollector``."""
ON_ERROR: Final[PlaceSchema] = {"-": _ERROR_HANDLER, "*": _ERROR_HANDLER}
AWAIT_ATTACHMENT: Final[PlaceSchema] = {
    "name": Slot("targets", "gather"),
    "prompt": text("PROMPT"),
    "category": NOTHING,
    "required": NOTHING,
    "timeout": NOTHING,
    "ontimeout": NOTHING,
}
RESOLVE_SIP: Final[PlaceSchema] = {"frommemory": NAMES, "timeoutms": NOTHING}
SETTINGS: Final[Mapping[str, PlaceSchema | Slot]] = {
    "AWAIT_ATTACHMENT": AWAIT_ATTACHMENT,
    "RESOLVE_SIP_DESTINATION": RESOLVE_SIP,
    "ON_ERROR": ON_ERROR,
    "DELEGATE": {**DELEGATION, "": NOTHING},
    "ON_RETURN": {**RETURNED, "": NOTHING},
    "SECURE_INPUT": OPAQUE,
    "PROMPT": text("PROMPT"),
}
"""Steps and lists of actions: settings by keyword."""
FIELD: Final[Mapping[str, Slot]] = {
    "DEPENDS_ON": Slot("names", certain=False),  # what is no field has a code of its own
    "DESCRIPTION": text("DESCRIPTION"),
    "SEMANTICS": OPAQUE,
}
FIELD_OVERRIDE: Final[PlaceSchema] = {
    "prompt": text("PROMPT"),
    "retryprompt": text("RETRY_PROMPT"),
    "required": NOTHING,
    "skip": NOTHING,
    "extractionhints": NOTHING,
}
STEP_OVERRIDES: Final[PlaceSchema] = {
    "*": {"respond": text("RESPOND"), "voice": NOTHING, "richcontent": NOTHING, "formats": NOTHING}
}

# Tools (08 §2, §3) ------------------------------------------------------------------------------------------------

_VARIANT: Final[PlaceSchema] = {
    "name": NOTHING,
    "when": condition("VARIANT"),
    "default": NOTHING,
    "method": NOTHING,
    "*": SENT,
}
TOOL: Final[Mapping[str, PlaceSchema | Slot]] = {
    **dict.fromkeys(
        (
            "ENDPOINT",
            "HEADERS",
            "QUERY_PARAMS",
            "BODY",
            "BODY_TEMPLATE",
            "SOAP_HEADERS",
            "QUERY_TEMPLATE",
            "AUTH_CONFIG",
            "SEARCH_INSTRUCTIONS",
        ),
        SENT,
    ),
    "REQUEST_VARIANTS": {"-": _VARIANT},
    "CONTEXT_ACCESS": {"read": Slot("names", certain=False), "write": Slot("targets", "tool")},
    "MODEL_CONTEXT": {"template": Slot("text", "MODEL_CONTEXT", certain=False), "fields": NOTHING},
}

SHARED: Final = frozenset({"baseurl", "headers", "authconfig"})
"""What the tools of a file share (08 §9)."""
_FAILED: Final = Slot("quoted", "PROCESS")
PROCESS: Final[Mapping[str, PlaceSchema | Slot]] = {
    "params": {"*": Slot("assigned", "PROCESS")},
    "result": {"*": Slot("assigned", "PROCESS")},
    "require": {"": condition("PROCESS_REQUIRE"), "-": {"": condition("PROCESS_REQUIRE")}},
    "onfail": _FAILED,
    "use": NOTHING,
}

# Whole sections ---------------------------------------------------------------------------------------------------

_PROSE: Final[PlaceSchema] = {"": text("IDENTITY"), "-": {"": text("IDENTITY")}, "*": text("IDENTITY")}
SECTIONS: Final[Mapping[str, PlaceSchema | Slot]] = {
    "ESCALATE": ESCALATE,
    "DELEGATE": {"-": DELEGATION},
    "ROUTING": {"-": _ROUTE},
    "POLICIES": {"-": _POLICY, "*": _POLICY},
    "RETURN_HANDLERS": {"*": _RETURN_HANDLER},
    "ON_ERROR": ON_ERROR,
    "IDENTITY": _PROSE,
    "LIMITATIONS": _PROSE,
    "DESTINATIONS": SENT,
    "LOOKUP_TABLES": OPAQUE,
    "COMMUNICATION": SENT,
    "BEHAVIOR": {"role": NOTHING, "canresponddirectly": NOTHING},
    "CONVERSATION": SENT,
    "TRANSFER_FLOW_POLICIES": OPAQUE,
}
_CHECKED: Final = frozenset({"input", "response", "output", "content"})
GUARD: Final[PlaceSchema] = {
    "check": Slot("formula", GUARDRAIL, _CHECKED),
    "fixexpression": Slot("formula", GUARDRAIL, _CHECKED),
    "message": Slot("text", "MESSAGE", _CHECKED),
    "msg": Slot("text", "MESSAGE", _CHECKED),
    "llmcheck": Slot("text", "LLM_CHECK", _CHECKED),
    **dict.fromkeys(
        ("kind", "provider", "category", "threshold", "action", "priority", "severityactions", "fixstrategy",
         "maxreasks", "filterminlength", "streaming", "streaminginterval"),
        NOTHING,
    ),
}  # fmt: skip
ENTITIES: Final[Mapping[str, str]] = {"ENTITIES": "", "NLU": "entities"}
"""Where the entities are in the sections that declare them."""
FILE: Final[PlaceSchema] = {"prompt": text("PROMPT"), "*": NOTHING}
