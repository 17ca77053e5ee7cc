import numpy as np
import pytest
from render.plots.artists import lines
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss, mean_poisson_deviance, mean_squared_error

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor
from sorb.render import plot_curve


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.rename(columns=lambda name: name.removesuffix(" (cm)").replace(" ", "_"))
    return X[["petal_length", "petal_width"]], y


@pytest.fixture(scope="module")
def validated(flowers):
    X, y = flowers
    model = LLTBoostClassifierCV(max_rules=4, selection="one_se", reg_lambdas=(0.1, 1.0), cv=3)
    return model.fit(X, y == 2)


def star(axes):
    (line,) = (line for line in axes.lines if line.get_marker() == "*")
    return float(line.get_xdata()[0]), float(line.get_ydata()[0]), line.get_label()


def test_test_risk_of_probabilities(flowers):
    X, y = flowers
    train, test = slice(None, None, 2), slice(1, None, 2)
    model = LLTBoostClassifier(max_rules=3).fit(X[train], y[train])
    axes = plot_curve(model, X[test], y[test])
    line = lines(axes)["on test rows"]
    assert list(line.get_xdata()) == [stage.ensemble.complexity for stage in model.stages_]
    found = [log_loss(y[test], p) for p in model.staged_predict_proba(X[test])]
    assert line.get_ydata() == pytest.approx(found)
    rules, complexity = len(model.ensemble_), model.ensemble_.complexity
    assert star(axes) == (
        complexity,
        pytest.approx(found[-1]),
        f"the model: {rules} rules, complexity {complexity}",
    )
    assert axes.get_ylabel() == "risk (mean log loss)"


def test_test_rows_have_weights(flowers):
    X, y = flowers
    weight = 1.0 + np.arange(150) % 4
    model = LLTBoostClassifier(max_rules=2).fit(X, y, weight)
    both = lines(plot_curve(model, X, y, weight))
    found = [log_loss(y, p, sample_weight=weight) for p in model.staged_predict_proba(X)]
    assert both["on test rows"].get_ydata() == pytest.approx(found)
    assert both["on training rows"].get_ydata() == pytest.approx(found)


@pytest.mark.parametrize(
    ("loss", "measure", "name"),
    [
        ("squared", mean_squared_error, "half the mean squared error"),
        ("poisson", mean_poisson_deviance, "half the mean Poisson deviance"),
    ],
)
def test_risk_of_numbers(patients, loss, measure, name):
    X, y = patients
    model = LLTBoostRegressor(loss=loss, max_rules=2).fit(X, y)
    axes = plot_curve(model, X, y)
    found = [measure(y, predicted) / 2 for predicted in model.staged_predict(X)]
    both = lines(axes)
    assert both["on test rows"].get_ydata() == pytest.approx(found)
    assert both["on training rows"].get_ydata() == pytest.approx(found)
    assert axes.get_ylabel() == f"risk ({name})"


def test_curves_differ_without_colour(patients):
    X, y = patients
    axes = plot_curve(LLTBoostRegressor(max_rules=2).fit(X, y), X, y)
    looks = {(line.get_marker(), line.get_linestyle()) for line in axes.lines}
    assert len(looks) == len(axes.lines)


def test_cross_validated_risk(validated):
    axes = plot_curve(validated)
    curve = validated.curve_
    chosen = curve.reg_lambda.tolist().index(validated.reg_lambda_)
    (container,) = axes.containers
    assert container[0].get_xdata() == pytest.approx(curve.complexity[chosen])
    assert container[0].get_ydata() == pytest.approx(curve.risk[chosen])
    reach = [np.ptp(segment[:, 1]) / 2 for segment in container[2][0].get_segments()]
    assert reach == pytest.approx(curve.standard_error[chosen])
    place = star(axes)
    assert place[1] == curve.risk[chosen, validated.n_rules_]
    # The star stands where the folds put it, and is called what the model is.
    complexity = validated.ensemble_.complexity
    assert place[0] == curve.complexity[chosen, validated.n_rules_] != complexity
    rules = "rule" if validated.n_rules_ == 1 else "rules"
    assert place[2] == f"chosen: {validated.n_rules_} {rules}, complexity {complexity}"
    assert axes.get_xlabel().endswith("(mean over folds)")


def test_the_one_standard_error_line(validated):
    curve = validated.curve_
    line = lines(plot_curve(validated))["lowest risk + one standard error"]
    lowest = curve.risk.ravel().argmin()
    expected = curve.risk.ravel()[lowest] + curve.standard_error.ravel()[lowest]
    assert line.get_ydata() == pytest.approx([expected, expected])


def test_the_lowest_risk_needs_no_such_line(flowers):
    X, y = flowers
    best = LLTBoostClassifierCV(max_rules=2, reg_lambdas=(0.1,), cv=3).fit(X, y == 2)
    assert "lowest risk + one standard error" not in lines(plot_curve(best))


def test_other_penalties_share_one_entry(validated):
    labels = [text.get_text() for text in plot_curve(validated).get_legend().get_texts()]
    assert labels.count("other penalties") == 1
    assert len(labels) == 4


def test_without_cross_validation_rows_are_needed(patients):
    model = LLTBoostRegressor(max_rules=1).fit(*patients)
    with pytest.raises(ValueError, match="LLTBoostRegressor was not cross-validated: pass test"):
        plot_curve(model)


def test_outcomes_are_checked(flowers):
    X, y = flowers
    model = LLTBoostClassifier(max_rules=1).fit(X, y)
    with pytest.raises(ValueError, match="one outcome for each of the 150 rows"):
        plot_curve(model, X, y[:3])
    with pytest.raises(ValueError, match="found 7"):
        plot_curve(model, X, np.full(150, 7))
