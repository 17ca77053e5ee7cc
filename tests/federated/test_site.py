"""What a site answers, and what it does not."""

import json
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sorb.federated import Site

OPEN = {"ask": "columns", "categorical": "from_dtype", "loss": None}
AGE = {"range": {"low": 30.0, "high": 60.0}, "square": 12_345, "linear": 67_890}
PLAN = {"seed": 0, "columns": {"age": AGE}, "outcome": None, "digits": 1}
EVERY = 2**31 - 1
OLD = [{"kind": "linear", "columns": ["age"], "weights": [1.0], "threshold": 45.0}]


def table():
    return pl.DataFrame(
        {
            "age": [30, 40, 50, None, 60],
            "group": ["A", "B", "A", None, "A"],
            "ill": [False, False, True, True, True],
        }
    )


def ask(site, name, **details):
    return json.loads(json.dumps(site.answer({"ask": name, **details}), allow_nan=False))


def open_site(site, loss=None):
    """Begin a fit; give what asks its further questions."""
    return partial(ask, site, fit=site.answer({**OPEN, "loss": loss})["fit"])


def opened(**options):
    return open_site(Site(table(), "ill", name="north", **options))


def test_every_question_has_a_plain_answer():
    site = Site(table(), "ill", name="north")
    columns = ask(site, "columns", categorical="from_dtype", loss=None)
    asked = partial(ask, site, fit=columns.pop("fit"))
    assert columns == {
        "features": ["age", "group"],
        "kinds": {"age": "number", "group": "text", "ill": "boolean"},
        "categorical": ["group"],
        "y": "ill",
        "weight": None,
        "exposure": None,
        "single": False,
        "counted": True,
        "min_rows": 1,
        "shares_rows": True,
    }
    assert asked("numbers", counted=True) == {
        "ranges": {"age": {"low": 30, "high": 60, "excess": 15, "count": 4}},
        "incomplete": ["age", "group"],
    }
    assert sorted(asked("labels", column="group")["labels"]) == ["A", "B"]
    between = asked("between", ranges={"age": {"low": 30, "high": 60}})
    assert between == {"columns": ["age"]}
    classes = asked("classes")["classes"]
    assert {c["label"]: (c["n_rows"], c["weight"]) for c in classes} == {
        False: (2, 2),
        True: (3, 3),
    }
    keys = asked("keys", plan=PLAN, limit=EVERY)
    assert {c["label"]: len(c["keys"]) for c in keys["classes"]} == {False: 2, True: 3}
    assert keys["n_rows"] == 5
    draw = {"plan": PLAN, "limits": [[None, EVERY]]}
    rows = asked("sample", draw=draw, copied=False, most=None)["columns"]
    assert rows["age"] == [30, 40, 50, None, 60]
    assert rows["ill"] == [False, False, True, True, True]
    sums = asked("sums", conditions=[OLD], shift=0.0)
    groups = zip(sums["covered"], sums["labels"], sums["n_rows"], sums["weight"], strict=True)
    assert sorted(groups) == [("0", False, 2, 2.0), ("0", True, 1, 1.0), ("1", True, 2, 2.0)]


def test_sums_of_numbers():
    site = Site(pl.DataFrame({"x": [0, 1, 1], "y": [1.0, 2.0, 4.0]}), "y", name="north")
    asked = open_site(site, {"name": "squared"})
    assert asked("outcomes") == {"n_rows": 3, "weight": 3, "range": {"low": 1, "high": 4}}
    condition = [{"kind": "linear", "columns": ["x"], "weights": [1.0], "threshold": 0.5}]
    sums = asked("sums", conditions=[condition], shift=1.0)
    assert dict(zip(sums["covered"], sums["outcome"], strict=True)) == {"0": 0, "1": 4}


def test_decimal_numbers_are_plain_numbers():
    import duckdb

    frame = duckdb.sql("SELECT 1.5 AS x, 2.0 AS y UNION ALL SELECT 2.5, 3.0")
    asked = open_site(Site(frame, "y", name="north"))
    assert sorted(c["label"] for c in asked("classes")["classes"]) == [2.0, 3.0]
    rows = asked("sample", draw=None, copied=False, most=None)["columns"]
    assert sorted(rows["x"]) == [1.5, 2.5]


