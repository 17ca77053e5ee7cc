import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import t

from sorb.losses import Logistic, Poisson, Softmax, Squared
from sorb.measures.measures import Measures
from sorb.rules import RuleEnsemble
from sorb.tables.targets import Outcomes

TWO = RuleEnsemble(0.0, (), (), "logistic", ("no", "yes"))
NUMBERS = RuleEnsemble(0.0, (), (), "squared")


def two_classes(rng, n):
    """Scores of a model that is too sure, and outcomes."""
    scores = rng.normal(-1.0, 2.0, size=n)
    return scores, (rng.random(n) < expit(0.8 * scores)) * 1.0


def numbers(rng, n):
    scores = rng.normal(size=n)
    return scores, scores + rng.standard_t(8, size=n)


def test_the_interval_of_a_mean_is_students_on_a_logarithmic_scale():
    scores, y = numbers(np.random.default_rng(0), 50)
    found = Measures.of(NUMBERS, scores, Outcomes(y, np.ones(50), Squared()))
    errors = np.abs(y - scores)
    reach = t.ppf(0.975, 49) * errors.std(ddof=1) / np.sqrt(50) / errors.mean()
    expected = errors.mean() * np.exp([-reach, reach])
    assert found.intervals["mae"] == pytest.approx(expected)


def test_the_interval_of_r2_is_that_of_a_jackknife():
    rng, n = np.random.default_rng(1), 400
    scores, y = numbers(rng, n)
    low, high = Measures.of(NUMBERS, scores, Outcomes(y, np.ones(n), Squared())).intervals["r2"]

    def rest(rows):
        return np.mean((y[rows] - scores[rows]) ** 2) / y[rows].var()

    without = np.array([rest(np.delete(np.arange(n), k)) for k in range(n)])
    error = np.sqrt((n - 1) / n * np.sum((without - without.mean()) ** 2))
    share = rest(np.arange(n))
    reach = t.ppf(0.975, n - 1) * error / share
    assert (1 - low, 1 - high) == pytest.approx(share * np.exp([reach, -reach]), rel=0.01)


@pytest.mark.parametrize(
    ("draw", "ensemble", "names"),
    [
        (two_classes, TWO, ["risk", "error", "brier"]),
        (numbers, NUMBERS, ["risk", "rmse", "mae", "r2"]),
    ],
)
@pytest.mark.parametrize("copies", [1, 4])
def test_about_95_percent_of_the_intervals_hold_the_value_of_all_rows(
    draw, ensemble, names, copies
):
    rng, n, times = np.random.default_rng(2), 150, 600
    scores, y = draw(rng, 300_000)
    truth = Measures.of(ensemble, scores, Outcomes(y, np.ones(len(y)), ensemble.loss))
    group = None if copies == 1 else np.repeat(np.arange(n), copies)
    right = dict.fromkeys(names, 0)
    for _ in range(times):
        scores, y = (np.repeat(values, copies) for values in draw(rng, n))
        rows = Outcomes(y, np.ones(len(y)), ensemble.loss)
        found = Measures.of(ensemble, scores, rows, group=group).intervals
        for name in names:
            low, high = found[name]
            right[name] += low <= getattr(truth, name) <= high
    assert all(0.915 * times < count < 0.98 * times for count in right.values()), right


def test_classes_of_few_rows_widen_the_interval_of_balanced_accuracy():
    rng, loss, times, right = np.random.default_rng(3), Softmax(), 600, 0
    ensemble = RuleEnsemble((0.0, 0.0, 0.0), (), (), "softmax", ("a", "b", "c"))
    known = np.array([0.9, 0.7, 0.5])
    y = np.repeat([0, 1, 2], [150, 60, 15])
    for _ in range(times):
        hit = rng.random(len(y)) < known[y]
        scores = np.eye(3)[np.where(hit, y, (y + 1) % 3)]
        rows = Outcomes(y.astype(float), np.ones(len(y)), loss)
        low, high = Measures.of(ensemble, scores, rows).intervals["balanced_accuracy"]
        right += low <= known.mean() <= high
    assert 0.925 * times < right < 0.985 * times


def test_what_rows_cannot_tell_has_no_interval():
    one = Outcomes(np.array([1.0]), np.ones(1), Squared())
    assert Measures.of(NUMBERS, np.array([0.5]), one).intervals == {}
    same = Outcomes(np.zeros(9), np.ones(9), Logistic())
    assert list(Measures.of(TWO, np.full(9, -2.0), same).intervals) == ["error"]
    counts = RuleEnsemble(0.0, (), (), "poisson")
    large = Outcomes(np.array([1.0, 2.0]), np.ones(2), Poisson())
    assert "risk" not in Measures.of(counts, np.array([900.0, 0.0]), large).intervals


def test_no_brier_score_is_above_one():
    few = Outcomes(np.array([0.0, 0.0, 1.0]), np.ones(3), Logistic())
    low, high = Measures.of(TWO, np.full(3, -1.25), few).intervals["brier"]
    assert 0 < low < high == 1


def test_intervals_are_plain_lists_in_json():
    scores, y = two_classes(np.random.default_rng(4), 40)
    found = Measures.of(TWO, scores, Outcomes(y, np.ones(40), Logistic())).to_dict()
    low, high = found["intervals"]["risk"]
    assert low < found["risk"] < high
