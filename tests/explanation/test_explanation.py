import numpy as np
import pytest
from explanation.models import EVERYTHING, explained, model, several
from oracles.losses import UnknownReadout
from rule_strategies import all_ensembles_with_rows, as_array, for_all

from sorb.explanation import Explanation


@for_all(all_ensembles_with_rows())
def test_votes_add_up_exactly(drawn):
    ensemble, rows = drawn
    table = as_array(rows)
    explanation = Explanation.of(ensemble, table)
    assert len(explanation) == len(rows)
    np.testing.assert_array_equal(explanation.total(), ensemble(table))
    np.testing.assert_array_equal(explanation.contributions, ensemble.contributions(table))
    assert (explanation.offset, explanation.rules) == (ensemble.offset, ensemble.rules)


def test_a_row_has_the_numbers_of_its_row():
    explanation = Explanation.of(several, EVERYTHING)
    row, expected = explanation[11], explanation.expected()
    np.testing.assert_array_equal(row.covered, explanation.covered[11])
    np.testing.assert_array_equal(row.contributions, explanation.contributions[11])
    np.testing.assert_array_equal(row.total, explanation.total()[11])
    np.testing.assert_array_equal(row.expected.contributions, expected.contributions[11])
    np.testing.assert_array_equal(explanation[-1].covered, explanation.covered[-1])


@pytest.mark.parametrize("row", ["a", slice(2, 4), 1.5, True, None, [1]], ids=str)
def test_what_is_no_row_number(row):
    explanation = Explanation.of(several, EVERYTHING)
    for explain in (explanation.__getitem__, explanation.in_words):
        with pytest.raises(TypeError, match="a row is chosen by its number, counted from 0, found"):
            explain(row)


@pytest.mark.parametrize("row", [16, -17])
def test_a_row_that_is_not_there(row):
    with pytest.raises(IndexError, match=f"row {row} of an explanation of 16 rows"):
        Explanation.of(several, EVERYTHING)[row]


def test_the_short_form():
    assert repr(Explanation.of(several, EVERYTHING)) == "<Explanation of 16 rows by 4 rules>"


@pytest.mark.parametrize("write", ["__str__", "_repr_html_", "in_words"])
def test_a_readout_that_explanations_do_not_know_is_refused(write):
    row = explained(model(UnknownReadout(), 1.0, [2.0]), 1)[0]
    with pytest.raises(ValueError, match='models with the loss "squared" cannot be explained'):
        getattr(row, write)()
