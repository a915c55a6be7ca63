"""What the tests of stores share: a schema, and makers of stores and sessions."""

from __future__ import annotations

from django.utils import timezone

from memory.stores import selectors, services
from memory.stores.selectors import Subject

INES = Subject("ines")

PREFERENCES = {
    "type": "object",
    "properties": {
        "preferences": {
            "type": "object",
            "properties": {"language": {"type": "string"}, "notifications": {"type": "boolean"}},
        },
        "recentOrders": {"type": "array", "items": {"type": "string"}},
        "lastVisit": {"type": "string", "format": "date-time"},
    },
}


def store_of(project, technical_name="userPrefs", **changes):
    """A lenient store of the preferences of a user, unless told otherwise."""
    given = {"name": "Preferences", "schema": PREFERENCES, "access": "user", "retention": "1_month", **changes}
    return services.store_create(project=project, technical_name=technical_name, **given)


def session_of(project, session="s-1", user="ines", **more):
    """A session that has begun."""
    return services.session_begin(project=project, session=session, user=user, **more)


def nested(levels, key="c"):
    """An object that holds an object and so on."""
    value = {}
    for _ in range(levels):
        value = {key: value}
    return value


def content_put(project, content, subject=INES, name="userPrefs", **more):
    """Set content in a store."""
    return services.content_set(project=project, name=name, content=content, subject=subject, **more)


def content_read(project, subject=INES, name="userPrefs", now=None):
    """Get content, at this moment unless told otherwise."""
    return selectors.content_now(project=project, name=name, subject=subject, now=now or timezone.now())
