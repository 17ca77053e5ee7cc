"""Models of tables with missing values, categories, booleans, logarithms and units."""

import pickle
import warnings
from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rule_strategies import satisfies
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sorb import (
    LLTBoostClassifier,
    LLTBoostClassifierCV,
    LLTBoostRegressor,
    LLTBoostRegressorCV,
    Membership,
    Product,
    Proposition,
    RuleEnsemble,
)
from sorb.lab.datasets.generated import nhanes_standin
from sorb.losses import LOSSES, loss_by_name

LOSS_NAMES = tuple(LOSSES)
SEARCHES = ("oblique", "oblique_append", "axis")
SETTINGS = {
    f"{search}, {weights} weights, log_columns={log_columns}": {
        "search": search,
        "weights": weights,
        "log_columns": log_columns,
    }
    for search, weights, log_columns in product(SEARCHES, ("real", "integer"), (None, "auto"))
}
every_loss = pytest.mark.parametrize("loss", LOSS_NAMES)
every_search = pytest.mark.parametrize("search", SEARCHES)
every_setting = pytest.mark.parametrize("setting", SETTINGS)
FRAMES = {
    "pandas": lambda table: table,
    "polars": pl.from_pandas,
    "pyarrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
}
every_library = pytest.mark.parametrize("library", FRAMES)

seeds = st.integers(0, 2**32 - 1)


def for_all(**strategies):
    """Like `given`; always the same examples, because ties decided by rounding do exist."""
    same_examples = settings(max_examples=4, derandomize=True)
    return lambda test: same_examples(given(**strategies)(test))


