"""Texts are told apart: categories, dates, names, and numbers written badly."""

import datetime as dt
import random

import pytest
from hypothesis import strategies as st
from rule_strategies import for_all

from sorb.tables.text_kinds import TextKind, recognise_texts

# What people write into columns of categories, each of them often.
CATEGORIES = {
    "grades": ["A+", "A", "B−", "C"],
    "classes": ["1st class", "2nd class", "3rd class"],
    "ordinals": ["1st", "2nd", "3rd", "4th"],
    "ranges": ["<30", "30-39", "40-49", "≥50"],
    "ages": ["1-5 years", "6-10 years", "11+ years"],
    "counts": ["0", "1", "2", "3+"],
    "few doors": ["2 doors", "4 doors", "5 doors"],
    "doses": ["5 mg", "10 mg", "20 mg"],
    "years": [str(year) for year in range(1950, 2020)],
    "postcodes": [f"{code:05}" for code in range(10115, 10315)],
    "diseases": ["E11.9", "I10", "I25.1", "J45", "N18.3"],
    "old diseases": [str(code) for code in range(240, 280)] + ["250.83", "V57", "E909", "V30"],
    "seats": [f"{row}{seat}" for row in range(1, 30) for seat in "ABCDEF"],
    "titres": ["1:10", "1:20", "1:40", "1:80"],
    "shifts": ["06:00", "14:00", "22:00"],
    "seasons": ["2008-09", "2009-10", "2010-11", "2011-12"],
    "versions": ["1.0.2", "1.1.0", "2.0.1"],
    "pressures": ["120/80", "140/90", "160/100"],
    "plates": [f"B-{k}" for k in range(100)],
}


@pytest.mark.parametrize("name", CATEGORIES)
def test_what_recurs_is_a_category(name):
    texts = CATEGORIES[name]
    assert recognise_texts(texts, 10 * len(texts)).kind is TextKind.CATEGORIES
    assert recognise_texts([*texts, "unknown"][:20], 40).kind in (
        TextKind.CATEGORIES,
        TextKind.STRAY,  # among whole numbers, it may be a mistake
    )


WORDS = st.text("abcdefghijklmnopqrstuvwxyzäßé ", min_size=1, max_size=12)


@for_all(texts=st.lists(WORDS, max_size=200, unique=True))
def test_words_that_recur_are_categories(texts):
    assert recognise_texts(texts, 5 * len(texts)).kind is TextKind.CATEGORIES


FORMATS = [
    *("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y%m%d", "%d.%m.%y"),
    *("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%m/%d/%Y %I:%M %p"),
    *("%d %b %Y", "%d-%b-%Y", "%b %d, %Y", "%B %d, %Y", "%A, %d %B %Y", "%d%b%Y"),
]
DATES = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2099, 12, 31))


@pytest.mark.parametrize("written", FORMATS)
@for_all(dates=st.lists(DATES, min_size=1, max_size=50), others=st.sampled_from([0, 1, 2]))
def test_dates_are_dates_even_beside_marks_of_missing_values(written, dates, others):
    texts = list({date.strftime(written) for date in dates})
    marks = ["unknown", "-"][: min(others, (len(texts) - 1))]
    found = recognise_texts([*texts, *marks], len(texts) * 3)
    assert (found.kind, found.example) == (TextKind.DATES, min(texts))


def test_many_times_of_the_day_are_times():
    texts = [f"{k // 60:02}:{k % 60:02}" for k in range(0, 1440, 7)]
    assert recognise_texts(texts).kind is TextKind.DATES


def test_days_that_do_not_exist_are_no_dates():
    texts = ["31.02.2020", "99.99.9999", "2020-13-01", "25:00"]
    assert recognise_texts(texts).kind is TextKind.CATEGORIES


def test_months_are_dates_if_they_are_no_seasons():
    months = [f"{year}-{month:02}" for year in (2019, 2020) for month in range(1, 13)]
    assert recognise_texts(months).kind is TextKind.DATES


