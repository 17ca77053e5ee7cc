import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st
from rule_strategies import parts, product_value, weighted_sum
from simplify.models import one_rule
from simplify.tables import NAMES, anything, for_all, trained_looking

from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.simplify import simplify


@for_all(trained_looking() | anything())
def test_certificate_is_json_and_prints(case):
    ensemble, X = case
    certificate = simplify(ensemble, X).certificate
    read = json.loads(json.dumps(certificate.to_dict(), allow_nan=False))
    assert read["n_rows"] == len(X)
    assert len(read["votes"]) == len(ensemble) + np.size(ensemble.offset)
    units = dict(ensemble.units)
    for change, entry in zip(certificate.propositions, read["propositions"], strict=True):
        assert change.after.format(None, units) in str(certificate)
        assert entry["before"] == change.before.format(None, units)


@for_all(trained_looking(changes_scale=False), st.integers(0, 4))
def test_certificate_names_exactly_the_rows_that_changed(case, allowed):
    ensemble, X = case
    simplified = simplify(ensemble, X, changed_rows=allowed)
    before, after = parts(ensemble), parts(simplified.ensemble)
    for old, new, change in zip(before, after, simplified.certificate.propositions, strict=True):
        differ = old(X, ensemble.columns) != new(X, ensemble.columns)
        assert change.changed_rows == tuple(np.flatnonzero(differ))
        assert len(change.changed_rows) <= allowed


@for_all(trained_looking(changes_scale=False))
def test_margin_is_the_distance_of_the_nearest_row(case):
    ensemble, X = case
    rows = [dict(zip(NAMES, row, strict=True)) for row in X.tolist()]
    for change in simplify(ensemble, X).certificate.propositions:
        p = change.after
        if isinstance(p, Membership):
            assert (change.margin, change.relative_margin) == (None, None)
            continue
        value = product_value if isinstance(p, Product) else weighted_sum
        distances = [abs(value(p, row) - p.threshold) for row in rows]
        distances = [distance for distance in distances if np.isfinite(distance)]
        if not distances:
            assert change.margin is None
            continue
        assert change.margin == pytest.approx(min(distances), rel=1e-9, abs=1e-9)
        if max(distances) > 1e-6:
            share = min(distances) / max(distances)
            assert change.relative_margin == pytest.approx(share, abs=1e-3)


def test_without_a_finite_sum_there_is_no_margin():
    ensemble = one_rule(Proposition(("a",), (1.0,), 2.34567))
    certificate = simplify(ensemble, np.array([[np.nan], [np.inf]])).certificate
    assert certificate.propositions[0].margin is None
    assert certificate.propositions[0].after == ensemble[0].condition.propositions[0]
    assert "none" in str(certificate)


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "none"), (5, "0, 1, 2, 3, 4"), (6, "0, 1, 2, 3, 4 and 1 more")]
)
def test_up_to_five_rows_that_change_side_are_printed(count, shown):
    ensemble = one_rule(Proposition(("a",), (1.0,), 7.1234))
    certificate = simplify(ensemble, np.array([[0.0], [20.0]])).certificate
    (change,) = certificate.propositions
    several = replace(change, changed_rows=tuple(range(count)))
    text = str(replace(certificate, propositions=(several,)))
    assert any(line.endswith(f"(100 %)   {shown}") for line in text.splitlines())


def test_the_margin_is_printed_with_its_share():
    ensemble = one_rule(Proposition(("a",), (1.0,), 7.1234))
    certificate = simplify(ensemble, np.array([[0.0], [6.0], [8.0], [17.0]])).certificate
    assert "  1 (10 %)     none" in str(certificate)


@for_all(trained_looking() | anything())
def test_certificate_names_the_class_of_each_vote(case):
    ensemble, X = case
    certificate = simplify(ensemble, X).certificate
    named = ensemble.classes if ensemble.loss.score_per_class else None
    offsets = named or [None]
    rules = [named and named[rule.output] for rule in ensemble]
    assert [vote.label for vote in certificate.votes] == [*offsets, *rules]
    assert [vote["class"] for vote in certificate.to_dict()["votes"]] == [*offsets, *rules]


