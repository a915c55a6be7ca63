"""Words of the language in pages."""

from __future__ import annotations

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from abl.editing.tokens import tokens

register = template.Library()


@register.filter
def code_words(text: str) -> SafeString:
    """A message in which `x` is code; everything is escaped."""
    parts = (f"<code>{escape(part)}</code>" if n % 2 else escape(part) for n, part in enumerate(str(text).split("`")))
    return mark_safe("".join(parts))  # noqa: S308  (each part is escaped above)


@register.filter
def abl_code(text: str) -> SafeString:
    """A text of the language in the colours of the editor; everything is escaped."""
    source = str(text)
    parts = (
        escape(source[start:end]) if kind == "text" else f'<span class="t-{kind}">{escape(source[start:end])}</span>'
        for start, end, kind in tokens(source)
    )
    return mark_safe("".join(parts))  # noqa: S308  (each part is escaped above)
