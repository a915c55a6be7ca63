"""The code editor in Chromium, against the running product."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import expect

from tests.workbench import busyness, eventually

pytestmark = pytest.mark.browser

AGENT = """\
AGENT: Desk
GOAL: "Help"
MEMORY:
  session:
    - amount
      TYPE: number
  persistent:
    - user.last
      SCOPE: user
  remember:
    - WHEN: amount IS SET
      STORE: amount -> user.last
      TTL: "90d"
"""
HEADERS = {"Accept": "application/json"}


class Desk:
    """A document of its own for one test: its address, and how others save it."""

    def __init__(self, workbench, client, slug, name):
        self.workbench, self.client, self.slug, self.name = workbench, client, slug, name
        self.page = f"{workbench.url}/p/{slug}/edit/{name}"
        self.api = f"/api/v1/projects/{slug}/agents/{name}/"

    @property
    def saved(self):
        return self.client.get(self.api, headers=HEADERS).json()

    def save(self, text, base):
        answer = self.client.put(self.api, json={"text": text, "base_revision": base}, headers=HEADERS)
        assert answer.status_code == 200, answer.text


@pytest.fixture
def desk(live_workbench, request):
    with live_workbench.client() as client:
        name = f"p{abs(hash(request.node.name)) % 10**8}"
        made = client.post("/api/v1/projects/", json={"name": name}, headers=HEADERS).json()
        client.post(
            f"/api/v1/projects/{made['slug']}/agents/", json={"name": "desk.agent.abl", "text": AGENT}, headers=HEADERS
        )
        yield Desk(live_workbench, client, made["slug"], "desk.agent.abl")


@pytest.fixture
def page(admin_page):
    """A page that fails the test when a script fails or the policy for content is broken."""
    wrong = []
    admin_page.on("pageerror", lambda error: wrong.append(str(error)))
    admin_page.on("console", lambda m: wrong.append(m.text) if "Content Security Policy" in m.text else None)
    yield admin_page
    assert wrong == []


def opened(page, desk, query=""):
    page.goto(desk.page + query)
    page.wait_for_selector("#status-took:not(:empty)")
    page.locator(".cm-content").focus()
    return page


def text_of(page):
    """Text of the code, as the editor holds it (the page shows only the lines in view)."""
    return page.evaluate("[...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')")


def go_to_line(page, line):
    page.keyboard.press("Control+Home")
    for _ in range(line - 1):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("End")


def test_a_problem_appears_while_typing_and_its_fix_ends_it(page, desk):
    opened(page, desk)
    page.wait_for_selector("#problem-list [data-state=error]", state="detached")
    go_to_line(page, 13)
    for _ in range(5):
        page.keyboard.press("Backspace")
    page.keyboard.type("90 days")
    page.wait_for_selector(".cm-content .sq[data-state=error]")
    page.wait_for_selector("#problem-list [data-state=error] >> text=ABL346")
    page.keyboard.press("Shift+F8")
    page.wait_for_selector(".cm-tip >> text=ABL346 bad-ttl")
    page.keyboard.press("Control+.")
    page.wait_for_selector(".cm-content .sq[data-state=error]", state="detached")
    assert eventually(lambda: 'TTL: "90d"' in text_of(page))


def test_colour_stays_while_typing_and_spaces_are_spaces(page, desk):
    opened(page, desk)
    go_to_line(page, 1)
    page.keyboard.type("  # note  of  mine")
    assert "\u00a0" not in text_of(page)
    assert page.locator(".cm-line .t-section").count() > 0
    page.wait_for_selector(".cm-line .t-comment")


def test_completion_begins_by_itself_behind_an_index(page, desk):
    rooms = AGENT.replace("    - amount\n", "    - rooms\n      TYPE: {beds: number}[]\n    - amount\n")
    desk.save(rooms + "CONSTRAINTS:\n  - REQUIRE ", 1)
    opened(page, desk)
    page.keyboard.press("Control+End")
    page.keyboard.type("rooms[0].")
    page.click(".cm-tooltip-autocomplete >> text=rooms[0].beds")  # Enter would be taken only once it could be read
    assert eventually(lambda: "REQUIRE rooms[0].beds" in text_of(page))


def test_saving_makes_a_revision_and_a_broken_agent_is_saved_too(page, desk):
    opened(page, desk)
    go_to_line(page, 13)
    page.keyboard.type("\nNONSENSE: ((")
    page.fill("[name=message]", "try it")
    page.click("#save")
    page.wait_for_selector("#draft-state >> text=Saved, revision 2")
    assert "NONSENSE" in desk.saved["text"]
    assert desk.saved["message"] == "try it"
    page.wait_for_selector("#draft-badge", state="hidden")


def test_a_draft_is_kept_and_is_there_after_a_reload(page, desk):
    opened(page, desk)
    page.keyboard.type("# kept\n")
    page.wait_for_selector("#draft-state >> text=Draft saved")
    opened(page, desk)
    eventually(lambda: "# kept" in text_of(page))
    assert desk.saved["revision"] == 1


@pytest.mark.parametrize(("choice", "expected"), [("mine", "# mine\n" + AGENT), ("theirs", "# theirs\n" + AGENT)])
def test_a_conflict_shows_both_texts_and_the_author_decides(page, desk, choice, expected):
    opened(page, desk)
    page.keyboard.type("# mine\n")
    desk.save("# theirs\n" + AGENT, 1)
    page.keyboard.press("Control+s")
    page.wait_for_selector("#conflict[open]")
    expect(page.locator("#conflict .cm-merge-a")).to_contain_text("# theirs")
    expect(page.locator("#conflict .cm-merge-b")).to_contain_text("# mine")
    page.click(f"[data-choose={choice}]")
    page.wait_for_selector("#draft-state >> text=Saved, revision")
    eventually(lambda: desk.saved["text"] == expected)
    if choice == "theirs":
        page.locator(".cm-content").focus()
        page.keyboard.press("Control+z")
        eventually(lambda: "# mine" in text_of(page))


def test_a_conflict_that_is_left_for_later_loses_nothing(page, desk):
    opened(page, desk)
    page.keyboard.type("# mine\n")
    desk.save("# theirs\n" + AGENT, 1)
    page.keyboard.press("Control+s")
    page.wait_for_selector("#conflict[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("#draft-state >> text=Draft saved")
    opened(page, desk)
    eventually(lambda: "# mine" in text_of(page))
    expect(page.locator("#notice")).to_contain_text("Revision 2 was saved after")
    assert desk.saved["revision"] == 2


def test_what_is_typed_without_a_connection_survives_a_reload_and_is_sent_later(page, desk):
    opened(page, desk)
    page.route("**/draft/", lambda route: route.abort())
    page.keyboard.type("# typed in a tunnel\n")
    page.wait_for_selector("#draft-state >> text=kept in this browser")
    page.unroute("**/draft/")
    opened(page, desk)
    eventually(lambda: "# typed in a tunnel" in text_of(page))
    page.keyboard.press("Control+s")
    page.wait_for_selector("#draft-state >> text=Saved, revision 2")
    assert "# typed in a tunnel" in desk.saved["text"]


def test_the_page_says_when_nobody_answers_and_goes_on_when_somebody_does(page, desk):
    opened(page, desk)
    page.route("**/analyse/", lambda route: route.abort())
    page.keyboard.type("#")
    expect(page.locator("#status-connection")).to_contain_text("Offline")
    page.unroute("**/analyse/")
    expect(page.locator("#status-connection")).to_have_text(re.compile(r"^\s*Connected"))


NOT_YET = "Not saved yet: saving resumes when the server is back"


def test_without_a_server_nothing_counts_as_checked_and_a_save_is_done_when_it_is_back(page, desk, context):
    opened(page, desk)
    checked, state = page.locator("#status-counts"), page.locator("#draft-state")
    before = checked.inner_text()
    saves = []
    page.on("response", lambda r: saves.append(r.status) if (r.request.method, r.url) == ("POST", desk.page) else None)
    context.set_offline(True)
    page.keyboard.type("# one\n")
    expect(checked).to_have_text("Not checked")
    expect(page.locator("#status-took")).to_be_empty()
    expect(page.locator("#problem-none")).to_be_hidden()
    page.keyboard.press("Control+s")
    expect(state).to_have_text(NOT_YET)
    page.keyboard.press("Control+Home")
    page.keyboard.type("# two\n")
    page.keyboard.press("Control+s")
    expect(state).to_have_text(NOT_YET)
    assert desk.saved["revision"] == 1
    context.set_offline(False)
    expect(state).to_have_text("Saved, revision 2")
    expect(checked).to_have_text(before)
    page.keyboard.type("# three\n")
    expect(state).to_have_text(re.compile("^Draft saved .*, based on revision 2$"))
    assert desk.saved["revision"] == 2
    assert desk.saved["text"].startswith("# two\n# one\n")
    assert saves == [200]


def test_a_save_whose_answer_was_lost_is_no_conflict_with_oneself(page, desk):
    opened(page, desk)
    page.keyboard.type("# one\n")
    sent = []

    def lose(route):
        if route.request.method != "POST":
            return route.continue_()
        sent.append(route.request.post_data_json["text"])
        if len(sent) > 1:
            return route.fulfill(status=503, json={"code": "unavailable", "detail": "The database does not answer."})
        route.fetch()
        return route.abort()

    page.route(desk.page, lose)
    page.keyboard.press("Control+s")
    expect(page.locator("#draft-state")).to_have_text(NOT_YET)
    assert desk.saved["revision"] == 2
    page.keyboard.type("# two\n")
    page.keyboard.press("Control+s")
    expect(page.locator("#draft-state")).to_have_text(NOT_YET)
    page.unroute(desk.page)
    expect(page.locator("#draft-state")).to_have_text("Saved, revision 3")
    expect(page.locator("#conflict")).to_be_hidden()
    assert desk.saved["text"] == f"# one\n# two\n{AGENT}"


def test_a_save_that_waited_asks_when_somebody_else_saved_meanwhile(page, desk, context):
    opened(page, desk)
    context.set_offline(True)
    page.keyboard.type("# mine\n")
    page.keyboard.press("Control+s")
    expect(page.locator("#draft-state")).to_have_text(NOT_YET)
    desk.save("# theirs\n" + AGENT, 1)
    context.set_offline(False)
    page.wait_for_selector("#conflict[open]")
    page.click("[data-choose=mine]")
    expect(page.locator("#draft-state")).to_have_text("Saved, revision 3")
    assert desk.saved["text"] == "# mine\n" + AGENT


def test_a_text_that_began_from_a_revision_that_is_no_more_is_a_conflict_too(page, desk):
    """As after the data was restored from a copy."""
    opened(page, desk)
    page.evaluate("""() => {
        const { user, document: number } = document.getElementById("editor").dataset;
        localStorage.setItem(`abl-draft:${user}:${number}`, JSON.stringify({ text: "# mine\\n", base: 7, at: 0 }));
    }""")
    opened(page, desk)
    page.keyboard.press("Control+s")
    page.wait_for_selector("#conflict[open]")
    page.click("[data-choose=mine]")
    expect(page.locator("#draft-state")).to_have_text("Saved, revision 2")
    assert desk.saved["text"] == "# mine\n"


def test_an_address_with_a_line_shows_and_marks_it(page, desk):
    opened(page, desk, "?line=11&column=13&end_line=11&end_column=26")
    expect(page.locator("#status-place")).to_have_text("Line 11, column 13")
    expect(page.locator(".is-marked-span")).to_have_text("amount IS SET")


def test_escape_then_tab_leaves_the_code(page, desk):
    opened(page, desk)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.cm-editor') !== null")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.cm-editor') === null")


def test_completion_offers_what_fits_and_inserts_it(page, desk):
    opened(page, desk)
    go_to_line(page, 6)
    page.keyboard.type("\nDESCR")
    page.wait_for_selector(".cm-tooltip-autocomplete [aria-selected] >> text=DESCRIPTION")
    page.wait_for_timeout(300)  # CodeMirror takes Enter as an answer only once the offer could have been read
    page.keyboard.press("Enter")
    assert eventually(lambda: "      DESCRIPTION: " in text_of(page).split("\n"))


def test_a_new_line_is_indented_below_one_that_opens_a_block(page, desk):
    opened(page, desk)
    go_to_line(page, 4)
    page.keyboard.press("Enter")
    expect(page.locator("#status-place")).to_have_text("Line 5, column 5")
    page.keyboard.press("Control+Slash")
    assert eventually(lambda: text_of(page).split("\n")[3] == "  session:")


def test_the_outline_leads_to_its_part(page, desk):
    opened(page, desk)
    page.click("#outline >> text=MEMORY")
    expect(page.locator("#status-place")).to_have_text(re.compile("^Line 3,"))
    page.fill("#outline-filter", "remember")
    assert eventually(lambda: page.locator("#outline li").count() <= 4)


def test_a_megabyte_of_noise_leaves_the_editor_usable(page, desk):
    noise = random.Random(5).randbytes(1_000_000).decode("latin-1").replace("\0", " ")
    desk.save(noise, 1)
    opened(page, desk)
    page.keyboard.press("Control+Home")
    began = page.evaluate("performance.now()")
    page.keyboard.type("AGENT: X")
    eventually(lambda: text_of(page).startswith("AGENT: X"))
    assert (page.evaluate("performance.now()") - began) / busyness() < 2_000


def test_without_a_script_the_form_saves(browser, live_workbench, admin_cookies, desk):
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(admin_cookies)
    page = context.new_page()
    page.goto(desk.page)
    page.fill("textarea[name=text]", AGENT + "# by form\n")
    page.click("#save")
    assert eventually(lambda: desk.saved["text"] == AGENT + "# by form\n")
    context.close()


def test_format_and_names_by_their_keys(page, desk):
    opened(page, desk)
    page.keyboard.press("Shift+Alt+F")
    assert eventually(lambda: '"Help"\n\nMEMORY:' in text_of(page))
    go_to_line(page, text_of(page).split("\n").index("    - WHEN: amount IS SET") + 1)
    for _ in range(len(" IS SET")):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+F12")
    expect(page.locator(".names-list li")).to_have_count(3)
    page.keyboard.press("Escape")
    expect(page.locator(".names-panel")).to_have_count(0)
    page.keyboard.press("F12")
    expect(page.locator("#status-place")).to_have_text(re.compile(r"Line \d+, column 7"))
    page.keyboard.press("F2")
    field = page.get_by_label("New name for amount")
    expect(field).to_be_focused()
    field.fill("two words")
    page.keyboard.press("Enter")
    expect(page.locator(".names-panel")).to_contain_text("is not a name for a variable")
    field.fill("total")
    page.keyboard.press("Enter")
    assert eventually(lambda: text_of(page).count("total") == 3 and "amount" not in text_of(page))


def test_a_rename_says_what_it_does_not_reach_and_where_the_word_stays(page, desk):
    flow = "FLOW:\n  s:\n    REASONING: false\n    TRANSFORM: amount AS row INTO kept\n      SORT_BY: amount\n"
    desk.save(AGENT + flow, 1)
    opened(page, desk)
    go_to_line(page, 8)
    page.keyboard.press("F2")
    expect(page.locator(".names-panel")).to_contain_text("Stored facts keep their path.")
    page.keyboard.press("Escape")
    go_to_line(page, 5)
    page.keyboard.press("F2")
    page.get_by_label("New name for amount").fill("total")
    page.keyboard.press("Enter")
    panel = page.locator(".names-panel")
    expect(panel).to_contain_text("amount still appears in")
    row = panel.get_by_role("link")
    expect(row).to_contain_text("SORT_BY: amount")
    expect(row).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#status-place")).to_have_text("Line 18, column 16")
    page.keyboard.press("Control+z")
    assert eventually(lambda: text_of(page) == AGENT + flow)
