"""Addresses from which a file can be fetched without signing in, for a limited time (docs/spec 11 §2)."""

from __future__ import annotations

from datetime import UTC, datetime

from django.core import signing
from django.urls import reverse

from memory.models import Artifact

_SIGNER = signing.Signer(salt="memory.stores.artifact")


def download_path(artifact: Artifact) -> str:
    """The signed path of a file. It contains the expiry, so that all links to a file are equal and expire with it."""
    until = int(artifact.expires_at.timestamp()) if artifact.expires_at else 0
    return reverse("memory:artifact-download", args=[_SIGNER.sign_object([artifact.pk, until])])


def read_token(token: str) -> tuple[int, datetime] | None:
    """Primary key and end of a link; None for one that we did not sign."""
    try:
        pk, until = _SIGNER.unsign_object(token)
        return int(pk), datetime.fromtimestamp(until, UTC)
    except (signing.BadSignature, ValueError, TypeError):
        return None
