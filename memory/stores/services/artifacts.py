"""Files of a session (docs/spec 11 §2): accepted by content, kept in the media folder, logged when they are deleted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from editor.models import Project, User
from memory import values
from memory.facts.services import actor_of, by_hand
from memory.log.chain import canonical
from memory.log.ledger import Ledger, writing
from memory.log.tombstones import erase
from memory.models import Artifact, FactChange, System
from memory.stores import filetypes, selectors
from memory.stores.extraction import cut, extract
from memory.stores.filetypes import ALLOWED, FileType
from web.errors import Invalid
from web.quotas import Quota

LIFETIME = timedelta(days=30)
"""How long the links to a file work, and the file is kept."""
MOST_FILES = 100
"""Files of a session."""
LEAST_COUNTED = 4096
"""Bytes as which each file counts at least: a block of the disk. The text that was read from it comes on top."""
OF_PROJECT = Quota("file", "files", "ABL_PROJECT_FILES_MB")
OF_USER = Quota("file", "files", "ABL_USER_FILES_MB")
FOLDER = "artifacts"
ORPHAN_AGE = timedelta(hours=1)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def artifact_add(
    *, project: Project, session: str, file: UploadedFile[Any] | None, active: bool = True, actor: User | None = None
) -> Artifact:
    """Keep a file of a session that has not ended, with its text where the type has one.

    Raises ``Invalid`` naming the field ``file`` for one that is too large or of a type that is not taken, ``TooLarge``
    (``quota-exceeded``) when project or user have no room left, ``NotFound`` and ``Conflict`` for the session.
    """
    selectors.session_open(project=project, session=session)
    data, kind = checked_file(file)
    assert file is not None  # noqa: S101  checked_file refused that
    text, problem = text_in(kind, data)
    now = timezone.now()
    name = _kept(data)
    artifact = Artifact(
        project=project,
        session=session,
        filename=filetypes.clean_name(str(file.name or ""), kind),
        mimetype=kind.mimetype,
        size=len(data),
        stored_bytes=max(len(data), LEAST_COUNTED) + len((text or "").encode()),
        sha256=hashlib.sha256(data).hexdigest(),
        file=name,
        text=text,
        text_problem=problem[:300],
        is_active=active,
        uploaded_at=now,
        expires_at=now + LIFETIME,
        uploaded_by=actor.get_username() if actor else "",
        source=values.source_of(by_hand(actor)),
    )
    try:
        with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
            selectors.session_open(project=project, session=session)
            if Artifact.objects.filter(project=project, session=session).count() >= MOST_FILES:
                raise Invalid(fields={"file": f"the session has {MOST_FILES} files; no more are allowed"})
            refuse_over_quota(artifact)
            artifact.save()
            _log(ledger, artifact)
    except BaseException:
        default_storage.delete(name)
        raise
    return artifact


def refuse_over_quota(artifact: Artifact) -> None:
    """Raise ``TooLarge`` if the files of its project, or of who uploads it, with their texts would take too much.

    The sum over a project is exact, since its log admits one writer; that of a user who uploads to several projects at
    the same moment may be exceeded by what is on its way.
    """
    ours = Artifact.objects.filter(project=artifact.project_id)
    _refuse_beyond(ours, artifact, OF_PROJECT, "the project")
    if artifact.uploaded_by:
        theirs = Artifact.objects.filter(uploaded_by=artifact.uploaded_by)
        _refuse_beyond(theirs, artifact, OF_USER, f"{artifact.uploaded_by}, in all projects")


def _refuse_beyond(files: QuerySet[Artifact], artifact: Artifact, quota: Quota, whose: str) -> None:
    used = files.aggregate(used=Sum("stored_bytes"))["used"] or 0
    new = artifact.stored_bytes
    begins = f"has {artifact.size:,} bytes"
    if new > artifact.size:
        begins += f" and counts as {new:,} with the text read from it"
    quota.refuse(new=new, used=used, whose=whose, begins=f"{begins}; ")


def _kept(data: bytes) -> str:
    """The name in the media folder under which the bytes lie now. What a full disk leaves of them goes at once."""
    name = f"{FOLDER}/{uuid4().hex}"
    try:
        return default_storage.save(name, ContentFile(data))
    except BaseException:
        default_storage.delete(name)
        raise


def only_file(files: MultiValueDict[str, UploadedFile[Any]]) -> UploadedFile[Any] | None:
    """The file of a form, None without one. Raises ``Invalid`` for more: of two only one could be kept."""
    number = sum(len(files.getlist(name)) for name in files)
    if number > 1:
        raise Invalid(fields={"file": f"there are {number} files in this form; send one at a time"})
    return files.get("file")


def checked_file(file: UploadedFile[Any] | None) -> tuple[bytes, FileType]:
    """Bytes and type of an upload within the bounds. Raises ``Invalid`` naming ``file``."""
    limit = settings.UPLOAD_BYTES
    if file is None:
        raise Invalid(fields={"file": f"send one file as form data, field `file`; {ALLOWED} are allowed"})
    if (file.size or 0) > limit:
        raise Invalid(fields={"file": f"has {file.size:,} bytes; at most {limit:,} are allowed"}, code="too-large")
    data = file.read()
    kind = filetypes.type_of(data, str(file.name or ""))
    if not data or kind is None:
        what = "is empty" if not data else "does not have the content of an allowed file type"
        raise Invalid(fields={"file": f"{str(file.name)[:80]!r} {what}; {ALLOWED} are allowed"})
    return data, kind


def text_in(kind: FileType, data: bytes) -> tuple[str | None, str]:
    """The text of a file and what was wrong with it; (None, "") for a type whose text is not read."""
    if not kind.extracted:
        return None, ""
    if kind in (filetypes.TXT, filetypes.JSON):
        text, problem = cut(filetypes.text_of(data) or "")
    else:
        found, problem = extract(kind.endings[0], data)
        if found is None:
            return None, problem
        text = found
    return _UNSTORABLE.sub("\ufffd", text), problem


def _log(ledger: Ledger, artifact: Artifact) -> None:
    about = {
        "filename": artifact.filename,
        "mimetype": artifact.mimetype,
        "size": artifact.size,
        "sha256": artifact.sha256,
        "isActive": artifact.is_active,
    }
    ledger.written(
        system=System.ARTIFACT,
        key=(artifact.project_id, artifact.scope, artifact.owner, artifact.path),
        version=artifact.version,
        value_text=canonical(about),
        type=artifact.type,
        at=ledger.now,
        expires_at=artifact.expires_at,
        source=artifact.source,
    )


def artifact_set_active(*, project: Project, pk: int, active: bool, actor: User | None = None) -> Artifact:
    """Take a file into the context of its session, or out of it. Raises ``NotFound``."""
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        artifact = selectors.artifact_get(project=project, pk=pk, now=now)
        if artifact.is_active != active:
            artifact.is_active, artifact.version = active, artifact.version + 1
            artifact.source = values.source_of(by_hand(actor))
            artifact.save(update_fields=["is_active", "version", "source"])
            _log(ledger, artifact)
    return artifact


def artifact_delete(*, project: Project, pk: int, actor: User | None = None, reason: str = "") -> None:
    """Delete a file at once; links to it stop working. Raises ``NotFound``."""
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        artifact = selectors.artifact_get(project=project, pk=pk, now=now)
        artifacts_end(ledger, [artifact], FactChange.Kind.DELETE, reason=reason)


def artifacts_end(ledger: Ledger, artifacts: Sequence[Artifact], kind: FactChange.Kind, *, reason: str) -> int:
    """Delete files inside a transaction that has the log; what lies in the folder goes when it commits."""
    for artifact in artifacts:
        ended = artifact.expires_at if kind == FactChange.Kind.EXPIRE else None
        erase(ledger, artifact, kind, at=ended or ledger.now, reason=reason)
    Artifact.objects.filter(pk__in=[artifact.pk for artifact in artifacts]).delete()
    names = [str(artifact.file.name) for artifact in artifacts]
    transaction.on_commit(partial(_remove, names), robust=True)
    return len(artifacts)


def _remove(names: Sequence[str]) -> None:
    for name in names:
        default_storage.delete(name)


def orphans_remove(*, now: datetime) -> int:
    """Remove files that no row names: of an upload or a deletion that a dying process left half done."""
    folder = Path(settings.MEDIA_ROOT) / FOLDER
    old = [path for path in _files(folder) if now.timestamp() - _age_of(path) > ORPHAN_AGE.total_seconds()]
    gone = 0
    for start in range(0, len(old), MOST_FILES):
        batch = {f"{FOLDER}/{path.name}": path for path in old[start : start + MOST_FILES]}
        known = set(Artifact.objects.filter(file__in=batch).values_list("file", flat=True))
        for name in batch.keys() - known:
            batch[name].unlink(missing_ok=True)
            gone += 1
    return gone


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _age_of(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return float("inf")


def content_of(artifact: Artifact) -> bytes | None:
    """The bytes of a file; None when it is gone."""
    try:
        with default_storage.open(str(artifact.file.name), "rb") as file:
            data: Any = file.read()
            return bytes(data)
    except FileNotFoundError:
        return None