NUMBERS = st.floats(0.001, 9999.0).map(lambda number: f"{number:.2f}")
WRITTEN = {
    "kg": "{} kg",
    "no gap": "{}kg",
    "per": "{} mg/dl",
    "degrees": "{} °C",
    "money": "€ {}",
    "dollars": "${}",
    "millions": "{}M",
}


@pytest.mark.parametrize("unit", WRITTEN)
@for_all(numbers=st.lists(NUMBERS, min_size=2, max_size=50, unique=True))
def test_numbers_with_units_are_numbers(unit, numbers):
    texts = [WRITTEN[unit].format(number) for number in numbers]
    assert recognise_texts(texts, len(texts)).kind is TextKind.UNITS
    assert recognise_texts([*texts, "5"], len(texts)).kind is TextKind.UNITS


def test_many_whole_numbers_with_a_unit_are_numbers():
    texts = [f"{k} kg" for k in range(21)]
    assert recognise_texts(texts, 900).kind is TextKind.UNITS
    assert recognise_texts(texts[:20], 900).kind is TextKind.CATEGORIES
    assert recognise_texts(texts[:9], 9).kind is TextKind.UNITS


@for_all(numbers=st.lists(NUMBERS, min_size=3, max_size=99, unique=True), word=WORDS)
def test_a_word_among_numbers_is_named(numbers, word):
    if word in ("inf", "infinity"):
        return
    found = recognise_texts([*numbers, word])
    assert (found.kind, found.example, found.shows(word)) == (TextKind.STRAY, word, True)
    assert not any(map(found.shows, numbers))


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1.5", "2"], TextKind.NUMBERS),
        (["1,5", "2"], TextKind.DECIMAL_COMMAS),
        (["1,500", "2"], TextKind.COMMAS),
        (["1,5", "2.5"], TextKind.MIXED_COMMAS),
        (["1,500.0", "2"], TextKind.SEPARATED),
        (["1 500", "900"], TextKind.SEPARATED),
        (["12 %", "7"], TextKind.PERCENT),
        (["1", "2", ">3", "4"], TextKind.STRAY),
        (["030 123 456", "030 321 765"], TextKind.CATEGORIES),
        ([], TextKind.CATEGORIES),
    ],
)
def test_numbers_that_are_written_badly(texts, kind):
    assert recognise_texts(texts).kind is kind


@pytest.mark.parametrize(
    "texts",
    [
        [f"P-{k:05}" for k in range(60)],
        [f"{k:05}" for k in range(60)],
        [f"user{k}@example.org" for k in range(60)],
        [f"{random.Random(k).getrandbits(128):032x}" for k in range(60)],
        [f"The patient number {k} was well, and went home." for k in range(60)],
    ],
    ids=["codes", "digits", "addresses", "hashes", "sentences"],
)
def test_what_hardly_recurs_names_rows(texts):
    assert recognise_texts(texts, 60).kind is TextKind.NAMES
    assert recognise_texts(texts, 89).kind is TextKind.NAMES
    assert recognise_texts(texts, 91).kind is TextKind.CATEGORIES
    assert recognise_texts(texts[:20], 20).kind is TextKind.CATEGORIES


def test_too_many_texts_are_no_categories():
    texts = [f"town {k}" for k in range(256)]
    assert recognise_texts(texts, 9999).kind is TextKind.TOO_MANY
    assert recognise_texts(texts[:255], 9999).kind is TextKind.CATEGORIES
    assert recognise_texts(texts, whole=False).kind is TextKind.TOO_MANY


@for_all(texts=st.lists(st.text(max_size=20), unique=True, max_size=30), seed=st.integers(0, 9))
def test_the_order_of_texts_has_no_influence(texts, seed):
    other = random.Random(seed).sample(texts, len(texts))
    one, two = (recognise_texts(each, 50) for each in (texts, other))
    assert (one.kind, one.count, one.example) == (two.kind, two.count, two.example)
