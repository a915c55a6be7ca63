"""What is shown: formats, cards, charts, action elements, voice (docs/spec 09 §14)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, place
from abl.language.shared import ADAPTIVE, BARGE_IN, CARD, FROM, ICON, SHOWN_WHEN, STREAMING, VARIANTS
from abl.language.types import (
    ANY,
    AT_LEAST_ONE,
    CONDITION,
    COUNT,
    FLAG,
    MS,
    NAMES,
    TEXT,
    TEXTS,
    Number,
    below,
    list_of,
    one_of,
)

_FORMATS: Final = place("formats", *VARIANTS, parsed=True, runs="told", spec="09 §14")
_TEMPLATE: Final = place(
    "template",
    key("DEFAULT", ANY, "plain text, for every channel without a form of its own", required=True, runs="executed"),
    key("VOICE", below("voice"), "how the text is spoken"),
    key("VOICE INSTRUCTIONS", TEXT, "tone and manner of the spoken text, for the speech model"),
    key("ACTIONS", below("actions") | list_of("element"), "buttons, selections and inputs below the text"),
    key("RENDERABLES", list_of("renderable"), "parts that the page draws by itself"),
    *VARIANTS,
    parsed=True,
    runs="told",
    spec="09 §14",
)
_RENDERABLE: Final = place(
    "renderable",
    key("name", ANY, "name of the part"),
    key("payload", ANY, "what the page is given"),
    key("targets", TEXTS, "channels that it is for"),
    key("fallbackText", ANY, "text where it cannot be drawn"),
    key("schemaRef", ANY, "schema of the payload"),
    runs="told",
    spec="09 §14",
)
_LISTED: Final = place(
    "listed",
    FROM,
    key("template", ANY, "the entry; {{field}} reads the item, {{value}} an item that is a plain value"),
    SHOWN_WHEN,
    runs="told",
    spec="09 §14",
)
_CAROUSEL: Final = place(
    "carousel",
    FROM,
    key("template", below("card"), "the entry; {{field}} reads the item, {{value}} an item that is a plain value"),
    SHOWN_WHEN,
    key("cards", list_of("card"), "the cards"),
    runs="told",
    spec="09 §14",
)
_CARD: Final = place(
    "card", *CARD, key("buttons", list_of("element"), "buttons below the card"), misses=True, runs="told", spec="09 §14"
)
_QUICK_REPLY: Final = place(
    "quick_reply",
    key("id", ANY, "what is sent when it is tapped", required=True),
    key("label", ANY, "what it says", required=True),
    ICON,
    misses=True,
    runs="told",
    spec="09 §14",
)
_SHOWN_LIST: Final = place(
    "shown_list",
    key("title", ANY, "heading of the list"),
    key("items", below("listed") | list_of("list_item") | NAMES, "the items", required=True),
    ADAPTIVE,
    SHOWN_WHEN,
    misses=True,
    runs="told",
    spec="09 §14",
)
_LIST_ITEM: Final = place("list_item", *CARD, misses=True, runs="told", spec="09 §14")
_MEDIA: Final = place(
    "media",
    key("url", ANY, "where it is", required=True),
    key("alt", ANY, "what it shows, in words"),
    key("thumbnailUrl", ANY, "URL of a small picture"),
    key("caption", ANY, "text below it"),
    SHOWN_WHEN,
    misses=True,
    runs="told",
    spec="09 §14",
)
_FILE: Final = place(
    "file",
    key("url", ANY, "where it is", required=True),
    key("filename", ANY, "its name", required=True),
    key("sizeBytes", COUNT, "its size, in bytes"),
    key("mimeType", ANY, "its MIME type"),
    SHOWN_WHEN,
    misses=True,
    runs="told",
    spec="09 §14",
)
_KPI: Final = place(
    "kpi",
    key("label", ANY, "what the figure is", required=True),
    key("value", ANY, "the figure", required=True),
    key("unit", ANY, "its unit"),
    key("trend", one_of(up="it rises", down="it falls", flat="it stays"), "where it goes", code="ABL1064"),
    ICON,
    ADAPTIVE,
    SHOWN_WHEN,
    misses=True,
    runs="told",
    spec="09 §14",
)
_TABLE: Final = place(
    "table",
    key("columns", below("listed") | list_of("column") | NAMES, "the columns", required=True),
    key("rows", below("listed") | NAMES, "the rows, each by the keys of the columns", required=True),
    key("maxVisibleRows", AT_LEAST_ONE, "rows shown before the table is folded"),
    ADAPTIVE,
    SHOWN_WHEN,
    misses=True,
    runs="told",
    spec="09 §14",
)
_COLUMN: Final = place(
    "column",
    key("key", ANY, "field of the row", required=True),
    key("header", ANY, "heading of the column", required=True),
    key("align", one_of("left center right"), "default left"),
    misses=True,
    runs="told",
    spec="09 §14",
)
_CHART: Final = place(
    "chart",
    key(
        "type",
        one_of(bar="bars side by side", line="values along a line", pie="shares of a whole"),
        "bar, line or pie",
        required=True,
        code="ABL1064",
    ),
    key("title", ANY, "heading of the chart"),
    key("data", below("listed") | list_of("datum") | NAMES, "the values", required=True),
    SHOWN_WHEN,
    misses=True,
    runs="told",
    spec="09 §14",
)
_DATUM: Final = place(
    "datum",
    key("label", ANY, "name of the value", required=True),
    key("value", ANY, "the value", required=True),
    key("color", ANY, "its colour"),
    misses=True,
    runs="told",
    spec="09 §14",
)
_FORM: Final = place(
    "form",
    key("title", ANY, "heading of the form"),
    key("fields", below("listed") | list_of("element"), "its inputs", required=True),
    key("submitLabel", ANY, "text of the button that sends it"),
    SHOWN_WHEN,
    misses=True,
    runs="told",
    spec="09 §14",
)
_PROGRESS: Final = place(
    "progress",
    key("label", ANY, "what goes on"),
    key("value", ANY, "how far it is", required=True),
    key("max", ANY, "value when it is done"),
    key("variant", one_of("bar circle"), "bar or circle", code="ABL1064"),
    SHOWN_WHEN,
    misses=True,
    runs="told",
    spec="09 §14",
)
_FEEDBACK: Final = place(
    "feedback",
    key("FEEDBACK_TEMPLATE", ANY, "feedback of the project, by name; then nothing of its own kind stands here"),
    key("prompt", TEXT, "required without a template; the question", required=True),
    key(
        "type",
        one_of(thumbs="thumb up or down", star="stars", scale="numbers up to max"),
        "required without a template; how it is answered",
        code="ABL1064",
        required=True,
    ),
    key("max", ANY, "highest mark"),
    key("submit_label", ANY, "text of the button that sends it"),
    key("pending_message", ANY, "text while it is sent"),
    key("success_message", ANY, "text after it was sent"),
    key("error_message", ANY, "text when it could not be sent"),
    key("comment_prompt", ANY, "question for a comment"),
    key("comment_placeholder", ANY, "grey text in the empty comment"),
    key(
        "expires_after",
        Number(low=30, high=86_400, unit="seconds"),
        "how long it may be answered, in seconds, 30 to 86400",
        default="300",
        code="ABL1064",
    ),
    SHOWN_WHEN,
    key("submit_label_rules", list_of("copy"), "other button texts by condition"),
    key("pending_message_rules", list_of("copy"), "other texts by condition"),
    key("success_message_rules", list_of("copy"), "other texts by condition"),
    key("error_message_rules", list_of("copy"), "other texts by condition"),
    key("comment_prompt_rules", list_of("copy"), "other questions by condition"),
    key("comment_placeholder_rules", list_of("copy"), "other grey texts by condition"),
    key("scoring", offered=False),
    key("range", offered=False),
    key("comment_threshold", offered=False),
    misses=True,
    runs="told",
    spec="09 §14",
)
_COPY: Final = place(
    "copy",
    key("when", CONDITION, "condition; the first text that holds is taken"),
    key("text", TEXT, "the text"),
    runs="told",
    spec="09 §14",
)
_ACTIONS: Final = place(
    "actions",
    key("SUBMIT_LABEL", ANY, "text of the button that sends all inputs"),
    key("SUBMIT_ID", ANY, "id of that button, for ON_ACTION"),
    key("RENDER_ID", ANY, "id of the whole group"),
    key("elements", list_of("element"), "the buttons, selections and inputs"),
    key("from", offered=False),
    key("template", offered=False),
    title="ACTIONS",
    runs="told",
    spec="09 §14",
)
_ELEMENT: Final = place(
    "element",
    key("id", ANY, "what ON_ACTION and action.id call it", required=True),
    key(
        "type",
        one_of(button="a button; a click is an event", select="a choice of options", input="a line to type in"),
        "button, select or input",
        required=True,
        code="ABL1067",
    ),
    key("label", ANY, "what it says", required=True),
    key("value", ANY, "what it gives", default="its label"),
    key("url", ANY, "page that a button opens; no event follows"),
    key("description", TEXT, "text beside it"),
    key("options", below("listed") | list_of("option"), "choices of a select"),
    key("inputType", one_of("text number date time email"), "what may be typed", default="text", code="ABL1064"),
    key("placeholder", ANY, "grey text in the empty input"),
    key("required", FLAG, "must be filled in", default="false"),
    key("BUTTON", ANY, 'short form of a button: "Label" -> id'),
    key("SELECT", ANY, 'short form of a selection: "Label"'),
    key("INPUT", ANY, 'short form of an input: "Label"'),
    title="an action element",
    misses=True,
    runs="told",
    spec="09 §14",
)
_OPTION: Final = place(
    "option",
    key("id", ANY, "value that is chosen", required=True),
    key("label", ANY, "what it says", required=True),
    key("description", TEXT, "text beside it"),
    title="an option",
    misses=True,
    runs="told",
    spec="09 §14",
)
_VOICE: Final = place(
    "voice",
    key("SSML", ANY, "the message as SSML"),
    key("INSTRUCTIONS", TEXT, "tone and manner, for the speech model"),
    key("PLAIN_TEXT", ANY, "the message as it is spoken, without SSML"),
    BARGE_IN,
    STREAMING,
    key(
        "END_OF_SPEECH_TURN_TYPE",
        one_of("simple_confirmation structured_value open_ended_question complex_explanation anything_else"),
        "what kind of answer is expected; how long a pause ends it",
        code="ABL1073",
    ),
    key("END_OF_SPEECH_TIMEOUT_MS", MS, "pause that ends the answer, in ms"),
    key("ON_NO_INPUT", ANY, "what to do when the caller is silent"),
    key("provider", ANY, "who makes the speech"),
    key("voice_id", ANY, "the voice"),
    key("speed", ANY, "how fast it speaks"),
    key("pace", ANY, "how it pauses"),
    key("temperature", ANY, "how lively it speaks"),
    key("auto_tts_language_switch", FLAG, "speak each language in its own voice"),
    title="VOICE",
    runs="told",
    spec="09 §13",
)

PLACES: Final[tuple[Place, ...]] = (
    _FORMATS,
    _TEMPLATE,
    _RENDERABLE,
    _LISTED,
    _CAROUSEL,
    _CARD,
    _QUICK_REPLY,
    _SHOWN_LIST,
    _LIST_ITEM,
    _MEDIA,
    _FILE,
    _KPI,
    _TABLE,
    _COLUMN,
    _CHART,
    _DATUM,
    _FORM,
    _PROGRESS,
    _FEEDBACK,
    _COPY,
    _ACTIONS,
    _ELEMENT,
    _OPTION,
    _VOICE,
)
