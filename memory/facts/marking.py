"""Facts that were there before an agent declared their path sensitive: they become so with the document (03 §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone

from abl.runtime.privacy.fact_masks import PARTS
from editor.models import Document, Revision
from memory import values
from memory.facts.declarations import has_parts, nearest, sensitive_paths
from memory.facts.storing import fact_stored
from memory.log.ledger import NOBODY, writing
from memory.models import Fact

BATCH = 200
REASON = "declared sensitive"


@receiver(post_save, sender=Revision)
def mark_what_it_declares(instance: Revision, created: bool, **_: Any) -> None:
    """Once the revision is saved the facts that it declares sensitive are."""
    if created and instance.document.kind == Document.Kind.AGENT:
        transaction.on_commit(lambda: facts_mark(revision=instance))


def facts_mark(*, revision: Revision) -> int:
    """Make facts sensitive whose paths a revision declares so, and objects with such a part. Returns how many.

    Each gets a version with the value and the times that it had, and with the revision as its source; from then on its
    history is masked too. In batches: writers continue between them.
    """
    document, project = revision.document, revision.document.project
    by = revision.author.get_username() if revision.author is not None else ""
    source = {"cause": "declared", "by": by, "document": document.path, "revision": revision.number}
    declared, marked, last = sensitive_paths(((document.path, revision.pk),)), 0, 0
    while declared:
        with writing(project.pk, now=timezone.now(), actor=NOBODY) as ledger:
            near = Fact.objects.filter(_near(declared), project=project, sensitive=False, purged_at__isnull=True)
            facts = list(near.filter(pk__gt=last).order_by("pk")[:BATCH])
            for fact in facts:
                masking = masking_of(declared, fact)
                if masking is None or fact.state(ledger.now) == "expired":
                    continue
                fact.sensitive, fact.masking, fact.recorded_at = True, dict(masking), ledger.now
                fact.source, fact.agent = source, ""
                marked += fact_stored(ledger, fact, values.value_text(fact.value), expected=fact.version, reason=REASON)
        if len(facts) < BATCH:
            break
        last = facts[-1].pk
    return marked


def masking_of(declared: Mapping[str, Mapping[str, Any]], fact: Fact) -> Mapping[str, Any] | None:
    """How a fact is to be shown by what is declared; None when it is not sensitive."""
    found = nearest(declared, fact.path)
    return found if found is not None or not has_parts(declared, fact.path, fact.value) else {PARTS: True}


def _near(declared: Mapping[str, Any]) -> Q:
    """Facts at the declared paths, above them and below them."""
    near = Q()
    for path in declared:
        parts = path.split(".")
        above = [".".join(parts[:length]) for length in range(2, len(parts) + 1)]
        # As a range: it has an index, and no character of a path means anything in it.
        near |= Q(path__in=above) | Q(path__gt=f"{path}.", path__lt=f"{path}/")
    return near
