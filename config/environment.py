"""Reads settings from the environment. A value that cannot be read stops the start and is named."""

from __future__ import annotations

import ipaddress
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0", ""})
DATABASES = ("sqlite", "postgres", "postgresql")
BROKERS = ("embedded", "redis", "rediss", "amqp", "amqps")


class Environment:
    """Typed access by name. ``NAME_FILE`` may name a file that holds the value of ``NAME``."""

    def __init__(self) -> None:
        self.variables = environ.FileAwareEnv()

    def text(self, name: str, default: str = "") -> str:
        """The value without space around it, such as the line end of a file."""
        try:
            return str(self.variables(name, default=default)).strip()
        except OSError as exc:
            raise ImproperlyConfigured(f"{name}_FILE: {exc.filename} cannot be read: {exc.strerror}.") from exc

    def number(self, name: str, default: int, least: int = 1, most: int = 1_000_000) -> int:
        """A whole number in a range, both ends included."""
        value = self.text(name, str(default))
        if not value.isdecimal() or not least <= int(value) <= most:
            raise ImproperlyConfigured(f"{name}: {value} is not a whole number from {least} to {most}.")
        return int(value)

    def flag(self, name: str) -> bool:
        """True or false in one of the usual words; false when it is not set."""
        value = self.text(name).lower()
        if value not in TRUE | FALSE:
            raise ImproperlyConfigured(f"{name}: {value} is neither true nor false.")
        return value in TRUE

    def words(self, name: str, default: list[str]) -> list[str]:
        """A list separated by commas."""
        value = self.text(name)
        return [word.strip() for word in value.split(",") if word.strip()] if value else default

    def networks(self, name: str) -> list[str]:
        """Addresses and networks such as 10.0.0.0/8, separated by commas; none without a value."""
        found = self.words(name, [])
        for each in found:
            try:
                ipaddress.ip_network(each)
            except ValueError:
                raise ImproperlyConfigured(
                    f"{name}: {each} is no address such as 127.0.0.1 and no network such as 10.0.0.0/8."
                ) from None
        return found

    def database(self, name: str, default: str) -> dict[str, Any]:
        """Django's description of a database from its URL."""
        value = self.url(name, default, DATABASES)
        try:
            return dict(environ.Env.db_url_config(value))
        except ValueError as exc:
            # Of the port alone: the rest of a URL holds a password.
            raise ImproperlyConfigured(f"{name}: its port is not a whole number from 0 to 65535.") from exc

    def url(self, name: str, default: str, schemes: tuple[str, ...]) -> str:
        """A URL of one of the schemes."""
        value = self.text(name) or default
        scheme = value.partition("://")[0]
        if "://" not in value or scheme not in schemes:
            # The scheme alone: the rest of a URL holds a password.
            shown = f"{scheme}://…" if "://" in value else value
            raise ImproperlyConfigured(
                f"{name}: {shown} does not begin with one of {', '.join(f'{s}://' for s in schemes)}."
            )
        return value
