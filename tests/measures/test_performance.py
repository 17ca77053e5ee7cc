import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss, roc_auc_score

import sorb
from sorb import LLTBoostClassifier, LLTBoostRegressor, performance

RNG = np.random.default_rng(12)
N = 300
TABLE = pd.DataFrame(
    {
        "age": RNG.uniform(20, 80, N).round(),
        "dose": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
        "group": RNG.choice(["A", "B", None], N),
    }
)
ILL = np.where(TABLE["age"] + 10 * RNG.normal(size=N) > 60, "yes", "no")
TRAIN, TEST = slice(0, 200), slice(200, N)
TRAINING = TABLE[TRAIN], ILL[TRAIN]


@pytest.fixture(scope="module")
def classifier():
    return LLTBoostClassifier(max_rules=2, selection=None).fit(*TRAINING)


def test_the_model_and_the_baseline_are_measured(classifier):
    found = performance(classifier, TABLE[TEST], ILL[TEST])
    p = classifier.predict_proba(TABLE[TEST])
    share = np.mean(ILL[TRAIN] == "yes")
    assert found.measures["sorb"].auc.value == pytest.approx(roc_auc_score(ILL[TEST], p[:, 1]))
    assert found.measures["sorb"].risk == pytest.approx(log_loss(ILL[TEST], p))
    constant = np.tile([1 - share, share], (100, 1))
    assert found.measures["baseline"].risk == pytest.approx(log_loss(ILL[TEST], constant))
    assert found.cutoff.value == pytest.approx(share)
    assert found.verdict is None


def test_an_ensemble_is_measured_as_its_estimator(classifier):
    found = performance(classifier.ensemble_, TABLE[TEST], ILL[TEST])
    share = np.mean(ILL[TEST] == "yes")
    assert found.cutoff.value == pytest.approx(share)
    same = performance(classifier, TABLE[TEST], ILL[TEST], cutoff=share).measures["sorb"]
    assert found.measures["sorb"] == same


def test_rivals_learn_from_categories_and_gaps(classifier):
    found = performance(classifier, TABLE[TEST], ILL[TEST], training=TRAINING)
    assert [*found.measures] == ["sorb", "baseline", "logistic", "tree"]
    assert all(
        measured.auc.value > 0.8 for name, measured in found.measures.items() if name != "baseline"
    )


@pytest.mark.filterwarnings("ignore:column '.*' is left out")
def test_rivals_leave_out_what_the_estimator_does(classifier):
    table = TABLE.assign(
        name=[f"person {number}" for number in range(N)],
        born=pd.Timestamp("1970-01-01") + pd.to_timedelta(np.arange(N), "D"),
    )
    wider = clone(classifier).fit(table[TRAIN], ILL[TRAIN])
    found = performance(wider, table[TEST], ILL[TEST], training=(table[TRAIN], ILL[TRAIN]))
    expected = performance(classifier, TABLE[TEST], ILL[TEST], training=TRAINING)
    assert found.measures["tree"] == expected.measures["tree"]


def test_weights_are_copies_and_rows_of_weight_0_do_not_count(classifier):
    weight = np.random.default_rng(1).integers(0, 3, 100)
    copies = np.repeat(np.arange(200, N), weight)
    weighted = performance(classifier, TABLE[TEST], ILL[TEST], weight).to_dict()
    copied = performance(classifier, TABLE.iloc[copies], ILL[copies]).to_dict()
    assert weighted["rows"] == np.count_nonzero(weight)
    assert plain_numbers(weighted["measures"]) == pytest.approx(plain_numbers(copied["measures"]))
    assert weighted["gain"] == pytest.approx(copied["gain"])


def test_after_class_weights_the_baseline_does_not_expect_the_share():
    model = LLTBoostClassifier(max_rules=1, selection=None, class_weight={"yes": 9})
    with pytest.warns(UserWarning, match="class_weight changes"):
        model.fit(TABLE[TRAIN], ILL[TRAIN])
    found = performance(model, TABLE[TEST], ILL[TEST])
    assert found.cutoff.value > 1.2 * np.mean(ILL[TRAIN] == "yes")
    assert found.cutoff.reason == "what the baseline expects of yes after class weights"


def plain_numbers(document):
    """All numbers of nested dictionaries, in order."""
    if isinstance(document, dict):
        return [number for value in document.values() for number in plain_numbers(value)]
    if isinstance(document, list):
        return document
    return [] if document is None else [document]


def test_groups_widen_intervals_and_may_be_texts(classifier):
    rows = np.repeat(np.arange(200, N), 4)
    groups = [f"patient {row}" for row in rows]
    alone = performance(classifier, TABLE.iloc[rows], ILL[rows]).measures["sorb"].auc
    grouped = performance(classifier, TABLE.iloc[rows], ILL[rows], groups=groups)
    wide = grouped.measures["sorb"].auc
    assert alone.value == wide.value
    assert wide.low < alone.low


def test_noise_is_no_better_than_without_rules():
    verdicts = []
    for seed in range(5, 10):
        noise = np.random.default_rng(seed).permutation(ILL)
        model = LLTBoostClassifier(max_rules=4, selection=None).fit(TABLE[TRAIN], noise[TRAIN])
        found = performance(model, TABLE[TEST], noise[TEST])
        verdicts.append(found.verdict)
    assert all(verdict.startswith("No better than without rules") for verdict in verdicts)
    assert str(found).endswith(found.verdict)
    empty = performance(model.stages_[0].ensemble, TABLE[TEST], noise[TEST])
    assert empty.verdict == "No better than without rules: the model has none."


@pytest.mark.parametrize("loss", ["squared", "poisson", "gamma", "tweedie"])
def test_numbers_have_regressions_of_their_loss(loss):
    rng = np.random.default_rng(3)
    years = rng.uniform(0.5, 2, N)
    y = rng.gamma(np.exp(TABLE["age"] / 40)) * years + 0.1
    exposure = {} if loss == "squared" else {"exposure": years[TRAIN]}
    model = LLTBoostRegressor(loss=loss, max_rules=2, selection=None)
    model.fit(TABLE[TRAIN], y[TRAIN], **exposure)
    training = (TABLE[TRAIN], y[TRAIN], None, years[TRAIN] if exposure else None)
    test = {} if loss == "squared" else {"exposure": years[TEST]}
    found = performance(model, TABLE[TEST], y[TEST], training=training, **test)
    name = {"squared": "linear", "poisson": "Poisson", "tweedie": "Tweedie"}.get(loss, loss)
    assert [*found.measures][2:] == [name, "tree"]
    assert all(
        m.risk < found.measures["baseline"].risk
        for m in [found.measures["sorb"], found.measures[name]]
    )


def test_large_tables_leave_rivals_out(classifier, monkeypatch):
    monkeypatch.setattr("sorb.measures.rivals.MOST_CELLS", 100)
    found = performance(classifier, TABLE[TEST], ILL[TEST], training=TRAINING)
    assert [*found.measures] == ["sorb", "baseline"]
    assert "more than 100 cells" in found.notes[0]


def test_what_is_wrong_is_said(classifier):
    rows = TABLE[TEST], ILL[TEST]
    with pytest.raises(ValueError, match="groups"):
        performance(classifier, *rows, groups=[1, 2])
    with pytest.raises(ValueError, match="groups is missing in row 1 "):
        performance(classifier, *rows, groups=["a", None, *"b" * 98])
    with pytest.raises(ValueError, match="training needs a fitted estimator"):
        performance(classifier.ensemble_, *rows, training=TRAINING)
    assert sorb.Performance is type(performance(classifier, *rows))
