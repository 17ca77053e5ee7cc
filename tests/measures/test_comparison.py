import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from sorb import LLTBoostClassifier
from sorb.measures.comparison import Rows, compare_methods

RNG = np.random.default_rng(4)
TABLE = pd.DataFrame({"a": RNG.normal(size=200), "group": RNG.choice(["x", "y"], 200)})
ILL = np.where(TABLE["a"] + RNG.normal(size=200) > 0, "yes", "no")


def rows(places):
    return Rows(TABLE.iloc[places], ILL[places], np.ones(len(places)), None, None)


def learn(training):
    return LLTBoostClassifier(max_rules=2, selection=None).fit(training.table, training.y)


def test_scores_of_all_splits_are_measured_together():
    folds = [np.arange(200) % 2 == k for k in range(2)]
    splits = [(rows(np.flatnonzero(~fold)), rows(np.flatnonzero(fold))) for fold in folds]
    found = compare_methods(learn, ["logistic"], splits)
    assert list(found.methods) == ["sorb", "baseline", "logistic"]
    assert found.n_rows == 200
    models = [learn(training) for training, _ in splits]
    scores = [m.decision_function(test.table) for m, (_, test) in zip(models, splits, strict=True)]
    areas = [roc_auc_score(test.y, s) for s, (_, test) in zip(scores, splits, strict=True)]
    pairs = [(test.y == "yes").sum() * (test.y == "no").sum() for _, test in splits]
    expected = np.average(areas, weights=pairs)
    assert found.methods["sorb"].measures.auc.value == pytest.approx(expected)
    assert found.methods["sorb"].against_sorb is None
    gain = found.methods["sorb"].measures.risk - found.methods["logistic"].measures.risk
    assert found.methods["logistic"].against_sorb.value == pytest.approx(gain)
