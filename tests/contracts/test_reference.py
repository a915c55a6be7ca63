"""Reference pages that come from code are in step with it (``make docs``)."""

from __future__ import annotations

from functools import cache

import pytest
from django.core.management import call_command

from scripts import reference

pages = cache(reference.pages)


@pytest.mark.full
def test_the_pages_that_come_from_code_say_what_the_code_says():
    stale = [
        name
        for name, text in pages().items()
        if not (path := reference.REFERENCE / name).exists() or path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run make docs"


@pytest.mark.full
def test_no_page_is_left_of_a_diagnostic_that_is_gone():
    written = {
        path.relative_to(reference.REFERENCE).as_posix() for path in reference.REFERENCE.glob("diagnostics/*.md")
    }
    assert written - set(pages()) == set()


@pytest.mark.slow
def test_the_description_of_the_api_is_valid_and_without_a_warning(tmp_path):
    target = tmp_path / "schema.yml"
    call_command("spectacular", "--file", str(target), "--validate", "--fail-on-warn")
    assert "openapi: 3" in target.read_text()
