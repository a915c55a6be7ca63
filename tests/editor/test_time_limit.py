"""The time limit of turns, which owners set on the page of the settings or over HTTP."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from editor import services, trials
from web.errors import Invalid

PAGE = "/p/library/settings/"
API = "/api/v1/projects/library/"


def posted(client, value):
    return client.post(PAGE, {"name": "Library", "description": "", "turn_seconds": value})


def test_it_is_set_and_taken_back_on_the_page(client, project, owner):
    client.force_login(owner)
    assert posted(client, "120").status_code == 302
    project.refresh_from_db()
    assert trials.turn_seconds(project) == 120
    assert b'name="turn_seconds" value="120"' in client.get(PAGE).content
    posted(client, "")
    project.refresh_from_db()
    assert trials.turn_seconds(project) is None
    assert b'placeholder="30"' in client.get(PAGE).content


@pytest.mark.parametrize("value", ["0", "301", "-5", "1.5", "soon", "٣", "9" * 5000])
def test_what_is_no_limit_is_refused_and_stays_in_the_field(client, project, owner, value):
    client.force_login(owner)
    answer = posted(client, value)
    assert answer.status_code == 400
    assert b"is not a whole number of seconds from 1 to 300." in answer.content
    assert f'value="{value}"'.encode() in answer.content
    project.refresh_from_db()
    assert trials.turn_seconds(project) is None


def test_a_form_without_the_field_leaves_it(client, project, owner):
    services.project_update(project=project, turn_seconds=60)
    client.force_login(owner)
    client.post(PAGE, {"name": "Library", "description": "x"})
    project.refresh_from_db()
    assert (project.description, trials.turn_seconds(project)) == ("x", 60)


def test_other_settings_stay(project):
    trials.trials_set(project=project, entry="Desk", mocks="")
    services.project_update(project=project, turn_seconds=60)
    project.refresh_from_db()
    assert (project.settings["entry"], project.settings["turn_seconds"]) == ("Desk", 60)


def test_only_owners_set_it(client, project, editor):
    client.force_login(editor)
    assert posted(client, "60").status_code == 403
    assert b"30 s, the default" in client.get(PAGE).content


@pytest.fixture
def api(project, owner):
    _, secret = services.token_create(project=project, user=owner)

    def patch(body):
        headers = {"authorization": f"Bearer {secret}"}
        answer = Client().patch(API, json.dumps(body), content_type="application/json", headers=headers)
        return answer.status_code, answer.json()

    return patch


def test_it_is_set_over_http(api):
    status, found = api({"turn_seconds": 45})
    assert (status, found["turn_seconds"]) == (200, 45)
    assert api({"description": "x"})[1]["turn_seconds"] == 45
    assert api({"turn_seconds": None})[1]["turn_seconds"] is None


@pytest.mark.parametrize("value", [0, 301, "45", 1.5, True, 10**30])
def test_over_http_a_wrong_limit_names_the_field(api, value):
    status, problem = api({"turn_seconds": value})
    assert status == 400
    assert list(problem["fields"]) == ["turn_seconds"]


def test_the_service_refuses_what_is_out_of_range(project):
    with pytest.raises(Invalid, match="301 is not a whole number of seconds from 1 to 300"):
        services.project_update(project=project, turn_seconds=301)
