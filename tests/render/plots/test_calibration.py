from dataclasses import replace

import numpy as np
import pytest
from render.models import model, outcomes, people
from scipy.special import expit, softmax
from scipy.stats import binomtest

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.render import plot_calibration
from sorb.render.plots.calibration import _mean_interval

TABLE = people()


def steps(loss, n=8):
    """A model with a value for each of n places of one column."""
    rules = tuple(
        Rule(Condition((Proposition(("x",), (1.0,), float(k)),)), 0.5) for k in range(1, n)
    )
    classes = ("well", "ill") if loss == "logistic" else None
    return RuleEnsemble(-1.0, rules, ("x",), loss, classes)


def drawn(axes):
    """The points, and the ends of their intervals."""
    (container,) = axes.containers
    line, _, (bars,) = container
    ends = np.array([segment[:, 1] for segment in bars.get_segments()])
    return line.get_xdata(), line.get_ydata(), ends


def test_shares_and_their_intervals():
    X = np.repeat(np.arange(8.0), 20)[:, None]
    happened = np.random.default_rng(0).random(160) < 0.4
    axes = plot_calibration(steps("logistic"), X, np.where(happened, "ill", "well"), n_groups=8)
    expected, observed, ends = drawn(axes)
    assert expected == pytest.approx(expit(-1.0 + 0.5 * np.arange(8)))
    counts = happened.reshape(8, 20).sum(axis=1)
    assert observed == pytest.approx(counts / 20)
    for count, (low, high) in zip(counts, ends, strict=True):
        interval = binomtest(int(count), 20).proportion_ci(method="wilson")
        assert (low, high) == pytest.approx((interval.low, interval.high), abs=1e-6)


def test_means_and_their_intervals():
    X = np.repeat(np.arange(8.0), 20)[:, None]
    y = np.random.default_rng(0).normal(size=160)
    expected, observed, ends = drawn(plot_calibration(steps("squared"), X, y, n_groups=8))
    parts = y.reshape(8, 20)
    assert expected == pytest.approx(-1.0 + 0.5 * np.arange(8))
    assert observed == pytest.approx(parts.mean(axis=1))
    reach = 1.959964 * parts.std(axis=1, ddof=1) / np.sqrt(20)
    assert ends == pytest.approx(np.column_stack([observed - reach, observed + reach]))


@pytest.mark.parametrize("n_groups", [1, 2, 3, 10])
def test_equal_expectations_stay_together(n_groups):
    sizes = np.array([50, 1, 1, 30, 5, 5, 5, 63])
    X = np.repeat(np.arange(8.0), sizes)[:, None]
    y = np.repeat(np.arange(8.0), sizes)
    expected, observed, _ = drawn(plot_calibration(steps("squared"), X, y, n_groups=n_groups))
    assert 1 <= len(expected) <= n_groups
    # Observed and expected grow together only if no place is divided among groups.
    assert expected == pytest.approx(-1.0 + 0.5 * observed)


def test_of_several_classes_the_likeliest_is_drawn():
    ensemble, y = model("softmax"), outcomes("softmax")
    expected, observed, _ = drawn(plot_calibration(ensemble, TABLE, y, n_groups=1))
    chances = softmax(ensemble(TABLE), axis=1)
    assert expected == pytest.approx([chances.max(axis=1).mean()])
    said = np.array(ensemble.classes)[chances.argmax(axis=1)]
    assert observed == pytest.approx([(said == y).mean()])


@pytest.mark.parametrize(
    ("loss", "across", "upwards"),
    [
        ("logistic", "probability of ill", "observed share of ill"),
        ("squared", "prediction", "observed mean"),
        ("poisson", "expected count", "observed mean"),
        (
            "softmax",
            "probability of the predicted class",
            "share of rows predicted correctly",
        ),
    ],
)
def test_labels(loss, across, upwards):
    axes = plot_calibration(model(loss), TABLE, outcomes(loss))
    assert (axes.get_xlabel(), axes.get_ylabel()) == (across, upwards)


