"""Facts, made by the service that the product uses, so that the log beside them is whole."""

from __future__ import annotations

import factory
from factory.django import DjangoModelFactory

from memory.facts.services import fact_put
from memory.models import Fact
from tests.factories import ProjectFactory


class FactFactory(DjangoModelFactory):
    """A fact of the user u1 without expiry; takes what ``fact_put`` takes."""

    class Meta:
        model = Fact

    project = factory.SubFactory(ProjectFactory)
    scope = "user"
    owner = "u1"
    path = factory.Sequence(lambda n: f"user.field_{n:05}")
    value = "gold"

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        return fact_put(**kwargs)
