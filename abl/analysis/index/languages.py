"""Language tags, and suggestions for wrong ones: by names of languages, or by their parts (docs/spec 10 §5, ABL901)."""

from __future__ import annotations

import re
from typing import Final

from abl.syntax.nodes import Text
from abl.syntax.recovery.suggest import closest

_NAMES: Final = {
    "arabic": "ar", "bulgarian": "bg", "chinese": "zh", "croatian": "hr", "czech": "cs", "danish": "da", "dutch": "nl",
    "english": "en", "estonian": "et", "finnish": "fi", "french": "fr", "german": "de", "greek": "el", "hebrew": "he",
    "hindi": "hi", "hungarian": "hu", "indonesian": "id", "italian": "it", "japanese": "ja", "korean": "ko",
    "latvian": "lv", "lithuanian": "lt", "norwegian": "nb", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "slovak": "sk", "slovenian": "sl", "spanish": "es", "swedish": "sv", "thai": "th", "turkish": "tr",
    "ukrainian": "uk", "vietnamese": "vi", "deutsch": "de", "español": "es", "français": "fr", "italiano": "it",
    "nederlands": "nl", "polski": "pl", "português": "pt", "svenska": "sv",
}  # fmt: skip
_PLACES: Final = {
    "american": "US", "argentina": "AR", "australia": "AU", "austria": "AT", "belgium": "BE", "brazil": "BR",
    "britain": "GB", "british": "GB", "canada": "CA", "china": "CN", "france": "FR", "germany": "DE", "india": "IN",
    "ireland": "IE", "italy": "IT", "japan": "JP", "mexico": "MX", "netherlands": "NL", "portugal": "PT", "spain": "ES",
    "switzerland": "CH", "uk": "GB", "us": "US", "usa": "US",
}  # fmt: skip
_TAG: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-[A-Za-z0-9]{5,8})*")
_PATH: Final = re.compile(r"(?![A-Za-z]{2,3}$)[A-Za-z_]\w*(?:\.\w+)*")  # but for a language tag such as ``en``
_WORD: Final = re.compile(r"[^\W\d_]+")
_USUAL: Final = ("en", "de", "es", "fr", "it", "pt")


def is_tag(text: str) -> bool:
    """Whether a text is a BCP 47 tag."""
    return _TAG.fullmatch(text) is not None


def is_path(text: Text) -> bool:
    """Whether what stands for a language is the name of one that is kept somewhere (docs/spec 09 §9)."""
    return text.style == "bare" and _PATH.fullmatch(text.value) is not None


def intended_tags(text: str) -> tuple[str, ...]:
    """The tags that a text can mean, the best first: one where that is clear, usual ones where nothing is."""
    words = [word.lower() for word in _WORD.findall(text)]
    if not words or len(words) > 3:
        return _USUAL
    if len(words) <= 2 and len(words[0]) in (2, 3) and words[0] not in _PLACES and all(len(w) == 2 for w in words[1:]):
        return ("-".join([words[0], *(word.upper() for word in words[1:])]),)
    places = [_PLACES[word] for word in words if word in _PLACES]
    names = [word for word in words if word not in _PLACES]
    found = [name for word in names for name in ((word,) if word in _NAMES else closest(word, tuple(_NAMES)))]
    tags = dict.fromkeys("-".join([_NAMES[name], *places[:1]]) for name in found)
    return tuple(tags) or _USUAL
