import math
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from rule_strategies import all_ensembles_with_rows, as_array, for_all, named
from rules.small_models import ENSEMBLE

from sorb.losses import LOSSES
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble

ROW = {"age": 41.0, "weight": 70.0, "height": 180.0}


def bits(scores):
    return np.asarray(scores, dtype=float).tobytes()


def model_of(*propositions, columns=("a", "b"), loss="squared"):
    rules = tuple(Rule(Condition((p,)), float(k + 1)) for k, p in enumerate(propositions))
    return RuleEnsemble(0.0, rules, columns, loss)


@for_all(all_ensembles_with_rows(), examples=200)
def test_scores_are_those_of_the_ensemble_bit_for_bit(case):
    ensemble, rows = case
    compiled = ensemble.compile()
    expected = ensemble(as_array(rows))
    assert bits([compiled(row) for row in rows]) == bits(expected)
    assert bits([compiled(named(ensemble, row)) for row in rows]) == bits(expected)


@for_all(all_ensembles_with_rows(), examples=50)
def test_predictions_are_those_of_the_ensemble(case):
    ensemble, rows = case
    compiled, table = ensemble.compile(), as_array(rows)
    assert [compiled.predict(row) for row in rows] == ensemble.predict(table).tolist()
    if ensemble.loss.has_classes:
        expected = ensemble.predict_proba(table)
        assert bits([compiled.predict_proba(row) for row in rows]) == bits(expected)


@for_all(st.lists(st.floats(0, 1e3, width=32), min_size=3, max_size=3))
def test_a_row_on_the_boundary_is_covered(values):
    weights = (0.1, -0.7, 1 / 3)
    columns = ("a", "b", "c")
    total = 0.1 * values[0] + -0.7 * values[1] + 1 / 3 * values[2]
    for threshold in (total, math.nextafter(total, math.inf)):
        ensemble = model_of(Proposition(columns, weights, threshold), columns=columns)
        row = np.array(values, dtype=np.float32)
        assert ensemble.compile()(row) == ensemble(row[None])[0] == float(threshold <= total)


@pytest.mark.parametrize("power", [1.0, 2.0, -3.0, 0.5, -1 / 3, 1.75, 17.0])
def test_powers_are_those_of_arrays(power):
    x = np.random.default_rng(0).lognormal(size=500)
    for value in x[::50]:
        threshold = float(np.power(x, power)[np.flatnonzero(x == value)[0]])
        ensemble = model_of(Product(("a",), (power,), threshold), columns=("a",))
        compiled = ensemble.compile()
        assert [compiled([v]) for v in x.tolist()] == ensemble(x[:, None]).tolist()


@pytest.mark.parametrize("values", [[1e-200, 1.0], [1e200, 1e-200], [1e-200, 1e-200], [0.0, -1.0]])
def test_products_overflow_and_vanish_as_in_arrays(values):
    kinds = [(a, m) for a in (False, True) for m in (False, True)]
    ensemble = model_of(*(Product(("a", "b"), (2, -2), 3.0, *kind) for kind in kinds))
    assert ensemble.compile()(values) == ensemble(np.array([values]))[0]


@pytest.mark.parametrize(
    "value",
    [3, True, np.float32(0.1), np.int8(3), Decimal("0.1"), None, math.nan, pd.NA, 2**53 + 1],
)
def test_numbers_may_be_of_any_type(value):
    ensemble = model_of(
        *(Proposition(("a",), (1.0,), t, missing=True) for t in (0.1, 0.5, 2.0, 2.0**53)),
        columns=("a",),
    )
    expected = ensemble(pd.DataFrame({"a": pd.Series([value], dtype=object)}))[0]
    assert ensemble.compile()({"a": value}) == expected


@pytest.mark.parametrize("value", ["A", "B", 1, 1.0, True, None, math.nan, ["A"], np.float32(0.1)])
def test_labels_may_be_anything(value):
    ensemble = model_of(
        Membership("a", ("A", 1)), Membership("a", ("A", 0.1), negated=True), columns=("a",)
    )
    expected = ensemble(pd.DataFrame({"a": pd.Series([value], dtype=object)}))[0]
    assert ensemble.compile()([value]) == expected


def test_an_unused_column_may_hold_anything_or_be_left_out():
    compiled = ENSEMBLE.compile()
    expected = compiled(ROW)
    assert compiled({**ROW, "weight": "heavy"}) == expected
    assert compiled({"age": 41.0, "height": 180.0}) == expected
    assert compiled((41, math.inf, 180)) == expected


@pytest.mark.parametrize("loss", LOSSES)
def test_a_pickled_one_answers_alike(loss):
    offset = (0.5, 1.0) if loss == "softmax" else 0.5
    classes = ("no", "yes") if loss in ("softmax", "logistic") else None
    rules = (Rule(Condition((Proposition(("a",), (2.0,), 1.0),)), 1.0),)
    compiled = RuleEnsemble(offset, rules, ("a",), loss, classes).compile()
    again = pickle.loads(pickle.dumps(compiled))
    assert again.ensemble == compiled.ensemble
    assert (again([0.5]), again.predict([0.5])) == (compiled([0.5]), compiled.predict([0.5]))


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        ({**ROW, "agee": 1}, ValueError, "unknown columns: 'agee'"),
        ({"age": 41.0}, ValueError, "missing columns: 'height'; where a value is unknown"),
        ({**ROW, "age": "41"}, TypeError, "column 'age' must hold a number, found '41'"),
        ({**ROW, "age": math.inf}, ValueError, "column 'age' is inf: expected a finite number"),
        ({**ROW, "age": 10**400}, ValueError, "column 'age' is 1000.*: expected a finite"),
        ({**ROW, "age": [41]}, TypeError, r"column 'age' must hold a number, found \[41\]"),
        ([41.0, 70.0], ValueError, "expected 3 values, one for each column, found 2"),
        (np.ones((1, 3)), TypeError, r"expected one row.*found an array of shape \(1, 3\)"),
        ("abc", TypeError, "expected one row.*found str"),
        (41.0, TypeError, "expected one row.*found float"),
    ],
)
def test_errors_say_which_column_and_what_was_expected(row, error, message):
    with pytest.raises(error, match=message):
        ENSEMBLE.compile()(row)


def test_numbers_have_no_probabilities():
    with pytest.raises(ValueError, match="predicts numbers"):
        ENSEMBLE.compile().predict_proba(ROW)
