import numpy as np
import pytest
from estimators.cases import small_classifier_cv
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold

from sorb import LLTBoostClassifierCV


def test_the_curve_of_a_coarse_table_is_that_of_its_probabilities():
    # Ten different rows only: smokers or not in five regions, and each of them ill or healthy.
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 2000), rng.integers(0, 5, 2000)])
    chance = np.where(X[:, 0] == 1, 0.8, 0.2)
    y = rng.random(2000) < chance
    model = LLTBoostClassifierCV(max_rules=3, reg_lambdas=[1.0]).fit(X, y)
    assert model.curve_.risk[0, 3] == pytest.approx(log_loss(y, chance), abs=0.01)
    assert model.ensemble_.rules[0].condition.columns == ("x0",)


def test_small_weights_change_nothing_in_a_coarse_table():
    rng = np.random.default_rng(0)
    place = rng.integers(0, 4, 2000)
    y = rng.random(2000) < np.array([0.1, 0.4, 0.6, 0.9])[place]
    models = [
        LLTBoostClassifierCV(reg_lambdas=[s], max_rules=3).fit(
            place[:, None], y, sample_weight=np.full(2000, s)
        )
        for s in (1.0, 0.5, 2.0**-12)
    ]
    assert models[0].n_iter_ > 0
    for other in models[1:]:
        assert other.curve_.risk == pytest.approx(models[0].curve_.risk)


@pytest.mark.parametrize("labels", [2, 3])
def test_a_class_may_be_missing_from_the_training_rows(labels):
    X = np.arange(30.0)[:, None]
    y = np.repeat(np.arange(labels), 30 // labels)
    model = small_classifier_cv(cv=KFold(labels)).fit(X, y)
    assert np.isfinite(model.curve_.risk).all()
    assert model.classes_.tolist() == list(range(labels))


def test_rare_classes_are_learned():
    X = np.arange(40.0)[:, None]
    y = np.where(np.arange(40) == 20, "rare", np.where(np.arange(40) < 20, "low", "high"))
    model = small_classifier_cv(cv=5, selection="best").fit(X, y)
    assert np.isfinite(model.curve_.risk).all()
    assert model.score(X, y) > 0.9
