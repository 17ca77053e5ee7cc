"""Other methods on the same rows."""

from itertools import islice

import numpy as np
import pytest
from report.models import fitted

from sorb import LLTBoostClassifier
from sorb.report import report
from sorb.report.comparison import _rivals, fit_like
from sorb.report.equal_models import EqualModels
from sorb.report.given_rows import GivenRows
from sorb.report.rows import ReportRows


def test_rivals_choose_their_sizes_by_whole_groups():
    """Rows of a patient are alike, and say nothing of other patients."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(40), 4)
    X = rng.normal(size=(40, 3))[patient] + rng.normal(0, 0.01, (160, 3))
    y = rng.integers(0, 2, 40)[patient]
    model = LLTBoostClassifier(max_rules=1, selection=None, effort="low").fit(X, y, groups=patient)
    given = GivenRows(X, y, groups=patient)
    test = ReportRows.of(model.ensemble_, model._open(X, model.ensemble_).read(), given)
    _, tree = islice(_rivals(model, given, given, test, [], print), 2)
    assert len(np.unique(tree.scores)) == 2
    page = report(model, X, y, groups=patient, X_test=X, y_test=y, compare=False)
    notes = page.data["evidence"]["tables"][0]["notes"]
    assert "a small decision tree (2 leaves)" in " ".join(notes)


@pytest.mark.parametrize("kind", ["binary", "squared"])
def test_a_weight_counts_as_copies_for_models_that_are_as_good(kind):
    example = fitted(kind)
    (X, y), (X_test, y_test) = example.training, example.test
    weight = 1 + np.arange(60) % 3
    copies = np.repeat(np.arange(60), weight)
    views = []
    for rows in (
        GivenRows(X_test, y_test, weight),
        GivenRows(X_test.iloc[copies], y_test.iloc[copies]),
    ):
        source = example.estimator._open(rows.X, example.estimator.ensemble_).read()
        test = ReportRows.of(example.estimator.ensemble_, source, rows)

        def score(ensemble, X=rows.X):
            return ensemble(X)

        found = EqualModels.learn(example.estimator, GivenRows(X, y), score, test, fit_like, print)
        view = found.view(1)
        views.append([view["unanimous"], *(model["agreement"] for model in view["equal"])])
    assert len(views[0]) > 1
    assert views[0] == pytest.approx(views[1], abs=1e-5)


def test_other_models_are_recalibrated_if_the_model_is():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    y = rng.logistic(size=900) < 2 * (X[:, 0] > 0) + (X[:, 1] > 0.5) - 3.5
    settings = {"max_rules": 2, "max_rule_complexity": 2, "selection": None, "effort": "low"}
    training, test = slice(0, 500), slice(500, None)
    rows = {"X_test": X[test], "y_test": y[test]}
    model = LLTBoostClassifier(class_weight="balanced", **settings).fit(X[training], y[training])
    model = model.recalibrate(X[training], y[training])
    found = report(model, X[training], y[training], **rows).data["comparison"]
    balanced = -np.log(0.5)
    for method in found["methods"][:2]:
        assert all(point["risk"] < 0.8 * balanced for point in method["points"])
    own = found["methods"][0]["points"][-1]["risk"]
    assert len(found["equal"]) > 0
    for other in found["equal"]:
        assert other["test_risk"] < 0.8 * balanced
        assert other["worse"] == pytest.approx(other["test_risk"] - own)
        assert other["worse"] <= 2.1 * other["worse_error"]


def test_other_models_may_use_other_columns_of_an_array():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(900, 3))
    y = rng.logistic(size=900) < 2 * (X[:, 0] > 0) + (X[:, 1] > 0.5) - 3.5
    settings = {"max_rules": 1, "max_rule_complexity": 2, "selection": None, "effort": "low"}
    model = LLTBoostClassifier(**settings).fit(X[:500], y[:500])
    assert model.ensemble_.used_columns == ("x0",)
    found = report(model, X[:500], y[:500], X_test=X[500:], y_test=y[500:]).data["comparison"]
    assert any("x1" in other["columns"] for other in found["equal"])


def test_it_says_why_there_are_no_rivals():
    X, y = np.arange(30.0)[:, None], ["ill"] * 30
    model = LLTBoostClassifier(selection=None).fit(X, y)
    data = report(model, X, y, X_test=X, y_test=y).data
    assert [method["name"] for method in data["comparison"]["methods"]][:1] == ["sorb"]
    assert "left out, as there is a single class" in " ".join(data["comparison"]["notes"])
