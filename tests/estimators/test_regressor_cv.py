import numpy as np
from estimators.cases import PENALTIES

from sorb import LLTBoostRegressorCV


def test_counts_are_chosen_by_their_deviance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = rng.poisson(np.exp(X[:, 0]))
    model = LLTBoostRegressorCV(loss="poisson", max_rules=5, reg_lambdas=PENALTIES).fit(X, y)
    assert model.n_iter_ > 0
    assert model.curve_.risk.min() < 0.8 * model.curve_.risk[0, 0]
