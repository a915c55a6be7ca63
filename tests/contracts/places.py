"""Finds what leads to one machine or one registry, by its shape: no host and no folder is spelled out here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# A word of a path; a place-holder, a pattern or the rest of an address is none.
PATH = re.compile(
    r"(?<![\w./<>{}*?\\$)\]~+#%&^-])/[A-Za-z][\w.+-]*(?:/[\w.+-]+)+"
    r"|\b[A-Z]:\\[A-Za-z]{2}[\w.-]*\\[\w.-]+"
)
STANDARD = {
    "bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "private", "proc", "root", "run", "sbin", "srv",
    "sys", "tmp", "usr", "var", "Applications", "Library", "Users", "Volumes",
}  # fmt: skip
"""What lies at the root of a file system, on Linux and macOS."""
EVERYWHERE = (
    "/dev", "/etc/examples.txt", "/etc/postgresql", "/proc/self", "/proc/net/tcp", "/run/secrets", "/tmp", "/usr/bin",
    "/usr/lib/postgresql",
    "/usr/local/share/fonts", "/usr/share/fonts",
)  # fmt: skip
"""What is the same on every machine, or is said as an example."""

OPTION = re.compile(
    r"""(?:--(?:(?:default-|extra-)?index(?:-url)?|find-links|registry|trusted-host)|\b\w*(?:INDEX_URL|REGISTRY|FIND_LINKS))
        (?:\s*[=:]\s*|\s+)["']?(?:\w[\w+.-]*:)?//\S+""",
    re.VERBOSE,
)
INDEX = re.compile(
    r"\b\w[\w+.-]*://(?:[\w.-]*\b(?:registry|mirror|packages|files)\.[\w.-]+\S*|[^\s\"'<>]+/simple(?![\w-])/?)"
)
"""An address of a list of packages: a host that says it is one, or the path that such lists have by their standard."""

ADDRESS = re.compile(r"\b[a-z][\w+.-]*://\S+|\b(?:git|hg|svn|bzr)\+\S+|\bfile:\S+|(?<![:\w])//[\w-]+(?:\.[\w-]+)+\S*")
SOURCE = re.compile(r"^\s*(?:--(?:extra-)?index-url|--find-links|--trusted-host|-[if])(?:[\s=].*)?$", re.MULTILINE)


def folders_of_a_machine(text: str) -> list[str]:
    """Absolute paths of a text that hold on one machine only.

    By shape: below what lies at the root of file systems. And whatever is there on the machine that looks, with two
    folders at least: ``/login/`` and ``/properties/a`` are addresses and pointers.
    """
    everywhere = tuple(f"{place}/" for place in EVERYWHERE)
    return [path for path in PATH.findall(text) if not f"{path}/".startswith(everywhere) and of_a_machine(path)]


def of_a_machine(path: str) -> bool:
    """Whether a path begins at the root of file systems, or is there."""
    if "\\" in path:
        return True
    first, second = path.split("/")[1:3]
    return first in STANDARD or Path("/", first, second).exists()


def registries(text: str) -> list[str]:
    """Addresses of lists of packages, and options that name one."""
    return [match[0] for shape in (OPTION, INDEX) for match in shape.finditer(text)]


def says_what_to_install(path: Path) -> bool:
    """Whether a file is read by a program that installs packages."""
    name = path.name
    if path.suffix in (".txt", ".in"):
        return "requirements" in (path.stem, path.parent.name)
    return name in ("package.json", ".npmrc", "pip.conf", "uv.toml") or "lock" in re.split(r"[.-]", name)


def addresses(text: str, suffix: str = "") -> list[str]:
    """Addresses that a file of packages holds, and options for more; who wants support says so under ``funding``."""
    if suffix == ".json":
        return [found for value in strings(json.loads(text)) for found in addresses(value)]
    found = [match[0] for match in ADDRESS.finditer(text)]
    return found + [match[0].strip() for match in SOURCE.finditer(text)]


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys as well; what is said under ``funding`` is left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key != "funding":
                yield from strings(item)
