"""Groups of rows that belong together, given to `fit`."""

import warnings

import numpy as np
import polars as pl
import pytest
from estimators.cases import CROSS_VALIDATED, ESTIMATORS, SMALL_CV, noise_of_people
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from sorb import LLTBoostClassifier, LLTBoostRegressor

every_class = pytest.mark.parametrize("cls", ESTIMATORS)


def small(cls, **parameters):
    known = SMALL_CV if cls in CROSS_VALIDATED else {"max_rules": 3}
    return cls(**{**known, **parameters})


def people(n=40, visits=4, seed=0):
    """Visits of people, whose outcome depends on the visit."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n), visits)
    X = rng.normal(size=(n, 4))[person] + 0.5 * rng.normal(size=(n * visits, 4))
    return X, (X[:, 0] + 0.5 * rng.normal(size=len(X)) > 0).astype(int), person


@every_class
@pytest.mark.parametrize("parameters", [{}, {"search_rows": 20}], ids=["all", "sampled"])
def test_labels_and_the_order_of_rows_change_nothing(cls, parameters):
    X, y, person = people()
    shuffled = np.random.default_rng(1).permutation(len(y))
    names = [f"patient {(7 * k) % 40}" for k in person]
    one = small(cls, **parameters).fit(X, y, groups=person)
    other = small(cls, **parameters)
    other.fit(X[shuffled], y[shuffled], groups=[names[row] for row in shuffled])
    assert str(one.ensemble_) == str(other.ensemble_)
    np.testing.assert_allclose(one.curve_.standard_error, other.curve_.standard_error, rtol=1e-9)


@every_class
def test_a_weight_of_k_is_k_copies_in_the_group(cls):
    X, y, person = people(25)
    count = np.random.default_rng(2).integers(0, 3, len(y))
    copied = np.repeat(np.arange(len(y)), count)
    weighted = small(cls).fit(X, y, count, groups=person)
    copies = small(cls).fit(X[copied], y[copied], groups=person[copied])
    assert weighted.ensemble_ == copies.ensemble_


@every_class
def test_groups_of_single_rows_are_as_good_as_none(cls):
    X, y, _ = people(30, 2)
    X, y = np.concatenate((X, X[:9])), np.concatenate((y, y[:9]))  # with copies
    model = small(cls, near_duplicates="apart")
    without = model.fit(X, y).ensemble_
    assert model.fit(X, y, groups=np.arange(len(y))).ensemble_ == without


@every_class
@pytest.mark.parametrize("jitter", [0, 1e-2, 0.5], ids=["copies", "near copies", "apart"])
def test_noise_of_groups_needs_no_rules(cls, jitter):
    """An outcome of each person cannot be predicted for another person."""
    X, y, person = noise_of_people(40, 5, jitter)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # whoever names the groups is not warned of near-copies
        model = small(cls, near_duplicates="together").fit(X, y, groups=person)
    assert len(model.ensemble_) == 0


@every_class
def test_standard_errors_are_those_of_groups(cls):
    X, y, person = people(20, 10)
    y = y[np.searchsorted(person, person)]  # the same in all visits
    apart, together = small(cls, near_duplicates="apart"), small(cls, near_duplicates="apart")
    rows = apart.fit(X, y).curve_.standard_error[0, 0]
    assert together.fit(X, y, groups=person).curve_.standard_error[0, 0] > 1.5 * rows


def test_a_splitter_keeps_the_groups_in_bags_too():
    X, y, person = noise_of_people(40, 5, 0.5)
    model = small(CROSS_VALIDATED[0], cv=GroupKFold(3)).fit(X, y, groups=person)
    assert len(model.ensemble_) == 0


@every_class
def test_a_lazy_frame_names_the_column_of_its_groups(cls):
    X, y, person = people()
    columns = {f"x{j}": X[:, j] for j in range(4)}
    frame = pl.DataFrame({**columns, "y": y, "person": [f"P{k}" for k in person]})
    lazily = small(cls).fit(frame.lazy(), "y", groups="person")
    assert lazily.ensemble_ == small(cls).fit(pl.DataFrame(columns), y, groups=person).ensemble_
    assert lazily.ensemble_.columns == tuple(columns)


# ---- scikit-learn's tools ----


def test_groups_are_divided_like_other_parameters_of_fit():
    X, y, person = people()
    model = small(LLTBoostClassifier)
    with config_context(enable_metadata_routing=False):
        found = cross_val_score(
            model, X, y, cv=GroupKFold(3), groups=person, params={"groups": person}
        )
    expected = [
        model.fit(X[rows], y[rows], groups=person[rows]).score(X[others], y[others])
        for rows, others in GroupKFold(3).split(X, y, person)
    ]
    assert found.tolist() == expected


def test_groups_are_routed_through_a_search():
    X, y, person = people()
    with config_context(enable_metadata_routing=True):
        model = small(LLTBoostRegressor).set_fit_request(groups=True)
        search = GridSearchCV(model, {"max_rules": [2]}, cv=GroupKFold(3))
        search.fit(X, y, groups=person)
    direct = small(LLTBoostRegressor, max_rules=2).fit(X, y, groups=person)
    assert search.best_estimator_.ensemble_ == direct.ensemble_


# ---- what is refused ----


@every_class
def test_one_group_leaves_nothing_to_validate_with(cls):
    X, y, _ = people(10)
    with pytest.raises(ValueError, match=r"^groups: all rows are in one group.*at least two"):
        small(cls).fit(X, y, groups=["a"] * len(y))


def test_without_validation_one_group_is_enough():
    X, y, _ = people(10)
    model = LLTBoostClassifier(max_rules=1, selection=None, validation=None)
    model.fit(X, y, groups=np.zeros(len(y)))
    assert len(model.ensemble_) == 1


@every_class
def test_two_groups_are_few_but_enough(cls):
    X, y, person = people(20)
    risk = small(cls).fit(X, y, groups=person % 2).curve_.risk
    assert np.isfinite(risk).all()


@every_class
def test_a_missing_group_is_refused_by_its_row(cls):
    X, y, person = people(10)
    groups = [None if row in (3, 8) else f"P{k}" for row, k in enumerate(person)]
    with pytest.raises(ValueError, match=r"groups is missing in row 3 \(2 in all\)"):
        small(cls).fit(X, y, groups=groups)


REFUSED = {
    "missing": ("person", r"groups, column 'person', is missing in 1 rows"),
    "unknown": ("patient", "groups names 'patient', which is not a column"),
    "outcomes": ("y", "y and groups both name column 'y'"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_lazy_frame_refuses_bad_groups(kind):
    name, message = REFUSED[kind]
    frame = pl.LazyFrame({"x": [1.0, 2, 3], "y": [0, 1, 0], "person": ["a", None, "b"]})
    with pytest.raises(ValueError, match=message):
        LLTBoostClassifier().fit(frame, "y", groups=name)


def test_a_lazy_frame_has_no_array_of_groups():
    frame = pl.LazyFrame({"x": [1.0, 2, 3], "y": [0, 1, 0]})
    with pytest.raises(TypeError, match="groups must be the name of a column"):
        LLTBoostClassifier().fit(frame, "y", groups=[1, 2, 3])
