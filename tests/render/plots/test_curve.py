import copy
from dataclasses import replace

import numpy as np
import pytest
from render.plots.artists import lines
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
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
    model = LLTBoostClassifierCV(
        max_rules=4, selection="one_se", reg_lambdas=(0.1, 1.0), cv=3, n_repeats=1
    )
    return model.fit(X, y == 2)


def star(axes):
    (line,) = (line for line in axes.lines if line.get_marker() == "*")
    return float(line.get_xdata()[0]), float(line.get_ydata()[0]), line.get_label()


@pytest.fixture(scope="module")
def grown(flowers):
    X, y = flowers
    return LLTBoostClassifier(max_complexity=12).fit(X, y == 2)


@pytest.fixture(scope="module")
def penalised(flowers):
    X, y = flowers
    return LLTBoostClassifier(max_complexity=12, reg_lambda=0.3).fit(X, y == 2)


def test_test_risk_of_probabilities(flowers):
    X, y = flowers
    train, test = slice(None, None, 2), slice(1, None, 2)
    model = LLTBoostClassifier(max_rules=3, selection=None).fit(X[train], y[train])
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
    assert axes.get_ylabel() == "log loss"


def test_the_star_is_on_the_model_wherever_it_is_on_the_curve(flowers, grown):
    X, y = flowers
    small = grown.at(rules=1)
    assert small.ensemble_ != small.stages_[-1].ensemble
    complexity, height, _ = star(plot_curve(small, X, y == 2))
    assert complexity == small.ensemble_.complexity
    assert height == pytest.approx(log_loss(y == 2, small.predict_proba(X)))


def test_test_rows_have_weights(flowers):
    X, y = flowers
    weight = 1.0 + np.arange(150) % 4
    model = LLTBoostClassifier(max_rules=2, selection=None).fit(X, y, weight)
    both = lines(plot_curve(model, X, y, weight))
    found = [log_loss(y, p, sample_weight=weight) for p in model.staged_predict_proba(X)]
    assert both["on test rows"].get_ydata() == pytest.approx(found)
    assert both["on training rows"].get_ydata() == pytest.approx(found)


@pytest.mark.parametrize(
    ("loss", "measure", "name"),
    [
        ("squared", mean_squared_error, "mean squared error"),
        ("poisson", mean_poisson_deviance, "Poisson deviance"),
    ],
)
def test_risk_of_numbers(patients, loss, measure, name):
    X, y = patients
    model = LLTBoostRegressor(loss=loss, max_rules=2, selection=None).fit(X, y)
    axes = plot_curve(model, X, y)
    found = [measure(y, predicted) for predicted in model.staged_predict(X)]
    both = lines(axes)
    assert both["on test rows"].get_ydata() == pytest.approx(found)
    assert both["on training rows"].get_ydata() == pytest.approx(found)
    assert axes.get_ylabel() == name


def test_curves_differ_without_colour(patients):
    X, y = patients
    axes = plot_curve(LLTBoostRegressor(max_rules=2, selection=None).fit(X, y), X, y)
    looks = {(line.get_marker(), line.get_linestyle()) for line in axes.lines}
    assert len(looks) == len(axes.lines)


def main_line(axes):
    """The risk of each size with its own penalty."""
    (name,) = (name for name in lines(axes) if name.endswith(", ± one standard error"))
    return name.removesuffix(", ± one standard error"), lines(axes)[name]


@pytest.mark.parametrize("name", ["validated", "grown", "penalised"])
def test_cross_validated_risk(name, request):
    model = request.getfixturevalue(name)
    axes = plot_curve(model)
    curve = model.curve_
    penalties = {stage.reg_lambda for stage in model.stages_}
    place = curve.along(model.stages_)
    title, line = main_line(axes)
    one = f"penalty {model.reg_lambda_:g}"
    assert title == ("each size with its penalty" if len(penalties) > 1 else one)
    assert line.get_xdata() == pytest.approx(curve.complexity)
    assert line.get_ydata() == pytest.approx(curve.risk[place])
    (band,) = axes.collections
    corners = band.get_paths()[0].vertices
    reach = [np.ptp(corners[corners[:, 0] == budget, 1]) / 2 for budget in curve.complexity[1:-1]]
    assert reach == pytest.approx(curve.standard_error[place][1:-1])
    complexity, rules = model.ensemble_.complexity, len(model.ensemble_)
    noun = "rule" if rules == 1 else "rules"
    label = f"the model: {rules} {noun}, complexity {complexity}"
    assert star(axes) == (complexity, curve.risk[place][complexity], label)


