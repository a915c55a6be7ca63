"""The description of the API is for strangers too: asking for it again, or for versions, costs nothing."""

from __future__ import annotations

import time

import pytest
from django.test import Client

from web.api import description

FORMATS = ("application/vnd.oai.openapi", "application/vnd.oai.openapi+json", "application/json")


@pytest.mark.parametrize("accept", FORMATS)
def test_it_is_written_once(db, accept):
    client = Client(headers={"Accept": accept})
    first = client.get("/api/schema/")
    assert first.status_code == 200
    assert first["Content-Type"].startswith(accept)
    began = time.process_time()
    again = [client.get("/api/schema/").content for _ in range(5)]
    assert time.process_time() - began < 0.5
    assert set(again) == {first.content}


def test_versions_that_a_stranger_names_are_not_made(db):
    client = Client()
    client.get("/api/schema/")
    made = len(description._made)
    for n in range(3):
        assert client.get(f"/api/schema/?version={n}").status_code == 200
    assert len(description._made) == made
