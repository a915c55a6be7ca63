"""Keyset pages: every fact once, in order, forwards and back, whatever is written meanwhile."""

from __future__ import annotations

from datetime import timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.lists.paging import Cursor, fact_page
from memory.lists.query import SORTS, STATES, FactQuery
from memory.models import Fact
from tests.every import each
from tests.factories import ProjectFactory
from web.errors import Invalid


@pytest.fixture
def many(project, now):
    """60 facts in three scopes: many share an expiry, some have none, some are expired."""
    rows = []
    for number in range(60):
        scope = ("user", "project", "execution_tree")[number % 3]
        expires = None if number % 5 == 0 else now + timedelta(minutes=20 * (number // 4) - 60)
        path = f"{'user' if number % 2 else 'a'}.f{number * 37 % 60:02}"
        owner = "" if scope == "project" else f"o{number % 4}"
        rows.append(
            Fact(
                project=project,
                scope=scope,
                owner=owner,
                path=path,
                domain=path,
                value=number,
                type="number",
                version=1,
                written_at=now - timedelta(days=1),
                recorded_at=now,
                expires_at=expires,
                sensitive=False,
                virtual_clock=False,
            )
        )
    Fact.objects.bulk_create(rows)
    Fact.objects.bulk_create([Fact(**{**plain(rows[1]), "project": ProjectFactory()})])
    return project


def plain(fact):
    return {
        field.attname: getattr(fact, field.attname)
        for field in Fact._meta.concrete_fields
        if field.attname not in ("id", "project_id")
    }


def forwards(project, now, query, size=7):
    pages, cursor = [], ""
    while True:
        page = fact_page(project=project, query=query, now=now, cursor=cursor, size=size)
        pages.append(page)
        if page.next is None:
            return pages
        cursor = page.next


@pytest.mark.full
def test_walking_all_pages_gives_every_fact_once(many, now):
    choices = product(SORTS, ("", *STATES), ("", "user"))
    each(((f"{choice}", (many, now, *choice)) for choice in choices), gives_every_fact_once)


def gives_every_fact_once(many, now, sort, state, scope):
    query = FactQuery(scope=scope, state=state, sort=sort)
    pages = forwards(many, now, query)
    found = [fact.pk for page in pages for fact in page.facts]
    wanted = {
        f.pk for f in Fact.objects.filter(project=many) if (not scope or f.scope == scope) and fits(f, state, now)
    }
    assert len(found) == len(set(found))
    assert set(found) == wanted
    back, cursor = [], pages[-1].previous
    while cursor:
        page = fact_page(project=many, query=query, now=now, cursor=cursor, size=7)
        back = [fact.pk for fact in page.facts] + back
        cursor = page.previous
    assert back + [fact.pk for fact in pages[-1].facts] == found


@pytest.mark.parametrize("named", [{"agent": "Rare_Desk"}, {"domain": "crm"}, {"domain": "crm", "agent": "Desk"}])
def test_filters_together_give_what_each_of_them_passes(many, now, named):
    """An agent or a domain, with a state, in every order: whichever index serves which of them."""
    keys = list(Fact.objects.filter(project=many).order_by("pk").values_list("pk", flat=True))
    for step, column, name in (
        (1, "agent", "Desk"),
        (3, "agent", "Rare_Desk"),
        (4, "tag", "crm"),
        (7, "domain", "crm"),
    ):
        Fact.objects.filter(pk__in=keys[::step]).update(**{column: name})
    choices = product(SORTS, ("", *STATES))
    each(((f"{choice}", (many, now, *choice, named)) for choice in choices), gives_what_each_filter_passes)


def gives_what_each_filter_passes(many, now, sort, state, named):
    pages = forwards(many, now, FactQuery(state=state, sort=sort, **named))
    found = [fact.pk for page in pages for fact in page.facts]
    agent, domain = named.get("agent"), named.get("domain")
    wanted = {
        fact.pk
        for fact in Fact.objects.filter(project=many)
        if (not agent or fact.agent == agent)
        and (not domain or domain in (fact.domain, fact.tag))
        and fits(fact, state, now)
    }
    assert wanted
    assert len(found) == len(set(found))
    assert set(found) == wanted


def fits(fact, state, now):
    real = fact.state(now)
    return {"": True, "live": real != "expired"}.get(state, real == state)


def test_sorted_by_path(many, now):
    paths = [fact.path for page in forwards(many, now, FactQuery(sort="path")) for fact in page.facts]
    assert paths == sorted(paths)


def test_sorted_by_time_left_the_endless_come_last(many, now):
    times = [fact.expires_at for page in forwards(many, now, FactQuery(sort="time")) for fact in page.facts]
    ends = [at for at in times if at is not None]
    assert times == sorted(ends) + [None] * (len(times) - len(ends))


def test_a_prefix_is_plain_text(many, now):
    paths = {fact.path for page in forwards(many, now, FactQuery(prefix="user.f1", sort="path")) for fact in page.facts}
    assert paths == set(Fact.objects.filter(project=many, path__startswith="user.f1").values_list("path", flat=True))
    assert fact_page(project=many, query=FactQuery(prefix="%"), now=now).facts == []


def test_an_owner_within_a_scope(many, now):
    page = fact_page(project=many, query=FactQuery(scope="user", owner="o1"), now=now)
    assert {(fact.scope, fact.owner) for fact in page.facts} == {("user", "o1")}


def test_a_page_stays_in_place_when_facts_come_and_go(many, now, put):
    first = fact_page(project=many, query=FactQuery(), now=now, size=10)
    Fact.objects.filter(pk=first.facts[-1].pk).delete()
    put(path="a.a0")
    following = fact_page(project=many, query=FactQuery(), now=now, size=10, cursor=first.next)
    assert following.facts[0].path > first.facts[-1].path or following.facts[0].pk > first.facts[-1].pk
    assert not {fact.pk for fact in first.facts} & {fact.pk for fact in following.facts}


def test_the_order_is_that_of_code_points_on_every_database(put, project, now):
    for path in ("user.b", "user.B", "user._a", "user.a1", "user.a"):
        put(path=path)
    paths = [fact.path for fact in fact_page(project=project, query=FactQuery(), now=now).facts]
    assert paths == ["user.B", "user._a", "user.a", "user.a1", "user.b"]


def test_a_page_is_four_queries_at_most(many, now, django_assert_max_num_queries):
    with django_assert_max_num_queries(4):
        fact_page(project=many, query=FactQuery(sort="path"), now=now)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "é",
        "W10",
        Cursor(0, "a.b", 1).text(),
        Cursor(0, "0001-01-01T00:00:00+14:00", 1).text(),
        "WzAsIlx1ZDgwMCIsMSwwXQ",
    ],
)
def test_a_cursor_that_is_not_ours_is_refused_by_name(project, now, cursor):
    with pytest.raises(Invalid) as error:
        fact_page(project=project, query=FactQuery(sort="time"), now=now, cursor=cursor)
    assert list(error.value.fields) == ["cursor"]


@given(st.text(max_size=60))
def test_no_text_of_a_cursor_makes_more_than_a_refusal(text):
    try:
        read = Cursor.read(text)
    except Invalid:
        return
    assert Cursor.read(read.text()) == read


@given(
    st.integers(0, 1),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    st.integers(0, 2**62),
    st.booleans(),
)
def test_a_cursor_reads_what_it_wrote(phase, key, pk, back):
    cursor = Cursor(phase, key, pk, back)
    assert Cursor.read(cursor.text()) == cursor