def test_a_model_more_complex_than_those_of_the_folds_has_the_last_risk(grown):
    larger = copy.copy(grown)
    curve = grown.curve_
    parts = {
        name: getattr(curve, name)[..., :4] for name in curve.__slots__ if name != "reg_lambda"
    }
    larger.curve_ = replace(curve, **parts)
    larger = larger.at(complexity=12)
    chosen = curve.along(grown.stages_)[0][3]
    assert star(plot_curve(larger))[:2] == (larger.ensemble_.complexity, curve.risk[chosen, 3])


def test_the_least_complexity_below_the_limit_is_chosen(penalised):
    cautious = copy.copy(penalised).set_params(selection="one_se")
    for model, label in (
        (cautious, "lowest + one standard error"),
        (penalised, "near the lowest"),
    ):
        axes = plot_curve(model)
        limit = lines(axes)[label].get_ydata()
        risk = main_line(axes)[1].get_ydata()
        chosen = model.curve_.choose(model.selection)[1]
        assert risk[chosen] <= limit[chosen]
        assert (risk[:chosen] > limit[:chosen]).all()


def test_the_lowest_risk_needs_no_limit(flowers):
    X, y = flowers
    best = LLTBoostClassifier(max_rules=1, reg_lambda=1.0, selection="best").fit(X, y == 2)
    assert len(lines(plot_curve(best))) == 2


def test_penalties_with_a_huge_risk_do_not_flatten_the_others(grown):
    curve = grown.curve_
    other = copy.copy(grown)
    risk = curve.risk.copy()
    unused = ~np.isin(curve.reg_lambda, [stage.reg_lambda for stage in grown.stages_])
    assert unused.any()
    risk[unused] = 1e9
    other.curve_ = replace(curve, risk=risk)
    assert plot_curve(other).get_ylim()[1] < 2


def test_a_single_row_leaves_nothing_to_validate():
    model = LLTBoostRegressor().fit([[1.0]], [2.0])
    assert np.isnan(model.curve_.risk).all()
    plot_curve(model).figure.draw_without_rendering()


def test_other_penalties_share_one_entry(validated):
    labels = [text.get_text() for text in plot_curve(validated).get_legend().get_texts()]
    assert labels.count("one penalty for all sizes") == 1
    assert len(labels) == 4


def test_without_cross_validation_rows_are_needed(patients):
    model = LLTBoostRegressor(max_rules=1, selection=None).fit(*patients)
    with pytest.raises(ValueError, match="LLTBoostRegressor was not cross-validated: pass test"):
        plot_curve(model)


def test_outcomes_are_checked(flowers):
    X, y = flowers
    model = LLTBoostClassifier(max_rules=1, selection=None).fit(X, y)
    with pytest.raises(ValueError, match="one outcome for each of the 150 rows"):
        plot_curve(model, X, y[:3])
    with pytest.raises(ValueError, match="found 7"):
        plot_curve(model, X, np.full(150, 7))


def test_outcomes_need_their_rows(validated, flowers):
    with pytest.raises(ValueError, match="pass X, too"):
        plot_curve(validated, y=flowers[1])


def test_an_estimator_that_was_not_fitted_has_no_curve():
    with pytest.raises(NotFittedError):
        plot_curve(LLTBoostRegressor())


def test_class_weights_are_on_both_curves_also_after_recalibration(flowers):
    X, y = flowers
    model = LLTBoostClassifier(max_rules=2, selection=None, class_weight={True: 5.0})
    model.fit(X, y == 2)
    weight = np.where(y == 2, 5.0, 1.0)
    expected = [log_loss(y == 2, p, sample_weight=weight) for p in model.staged_predict_proba(X)]
    for drawn in (model, model.recalibrate(X, y == 2)):
        axes = plot_curve(drawn, X, y == 2)
        assert lines(axes)["on test rows"].get_ydata() == pytest.approx(expected)
        assert lines(axes)["on training rows"].get_ydata() == pytest.approx(expected)
        assert star(axes)[1] == pytest.approx(expected[-1])
        assert axes.get_ylabel() == "log loss, with class weights"
