"""Scores are sums of votes in the order of the rules, to the last bit."""

import numpy as np
from rule_strategies import all_ensembles_with_rows, as_array, for_all

from sorb.explanation import Explanation
from sorb.learning.stages import staged_scores
from sorb.rules import Condition, Rule
from sorb.rules.columns import column_source
from sorb.rules.scores import sum_votes


def test_votes_are_added_in_their_order():
    rules = [Rule(Condition(), vote) for vote in (1e16, 1.0, -1e16)]
    everywhere = [np.array([True])] * 3
    assert sum_votes(0.5, rules, everywhere, 1) == 0.5 + 1e16 + 1.0 - 1e16


def test_votes_go_to_their_output():
    rules = [Rule(Condition(), 1.0, 1), Rule(Condition(), 2.0, 0)]
    covered = [np.array([True, False]), np.array([False, True])]
    assert sum_votes((0.0, 10.0), rules, covered, 2).tolist() == [[0.0, 11.0], [2.0, 10.0]]


@for_all(all_ensembles_with_rows())
def test_all_ways_to_the_scores_agree(drawn):
    ensemble, rows = drawn
    table = as_array(rows)
    scores = ensemble(table)
    source = column_source(table, ensemble.used_columns, ensemble.columns)
    (staged,) = staged_scores([ensemble], source)
    np.testing.assert_array_equal(staged, scores)
    np.testing.assert_array_equal(Explanation.of(ensemble, table).total(), scores)
