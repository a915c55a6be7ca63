"""What test conversations begin with, as an author sets it on the settings page."""

from __future__ import annotations

import pytest
from django.urls import reverse

from editor import trials
from web.errors import Invalid

MOCKS = """\
find_book:
- when: title == "Dune"
  result: {free: true}
- result: {free: false}
"""


def test_an_author_keeps_mocks_and_the_entry_agent(as_, project):
    response = as_("editor").post(reverse("editor:trials_set", args=[project.slug]), {"entry": "Desk", "mocks": MOCKS})
    assert response.status_code == 302
    project.refresh_from_db()
    assert project.settings["entry"] == "Desk"
    assert project.settings["mocks"]["find_book"][1] == {"result": {"free": False}}
    content = as_("viewer").get(reverse("editor:settings", args=[project.slug])).content.decode()
    assert "find_book" in content


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("find_book: [", "is not valid YAML (line 1, column 13)"),
        ("- find_book", "must map each tool"),
        ("find_book: {result: 1}", "must map each tool"),
        ("find_book:\n- whenn: x", "case 1 of find_book"),
        ("find_book:\n- result: .nan", "has a value that JSON cannot hold"),
        ("x" * 200_001, "the limit is 200,000"),
    ],
)
def test_mocks_that_no_run_can_use_are_refused_and_kept_on_the_page(as_, project, text, said):
    response = as_("owner").post(reverse("editor:trials_set", args=[project.slug]), {"entry": "", "mocks": text})
    assert response.status_code == 400
    content = response.content.decode()
    assert said in content
    assert text[:20].split("\n")[0] in content
    project.refresh_from_db()
    assert "mocks" not in project.settings


def test_a_date_in_a_result_is_its_text():
    assert trials.read_mocks("t:\n- result: {day: 2026-05-01}") == {"t": [{"result": {"day": "2026-05-01"}}]}


def test_other_settings_stay(project):
    project.settings = {"ask_again": False}
    project.save()
    trials.trials_set(project=project, entry="", mocks="")
    project.refresh_from_db()
    assert project.settings == {"ask_again": False, "entry": "", "mocks": {}}
    with pytest.raises(Invalid):
        trials.trials_set(project=project, entry="", mocks="t: [1]")


RUN = """\
bank: desk
memory_policy: {archival_mode: auto, archival_limit: 5}
model:
- {call: memory_read}
- {reply: "{{result}}"}
"""


def test_an_author_keeps_bank_policy_and_script(as_, project):
    address = reverse("editor:trials_set", args=[project.slug])
    assert as_("editor").post(address, {"entry": "", "mocks": "", "run": RUN}).status_code == 302
    project.refresh_from_db()
    assert project.settings["run"] == {
        "bank": "desk",
        "memory_policy": {"archival_mode": "auto", "archival_limit": 5},
        "model": [{"call": "memory_read"}, {"reply": "{{result}}"}],
    }
    content = as_("viewer").get(reverse("editor:settings", args=[project.slug])).content.decode()
    assert "archival_limit: 5" in content
    as_("editor").post(address, {"entry": "", "mocks": ""})
    project.refresh_from_db()
    assert project.settings["run"]["bank"] == "desk"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bank: [", "is not valid YAML (line 1, column 8)"),
        ("- bank", "may contain memory_policy, bank, model"),
        ("banks: desk", "may contain memory_policy, bank, model"),
        ("memory_policy: {archival_mod: auto}", "did you mean archival_mode?"),
        ("memory_policy: auto", "an object with archival_mode"),
        ("policy: skip", "`policy` is `skip`; evaluate or skip_unset is right"),
        ("now: tomorrow", "`now` is `tomorrow`; a moment such as 2026-03-01T09:00:00Z is right"),
        ("language: German", "`language` is `German`; a language tag such as en or de-CH is right"),
    ],
)
def test_what_no_run_can_use_is_refused_and_kept_on_the_page(as_, project, text, said):
    given = {"entry": "", "mocks": "", "run": text}
    response = as_("owner").post(reverse("editor:trials_set", args=[project.slug]), given)
    assert response.status_code == 400
    content = response.content.decode()
    assert said in content
    assert text in content
    project.refresh_from_db()
    assert "run" not in project.settings
