"""The random cases are what the tests of the exports take them for."""

import numpy as np
from export.corpus import random_cases

from sorb.losses import LOSSES
from sorb.rules import Membership, Product, Proposition
from sorb.rules.columns import column_source


def values_of(proposition, case):
    return proposition.quantity(column_source(case.table, proposition.columns))


def share(flags):
    flags = list(flags)
    return sum(flags) / len(flags)


def test_all_kinds_of_propositions_are_there_with_and_without_missing():
    for kind in (Proposition, Product, Membership):
        found = [p for case in random_cases() for p in case.propositions(kind)]
        assert len(found) > len(random_cases()) / 2
        assert 0.2 < share(p.missing for p in found) < 0.8


def test_many_rows_lie_exactly_on_a_boundary():
    for kind in (Proposition, Product):
        met = [
            (values_of(p, case) == p.threshold).any()
            for case in random_cases()
            for p in case.propositions(kind)
        ]
        assert share(met) > 0.2


def test_values_are_missing():
    cells = [value for case in random_cases() for row in case.rows for value in row]
    assert share(value is None for value in cells) > 0.05
    assert share(value != value for value in cells) > 0.01


def test_categories_are_unseen():
    unseen = []
    for case in random_cases():
        for p in case.propositions(Membership):
            known = [value for value in case.table[p.column].to_list() if value is not None]
            unseen += [value not in p.categories for value in known if p.categories]
    assert 0.2 < share(unseen) < 0.9


def test_few_rows_are_in_doubt():
    rows = sum(len(case.rows) for case in random_cases())
    assert sum(len(case.sure) for case in random_cases()) > 0.9 * rows


def test_rows_on_both_sides():
    covered = [case.ensemble.covers(case.table).ravel() for case in random_cases()]
    assert 0.2 < np.concatenate(covered).mean() < 0.8


def test_all_losses_are_there():
    assert {case.ensemble.loss.name for case in random_cases()} == set(LOSSES)
