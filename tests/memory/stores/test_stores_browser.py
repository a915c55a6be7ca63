"""The pages of stores in a browser: the editor of schemas, records beside other writers, files, export and import."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.looks import at_each_width, widen
from tests.memory.browsing import new_project, writer

pytestmark = pytest.mark.browser

TASTES = {
    "type": "object",
    "properties": {"language": {"type": "string", "enum": ["en", "de"]}, "visits": {"type": "integer", "minimum": 0}},
    "required": ["language"],
}
DEFINE = """
from memory.stores import services
from memory.models import StoreDefinition
if not StoreDefinition.objects.filter(project=project, technical_name={name!r}).exists():
    services.store_create(project=project, name={name!r}, technical_name={name!r}, schema={schema!r}, access="user",
                          retention="1_week", strict={strict!r})
"""
WRITE = """
from memory.stores.selectors import Subject
print(services.content_set(project=project, name={name!r}, content={content!r}, subject=Subject({owner!r})).pk)
"""
SESSION = """
from memory.stores import services
services.session_begin(project=project, session="browser", user="ines", metadata={"channel": "web"})
"""


@pytest.fixture(scope="module")
def slug(live_workbench):
    return new_project(live_workbench, "Stores in a browser")


@pytest.fixture(scope="module")
def run(live_workbench, slug):
    return writer(live_workbench, slug)


@pytest.fixture
def put(run):
    """Write a record behind the back of the page, and define its store if need be; gives its number."""

    def write(owner, content, name="tastes", strict=False):
        define = DEFINE.format(name=name, schema=TASTES, strict=strict)
        return int(run(define + WRITE.format(name=name, content=content, owner=owner)))

    return write


def test_a_schema_is_judged_while_it_is_written_and_makes_form_and_examples(admin_page, slug):
    page = admin_page
    page.goto(f"/p/{slug}/stores/")
    page.get_by_role("link", name=re.compile("New store|from an example")).first.click()
    schema, state = page.get_by_label(re.compile("^Schema, as JSON Schema")), page.locator("#schema-state")
    expect(state).to_contain_text("The schema is valid")
    schema.fill('{"type": "object", "properties": {"language": {"type": "strng"}}}')
    expect(state).to_contain_text("1 problem in the schema")
    expect(page.locator("#preview")).to_contain_text("/properties/language/type")
    schema.fill('{"type": ')
    expect(page.locator("#preview")).to_contain_text("line 1, column")
    schema.fill(json.dumps(TASTES))
    expect(state).to_contain_text("The schema is valid")
    expect(page.get_by_role("group", name="Every field")).to_contain_text('"language"')
    preview = page.locator("#preview")
    preview.get_by_label(re.compile("^language")).select_option("de")
    preview.get_by_label(re.compile("^visits")).fill("-1")
    expect(page.locator("#tried")).to_contain_text("Doesn't match the schema")
    preview.get_by_label(re.compile("^visits")).fill("3")
    expect(page.locator("#tried")).to_contain_text("Matches the schema")
    expect(page.get_by_role("group", name="Content of the form")).to_contain_text('"visits": 3')


def test_a_store_is_defined_refused_changed_and_deleted(admin_page, slug, put):
    put("ines", {"language": "en"}, name="taken")
    page = admin_page
    page.goto(f"/p/{slug}/stores/new/")
    name, schema = page.get_by_label(re.compile("^Technical name")), page.get_by_label(re.compile("^Schema, as JSON"))
    name.fill("taken")
    schema.fill(json.dumps(TASTES))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Store 'taken' already exists")
    expect(schema).to_have_value(json.dumps(TASTES))
    name.fill("mine")
    page.get_by_label("Strict: reject content that doesn't match the schema", exact=False).check()
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile("/store/mine/$"))
    expect(page.locator(".statusbar")).to_contain_text("Version 1")
    page.get_by_label("Display name").fill("Of my own")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".statusbar")).to_contain_text("Version 2")
    put("ines", {"language": "en"}, name="mine")
    page.get_by_role("link", name="Delete").click()
    page.get_by_label("Reason (recorded in the log)").fill("not needed")
    put("noor", {"language": "de"}, name="mine")
    page.get_by_role("button", name="Delete the store and 1 record").click()
    expect(page.get_by_role("alert")).to_contain_text("2 records")
    page.reload()
    page.get_by_role("button", name="Delete the store and 2 records").click()
    expect(page).to_have_url(re.compile("/stores/$"))
    expect(page.get_by_role("link", name="mine", exact=True)).to_have_count(0)


def test_who_saves_a_definition_second_sees_the_first(admin_page, slug, put, run):
    put("ines", {"language": "en"}, name="shared")
    page = admin_page
    page.goto(f"/p/{slug}/store/shared/")
    page.get_by_role("textbox", name="Description").fill("mine")
    run(
        "from memory.stores import services\n"
        "services.store_update(project=project, technical_name='shared', changes={'description': 'of another'})"
    )
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("shared has version 2 now")
    expect(page.get_by_label("Current content")).to_have_value(re.compile("of another"))
    expect(page.get_by_role("textbox", name="Description")).to_have_value("mine")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".statusbar")).to_contain_text("Version 3")


def test_a_record_is_edited_beside_another_writer(admin_page, slug, put):
    page = admin_page
    page.goto(f"/p/{slug}/records/{put('race', {'language': 'en'})}/")
    content = page.get_by_label("Content, as JSON")
    content.fill('{"language": ')
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.get_by_role("alert")).to_contain_text("is not valid JSON")
    content.fill('{"language": "de"}')
    put("race", {"visits": 7})
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.get_by_role("alert")).to_contain_text("version 1 was expected, version 2 is there")
    expect(page.get_by_label("Current content")).to_have_value(re.compile('"visits": 7'))
    expect(content).to_have_value('{"language": "de"}')
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.locator(".pane-head").first).to_contain_text("version 3")
    expect(page.locator(".history li").first.locator(".plus")).to_contain_text('"de"')


def test_a_lenient_store_flags_what_a_strict_one_refuses(admin_page, slug, put):
    page = admin_page
    page.goto(f"/p/{slug}/records/{put('ines', {'language': 'en'}, name='strictOnes', strict=True)}/")
    page.get_by_label("Content, as JSON").fill('{"language": "en", "visits": "many"}')
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.get_by_role("alert")).to_contain_text("/visits")
    number = put("flagged", {"language": "en"})
    page.goto(f"/p/{slug}/records/{number}/")
    page.get_by_label("Content, as JSON").fill('{"language": "en", "visits": "many"}')
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.get_by_text("Doesn't match the schema of its store")).to_be_visible()
    page.goto(f"/p/{slug}/records/")
    page.get_by_label("flagged").check()
    page.get_by_role("combobox", name="Store").select_option("tastes")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody tr")).to_contain_text("flagged")
    page.get_by_role("link", name="flagged", exact=True).click()
    page.get_by_role("button", name="Delete 1 record").click()
    expect(page).to_have_url(re.compile(r"/records/\?store=tastes$"))
    expect(page.locator("main").get_by_role("link", name="flagged", exact=True)).to_have_count(0)


def test_a_record_that_runs_out_is_not_readable_without_a_reload(admin_page, slug, put, run):
    put("ines", {"language": "en"})
    ending = (
        "from datetime import timedelta\n"
        "from memory.stores import services\n"
        "from memory.stores.selectors import Subject\n"
        "at = timezone.now() - timedelta(days=7) + timedelta(seconds=15)\n"
        "print(services.content_set(project=project, name='tastes', content={'language': 'de', 'note': 'the secret'},"
        " subject=Subject('ends'), now=at).pk)"
    )
    page = admin_page
    page.goto(f"/p/{slug}/records/{run(ending)}/")
    expect(page.get_by_label("Content, as JSON")).to_have_value(re.compile("the secret"))
    expect(page.locator("main")).to_contain_text("no longer readable", timeout=40_000)
    expect(page.locator("main")).not_to_contain_text("the secret")


def test_a_file_is_uploaded_left_out_fetched_and_deleted(admin_page, slug, run):
    run(SESSION)
    page = admin_page
    page.goto(f"/p/{slug}/sessions/browser/")
    field = page.get_by_label(re.compile("^Add a file"))
    field.set_input_files({"name": "tool.exe", "mimeType": "application/octet-stream", "buffer": b"MZ\x90\x00"})
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_contain_text("PDF, DOCX, TXT, JSON")
    field.set_input_files({"name": "plan.txt", "mimeType": "text/plain", "buffer": b"The plan"})
    page.get_by_role("button", name="Upload").click()
    row = page.get_by_role("group", name="Files").locator("tbody tr", has_text="plan.txt")
    expect(row).to_contain_text("8 characters")
    row.get_by_role("button", name="In the context: plan.txt").click()
    expect(row).to_contain_text("left out")
    with page.expect_download() as file:
        row.get_by_role("link", name="plan.txt").click()
    assert file.value.path().read_bytes() == b"The plan"
    row.get_by_role("button", name="Delete plan.txt").click()
    expect(row).to_have_count(0)


def test_definitions_go_out_as_a_file_and_come_in_again(admin_page, slug, put):
    put("ines", {"language": "en"}, name="travels")
    page = admin_page
    page.goto(f"/p/{slug}/stores/")
    with page.expect_download() as file:
        page.get_by_role("link", name="Export").click()
    exported = json.loads(file.value.path().read_text())
    store = next(each for each in exported["stores"] if each["technical_name"] == "travels")
    stores = [{**store, "technical_name": "arrived"}, {**store, "description": "changed"}]

    def send(data):
        body = json.dumps(data).encode()
        file = {"name": "stores.json", "mimeType": "application/json", "buffer": body}
        page.get_by_label("File", exact=True).set_input_files(file)
        page.get_by_role("button", name="Import").click()

    page.get_by_role("link", name="Import").click()
    send({"version": 1, "stores": stores})
    expect(page.get_by_role("alert")).to_contain_text("stores[1]")
    page.get_by_label("Replace existing stores that have a different definition").check()
    send({"version": 1, "stores": stores})
    done = page.get_by_role("status").filter(has_text="created")
    expect(done).to_contain_text("1 created, 1 changed, 0 unchanged")
    page.get_by_role("link", name="View stores").click()
    expect(page.get_by_role("link", name="arrived", exact=True)).to_be_visible()


def test_without_scripts_a_definition_and_a_record_are_not_lost(plain_page, slug, put):
    page = plain_page
    number = put("plain", {"language": "en"})
    page.goto(f"/p/{slug}/stores/new/")
    page.get_by_label(re.compile("^Technical name")).fill("plainOne")
    page.get_by_label(re.compile("^Schema, as JSON")).fill('{"type": "array"}')
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("at /type")
    expect(page.get_by_label(re.compile("^Technical name"))).to_have_value("plainOne")
    page.get_by_label(re.compile("^Schema, as JSON")).fill('{"type": "object"}')
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile("/store/plainOne/$"))
    page.goto(f"/p/{slug}/records/{number}/")
    page.get_by_label("Content, as JSON").fill('{"language": "de"}')
    put("plain", {"visits": 7})
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.get_by_label("Current content")).to_have_value(re.compile('"visits": 7'))
    expect(page.get_by_label("Content, as JSON")).to_have_value('{"language": "de"}')
    page.get_by_role("button", name="Save as version 3").click()
    expect(page.locator(".pane-head").first).to_contain_text("version 3")


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_where_something_is_wrong(admin_page, slug, put, width):
    page = admin_page
    widen(page, width)
    page.emulate_media(reduced_motion="reduce")
    number = put("axe", {"language": "en", "visits": "a word that is longer than a phone is wide, " * 3})
    page.goto(f"/p/{slug}/records/{number}/")
    page.get_by_label("Content, as JSON").fill("{")
    page.get_by_role("button", name=re.compile("^Save")).click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert at_each_width(page, [width]) == {}
    page.goto(f"/p/{slug}/store/tastes/")
    page.get_by_label(re.compile("^Schema, as JSON")).fill('{"type": "strng"}')
    expect(page.locator("#schema-state")).to_contain_text("problem")
    assert at_each_width(page, [width]) == {}
