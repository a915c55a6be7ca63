"""Typed values in the words of a user (docs/spec 07 §3)."""

import time
from datetime import date

import pytest

from abl.runtime.gather.recognise import parse_number, recognise, whole

SUNDAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("12", "en", 12),
        ("-3.5", "en", -3.5),
        ("1,200", "en", 1200),
        ("1,200.50", "en", 1200.5),
        ("1.200,50", "de", 1200.5),
        ("1 200", "en", 1200),
        ("3,5", "de", 3.5),
        ("twenty-one", "en", 21),
        ("twenty one", "en", 21),
        ("Hundred", "en", 100),
        ("zero", "en", 0),
        ("a hundred", "en", 100),
        ("one hundred", "en", 100),
        ("1.200", "en", 1.2),
        ("1,20", "en", 1.2),
        ("1,200,300", "en", 1200300),
        ("1.200.300", "de", 1200300),
        ("1.5", "de", 1.5),
    ],
)
def test_numbers_are_read_by_the_language(text, language, value):
    assert parse_number(text, language) == value


@pytest.mark.parametrize("text", ["", "abc", "1e999", "--3", "1.2,3"])
def test_what_is_no_number_gives_none(text):
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-05-04", "2026-05-04"),
        ("on the 4th of May 2027", "2027-05-04"),
        ("May 4", "2026-05-04"),
        ("Feb 3rd", "2027-02-03"),
        ("today", "2026-03-01"),
        ("tomorrow", "2026-03-02"),
        ("yesterday", "2026-02-28"),
        ("day after tomorrow", "2026-03-03"),
        ("next monday", "2026-03-02"),
        ("sunday", "2026-03-01"),
        ("next sunday", "2026-03-08"),
        ("last friday", "2026-02-27"),
        ("in 3 days", "2026-03-04"),
        ("in two weeks", "2026-03-15"),
        ("5/4/2026", "2026-05-04"),
        ("in a month", "2026-04-01"),
        ("in 9 months", "2026-12-01"),
        ("in 10 months", "2027-01-01"),
        ("in a year", "2027-03-01"),
        ("4 sep", "2026-09-04"),
        ("Sept. 4", "2026-09-04"),
        ("March 1", "2026-03-01"),
        ("last sunday", "2026-02-22"),
    ],
)
def test_dates_count_from_today(text, value):
    assert [found.value for found in recognise("date", text, "en", SUNDAY)] == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("monday", "2026-03-09"),
        ("this friday", "2026-03-06"),
        ("next wednesday", "2026-03-11"),
        ("last wednesday", "2026-02-25"),
        ("last tuesday", "2026-03-03"),
    ],
)
def test_weekdays_count_from_the_middle_of_a_week(text, value):
    assert [found.value for found in recognise("date", text, "en", date(2026, 3, 4))] == [value]


def test_the_last_day_of_a_month_stays_in_the_month_that_is_meant():
    assert recognise("date", "in a month", "en", date(2026, 1, 31))[0].value == "2026-02-28"
    assert recognise("date", "in 2 months", "en", date(2026, 1, 31))[0].value == "2026-03-31"


def test_day_and_month_follow_the_locale():
    assert recognise("date", "5/4/2026", "en-GB", SUNDAY)[0].value == "2026-04-05"
    assert recognise("date", "5.4.2026", "de", SUNDAY)[0].value == "2026-04-05"


def test_a_date_without_year_can_be_in_the_past():
    assert recognise("date", "Dec 24", "en", SUNDAY, "past")[0].value == "2025-12-24"
    assert recognise("date", "Dec 24", "en", SUNDAY)[0].value == "2026-12-24"
    assert recognise("date", "Feb 28", "en", SUNDAY, "past")[0].value == "2026-02-28"
    assert recognise("date", "Mar 1", "en", SUNDAY, "past")[0].value == "2026-03-01"
    assert recognise("date", "Mar 1", "en", SUNDAY, "future")[0].value == "2026-03-01"


@pytest.mark.parametrize("text", ["2026-13-01", "30 February", "no date here", "in 999999 years"])
def test_impossible_dates_are_not_found(text):
    assert recognise("date", text, "en", SUNDAY) == []


@pytest.mark.full
def test_another_language_is_read_with_its_month_names():
    assert recognise("date", "am 4. Mai 2026", "de", SUNDAY)[0].value == "2026-05-04"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("tomorrow at 5pm", "2026-03-02T17:00:00Z"),
        ("2026-05-04 12:30", "2026-05-04T12:30:00Z"),
        ("12am today", "2026-03-01T00:00:00Z"),
        ("12pm today", "2026-03-01T12:00:00Z"),
        ("12:05 am today", "2026-03-01T00:05:00Z"),
        ("23:59 today", "2026-03-01T23:59:00Z"),
        ("7 p.m. tomorrow", "2026-03-02T19:00:00Z"),
    ],
)
def test_a_datetime_is_a_date_with_a_time(text, value):
    assert recognise("datetime", text, "en", SUNDAY)[0].value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("yes please", True), ("nope", False), ("not sure", False), ("OK", True), ("I would rather not", False)],
)
def test_agreement_and_refusal_are_read_as_booleans(text, value):
    assert recognise("boolean", text, "en", SUNDAY)[0].value is value


def test_the_language_brings_its_own_pair():
    assert whole("boolean", "Ja", "de", SUNDAY).value is True
    assert whole("boolean", "Ja", "en", SUNDAY) is None


def test_an_amount_knows_its_currency():
    assert [(f.value, f.extra) for f in recognise("currency", "€1,200.50", "en", SUNDAY)] == [(1200.5, "EUR")]
    assert [(f.value, f.extra) for f in recognise("currency", "30 USD", "en", SUNDAY)] == [(30, "USD")]


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("ab123456", []),
        ("a12 and EURO12", []),
        ("EUR12", [(12, "EUR")]),
        ("12EUR", [(12, "EUR")]),
        ("five dollars", [(5, None)]),
        ("twenty-five EUR", [(25, "EUR")]),
        ("one of those for 50 EUR", [(50, "EUR")]),
    ],
)
def test_an_amount_is_made_of_whole_words(text, amounts):
    assert [(f.value, f.extra) for f in recognise("currency", text, "en", SUNDAY)] == amounts


def test_mail_and_phone_are_normalised():
    assert recognise("email", "write Ada@Example.ORG.", "en", SUNDAY)[0].value == "Ada@example.org"
    assert recognise("phone", "call +49 (30) 123 4567", "en", SUNDAY)[0].value == "+49-30-123-4567"
    assert recognise("phone", "12345", "en", SUNDAY) == []


def test_whole_needs_the_whole_text():
    assert whole("number", " 4. ", "en", SUNDAY).value == 4
    assert whole("number", "4 people", "en", SUNDAY) is None
    assert whole("number", "people 4", "en", SUNDAY) is None
    assert whole("number", "4 5", "en", SUNDAY) is None


def test_a_fraction_is_no_integer():
    assert recognise("integer", "2.5", "en", SUNDAY) == []


def test_a_huge_message_is_read_in_bounded_time():
    assert len(recognise("number", "7 " * 1_000_000, "en", SUNDAY)) <= 5_000


@pytest.mark.parametrize("piece", ["a", "1", "a@", "1.1.", "-", "+1", "a.b@c "])
def test_a_long_message_is_looked_through_once(piece):
    began = time.process_time()
    recognise("email", piece * (20_000 // len(piece)), "en", SUNDAY)
    assert time.process_time() - began < 0.2
