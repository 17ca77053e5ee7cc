"""What whole points cost, row by row."""

import numpy as np
from scipy.special import logit
from simplify.models import model

from sorb.losses import Logistic
from sorb.measures.cutoff import Cutoff
from sorb.simplify.card_cost import CardCost
from sorb.tables.targets import Outcomes


def cost_of(p_exact, p_card, cutoff=0.5, weight=None):
    weight = np.ones(len(p_exact)) if weight is None else np.array(weight, dtype=float)
    outcomes = Outcomes(np.arange(len(p_exact)) % 2.0, weight, Logistic())
    scores = (logit(np.array(p, dtype=float)) for p in (p_exact, p_card))
    return CardCost.of(model(1.0), *scores, outcomes, Cutoff.by_hand(cutoff), "rows")


def test_changed_decisions_are_rows_on_the_other_side_of_the_cutoff():
    cost = cost_of([0.2, 0.4, 0.6, 0.8], [0.3, 0.6, 0.4, 0.9])
    assert cost.changed_rows == (1, 2)
    assert cost_of([0.2, 0.4, 0.6, 0.8], [0.3, 0.6, 0.4, 0.9], 0.25).changed_rows == (0,)


def test_rows_of_weight_zero_do_not_count():
    cost = cost_of([0.2, 0.4, 0.6, 0.8], [0.3, 0.6, 0.4, 0.9], weight=[1, 0, 1, 1])
    assert (cost.n_rows, cost.changed_rows) == (3, (2,))


def test_sentences():
    assert (
        cost_of([0.2, 0.4], [0.2, 0.4])
        .decisions()
        .endswith("none of the 2 rows is decided otherwise.")
    )
    assert (
        "1 of the 2 rows is decided otherwise: row 1."
        in cost_of([0.2, 0.4], [0.2, 0.6]).decisions()
    )
    many = cost_of([0.4] * 20, [0.6] * 20).decisions()
    assert many.endswith("rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 more.")


def test_area_is_unknown_with_one_class():
    cost = cost_of([0.2], [0.2])
    assert cost.exact.auc is None
    assert "AUC" not in [name for name, *_ in cost.measure_lines()]
