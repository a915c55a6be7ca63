"""Fields, tree, offers and links of the facts page."""

from __future__ import annotations

import re
from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from constraints.models import Conversation
from editor.services import document_create
from memory.facts.purge import purge_expired
from memory.models import Fact
from memory.stores.services import session_begin

HTMX = {"HX-Request": "true"}
AGENT = """AGENT: Desk
MEMORY:
  persistent:
    - PATH: user.tier
      ACCESS: readwrite
    - PATH: user.address
      ACCESS: read
  recall:
    - ON: session:start
      ACTION: inject_context
      PATHS: [user.tier]
FLOW:
  hello:
    RESPOND: "Hello, {{user.tier}}"
"""


def test_every_filter_has_a_field_that_shows_it(put, see):
    put(path="user.crm.tier", value="gold plate", source={"agent": "Desk"})
    put(path="user.crm.name")
    text = see("facts", search="GOLD", domain="crm", agent="Desk", since="24h", prefix="user.", below="user.crm")
    assert re.findall(r'id="fact-\d+"[^>]*>([^<]+)</a>', text) == ["user.crm.tier"]
    for field in (
        'name="search" id="facts-search" value="GOLD"',
        'name="domain" value="crm"',
        'name="agent" value="Desk"',
    ):
        assert field in text
    assert '<option value="24h" selected>' in text
    assert '<details class="more" open>' in text
    assert '<input type="hidden" name="below" value="user.crm">' in text
    assert '<option value="2026-03-03" selected>since 2026-03-03</option>' in see("facts", since="2026-03-03")


def test_the_tree_opens_the_way_to_the_chosen_node_by_last_segments(put, see):
    for path in ("user.crm.tier.name", "user.crm.tier.since", "user.crm.owner", "user.crm", "user.name"):
        put(path=path)
    tree = re.search(r'<ul class="tree".*?</ul>', see("facts", scope="user", owner="u1", below="user.crm.tier"), re.S)[
        0
    ]
    rows = [re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", row)).strip() for row in re.findall("<li>.*?</li>", tree)]
    assert rows[1:8] == ["u1 5", "user.crm 4", "owner 1", "tier 2", "name 1", "since 1", "user.name 1"]
    assert re.findall(r'aria-current="true"[^>]*title="([^"]+)"|title="([^"]+)" aria-current="true"', tree) == [
        ("", "user.crm.tier")
    ]


def test_agents_and_domains_that_are_there_are_offered(put, see):
    put(path="user.crm.tier", source={"agent": "Desk <1>"})
    put(path="user.name")
    assert re.findall('value="([^"]+)"', see("names", of="agent")) == ["Desk <1>"]
    assert re.findall('value="([^"]+)"', see("names", of="domain")) == ["crm", "name"]
    assert "odd" in see("names", of="odd", status=400)


def test_the_places_that_read_a_fact_link_into_the_agents(put, see, project, people):
    document_create(project=project, user=people["owner"], path="desk.agent.abl", text=AGENT, message="first")
    text = see("readers", put().pk)
    assert re.findall(r"line=(\d+)&column=\d+&end_line=\d+&end_column=\d+\">([^<]+)</a> <span[^>]*>([^<]+)<", text) == [
        ("4", "Desk, line 4", "declaration"),
        ("11", "Desk, line 11", "recall"),
        ("14", "Desk, line 14", "placeholder"),
    ]
    assert "line 6" in see("readers", put(path="user.address.city").pk)
    assert "No saved agent" in see("readers", put(path="user.nobody").pk)
    assert "<html" not in see("readers", put().pk, headers={**HTMX, "HX-Target": "fact-readers"})
    assert 'id="fact-readers"' in see("fact", put().pk)


def test_a_value_that_does_not_fit_its_declaration_is_told_where_it_is_declared(put, see, project, people, hour):
    text = AGENT.replace("      ACCESS: readwrite", "      TYPE: number\n      ACCESS: readwrite")
    document_create(project=project, user=people["owner"], path="desk.agent.abl", text=text, message="first")
    assert "declared number, the value is string" in see("readers", put().pk)
    assert see("readers", put().pk).count("declared number") == 1
    assert "declared number" not in see("readers", put(value=7).pk)
    assert "declared number" not in see("readers", put(value="x", ttl="1h", now=timezone.now() - 4 * hour).pk)


def test_a_conversation_links_to_its_session_if_there_is_one(project, as_role):
    conversation = Conversation.objects.create(project=project, number=1, version=1)
    address = reverse("constraints:conversation", args=["kiln", 1])
    link = reverse("memory:session", args=["kiln", conversation.session_id])
    assert link not in as_role("viewer").get(address).content.decode()
    session_begin(project=project, session=conversation.session_id, user="ines")
    assert link in as_role("viewer").get(address).content.decode()


def test_owners_say_how_many_of_their_facts_end_soon(put, see):
    put(owner="ana", path="user.soon", ttl="10m")
    put(owner="ana", path="user.stays")
    put(owner="bo", path="user.later", ttl="9d")
    rows = re.findall(r"<li>.*?</li>", see("facts", scope="user"), re.S)
    ana, bo = (next(row for row in rows if f">{name}<" in row) for name in ("ana", "bo"))
    assert '1<span class="sr"> expire soon' in ana
    assert "expire soon" not in bo


def test_the_page_says_when_values_were_removed_last(put, see, project):
    assert "Values last removed" not in see("facts")
    for path in ("user.a", "user.b"):
        put(path=path, ttl="1h")
    purge_expired(now=timezone.now() + timedelta(hours=2))
    removed = Fact.objects.filter(purged_at__isnull=False).first().purged_at
    assert f"Values last removed {removed:%-d %b, %H:%M}: 2 facts" in see("facts")


def test_a_look_is_offered_in_the_row_of_a_masked_value_to_who_may(put, see):
    fact = put(path="user.card", value="4111", sensitive=True)
    put(path="user.tier")
    assert f'id="reveal-{fact.pk}"' in see("facts")
    assert see("facts").count("data-reveal") == 1
    assert "data-reveal" not in see("facts", role="viewer")
