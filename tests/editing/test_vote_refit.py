"""The refit of votes that are not pinned, against a minimiser of SciPy."""

import numpy as np
import pytest
from editing.models import COLUMNS, model, rows
from scipy.optimize import minimize

from sorb import Condition, LLTBoostClassifier, LLTBoostRegressor, Rule, RuleEnsemble
from sorb.editing import PinVote, edit
from sorb.editing.vote_refit import FittingRows
from sorb.losses import LOSSES

every_loss = pytest.mark.parametrize("loss", LOSSES)


def plain_refit(ensemble, X, y, weight, penalty, pinned):
    """Minimise the penalised sum of losses over the free votes, one number at a time."""
    fitting = FittingRows.of(ensemble, COLUMNS, X, y, weight, None)
    free = np.r_[np.ones(len(ensemble.offsets), bool), ~np.array(pinned)]
    values = np.array(ensemble.offsets_and_votes)
    k = len(ensemble.offsets)

    def rebuilt(free_values):
        theta = values.copy()
        theta[free] = free_values
        offset = tuple(theta[:k]) if k > 1 else theta[0]
        return ensemble.with_votes(offset, theta[k:])

    def objective(free_values):
        found = rebuilt(free_values)
        losses = fitting.outcomes.risk(fitting.scores(found)) * fitting.outcomes.weight.sum()
        return losses + penalty * sum(rule.vote**2 for rule in found)

    found = minimize(objective, values[free], method="BFGS", options={"gtol": 1e-6})
    return rebuilt(found.x), objective


@every_loss
@pytest.mark.parametrize("pinned", [(False, False, False), (False, True, False), (True,) * 3])
def test_votes_minimise_the_penalised_losses(loss, pinned):
    X, y = rows(1, loss)
    ensemble, weight = model(loss), 1.0 + np.arange(60) % 3
    fitting = FittingRows.of(ensemble, COLUMNS, X, y, weight, None)
    found = fitting.refit(ensemble, pinned, 0.7)
    expected, _ = plain_refit(ensemble, X, y, weight, 0.7, pinned)
    assert [r.vote for r, stays in zip(found, pinned, strict=True) if stays] == [
        r.vote for r, stays in zip(ensemble, pinned, strict=True) if stays
    ]
    # Offsets of several classes may move together.
    assert fitting.loss.mean(fitting.scores(found)) == pytest.approx(
        fitting.loss.mean(fitting.scores(expected)), rel=1e-3
    )


@pytest.mark.parametrize("reg_lambda", [0.3, 4.0])
def test_the_penalty_of_training_is_read_off_the_votes(reg_lambda, iris, diabetes):
    for kind, (X, y) in (
        (LLTBoostClassifier, iris),
        (LLTBoostRegressor, diabetes),
    ):
        trained = kind(max_rules=3, reg_lambda=reg_lambda, selection=None).fit(X, y)
        again = edit(trained.ensemble_, [], X, y)
        assert again.reg_lambda == pytest.approx(reg_lambda, rel=1e-4)
        same = edit(trained.ensemble_, [PinVote(0, trained.ensemble_[0].vote)], X, y)
        assert same.ensemble.offsets_and_votes == pytest.approx(
            trained.ensemble_.offsets_and_votes, rel=1e-5, abs=1e-6
        )


@every_loss
def test_a_weight_is_as_many_copies_and_weight_zero_is_no_row(loss):
    X, y = rows(2, loss)
    weight = np.arange(60) % 3
    copies = np.repeat(np.arange(60), weight)
    changes = [PinVote(1, 0.25)]
    weighted = edit(model(loss), changes, X, y, weight, reg_lambda=1.0)
    copied = edit(model(loss), changes, X[copies], y[copies], reg_lambda=1.0)
    assert weighted.ensemble.offsets_and_votes == pytest.approx(
        copied.ensemble.offsets_and_votes, rel=1e-6, abs=1e-9
    )
    assert weighted.effects[0].risk_after == pytest.approx(copied.effects[0].risk_after)
    assert weighted.effects[0].mean_change == pytest.approx(copied.effects[0].mean_change)


def test_infinite_numbers_are_refused():
    X, y = rows(0, "squared")
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity in column 'b', first in row 3"):
        edit(model("squared"), [], X, y)


def test_a_rule_that_always_applies_counts_for_all_rows():
    X, y = rows(0, "squared")
    always = RuleEnsemble(0.0, [Rule(Condition(()), 0.5)], COLUMNS, "squared")
    edited = edit(always, [PinVote(0, 2.0)], X, y, reg_lambda=1.0).ensemble
    assert edited.offset == pytest.approx(y.mean() - 2.0)