def people(seed, n=60, coarse=None):
    """Draw a table of all kinds of columns, and a score that depends on most of them."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.uniform(20, 80, n),
            "weight": rng.lognormal(4.2, 0.2, n),
            "height": rng.normal(1.7, 0.1, n),
            "group": rng.choice(["A", "AB", "B", "O"], n),
            "smoker": rng.random(n) < 0.4,
            "change": rng.integers(-2, 3, n),
        }
    )
    if rng.random() < 0.5 if coarse is None else coarse:
        table = table.round({"age": -1, "weight": -1, "height": 1})
    for name in ("weight", "group", "change"):
        table[name] = table[name].mask(rng.random(n) < 0.15)
    score = (table.age > 50) + table.group.isin(["A", "AB"]) * 1.0
    score += (table.weight / table.height**2 > 24) - 0.3 * table.change.fillna(3)
    return table, (score + rng.normal(0, 0.3, n)).to_numpy(), rng


def outcome(loss, score, rng):
    if loss == "logistic":
        return (score > np.median(score)).astype(int)
    if loss == "softmax":
        return np.digitize(score, np.quantile(score, [0.3, 0.7]))
    if loss == "poisson":
        return rng.poisson(np.exp(np.clip(score, -2, 2))) + (score == score.max())
    return np.exp(score).round(2) + 0.01 if LOSSES[loss].non_negative else score.round(2)


def estimator(loss, **parameters):
    parameters = {"max_rules": 3, "selection": None, **parameters}
    if loss in ("logistic", "softmax"):
        return LLTBoostClassifier(**parameters)
    return LLTBoostRegressor(loss=loss, **parameters)


def learned(loss, table, y, weight=None, **parameters):
    return estimator(loss, **parameters).fit(table, y, sample_weight=weight)


def propositions(ensemble):
    return [p for rule in ensemble for p in rule.condition.propositions]


def loss_of(setting):
    """Go through the losses with the settings."""
    return LOSS_NAMES[list(SETTINGS).index(setting) % len(LOSS_NAMES)]


# ---- the same table in other words ----


@every_setting
@for_all(seed=seeds)
def test_each_library_gives_the_same_model(setting, seed):
    loss = loss_of(setting)
    table, score, rng = people(seed)
    y = outcome(loss, score, rng)
    models = [learned(loss, frame(table), y, **SETTINGS[setting]) for frame in FRAMES.values()]
    assert models[0].ensemble_ == models[1].ensemble_ == models[2].ensemble_
    answers = [m.predict(f(table)) for m, f in zip(models, FRAMES.values(), strict=True)]
    assert answers[0].tolist() == answers[1].tolist() == answers[2].tolist()


@pytest.mark.parametrize(
    "convert",
    [pl.Series, lambda y: pa.chunked_array([y]), pd.Series, list],
    ids=["polars", "pyarrow", "pandas", "list"],
)
def test_outcomes_and_weights_may_be_columns_of_any_library(convert):
    table, score, rng = people(1)
    y = np.where(score > 1, "ill", "well")
    weight = rng.uniform(0.5, 2, len(y))
    plain = learned("logistic", table, y, weight)
    assert learned("logistic", table, convert(y), convert(weight)).ensemble_ == plain.ensemble_


@every_setting
@for_all(seed=seeds)
def test_the_order_of_the_rows_changes_nothing(setting, seed):
    loss = loss_of(setting)
    table, score, rng = people(seed)
    y, rows = outcome(loss, score, rng), rng.permutation(len(table))
    moved = learned(loss, table.iloc[rows], y[rows], **SETTINGS[setting])
    assert learned(loss, table, y, **SETTINGS[setting]).ensemble_ == moved.ensemble_


@every_setting
@for_all(seed=seeds)
def test_a_weight_means_copies_of_the_row(setting, seed):
    loss = loss_of(setting)
    table, score, rng = people(seed)
    y, weight = outcome(loss, score, rng), rng.integers(0, 4, len(table))
    rows = rng.permutation(np.repeat(np.arange(len(table)), weight))
    weighted = learned(loss, table, y, weight, **SETTINGS[setting])
    assert (
        weighted.ensemble_
        == learned(loss, table.iloc[rows], y[rows], **SETTINGS[setting]).ensemble_
    )


@every_setting
@for_all(seed=seeds)
def test_rows_without_weight_may_hold_anything(setting, seed):
    loss = loss_of(setting)
    table, score, rng = people(seed)
    y = outcome(loss, score, rng)
    odd = table.iloc[:4].assign(
        group=["0", "AA", "N", "Z"], weight=[0.0, -1.0, np.nan, 1e9], age=0.0
    )
    more = pd.concat([table, odd], ignore_index=True)
    weight = np.repeat([1.0, 0.0], [len(table), len(odd)])
    weighted = learned(loss, more, np.append(y, y[:4]), weight, **SETTINGS[setting])
    assert weighted.ensemble_ == learned(loss, table, y, **SETTINGS[setting]).ensemble_


IN_ORDER = {"A": "k", "AB": "l", "B": "m", "O": "n"}
OTHERWISE = {"A": 30, "AB": -2, "B": 7, "O": 11}


def with_labels(proposition, label):
    if not isinstance(proposition, Membership) or proposition.column != "group":
        return proposition
    categories = [label[category] for category in proposition.categories]
    return Membership("group", categories, proposition.negated, proposition.missing)


@every_setting
@for_all(seed=seeds)
def test_other_labels_change_the_labels_of_the_model(setting, seed):
    loss = loss_of(setting)
    table, score, rng = people(seed)
    y = outcome(loss, score, rng)
    found = learned(loss, table, y, **SETTINGS[setting]).ensemble_
    other = table.assign(group=table.group.map(IN_ORDER))
    expected = [with_labels(p, IN_ORDER) for p in propositions(found)]
    relabelled = learned(loss, other, y, **SETTINGS[setting]).ensemble_
    assert propositions(relabelled) == expected
    assert [rule.vote for rule in relabelled] == [rule.vote for rule in found]


@every_search
def test_the_order_of_the_labels_means_nothing(search):
    # It may move the draws of the rows that validate, so there are none.
    table, score, _ = people(3, n=200, coarse=False)
    parameters = {"search": search, "validation": None}
    found = learned("squared", table, score, **parameters)
    other = table.assign(group=table.group.map(OTHERWISE).astype("category"))
    relabelled = learned("squared", other, score, **parameters)
    assert any(isinstance(p, Membership) for p in propositions(found.ensemble_))
    np.testing.assert_array_equal(relabelled.transform(other), found.transform(table))


# ---- predictions ----

SINGLE = {"float32": np.float32, "float64": np.float64}


@every_setting
@pytest.mark.parametrize("dtype", SINGLE)
@for_all(seed=seeds)
def test_training_sees_rows_as_predictions_do(setting, dtype, seed):
    loss = loss_of(setting)
    table, score, rng = people(seed)
    if dtype == "float32":
        table = table.drop(columns="group").astype(np.float32)
    y = outcome(loss, score, rng)
    model = learned(loss, table, y, **SETTINGS[setting])
    assert len(model.stages_) > 1
    for stage in model.stages_:
        risk = loss_by_name(loss).value(y.astype(float), stage.ensemble(table)).mean()
        assert stage.train_risk == pytest.approx(risk, rel=1e-9, abs=1e-12)


def strangers(seed):
    """Draw rows with unseen categories, more missing values, zeros and negative numbers."""
    table, _, rng = people(seed, n=40)
    table.loc[:4, "group"] = ["C", "", "a", "A ", "group"]
    table.loc[5:9, "weight"] = [0.0, -70.0, 1e-300, 1e300, np.nan]
    table["age"] = table.age.mask(rng.random(len(table)) < 0.3)
    table["smoker"] = table.smoker.astype("boolean").mask(rng.random(len(table)) < 0.3)
    return table


def by_hand(ensemble, table):
    """Decide row by row in plain Python."""
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    offset = np.atleast_1d(ensemble.offset)
    values = np.tile(offset, (len(rows), 1))
    for i, row in enumerate(rows):
        for rule in ensemble:
            values[i, rule.output] += rule.vote * satisfies(rule.condition, row)
    return values if ensemble.loss.score_per_class else values[:, 0]


@every_setting
@for_all(seed=seeds)
def test_rows_of_any_kind_are_decided_by_the_rules(setting, seed):
    loss = loss_of(setting)
    table, score, rng = people(seed)
    model = learned(loss, table, outcome(loss, score, rng), **SETTINGS[setting])
    rows = strangers(seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* (was|seen) .*in training")
        totals = [model.explain(frame(rows)).total() for frame in FRAMES.values()]
        answers = [model.predict(frame(rows)) for frame in FRAMES.values()]
    for total in totals:
        np.testing.assert_array_equal(total, by_hand(model.ensemble_, rows))
    for frame in FRAMES.values():
        np.testing.assert_array_equal(model.ensemble_(frame(rows)), totals[0])
    assert answers[0].tolist() == answers[1].tolist() == answers[2].tolist()


@pytest.fixture(scope="module")
def model():
    """A model that asks for a category, a number that may be missing, and a boolean."""
    table, _, _ = people(5, n=300)
    score = 3 * table.group.isin(["A", "AB"]) + 2 * table.smoker + (table.weight.isna() * 1.0)
    return learned("squared", table, score.to_numpy()), table


def test_all_answers_are_given_for_real_tables(model):
    fitted, table = model
    assert set(fitted.ensemble_.used_columns) >= {"group", "smoker"}
    covered = fitted.transform(table)
    names = [f"rule{k}: {rule.condition}" for k, rule in enumerate(fitted.ensemble_)]
    assert fitted.get_feature_names_out().tolist() == names
    np.testing.assert_array_equal(covered, fitted.ensemble_.covers(table))
    np.testing.assert_array_equal(fitted.explain(table).total(), fitted.predict(table))
    *_, last = fitted.staged_predict(table)
    np.testing.assert_array_equal(last, fitted.predict(table))
    with config_context(transform_output="pandas"):
        assert list(clone(fitted).fit_transform(table, covered[:, 0]).index) == list(table.index)


def test_a_model_of_a_real_table_survives_a_file(model, tmp_path):
    fitted, table = model
    reloaded = pickle.loads(pickle.dumps(fitted))
    assert reloaded.ensemble_ == fitted.ensemble_
    np.testing.assert_array_equal(reloaded.predict(table), fitted.predict(table))
    with pytest.warns(UserWarning, match="'smoker' is missing"):
        reloaded.predict(table.assign(smoker=np.nan))
    fitted.ensemble_.save(tmp_path / "model.json")
    assert RuleEnsemble.load(tmp_path / "model.json") == fitted.ensemble_


def test_unseen_categories_are_in_no_set():
    table = pd.DataFrame({"group": ["A", "A", "B", "C", "D", None] * 20, "age": range(120)})
    fitted = learned("squared", table, 5.0 * (table.group == "A"), max_rules=1)
    (asked,) = propositions(fitted.ensemble_)
    assert asked.categories == ("A",)
    new = pd.DataFrame({"group": ["A", "B", "unseen", None], "age": 7})
    with pytest.warns(UserWarning, match="holds 'unseen' in row 2 .1 in all., never seen"):
        is_a, *others = fitted.predict(new)
    assert is_a > 4
    assert len(set(others)) == 1


@every_library
def test_columns_must_be_those_of_the_training(model, library):
    fitted, table = model
    frame = FRAMES[library]
    for other, message in [
        (table.drop(columns="age"), "missing"),
        (table.assign(more=1), "unseen"),
        (table[table.columns[::-1]], "same order"),
        (table.rename(columns={"age": "Age"}), "unseen"),
    ]:
        with pytest.raises(ValueError, match=message):
            fitted.predict(frame(other))


@every_library
def test_what_no_rule_looks_at_may_be_anything(library):
    table = pd.DataFrame({"age": np.arange(40.0), "note": ["x", "y"] * 20})
    fitted = learned("squared", table, table.age > 20, max_rules=1)
    assert fitted.ensemble_.used_columns == ("age",)
    other = table.assign(note=pd.Timestamp("2020-01-31"))
    np.testing.assert_array_equal(fitted.predict(FRAMES[library](other)), fitted.predict(table))


@every_library
def test_a_number_that_became_text_is_refused(model, library):
    fitted, table = model
    other = FRAMES[library](table.assign(smoker="no"))
    with pytest.raises(TypeError, match="column 'smoker' must hold numbers, found 'no' in row 0"):
        fitted.predict(other)


@every_library
def test_a_model_without_names_reads_frames_by_place(library):
    table, score, _ = people(7, n=100)
    table["smoker"] = table.smoker.astype(object)
    nameless = table.set_axis(range(table.shape[1]), axis=1)
    fitted = learned("squared", nameless, score)
    assert any(isinstance(p, Membership) for p in propositions(fitted.ensemble_))
    with pytest.warns(UserWarning, match="fitted without feature names"):
        answers = fitted.predict(FRAMES[library](table.assign(smoker=table.smoker.astype(bool))))
    np.testing.assert_array_equal(answers, fitted.predict(nameless))
    np.testing.assert_array_equal(answers, fitted.predict(table.to_numpy(dtype=object)))


# ---- missing values ----


@every_search
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("above", [True, False])
def test_each_proposition_learns_which_way_missing_goes(search, inside, above):
    rng = np.random.default_rng(11)
    table = pd.DataFrame({"age": rng.uniform(20, 80, 400), "bmi": rng.normal(27, 4, 400)})
    table["bmi"] = table.bmi.mask(rng.random(400) < 0.25)
    high = table.bmi >= 28 if above else table.bmi <= 24
    ill = (high | table.bmi.isna()) if inside else high
    fitted = learned("logistic", table, ill, search=search, max_rules=1)
    (asked,) = propositions(fitted.ensemble_)
    assert isinstance(asked, Proposition)
    assert asked.columns == ("bmi",)
    assert ("or bmi missing" in str(asked)) == asked.missing
    assert fitted.score(table, ill) > 0.99
    new = pd.DataFrame({"age": [50.0] * 3, "bmi": [20.0, np.nan, 32.0]})
    assert fitted.predict(new).tolist() == [not above, inside, above]


@every_search
@pytest.mark.parametrize("known", [True, False])
def test_that_a_value_is_missing_can_be_the_rule(search, known):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.uniform(20, 80, 400), "bmi": rng.normal(27, 4, 400)})
    table["bmi"] = table.bmi.mask(rng.random(400) < 0.3)
    ill = (table.bmi.notna() if known else table.bmi.isna()) ^ (rng.random(400) < 0.05)
    (asked,) = propositions(learned("logistic", table, ill, search=search, max_rules=1).ensemble_)
    assert str(asked) in ("bmi missing", "bmi measured")


@every_search
def test_a_missing_category_goes_with_the_categories_it_is_like(search):
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"group": rng.choice(["A", "B", "C", "D"], 400)})
    table["group"] = table.group.mask(rng.random(400) < 0.3)
    table["age"] = rng.uniform(20, 80, 400)
    ill = table.group.isin(["A"]) | table.group.isna()
    fitted = learned("logistic", table, ill ^ (rng.random(400) < 0.05), search=search, max_rules=1)
    (asked,) = propositions(fitted.ensemble_)
    assert isinstance(asked, Membership)
    assert asked.categories == ("A",)
    assert fitted.predict(table).tolist() == ill.tolist()


def test_a_column_missing_for_the_first_time_is_warned_of(model):
    fitted, table = model
    some = table.astype({"smoker": "boolean"})
    some.loc[[8, 9], "smoker"] = pd.NA
    message = (
        r"'smoker' is missing in row 8 \(2 in all\), but never was in training: no proposition"
    )
    asking = [j for j, rule in enumerate(fitted.ensemble_) if "smoker" in rule.condition.columns]
    for frame in FRAMES.values():
        with pytest.warns(UserWarning, match=message):
            assert not fitted.transform(frame(some))[8:10, asking].any()
    fitted.predict(table.assign(weight=None, group=None))  # known to be missing: not a word


def test_a_category_missing_for_the_first_time_is_warned_of():
    table = pd.DataFrame({"group": ["A", "B", "C"] * 20, "age": range(60)})
    fitted = learned("logistic", table, table.group == "A", max_rules=1)
    with pytest.warns(UserWarning, match=r"'group' is missing in row 2 \(1 in all\)"):
        fitted.predict(pd.DataFrame({"group": ["A", "B", None], "age": 1}))


def test_a_number_without_a_logarithm_is_warned_of():
    rng = np.random.default_rng(8)
    table = pd.DataFrame(rng.lognormal(size=(200, 2)), columns=["a", "b"])
    fitted = learned("logistic", table, table.a > table.b, max_rules=1, log_columns="auto")
    assert isinstance(propositions(fitted.ensemble_)[0], Product)
    with pytest.warns(UserWarning, match=r"'b' is -1 in row 1 \(2 in all are not positive\), but"):
        fitted.predict(pd.DataFrame({"a": 1.0, "b": [1.0, -1.0, 0.0]}))
    sums = learned("logistic", table, table.a > table.b, max_rules=1)
    sums.predict(pd.DataFrame({"a": 1.0, "b": [1.0, -1.0, 0.0]}))  # not a word


# ---- categories ----


GRADES = ["1", "2", "3", "X"] * 20
OF_ANOTHER_TYPE = {
    "texts became numbers": (GRADES, [1, 2, 3], r"numbers \(1, 2, 3\), but held texts"),
    "numbers became texts": (
        [1, 2, 3, 4] * 20,
        ["1", "2"],
        r"texts \('1', '2'\), but held numbers",
    ),
    "booleans became texts": ([True, False] * 40, ["True"], r"texts \('True'\), but held numbers"),
    "texts became days": (GRADES, [np.datetime64("2020-01-31")], "other values .*, but held texts"),
}


@every_library
@pytest.mark.parametrize("kind", OF_ANOTHER_TYPE)
def test_categories_of_another_type_are_warned_of(library, kind):
    trained, later, message = OF_ANOTHER_TYPE[kind]
    frame = FRAMES[library]
    table = pd.DataFrame({"grade": trained, "age": range(80)})
    y = table.grade == trained[0]
    fitted = learned("logistic", frame(table), y, max_rules=1, categorical_features=["grade"])
    assert isinstance(propositions(fitted.ensemble_)[0], Membership)
    with pytest.warns(UserWarning, match=f"'grade' holds {message} in training .*give them the ty"):
        fitted.predict(frame(pd.DataFrame({"grade": later, "age": 1})))


@pytest.mark.parametrize("later", [[1.0, 2.0], [True], [None, 1], [None], []], ids=repr)
def test_known_categories_are_not_warned_of(later):
    table = pd.DataFrame({"grade": [1, 2, 3, 4] * 20, "age": range(80)})
    parameters = {"max_rules": 1, "categorical_features": ["grade"]}
    fitted = learned(
        "logistic",
        table.assign(grade=table.grade.where(table.grade < 4)),
        table.grade == 1,
        **parameters,
    )
    fitted.predict(pd.DataFrame({"grade": pd.Series(later, dtype=object), "age": 1}))


def test_new_categories_are_counted_in_one_warning():
    table = pd.DataFrame({"town": list("abcd") * 20, "age": range(80)})
    fitted = learned("logistic", table, table.town == "a", max_rules=1)
    with pytest.warns(UserWarning, match="town") as caught:
        fitted.predict(pd.DataFrame({"town": list("abxya"), "age": 999}))
    assert [str(warning.message) for warning in caught] == [
        "column 'town' holds 'x' in row 2 (2 in all), never seen in training: rules treat it like "
        "the categories that they do not name"
    ]


def test_how_columns_were_read_is_kept():
    table, score, _ = people(4)
    ill = score > np.median(score)
    parameters = {"max_rules": 1, "log_columns": "auto"}
    for fitted in (
        LLTBoostClassifier(**parameters).fit(table, ill),
        LLTBoostClassifierCV(**parameters, cv=2).fit(table, ill),
        LLTBoostRegressor(**parameters).fit(table, score),
        LLTBoostRegressorCV(**parameters, cv=2).fit(table, score),
    ):
        assert fitted.log_columns_ == ("age", "weight", "height")
        assert fitted.categories_ == {"group": ("A", "AB", "B", "O")}
    plain = LLTBoostClassifier(max_rules=1).fit(table[["age"]], ill)
    assert (plain.log_columns_, plain.categories_) == ((), {})


@every_search
@every_library
def test_a_planted_set_is_found(search, library):
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {
            "blood_group": rng.choice(["A", "AB", "B", "O", "unclear"], 500),
            "age": rng.uniform(20, 80, 500),
        }
    )
    ill = table.blood_group.isin(["A", "AB"]) ^ (rng.random(500) < 0.1)
    (rule,) = learned("logistic", FRAMES[library](table), ill, search=search, max_rules=1).ensemble_
    named = f"blood_group {'in' if rule.vote > 0 else 'not in'} {{A, AB}}"
    assert str(rule.condition) == named


def test_each_category_that_is_named_counts():
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"town": rng.choice(list("abcdefghijkl"), 600)})
    y = 1.0 * table.town.isin(list("abcdef"))
    for most in (1, 2, 4, 6):
        fitted = learned(
            "squared", table, y, max_rules=1, max_rule_complexity=most, validation=None
        )
        (asked,) = propositions(fitted.ensemble_)
        assert len(asked.categories) == most
        assert fitted.ensemble_.complexity == 2 + most
    limited = learned("squared", table, y, max_rules=9, max_complexity=10).ensemble_
    assert 0 < limited.complexity <= 10


def test_a_boolean_is_a_number_or_a_category():
    table, _, _ = people(4, n=200)
    (number,) = propositions(learned("logistic", table, table.smoker, max_rules=1).ensemble_)
    assert str(number) in ("smoker ≥ 0.5", "smoker ≤ 0.5")
    named = {"categorical_features": ["group", "smoker"], "max_rules": 1}
    (label,) = propositions(learned("logistic", table, table.smoker, **named).ensemble_)
    assert str(label) in ("smoker = True", "smoker = False")


# ---- logarithms ----


def stand_in(rows=4000, seed=0):
    table = pd.DataFrame(nhanes_standin(rows, seed))
    return table.drop(columns="diabetes"), table.diabetes


def test_the_body_mass_index_is_found():
    table, ill = stand_in()
    parameters = {"log_columns": "auto", "weights": "integer", "units": UNITS}
    fitted = learned("logistic", table, ill, max_rules=1, complexity_price=0.0, **parameters)
    (rule,) = fitted.ensemble_
    old, heavy = rule.condition.propositions
    assert (old.columns, old.weights, old.threshold) == (("age",), (1,), pytest.approx(39.5, abs=1))
    assert isinstance(heavy, Product)
    assert (heavy.columns, heavy.powers) == (("weight", "height"), (1, -2))
    assert heavy.threshold == pytest.approx(25, abs=0.5)
    assert str(heavy).startswith("weight / height² ≥ 2")
    assert str(fitted.ensemble_).endswith(" kg/m²")


@pytest.mark.parametrize("weights", ["real", "integer"])
@every_search
@for_all(seed=seeds)
def test_units_of_log_columns_change_thresholds_only(weights, search, seed):
    table, score, _ = people(seed, n=100, coarse=False)
    parameters = {"search": search, "weights": weights, "log_columns": ["weight", "height"]}
    kilograms = learned("squared", table, score, **parameters)
    grams = learned("squared", table.assign(weight=table.weight * 1024), score, **parameters)
    answers = grams.predict(table.assign(weight=table.weight * 1024))
    np.testing.assert_allclose(answers, kilograms.predict(table), rtol=1e-9)
    for old, new in zip(
        propositions(kilograms.ensemble_), propositions(grams.ensemble_), strict=True
    ):
        assert new.columns == old.columns
        if isinstance(old, Product):
            assert new.powers == pytest.approx(old.powers)
            power = dict(zip(old.columns, old.powers, strict=True)).get("weight", 0)
            assert new.threshold == pytest.approx(old.threshold * 1024**power)
        elif old.columns == ("weight",) and isinstance(old, Proposition):
            assert new.threshold == pytest.approx(old.threshold * 1024)


def test_no_sum_mixes_logarithms_with_other_columns():
    table, score, _ = people(6, n=200)
    parameters = {"max_rules": 10, "complexity_price": 0.0, "log_columns": ["weight", "height"]}
    found = propositions(learned("squared", table, score, **parameters).ensemble_)
    assert {frozenset(p.columns) for p in found if isinstance(p, Product)} == {
        frozenset({"weight", "height"})
    }
    sums = [set(p.columns) for p in found if isinstance(p, Proposition) and len(p.columns) > 1]
    assert sums
    assert all(columns.isdisjoint({"weight", "height"}) for columns in sums)


@pytest.mark.parametrize("missing", [False, True])
def test_what_has_no_logarithm_counts_as_missing_in_a_ratio(missing):
    rng = np.random.default_rng(8)
    table = pd.DataFrame({"a": rng.lognormal(size=400), "b": rng.lognormal(size=400)})
    table["a"] = table.a.mask(rng.random(400) < 0.2)
    high = table.a / table.b > 1
    y = 1.0 * (high | table.a.isna() if missing else high)
    fitted = learned("squared", table, y, max_rules=1, log_columns="auto", weights="integer")
    (ratio,) = propositions(fitted.ensemble_)
    assert isinstance(ratio, Product)
    rows = pd.DataFrame({"a": [0.0, -1.0, np.nan, 9.0], "b": [1.0, 1.0, 1.0, 1.0]})
    with pytest.warns(UserWarning, match=r"'a' is 0 in row 0 \(2 in all are not positive\)"):
        zero, negative, unknown, large = fitted.predict(rows)
    assert zero == negative == unknown
    assert unknown == pytest.approx(float(missing), abs=0.1)
    assert large == pytest.approx(1, abs=0.1)


# ---- whole weights ----


@pytest.mark.parametrize("log_columns", [None, "auto"])
@pytest.mark.parametrize("search", ["oblique", "oblique_append"])
@for_all(seed=seeds)
def test_whole_weights_are_small(log_columns, search, seed):
    table, score, _ = people(seed, n=150)
    # Where complexity costs nothing, conditions weigh several columns.
    parameters = {"max_rules": 8, "weights": "integer", "search": search, "complexity_price": 0.0}
    found = propositions(
        learned("squared", table, score, log_columns=log_columns, **parameters).ensemble_
    )
    factors = [
        p.weights if isinstance(p, Proposition) else p.powers
        for p in found
        if not isinstance(p, Membership)
    ]
    assert max(map(len, factors)) > 1
    for weights in factors:
        assert all(weight == int(weight) and 1 <= abs(weight) <= 5 for weight in weights)
        assert len(weights) == 1 or np.gcd.reduce(np.array(weights, dtype=int)) == 1


def best_gain(projection, residual):
    """Find the largest gain of a half-line on either side: the sum of the residuals inside."""
    order = np.argsort(projection)
    sums = np.cumsum(residual[order])[np.append(np.diff(projection[order]) > 0, False)]
    return np.abs(sums).max(initial=0)


def rounded(weights):
    """Round weights in all sizes, none of them to zero."""
    largest = np.abs(weights).max()
    for size in range(1, 6):
        whole = np.maximum(1, np.round(size * np.abs(weights) / largest))
        yield np.copysign(whole, weights)


@for_all(seed=seeds)
def test_whole_weights_gain_no_less_than_rounded_ones(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(150, 3)) * [1, 3, 0.5], columns=["a", "b", "c"])
    y = np.sign(table @ rng.normal(size=3)).to_numpy() + rng.normal(0, 0.5, 150)
    parameters = {
        "max_rules": 1,
        "max_rule_complexity": 3,
        "objective": "gradient_sum",
        "validation": None,
    }
    real = learned("squared", table, y, **parameters)
    whole = learned("squared", table, y, weights="integer", **parameters)
    residual = y - y.mean()
    asked, *others = propositions(real.ensemble_)
    assume(not others)
    chosen = table[list(asked.columns)].to_numpy()
    gains = [best_gain(chosen @ weights, residual) for weights in rounded(np.array(asked.weights))]
    assert abs(residual @ whole.transform(table)[:, 0]) >= max(gains) * (1 - 1e-9)


# ---- units ----


UNITS = {"age": "years", "weight": "kg", "height": "m"}


def test_units_are_printed_with_the_rules():
    table, score, _ = people(9, n=300)
    parameters = {"max_rules": 1, "max_rule_complexity": 1, "validation": None}
    bare, with_units = (
        str(learned("squared", table, table.age > 50, units=units, **parameters).ensemble_)
        for units in (None, UNITS)
    )
    assert with_units == f"{bare} years"
    assert "if  age " in bare
    with pytest.raises(ValueError, match="units names 'wheight', which is not in columns"):
        learned("squared", table, score, units={"wheight": "kg"})


def test_sums_of_unlike_units_say_so():
    table, _, _ = people(9, n=300, coarse=False)
    parameters = {"max_rules": 1, "max_rule_complexity": 2, "validation": None, "units": UNITS}
    tall = learned("squared", table, table.age / 60 + table.height > 2.5, **parameters).ensemble_
    assert {p.columns for p in propositions(tall)} == {("age", "height")}
    assert str(tall).endswith(" (adds years and m)")
    assert dict(tall.units) == UNITS
    assert RuleEnsemble.from_json(tall.to_json()) == tall


# ---- cross-validation, warm starts, and the tools of scikit-learn ----


@pytest.mark.parametrize("setting", list(SETTINGS)[::3])
def test_size_and_penalty_are_chosen_for_real_tables(setting):
    table, score, rng = people(10, n=120)
    parameters = {"max_rules": 3, "cv": 3, "reg_lambdas": (0.1, 1.0), **SETTINGS[setting]}
    ill = score > np.median(score)
    classifier = LLTBoostClassifierCV(**parameters).fit(table, ill)
    again = LLTBoostClassifierCV(**parameters).fit(FRAMES["polars"](table), ill)
    assert classifier.ensemble_ == again.ensemble_
    assert classifier.score(table, ill) > 0.75
    regressor = LLTBoostRegressorCV(**{**parameters, "cv": GroupKFold(3)})
    regressor.fit(table, score, groups=rng.integers(0, 9, len(score)))
    assert regressor.score(table, score) > 0.3


@every_loss
def test_rules_may_be_added_later(loss):
    table, score, rng = people(12, n=100)
    y = outcome(loss, score, rng)
    parameters = {"log_columns": "auto", "weights": "integer"}
    at_once = learned(loss, table, y, max_rules=4, **parameters)
    step_by_step = estimator(loss, max_rules=2, warm_start=True, **parameters).fit(table, y)
    step_by_step.set_params(max_rules=4).fit(table, y)
    assert step_by_step.ensemble_ == at_once.ensemble_


def test_a_transformer_may_stand_before():
    table, score, _ = people(13, n=200)
    ill = score > np.median(score)
    before = ColumnTransformer(
        [
            ("imputed", SimpleImputer(), ["weight", "change"]),
            ("scaled", StandardScaler(), ["age"]),
        ],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipeline = make_pipeline(before, LLTBoostClassifier(max_rules=5)).fit(table, ill)
    assert "group" in pipeline[-1].ensemble_.used_columns
    assert pipeline.score(table, ill) > 0.8


@every_library
def test_scikit_learn_divides_real_tables(library):
    table, score, _ = people(14, n=200)
    frame, ill = FRAMES[library](table), score > np.median(score)
    fitted = LLTBoostClassifier(max_rules=4)
    assert cross_val_score(fitted, frame, ill, cv=3).mean() > 0.7
    grid = {"weights": ["real", "integer"], "log_columns": [None, "auto", ["weight", "height"]]}
    search = GridSearchCV(fitted, grid, cv=2).fit(frame, ill)
    assert search.best_score_ > 0.7
    assert search.predict(frame).shape == ill.shape


def test_powers_may_be_of_very_different_size():
    rng = np.random.default_rng(8)
    table = pd.DataFrame(
        {
            "a": rng.lognormal(3, 0.3, 200),
            "b": rng.lognormal(0, 1, 200),
            "c": rng.lognormal(6, 0.1, 200),
        }
    )
    y = (np.log(table.a) + 1e-4 * np.log(table.b) * rng.normal() > 3).to_numpy()
    model = LLTBoostClassifier(max_rules=4, log_columns="auto").fit(table, y)
    powers = [
        power
        for rule in model.ensemble_
        for p in rule.condition.propositions
        if isinstance(p, Product)
        for power in p.powers
    ]
    assert all(abs(power) <= 5 for power in powers)
    assert model.score(table, y) > 0.95


def test_decimals_are_numbers_everywhere():
    values = [Decimal(k) / 4 for k in range(40)]
    table = pd.DataFrame({"price": pd.Series(values, dtype=object)})
    y = np.arange(40.0) > 20
    model = LLTBoostClassifier(max_rules=1).fit(table, y)
    assert (model.predict(table) == y).all()