def test_several_fits_may_go_on_at_the_same_time():
    site = Site(pl.DataFrame({"x": [0, 1], "y": [0, 1]}), "y", name="north")
    of_classes, of_numbers = open_site(site), open_site(site, {"name": "squared"})
    assert len(of_classes("classes")["classes"]) == 2
    assert of_numbers("outcomes")["range"] == {"low": 0, "high": 1}
    assert sorted(of_classes("sums", conditions=[], shift=0.0)["labels"]) == [0, 1]


def test_only_the_last_fits_are_known():
    site = Site(pl.DataFrame({"x": [0, 1], "y": [0, 1]}), "y", name="north")
    first, second, *_ = [open_site(site) for _ in range(17)]
    assert second("classes")["classes"]
    with pytest.raises(ValueError, match="this fit is not known here"):
        first("classes")


REFUSED = {
    "rows": ("sample", {"draw": None, "copied": False, "most": None}, "no rows leave this site"),
    "keys": ("keys", {"plan": PLAN, "limit": 5}, "no rows leave this site, nor their keys"),
    "labels of outcomes": ("labels", {"column": "ill"}, "column 'ill' is not one with categories"),
    "conditions on outcomes": (
        "sums",
        {"conditions": [[{**OLD[0], "columns": ["ill"]}]], "shift": 0.0},
        "column 'ill' is not one to learn from",
    ),
    "ranges of outcomes": (
        "between",
        {"ranges": {"ill": {"low": 0, "high": 1}}},
        "column 'ill' is not one to learn from",
    ),
    "parts of a range": (
        "between",
        {"ranges": {"age": {"low": 35, "high": 60}}},
        "the ends must include the whole range of column 'age'",
    ),
    "anything else": ("everything", {}, "expected one of the questions"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    question, details, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        opened(rows=False)(question, **details)


def test_numbers_as_categories_are_told_only_by_sites_that_share_rows():
    site = Site(table(), "ill", name="north", rows=False)
    fit = site.answer({**OPEN, "categorical": ["age", "group"]})["fit"]
    with pytest.raises(ValueError, match="column 'age' holds numbers, which leave this site only"):
        ask(site, "labels", fit=fit, column="age")
    assert sorted(ask(site, "labels", fit=fit, column="group")["labels"]) == ["A", "B"]


def test_rows_are_drawn_only_by_keys_that_were_counted():
    draw = {"plan": PLAN, "limits": [[None, EVERY]]}
    with pytest.raises(ValueError, match="only by keys that have been counted"):
        opened()("sample", draw=draw, copied=False, most=None)


def test_the_first_question_opens_the_table():
    with pytest.raises(ValueError, match="not known here: first ask for the columns"):
        Site(table(), "ill", name="north").answer({"ask": "numbers", "counted": True})


def test_a_site_needs_a_table():
    with pytest.raises(TypeError, match="a lazy frame or a DataFrame, found ndarray"):
        Site(np.ones((2, 2)), "ill", name="north")
    with pytest.raises(ValueError, match="min_rows must be a whole number ≥ 1, found 0"):
        Site(pd.DataFrame({"ill": [0]}), "ill", name="north", min_rows=0)


@pytest.mark.parametrize("name", ["agee", "group"])
def test_ranges_that_would_hide_nothing_are_refused(name):
    with pytest.raises(ValueError, match=f"ranges names '{name}', which is neither"):
        opened(ranges={name: (0, 120)})


def test_no_learner_takes_a_column_with_a_range_for_categories():
    site = Site(table(), "ill", name="north", ranges={"age": (0, 120)})
    with pytest.raises(ValueError, match="ranges names 'age', which is neither"):
        site.answer({**OPEN, "categorical": ["age", "group"]})


@pytest.mark.parametrize("ends", [(120, 0), (0, np.nan), (-np.inf, np.inf)])
def test_a_range_has_two_finite_ends(ends):
    with pytest.raises(ValueError, match="the range of column 'age' must be two finite numbers"):
        Site(table(), "ill", name="north", ranges={"age": ends})


def test_outcomes_may_have_a_range_whatever_is_fitted():
    ranges = {"ill": (0, 1), "age": (0, 120)}
    assert opened(ranges=ranges)("numbers", counted=True)["ranges"] == {
        "age": {"low": 0, "high": 120}
    }