def test_classes_are_printed_with_their_votes():
    rules = (Rule(Condition((Proposition(("a",), (1.0,), 2.0),)), 1.0, 2),)
    ensemble = RuleEnsemble((0.5, 0.0, -1.0), rules, ("a",), "softmax", ("well", "ill", "may be"))
    simplified = simplify(ensemble, np.array([[1.0], [3.0]]))
    assert str(simplified.certificate).splitlines()[-5:] == [
        "vote    class     before  after  digits",
        "offset  well         0.5    0.5  1 → 1",
        "offset  ill            0      0  1 → 1",
        'offset  "may be"      −1     −1  1 → 1',
        'rule 1  "may be"       1      1  1 → 1',
    ]


PRINTED = """\
Rounding the numbers changes whether a condition is met for none of the 3 rows.
15 significant digits became 7.
The largest change of a score is 0.

rule  proposition before, and after  digits  nearest row  changed side
   1  a ≥ 2.4567                          5
      a ≥ 2                               1  0.88 (13 %)  none
   2  b ≥ 20.123                          5
      b ≥ 30                              1  10 (38 %)    none
"""


def test_propositions_before_and_after_are_printed():
    first, second = Proposition(("a",), (1.0,), 2.4567), Proposition(("b",), (1.0,), 20.123)
    rules = (Rule(Condition((first,)), 1.5), Rule(Condition((second,)), 1.0))
    X = np.array([[1.123, 3.0], [3.123, 40.125], [9.0, 17.0]])
    printed = str(simplify(RuleEnsemble(0.25, rules, ("a", "b"), "squared"), X).certificate)
    assert printed.split("\nvote")[0] == PRINTED


def test_a_single_row_is_one_row():
    printed = str(simplify(one_rule(Proposition(("a",), (1.0,), 2.5)), np.eye(1)).certificate)
    assert printed.startswith(
        "Rounding the numbers changes whether a condition is met for none of the 1 row."
    )


def test_votes_before_and_after_are_aligned():
    rules = (Rule(Condition((Proposition(("a",), (1.0,), 2.0),)), -12.25),)
    simplified = simplify(RuleEnsemble(0.5, rules, ("a",), "squared"), np.array([[1.0], [3.0]]))
    assert str(simplified.certificate).splitlines()[-3:] == [
        "vote    before   after  digits",
        "offset     0.5     0.5  1 → 1",
        "rule 1  −12.25  −12.25  4 → 4",
    ]


def test_class_changes_are_counted():
    rule = Rule(Condition((Proposition(("a",), (1.0,), 2.5),)), 1.04)
    ensemble = RuleEnsemble(-1.03, (rule,), ("a",), "logistic", ("no", "yes"))
    X = np.array([[2.0], [3.0], [3.0]])
    certificate = simplify(ensemble, X, changed_rows=2, vote_loss=0.1).certificate
    assert certificate.changed_classes == 2  # −1 + 1 is not above 0
    assert "another class: 2" in str(certificate)
    plain = simplify(ensemble, X, ["no", "yes", "yes"], vote_loss=1e-6).certificate
    assert plain.changed_classes == 0
    assert "The log loss was" in str(plain)


def test_many_changed_rows_are_not_all_printed():
    X = np.arange(40.0)[:, None] + 0.123
    ensemble = one_rule(Proposition(("a",), (1.0,), 17.6))
    certificate = simplify(ensemble, X, changed_rows=30).certificate
    assert len(certificate.changed_rows) <= 30
    ensemble = one_rule(Proposition(("a",), (1.0,), 33.6))
    certificate = simplify(ensemble, X, changed_rows=30).certificate
    assert len(certificate.changed_rows) > 5
    assert " more" in str(certificate)
    assert f"for {len(certificate.changed_rows)} of the 40 rows." in str(certificate)
