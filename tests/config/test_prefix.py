"""Behind a proxy under a path: every address the workbench gives out carries the path."""

from __future__ import annotations

import re

import httpx
import pytest

from tests.workbench import running

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def workbench(tmp_path_factory):
    with running(tmp_path_factory.mktemp("prefix"), {"ABL_PATH_PREFIX": "/abl"}) as workbench:
        workbench.url = workbench.url.removesuffix("/abl")
        yield workbench


@pytest.mark.parametrize("sent", ["/abl", ""], ids=["proxy passes the path on", "proxy takes the path away"])
def test_pages_are_reached_and_lead_back_under_the_prefix(workbench, sent):
    answer = httpx.get(f"{workbench.url}{sent}/", follow_redirects=False)
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/abl/login/?next=/abl/"
    page = httpx.get(f"{workbench.url}{sent}/login/")
    assert page.status_code == 200
    links = re.findall(r'(?:href|src|action)="(/[^"]*)"', page.text)
    assert links
    assert [link for link in links if not link.startswith("/abl/")] == []
    assert "Path=/abl/" in page.headers["Set-Cookie"]


def test_static_files_and_the_api_are_there(workbench):
    page = httpx.get(f"{workbench.url}/abl/login/").text
    styles = re.findall(r'href="(/abl/static/[^"]+\.css)"', page)
    assert styles
    for path in styles:
        assert httpx.get(workbench.url + path).headers["Content-Type"].startswith("text/css")
    assert httpx.get(f"{workbench.url}/abl/healthz").json()["status"] == "ok"
    assert httpx.get(f"{workbench.url}/abl/api/docs/").status_code == 200
    assert httpx.get(f"{workbench.url}/abl/favicon.ico").headers["Location"].startswith("/abl/static/")
