import numpy as np
import pytest
from sklearn.metrics import log_loss

from sorb.demo import measures
from sorb.demo.examples import EXAMPLES, diagonal


@pytest.mark.parametrize("example", EXAMPLES)
def test_splits_are_of_all_rows(example):
    table = example()
    split = table.split(0)
    assert sorted([*split.X.index, *split.X_test.index]) == list(table.X.index)


def test_results_are_those_of_the_chosen_model():
    example = diagonal()
    split = example.split(0)
    result = measures.learn(example, split, "axis")
    assert result.ensemble != result.model.stages_[-1].ensemble
    assert result.risk == pytest.approx(
        log_loss(split.y_test, result.model.predict_proba(split.X_test))
    )
    empty = result.model.at(rules=0).predict_proba(split.X_test)
    assert result.share == pytest.approx(result.risk / log_loss(split.y_test, empty))


def test_curve_begins_without_rules(monkeypatch):
    monkeypatch.setattr(measures, "SPLITS", 2)
    curve = measures.curve(diagonal(), "oblique")
    assert (curve.complexity[0], curve.share[0], curve.error[0]) == (0, 1.0, 0.0)


def test_curve_takes_the_last_model_within_each_complexity():
    found = measures._within(np.arange(8), [0, 3, 5], np.array([1.0, 0.6, 0.7]))
    assert found.tolist() == [1.0, 1.0, 1.0, 0.6, 0.6, 0.7, 0.7, 0.7]
