"""Behaviour profiles and destinations (docs/spec 09 §12, §13)."""

from __future__ import annotations

from typing import Final

from abl.language.flow import STEP
from abl.language.model import Place, key, place
from abl.language.shared import METHOD
from abl.language.types import (
    ANY,
    AT_LEAST_ONE,
    CONDITION,
    COUNT,
    FLAG,
    TEXT,
    TEXTS,
    below,
    by_name,
    list_of,
    one_of,
    ref,
    refs,
)

_PROFILE: Final = place(
    "profile",
    key("PRIORITY", ANY, "integer; the higher profile wins", required=True, runs="executed"),
    key("WHEN", ANY, "condition; the profile is active while it holds; true: always", required=True, runs="executed"),
    key("CONSTRAINTS", ANY, "rules while the profile is active, after the agent's own", runs="executed"),
    key("CONVERSATION", ANY, "how the agent speaks, listens and interacts"),
    key("FLOW", ANY, "steps that are skipped, changed or put in", runs="executed"),
    key("GATHER", ANY, "how values are collected", runs="executed"),
    key("INSTRUCTIONS", TEXT, "guidance for the model while the profile is active", runs="executed"),
    key("RESPONSE", ANY, "limits of the replies", runs="executed"),
    key("TOOLS", ANY, "tools that are hidden or added", runs="executed"),
    key("VOICE", ANY, "how replies are spoken"),
    runs="platform",
    spec="09 §12",
)
_DESTINATION_URL: Final = place(
    "destination_url",
    key("url", ANY, "URL of the target", required=True),
    key("method", METHOD, "HTTP method"),
    key(
        "auth",
        one_of(
            none="no credential",
            bearer="a token in the Authorization header",
            api_key="a key in a header",
            oauth2_client="a token of the application",
            oauth2_user="a token of the user",
            custom="headers of one's own",
            also=("saml",),
            open=True,
        ),
        "how the request proves who asks",
    ),
    key("headers", ANY, "headers of the request"),
    runs="platform",
    spec="09 §15",
)
_INLINE_PROFILE: Final = place(
    "inline_profile",
    key("PRIORITY", ANY, "integer; the higher profile wins", required=True, runs="executed"),
    key(
        "WHEN",
        CONDITION,
        "condition; the profile is active while it holds; true: always",
        required=True,
        runs="executed",
    ),
    key("INSTRUCTIONS", TEXT, "guidance for the model while the profile is active", runs="executed"),
    key("CONVERSATION", below("conversation"), "how the agent speaks, listens and interacts"),
    runs="platform",
    spec="09 §12",
)
_PROFILE_RESPONSE: Final = place(
    "profile_response",
    key("max_buttons", COUNT, "most buttons below a reply", runs="executed"),
    key("fallback_format", ANY, "form of the reply where the channel has no other", runs="executed"),
    key(
        "media_types",
        one_of("image document audio video file text", many=True, open=True),
        "kinds of media that are sent",
        runs="executed",
    ),
    key("max_response_length", AT_LEAST_ONE, "longest reply, in characters", runs="executed"),
    title="RESPONSE",
    runs="platform",
    spec="09 §12",
)
_PROFILE_TOOLS: Final = place(
    "profile_tools",
    key("HIDE", refs("tools"), "tools that are unknown while the profile is active", runs="executed"),
    key(
        "ADD",
        list_of("tool") | by_name("tool"),
        "tools that are there only while the profile is active",
        runs="executed",
    ),
    key("PARAMETERS", ANY, "parameters of the added tools"),
    title="TOOLS of a profile",
    runs="platform",
    spec="09 §12",
)
_PROFILE_GATHER: Final = place(
    "profile_gather",
    key(
        "validation_style",
        one_of(lenient="take what can be understood", strict="take only what fits exactly", open=True),
        "how strictly answers are judged",
        runs="executed",
    ),
    key(
        "confirmation",
        one_of(always="each value", never="none", on_change="values that replace others", open=True),
        "when collected values are confirmed by the user",
        runs="executed",
    ),
    key("FIELD_OVERRIDES", by_name("override"), "other properties of fields, by name", runs="executed"),
    title="GATHER of a profile",
    runs="platform",
    spec="09 §12",
)
_OVERRIDE: Final = place(
    "override",
    key("prompt", TEXT, "question in place of that of the field"),
    key("required", FLAG, "whether the field must have a value"),
    key("skip", FLAG, "true: the field is left out while the profile is active"),
    key("validation", ANY, "rule in place of that of the field"),
    key("extraction_hints", TEXTS, "words near the value, in place of those of the field"),
    runs="executed",
    spec="09 §12",
)
_PROFILE_FLOW: Final = place(
    "profile_flow",
    key("SKIP", refs("steps"), "steps that are left out", runs="executed"),
    key("OVERRIDES", by_name("step_override"), "other messages and transitions of steps, by name", runs="executed"),
    key("INSERTIONS", list_of("insertion"), "steps that are put in", runs="executed"),
    key("REPLACE", ANY, "a flow in place of the agent's"),
    title="FLOW of a profile",
    runs="platform",
    spec="09 §12",
)
_STEP_OVERRIDE: Final = place(
    "step_override",
    key("respond", TEXT, "message in place of that of the step"),
    key("transition", ref("steps"), "step that comes next"),
    key("VOICE", below("voice"), "how the message is spoken"),
    key("RICH_CONTENT", below("formats"), "other forms of the message, by channel"),
    runs="executed",
    spec="09 §12",
)
_INSERTION: Final = place(
    "insertion",
    *STEP.listed,
    key("AFTER", ref("steps"), "step after which this one is put in"),
    key("BEFORE", ref("steps"), "step before which this one is put in"),
    runs="executed",
    spec="09 §12",
)

PLACES: Final[tuple[Place, ...]] = (
    _PROFILE,
    _DESTINATION_URL,
    _INLINE_PROFILE,
    _PROFILE_RESPONSE,
    _PROFILE_TOOLS,
    _PROFILE_GATHER,
    _OVERRIDE,
    _PROFILE_FLOW,
    _STEP_OVERRIDE,
    _INSERTION,
)