def test_rows_are_counted_below():
    axes = plot_calibration(model("logistic"), TABLE, outcomes("logistic"))
    (strip,) = axes.child_axes
    assert sum(bar.get_height() for bar in strip.patches) == len(TABLE)
    low, _ = axes.get_ylim()
    assert low < 0
    assert min(axes.get_yticks()) >= 0


def test_positive_class_without_name():
    ensemble = RuleEnsemble(0.0, (), ("x",), "logistic")
    axes = plot_calibration(ensemble, np.zeros((3, 1)), [0, 1, 1])
    assert axes.get_xlabel() == "probability of the positive class"
    assert drawn(axes)[1] == pytest.approx([2 / 3])


def test_outcomes_over_an_exposure_are_drawn_as_rates():
    rng = np.random.default_rng(0)
    X, years = np.repeat([0.0, 3.0], 40)[:, None], rng.uniform(0.2, 2.0, 80)
    model = steps("poisson")
    y = rng.poisson(years * model.predict(X)).astype(float)
    _, observed, _ = drawn(plot_calibration(model, X, y, exposure=years))
    rates = [y[rows].sum() / years[rows].sum() for rows in (slice(40), slice(40, 80))]
    assert sorted(observed) == pytest.approx(sorted(rates))


def test_intervals_of_rates_hold_the_true_rate_as_often_as_they_say():
    rng = np.random.default_rng(1)
    group, held = np.zeros(60, dtype=np.intp), 0
    for _ in range(400):
        years = rng.uniform(0.2, 2.0, 60)
        y = rng.poisson(0.7 * years)
        mean = np.array([y.sum() / years.sum()])
        low, high = _mean_interval(y / years, np.ones(60), years, group, mean)
        held += bool(low <= 0.7 <= high)
    assert 0.92 < held / 400 < 0.98


def test_an_infinite_expectation_is_named():
    with pytest.raises(ValueError, match="the expected outcome of row 1 is infinite"):
        plot_calibration(replace(steps("poisson"), offset=709.0), np.array([[0.0], [9.0]]), [1, 2])


def counts(axes):
    """The heights of the bars at the bottom."""
    return [bar.get_height() for bar in axes.child_axes[0].patches]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("offset", "vote"),
    [(2.0**53, 0.0), (1e17, 16.0), (-1e299, 0.0), (0.0, 5e-324), (1e-323, 5e-324), (-1e299, 2e299)],
)
def test_expectations_of_any_size_are_drawn(offset, vote):
    rule = Rule(Condition((Proposition(("x",), (1.0,), 1.0),)), vote)
    ensemble = RuleEnsemble(offset, (rule,), ("x",), "squared")
    axes = plot_calibration(ensemble, np.array([[0.0], [0.0], [1.0]]), [0.0, 1.0, 2.0])
    axes.figure.canvas.draw()
    assert sum(counts(axes)) == 3


@pytest.mark.filterwarnings("error")
def test_outcomes_of_any_size_have_an_interval():
    outcomes = np.array([1.0, 2.0, 4.0])
    around = [
        _mean_interval(
            unit * outcomes, np.ones(3), np.ones(3), np.zeros(3, int), unit * outcomes[:1]
        )
        for unit in (1.0, 1e200)
    ]
    assert np.divide(around[1], 1e200) == pytest.approx(np.array(around[0]))


@pytest.mark.parametrize(
    ("n_groups", "error", "words"),
    [
        (0, ValueError, "n_groups must be at least 1, found 0"),
        (-1, ValueError, "n_groups must not be negative, found -1"),
        (2.5, TypeError, "n_groups must be an integer, found 2.5"),
    ],
)
def test_needs_a_group(n_groups, error, words):
    with pytest.raises(error, match=words):
        plot_calibration(steps("squared"), np.zeros((2, 1)), [0.0, 1.0], n_groups=n_groups)
