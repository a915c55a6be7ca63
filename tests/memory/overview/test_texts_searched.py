"""A text that is looked for in blocks and banks: page by page, each within a bound, and the page says so."""

from __future__ import annotations

import pytest
from django.urls import reverse

from memory import text_search as looking
from memory.banks.services import bank_put, bank_write
from memory.blocks.services import block_put


@pytest.fixture
def texts(project):
    """Six blocks and six texts, every other of which is about Graz."""
    bank_put(project=project, name="desk")
    for number in range(6):
        content = f"note {number} about {'GRÄZ' if number % 2 else 'Linz'}"
        block_put(project=project, owner=f"u{number}", block_type="core", content=content, expected=None)
        bank_write(project=project, name="desk", agent=f"a{number}", content=content)


@pytest.mark.parametrize("name", ["blocks", "banks"])
def test_a_search_ends_after_so_many_rows_and_goes_on_there(texts, as_role, monkeypatch, name):
    monkeypatch.setattr(looking, "LOOKED", 4)
    client, address = as_role("viewer"), reverse(f"memory:{name}", args=["kiln"])
    first = client.get(address, {"text": "gräz"})
    assert len(first.context["rows"]) == 2
    assert "4 searched so far" in first.content.decode()
    assert first.context["older"].endswith("&from=4")
    second = client.get(address + first.context["older"])
    assert len(second.context["rows"]) == 1
    assert (second.context["older"], second.context["searched"]) == ("", 0)
    assert "First page" in second.content.decode()


@pytest.mark.parametrize("name", ["blocks", "banks"])
def test_a_search_ends_when_its_time_is_over_but_gets_on(texts, as_role, monkeypatch, name):
    monkeypatch.setattr(looking, "PATIENCE", -1)
    client, address = as_role("viewer"), reverse(f"memory:{name}", args=["kiln"])
    found, query = 0, "?text=gräz"
    for _ in range(6):
        page = client.get(address + query)
        found, query = found + len(page.context["rows"]), page.context["older"]
    assert (found, query) == (3, "")


def test_a_full_page_is_not_called_unfinished(texts, as_role, monkeypatch):
    monkeypatch.setattr(looking, "SIZE", 2)
    page = as_role("viewer").get(reverse("memory:blocks", args=["kiln"]), {"text": "note"})
    assert (len(page.context["rows"]), page.context["searched"], page.context["older"]) == (2, 0, "?text=note&from=2")


def test_a_place_that_cannot_be_is_refused(texts, as_role):
    page = as_role("viewer").get(reverse("memory:blocks", args=["kiln"]), {"text": "note", "from": "x"})
    assert page.status_code == 400
