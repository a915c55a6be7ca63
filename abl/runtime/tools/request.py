"""What a call would send: the binding of a tool with its values filled in, for the trace (docs/spec 08 §3).

Nothing is sent: a mock answers. Credentials stay as they are written, ``{{_secret.X}}`` and ``{{config.X}}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from abl.language import PLACES, is_word, key_at, value_of_text
from abl.language.types import Closed, Flag, Number
from abl.runtime.evaluation import condition
from abl.runtime.events.recorder import shortened
from abl.syntax import nodes
from abl.syntax.nodes import same_key
from abl.syntax.readers.content import content_of

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

_OF_TOOL: Final = ("TYPE", "AUTH", "AUTH_CONFIG", "AUTH_PROFILE", "TLS_PROFILE")
_SHOWN: Final = {
    same_key(name): name for name in (*_OF_TOOL, *(key.name for key in PLACES["binding"].listed if key.offered))
}
_PARAMETER: Final = re.compile(r"(?<!\{)\{(\w+)\}(?!\})")
_PLATFORM: Final = re.compile(r"\{\{\s*(?:config|_secret)\b")
_TYPED: Final = (Closed, Flag, Number)
_SAME: Final = {"BODY": "BODY_TEMPLATE", "TABLE_NAME": "TABLE"}


def request_of(engine: Engine, thread: Thread, tool: nodes.Tool | None, values: Mapping[str, Any]) -> dict[str, Any]:
    """The binding by key, in lower case; ``values`` are the arguments as a trace may show them."""
    if tool is None:
        return {}
    request: dict[str, Any] = {}
    for prop in tool.props:
        name = _SHOWN.get(same_key(prop.key))
        if name == "REQUEST_VARIANTS":
            request |= _variant(engine, thread, prop.block, values)
        elif name is not None and not (_SAME.get(name, name).lower() in request and "variant" in request):
            content = content_of(prop.block)
            meant = _meant(tool, prop) or _word("tool", prop.key, content)
            request[_SAME.get(name, name).lower()] = meant or _filled(engine, thread, content, values)
    return _placed(request, values)


def _meant(tool: nodes.Tool, prop: nodes.Property) -> str | list[str] | None:
    """The word, number or switch of a tool, or the list of words, that is meant; None for any other value."""
    declared, text = key_at("tool", prop.key), prop.value
    if declared is None or not isinstance(declared.type, _TYPED) or (text is not None and "{{" in text.value):
        return None
    return _shown(tool.typed.value(prop.key))


def _word(place: str, key: str, content: nodes.Content) -> str | list[str] | None:
    """The closed word that is meant, in whichever spelling it is written; None for any other value."""
    if content.text is None or not is_word(place, key, content.text):
        return None
    return _shown(value_of_text(place, key, content.text))


def _shown(value: Any) -> str | list[str] | None:
    """A value that was read, as it is usually written."""
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _variant(engine: Engine, thread: Thread, block: nodes.Block, values: Mapping[str, Any]) -> dict[str, Any]:
    """The first request variant whose ``when`` holds, else the default one; its keys stand over those of the tool."""
    listed = [*content_of(block).items]
    chosen = next((one for one in listed if _holds(engine, thread, one, values)), None)
    chosen = chosen or next(
        (one for one in listed if value_of_text("variant", "default", one.text_of("default"))), None
    )
    if chosen is None:
        return {}
    made: dict[str, Any] = {"variant": chosen.word("name") or str(listed.index(chosen))}
    for part in chosen.members:
        known = key_at("variant", part.key)
        name = (known.name if known is not None else part.key).lower()
        if name not in ("name", "when", "default"):
            value = _word("variant", part.key, part) or _filled(engine, thread, part, values)
            made[_SAME.get(name.upper(), name).lower()] = value
    return made


def _holds(engine: Engine, thread: Thread, variant: nodes.Content, values: Mapping[str, Any]) -> bool:
    when = variant.text_of("when")
    names = {**values, "input": dict(values)}
    return when is not None and engine.evaluate(thread, condition(when.value), names).holds


def _filled(engine: Engine, thread: Thread, content: nodes.Content, values: Mapping[str, Any]) -> Any:
    """A value with its templates rendered over the arguments."""
    if content.members:
        return {part.key: _masked(part, _filled(engine, thread, part, values)) for part in content.members}
    if content.items:
        return [_filled(engine, thread, item, values) for item in content.items]
    raw = content.text.value if content.text is not None else ""
    if "{{" not in raw or _PLATFORM.search(raw):
        return shortened(raw)
    rendered = engine.render(thread, raw, {**values, "input": dict(values)}).text
    return shortened(engine.recorder.text(rendered))


def _masked(part: nodes.Content, value: Any) -> Any:
    """A credential that is written out is not shown."""
    return "[REDACTED]" if part.key.lower() == "client_secret" and "{{" not in str(value) else value


def _placed(request: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters where they belong: in the path, else behind the ? or in the body (08 §3.1)."""
    if request.get("type") not in ("http", "async_webhook") or "endpoint" not in request:
        return request
    endpoint = str(request["endpoint"])
    left = {name: value for name, value in values.items() if name not in _PARAMETER.findall(endpoint)}
    request["endpoint"] = _PARAMETER.sub(lambda found: str(values.get(found[1], found[0])), endpoint)
    if str(request.get("method", "GET")).upper() in ("GET", "HEAD", "DELETE"):
        if left and "query_params" not in request:
            request["query_params"] = left
    elif "body_template" not in request and request.get("body_mode", "auto") == "auto":
        request["body"] = left
    return request
