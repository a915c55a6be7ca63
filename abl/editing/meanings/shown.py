"""Rich content, templates, elements and voice (docs/spec 09 §13, §14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.editing.meanings.common import WHEN_SHOWN, Texts, texts

_FORMATS: Final = texts("""
    MARKDOWN: the message as Markdown, for the web and Slack
    ADAPTIVE_CARD: the message as Adaptive Card JSON, for mobile
    HTML: the message as HTML, for the web
    SLACK: the message as Slack blocks, JSON
    AG_UI: the message as AG-UI JSON, for the web
    WHATSAPP: the message as WhatsApp JSON
    CAROUSEL: cards side by side
    QUICK_REPLIES: answers to tap
    LIST: list of items
    IMAGE: an image
    VIDEO: a video
    AUDIO: a recording
    FILE: a file to download
    KPI: one figure
    TABLE: a table
    CHART: a bar, line or pie chart
    FORM: a form to fill in
    PROGRESS: how far something is
    FEEDBACK: question how good it was
""")
_CARD: Final = texts("""
    title: required; first line
    subtitle: second line
    imageUrl: URL of the picture
    defaultActionUrl: URL that a tap opens
""")
_FROM: Final = texts("""
    from: path of a list; one entry is made for each item
    template: the entry; {{field}} reads the item, {{value}} an item that is a plain value
""")

SHOWN: Final[Mapping[str, Texts]] = {
    "formats": _FORMATS,
    "template": _FORMATS
    | texts("""
        DEFAULT: required; plain text, for every channel without a form of its own
        VOICE: how the text is spoken
        VOICE INSTRUCTIONS: tone and manner of the spoken text, for the speech model
        ACTIONS: buttons, selections and inputs below the text
        RENDERABLES: parts that the page draws by itself
    """),
    "renderable": texts("""
        name: name of the part
        payload: what the page is given
        targets: channels that it is for
        fallbackText: text where it cannot be drawn
        schemaRef: schema of the payload
    """),
    "listed": _FROM | WHEN_SHOWN,
    "carousel": _FROM
    | WHEN_SHOWN
    | texts("""
        cards: the cards
    """),
    "card": _CARD
    | texts("""
        buttons: buttons below the card
    """),
    "quick_reply": texts("""
        id: required; what is sent when it is tapped
        label: required; what it says
        iconUrl: URL of a small picture
    """),
    "shown_list": WHEN_SHOWN
    | texts("""
        title: heading of the list
        items: required; the items
        adaptive: fit the layout to the device
    """),
    "list_item": _CARD,
    "media": WHEN_SHOWN
    | texts("""
        url: required; where it is
        alt: what it shows, in words
        thumbnailUrl: URL of a small picture
        caption: text below it
    """),
    "file": WHEN_SHOWN
    | texts("""
        url: required; where it is
        filename: required; its name
        sizeBytes: its size, in bytes
        mimeType: its MIME type
    """),
    "kpi": WHEN_SHOWN
    | texts("""
        label: required; what the figure is
        value: required; the figure
        unit: its unit
        trend: where it goes
        iconUrl: URL of a small picture
        adaptive: fit the layout to the device
    """),
    "table": WHEN_SHOWN
    | texts("""
        columns: required; the columns
        rows: required; the rows, each by the keys of the columns
        maxVisibleRows: rows shown before the table is folded
        adaptive: fit the layout to the device
    """),
    "column": texts("""
        key: required; field of the row
        header: required; heading of the column
        align: default left
    """),
    "chart": WHEN_SHOWN
    | texts("""
        type: required; bar, line or pie
        title: heading of the chart
        data: required; the values
    """),
    "datum": texts("""
        label: required; name of the value
        value: required; the value
        color: its colour
    """),
    "form": WHEN_SHOWN
    | texts("""
        title: heading of the form
        fields: required; its inputs
        submitLabel: text of the button that sends it
    """),
    "progress": WHEN_SHOWN
    | texts("""
        label: what goes on
        value: required; how far it is
        max: value when it is done
        variant: bar or circle
    """),
    "feedback": WHEN_SHOWN
    | texts("""
        FEEDBACK_TEMPLATE: feedback of the project, by name; then nothing of its own kind stands here
        prompt: required without a template; the question
        type: required without a template; how it is answered
        max: highest mark
        submit_label: text of the button that sends it
        pending_message: text while it is sent
        success_message: text after it was sent
        error_message: text when it could not be sent
        comment_prompt: question for a comment
        comment_placeholder: grey text in the empty comment
        expires_after: how long it may be answered, in seconds, 30 to 86400; default 300
        submit_label_rules: other button texts by condition
        pending_message_rules: other texts by condition
        success_message_rules: other texts by condition
        error_message_rules: other texts by condition
        comment_prompt_rules: other questions by condition
        comment_placeholder_rules: other grey texts by condition
    """),
    "copy": texts("""
        when: condition; the first text that holds is taken
        text: the text
    """),
    "actions": texts("""
        SUBMIT_LABEL: text of the button that sends all inputs
        SUBMIT_ID: id of that button, for ON_ACTION
        RENDER_ID: id of the whole group
        elements: the buttons, selections and inputs
    """),
    "element": texts("""
        id: required; what ON_ACTION and action.id call it
        type: required; button, select or input
        label: required; what it says
        value: what it gives; default its label
        url: page that a button opens; no event follows
        description: text beside it
        options: choices of a select
        inputType: what may be typed; default text
        placeholder: grey text in the empty input
        required: must be filled in; default false
        BUTTON: short form of a button: "Label" -> id
        SELECT: short form of a selection: "Label"
        INPUT: short form of an input: "Label"
    """),
    "option": texts("""
        id: value that is chosen
        label: what it says
        description: text beside it
    """),
    "voice": texts("""
        SSML: the message as SSML
        INSTRUCTIONS: tone and manner, for the speech model
        PLAIN_TEXT: the message as it is spoken, without SSML
        BARGE_IN: whether the caller may speak while the message plays
        STREAMING: send the speech while it is made; default true
        END_OF_SPEECH_TURN_TYPE: what kind of answer is expected; how long a pause ends it
        END_OF_SPEECH_TIMEOUT_MS: pause that ends the answer, in ms
        ON_NO_INPUT: what to do when the caller is silent
        provider: who makes the speech
        voice_id: the voice
        speed: how fast it speaks
        pace: how it pauses
        temperature: how lively it speaks
        auto_tts_language_switch: speak each language in its own voice
    """),
}
