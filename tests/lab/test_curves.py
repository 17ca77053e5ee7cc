import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_results import curve, repeated, row, written

from sorb.lab.curves import Failure, failures, trade_off_curves, with_chosen_penalty

risks = st.floats(0.0, 1.5)
few = st.integers(0, 3)
penalties = st.sampled_from([1e-10, 1e-3, 0.1, 1.0, 10.0])


def frame(rows, dataset="iris", method="LLTB", repetition=0):
    place = {"dataset": dataset, "method": method, "repetition": repetition, "failure": None}
    return pd.DataFrame([{**place, **row} for row in rows])


# --- which model counts


def test_cross_validation_chooses_a_penalty_for_each_size():
    rows = [
        row("iris", 1, 3, 0.5, reg_lambda=0.1, cv_risk=0.3),
        row("iris", 1, 4, 0.1, reg_lambda=1.0, cv_risk=0.4),
        row("iris", 2, 6, 0.2, reg_lambda=0.1, cv_risk=0.9),
        row("iris", 2, 7, 0.3, reg_lambda=1.0, cv_risk=0.8),
    ]
    assert with_chosen_penalty(frame(rows), "cv")["complexity"].tolist() == [3, 7]


def test_oracle_chooses_by_the_test_rows():
    rows = [
        row("iris", 1, 3, 0.5, reg_lambda=0.1, cv_risk=0.3),
        row("iris", 1, 4, 0.1, reg_lambda=1.0, cv_risk=0.4),
    ]
    assert with_chosen_penalty(frame(rows), "oracle")["complexity"].tolist() == [4]


def test_of_equal_penalties_the_larger_is_chosen():
    rows = [row("iris", 1, c, 0.5, reg_lambda=c) for c in (1.0, 10.0, 0.1)]
    assert with_chosen_penalty(frame(rows), "cv")["reg_lambda"].tolist() == [10.0]


def test_a_single_row_needs_no_criterion():
    rows = [row("iris", 1, 3, None, cv_risk=None, test_error=0.2, reg_lambda=None)]
    assert (
        len(with_chosen_penalty(frame(rows), "cv"))
        == len(with_chosen_penalty(frame(rows), "oracle"))
        == 1
    )


def test_several_rows_without_a_criterion_are_refused():
    rows = [row("iris", 3, c, 0.4, cv_risk=None) for c in (3, 4)]
    with pytest.raises(ValueError, match=r"LLTB on iris \(repetition 0, step 3\).*no cv_risk"):
        with_chosen_penalty(frame(rows), "cv")


def test_rows_at_the_end_that_repeat_the_one_before_are_dropped():
    rows = curve("iris", [(3, 0.5), (3, 0.5), (6, 0.4), (6, 0.3), (6, 0.3), (6, 0.3)])
    assert with_chosen_penalty(frame(rows), "cv")["step"].tolist() == [1, 2, 3, 4]


def test_dropping_does_not_cross_units():
    both = [frame(curve("iris", [(3, 0.5)]), repetition=r) for r in (0, 1)]
    assert len(with_chosen_penalty(pd.concat(both, ignore_index=True), "cv")) == 2


def test_failures_and_counts_of_iterations_are_no_models(tmp_path):
    units = {
        **repeated("iris", "LLTB", [[(3, 0.5)]]),
        ("iris", "path", 0): [{"step": 1, "iterations": 4.0}],
        ("iris", "EBM", 2): [{"failure": "it <broke>"}],
    }
    rows = written(tmp_path, units).table()
    assert set(trade_off_curves(rows)) == {("iris", "LLTB")}
    assert failures(rows) == [Failure("iris", "EBM", 2, "it <broke>")]


def test_a_method_without_probabilities_has_errors_only(tmp_path):
    units = {("iris", "BRS", 0): [row("iris", 1, 6, None, test_error=0.3, train_error=0.2)]}
    rows = written(tmp_path, units).table()
    assert trade_off_curves(rows, "cv", "risk") == {}
    (found,) = trade_off_curves(rows, "cv", "error")["iris", "BRS"]
    assert (found.test[0], found.train[0]) == (0.3, 0.2)


def test_a_regression_has_no_errors(tmp_path):
    rows = written(tmp_path, repeated("diabetes", "LLTB", [[(3, 0.5)]])).table()
    assert trade_off_curves(rows, "cv", "error") == {}


def slowly_chosen(rows, criterion):
    """Select by plain loops."""
    chosen = []
    for step in sorted({r["step"] for r in rows}):
        best = min(
            (r for r in rows if r["step"] == step), key=lambda r: (r[criterion], -r["reg_lambda"])
        )
        chosen.append((best["complexity"], best["test_risk"]))
    while len(chosen) > 1 and chosen[-1] == chosen[-2]:
        chosen.pop()
    return chosen


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.integers(1, 4), penalties, st.integers(1, 9), few, few),
        min_size=1,
        unique_by=lambda r: r[:2],
    ),
    st.sampled_from([("cv", "cv_risk"), ("oracle", "test_risk")]),
)
def test_selection_agrees_with_plain_loops(drawn, way):
    rows = [
        row("iris", step, float(c), risk / 3, reg_lambda=penalty, cv_risk=cv / 3)
        for step, penalty, c, risk, cv in drawn
    ]
    shuffled = frame(rows).sample(frac=1, random_state=0)
    (found,) = trade_off_curves(shuffled, way[0])["iris", "LLTB"]
    assert list(zip(found.complexity, found.test, strict=True)) == slowly_chosen(rows, way[1])
