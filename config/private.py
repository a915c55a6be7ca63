"""Data that only the account of the workbench can read: new files and folders, and existing ones."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

UMASK = 0o077
"""Rights that this process never gives to new files and folders: those of group and others."""
BESIDE_DATABASE = ("", "-wal", "-shm", "-journal")
"""Endings of the files in which SQLite keeps a database."""


def private_folder(folder: Path) -> None:
    """Make a folder for data, or make an existing one private; everything created from now on is private.

    Raises ``ImproperlyConfigured`` for one that belongs to somebody else, who could read and replace what is in it.
    """
    os.umask(UMASK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if folder == folder.parent or folder.stat().st_mode & stat.S_ISVTX:
            raise ImproperlyConfigured(f"ABL_VAR_DIR: {folder} is there for everybody; name a folder for this alone.")
        tighten(folder)
    except FileExistsError:
        raise ImproperlyConfigured(f"ABL_VAR_DIR: {folder} is a file; name a folder.") from None
    except PermissionError as error:
        raise ImproperlyConfigured(
            f"ABL_VAR_DIR: {folder} cannot be made: {error.strerror}. Name a folder that {name_of(os.geteuid())} owns."
        ) from error


def close_to_others(folder: Path, *files: Path) -> None:
    """Take every right of group and others from a folder for data, from all that is in it, and from some files.

    For what was made before, or copied there. Links are left alone: what they lead to is no data of ours. Raises
    ``ImproperlyConfigured`` for what belongs to somebody else.
    """
    tighten(folder)
    for path in (*inside(folder), *files):
        tighten(path)


def inside(folder: Path) -> Iterator[Path]:
    """All that a folder holds, at any depth."""
    for parent, folders, names in os.walk(folder):
        yield from (Path(parent, name) for name in (*folders, *names))


def database_files(database: str) -> list[Path]:
    """The files of an SQLite database."""
    return [Path(f"{database}{ending}") for ending in BESIDE_DATABASE]


def tighten(path: Path) -> None:
    """Take the rights of group and others from a file or folder, unless it is gone or a link."""
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            return
        if found.st_uid != os.geteuid():
            raise ImproperlyConfigured(others(path, found.st_uid))
        if stat.S_IMODE(found.st_mode) & UMASK:
            path.chmod(stat.S_IMODE(found.st_mode) & ~UMASK)
    except (FileNotFoundError, NotADirectoryError):
        return  # messages of the broker come and go; a database may be named that cannot be there


def others(path: Path, owner: int) -> str:
    """What to do about data that belongs to somebody else."""
    us, them = name_of(os.geteuid()), name_of(owner)
    return (
        f"{path} holds data of the workbench but belongs to {them}, who could read and change it. Start the workbench "
        f"as {them}, give the data to {us} (chown -R {us} {path}), or set ABL_VAR_DIR to a folder of {us}."
    )


def name_of(account: int) -> str:
    """The name of an account of this machine; its number where it has none."""
    try:
        return pwd.getpwuid(account).pw_name
    except KeyError:
        return f"account {account}"
