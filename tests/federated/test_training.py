"""The model of several sites is that of their pooled rows."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from engines.tables import features, outcomes
from engines.test_lazy_fits import CLASSES, FITS, in_memory, same_model, table_of
from federated.sites import OverWire, as_sites, split
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.federated import Site, SiteError, fit
from sorb.tables.changes import TableChangedError

FEW = {"max_rules": 3, "search_rows": 150}


def clone(estimator):
    return type(estimator)(**estimator.get_params())


def lazy(part):
    return pl.from_pandas(part).lazy()


@pytest.mark.parametrize("name", FITS)
def test_sites_that_share_rows_give_the_model_of_the_pooled_table(name):
    estimator, kind, extra = FITS[name]
    table, y = table_of(kind, extra)
    expected = in_memory(clone(estimator), table, y, extra)
    parts = [lazy(part) for part in split(table.assign(outcome=y))]
    found = fit(clone(estimator), as_sites(parts, **extra))
    same_model(expected, found)
    assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    if kind in CLASSES:
        assert found.classes_.tolist() == expected.classes_.tolist()


def classes_table():
    table = features()
    return table.assign(outcome=outcomes("two classes", table))


def pooled(table, **options):
    return LLTBoostClassifier(**FEW, **options).fit(
        table.drop(columns="outcome"), table["outcome"].to_numpy()
    )


def test_three_duckdb_files(tmp_path):
    table = classes_table()
    sites = []
    for k, part in enumerate(split(table)):
        with duckdb.connect(tmp_path / f"{k}.duckdb") as file:
            file.register("part", pl.from_pandas(part).to_arrow())
            file.execute("CREATE TABLE patients AS SELECT * FROM part")
        file = duckdb.connect(tmp_path / f"{k}.duckdb", read_only=True)
        sites.append(Site(file.table("patients"), "outcome", name=f"{k}"))
    same_model(pooled(table), fit(LLTBoostClassifier(**FEW), sites))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "mixed"])
def test_sites_may_hold_their_tables_in_memory(library):
    table = classes_table()
    north, south, west = split(table)
    ways = {
        "pandas": lambda part: part,
        "polars": pl.from_pandas,
        "pyarrow": lambda part: pl.from_pandas(part).to_arrow(),
    }
    if library == "mixed":
        parts = [ways["pandas"](north), ways["polars"](south), ways["pyarrow"](west)]
    else:
        parts = [ways[library](part) for part in (north, south, west)]
    same_model(pooled(table), fit(LLTBoostClassifier(**FEW), as_sites(parts)))


CASES = {
    "a category at one site only": lambda t: [t[t["group"] == "AB"], t[t["group"] != "AB"]],
    "a class at one site only": lambda t: [t[t["outcome"] == "ill"], t[t["outcome"] != "ill"]],
    "an empty site": lambda t: [t[:0], t],
    "values missing at one site only": lambda t: [t[t["c"].isna()], t[t["c"].notna()]],
    "one site": lambda t: [t],
    "other order of columns": lambda t: [t[:900], t[900:][t.columns[::-1]]],
}


@pytest.mark.parametrize("case", CASES)
def test_sites_may_differ(case):
    table = classes_table()
    parts = CASES[case](table)
    if case.startswith("a category"):  # the missing ones, too
        parts = [parts[0], table.drop(parts[0].index)]
    assert sum(map(len, parts)) == len(table)
    same_model(pooled(table), fit(LLTBoostClassifier(**FEW), as_sites(map(lazy, parts))))


@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([30, 100, 500]), st.booleans())
@settings(max_examples=15)
def test_no_split_changes_the_model(seed, n_sites, search_rows, weighted):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(300, 1500))
    table = features(n, seed)
    table["outcome"] = outcomes("three classes", table, seed)
    # Copies of rows are at several sites.
    table = pd.concat([table, table[: n // 3]], ignore_index=True)
    extra = {}
    if weighted:
        table["w"], extra = rng.integers(0, 3, len(table)), {"sample_weight": "w"}
    estimator = LLTBoostClassifier(
        max_rules=2, search_rows=search_rows, selection=None, random_state=seed % 7
    )
    expected = clone(estimator).fit(lazy(table), "outcome", **extra)
    parts = [lazy(part) for part in split(table, n_sites, seed)]
    same_model(expected, fit(clone(estimator), as_sites(parts, **extra)))


def test_whole_and_decimal_labels_are_the_same_classes():
    table = classes_table()
    table["outcome"] = (table["outcome"] == "ill").astype(int)
    north, south = table[:1000], table[1000:]
    sites = as_sites([lazy(north), lazy(south.astype({"outcome": float}))])
    same_model(pooled(table), fit(LLTBoostClassifier(**FEW), sites))


def test_weights_are_copies_only_if_they_are_at_all_sites():
    table = classes_table()
    rng = np.random.default_rng(0)
    table["w"] = np.where(np.arange(3000) < 1000, rng.integers(1, 4, 3000), rng.random(3000))
    estimator = LLTBoostClassifier(**FEW)
    expected = clone(estimator).fit(lazy(table), "outcome", sample_weight="w")
    sites = as_sites([lazy(table[:1000]), lazy(table[1000:])], sample_weight="w")
    same_model(expected, fit(estimator, sites))


def test_single_precision_stays():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(2000, 3)).astype(np.float32), columns=list("abc"))
    table["outcome"] = (table["a"] - table["b"] > 0.3) ^ (rng.random(2000) < 0.1)
    same_model(pooled(table), fit(LLTBoostClassifier(**FEW), as_sites(map(lazy, split(table)))))


def test_no_row_and_no_key_leaves_a_site_that_shares_none():
    table = classes_table()
    north, south = map(lazy, split(table, 2))
    open_site = OverWire(Site(north, "outcome", name="open"))
    closed = OverWire(Site(south, "outcome", name="closed", rows=False))
    model = fit(LLTBoostClassifier(**FEW), [open_site, closed])
    asked = [ask for ask, _ in closed.log]
    assert "sample" not in asked
    assert all(answer["keys"] == [] for ask, answer in closed.log if ask == "keys")
    assert len(model.ensemble_)
    # Rules come from the open site, votes from both: fitted to the pooled rows, they stay.
    again = refitted(model, table)
    for mine, others in zip(model.ensemble_, again, strict=True):
        assert mine.vote == pytest.approx(others, rel=1e-6)


def refitted(model, table):
    """The votes of a model, fitted to a table by an independent method."""
    from scipy.optimize import minimize

    X, y = model.transform(table.drop(columns="outcome")), table["outcome"] == model.classes_[1]

    def objective(theta):
        score = theta[0] + X @ theta[1:]
        losses = np.logaddexp(0, np.where(y, -score, score))
        residual = 1 / (1 + np.exp(-score)) - y
        gradient = np.append(residual.sum(), X.T @ residual + 2 * model.reg_lambda_ * theta[1:])
        return losses.sum() + model.reg_lambda_ * theta[1:] @ theta[1:], gradient

    found = minimize(
        objective, np.zeros(X.shape[1] + 1), jac=True, options={"gtol": 1e-7}, method="BFGS"
    )
    return found.x[1:]


@pytest.mark.parametrize("small", [False, True])
def test_rules_may_be_searched_in_another_table(small):
    table = classes_table()
    public = features(500 if small else 3000, seed=7)
    public["outcome"] = outcomes("two classes", public, seed=8)
    sites = as_sites(map(lazy, split(table)), rows=False)
    model = fit(LLTBoostClassifier(**FEW), sites, search_table=public)
    assert len(model.ensemble_)
    np.testing.assert_allclose(
        [rule.vote for rule in model.ensemble_], refitted(model, table), rtol=1e-5
    )


def test_numbers_are_searched_in_another_table():
    table, public = features(), features(800, seed=5)
    table["outcome"], public["outcome"] = outcomes("numbers", table), outcomes("numbers", public)
    sites = as_sites(map(lazy, split(table)), rows=False)
    model = fit(LLTBoostRegressor(**FEW), sites, search_table=public)
    X = table.drop(columns="outcome")
    assert model.score(X, table["outcome"]) > 0.4
    # The offset makes up for the mean of all rows, whatever that of the other table.
    assert model.predict(X).mean() == pytest.approx(table["outcome"].mean(), rel=1e-6)


def test_given_ranges_are_told_instead_of_the_extremes():
    table = classes_table()
    ranges = {"weight": (0, 300), "height": (0.5, 2.5)}
    sites = as_sites(map(lazy, split(table)), ranges=ranges)
    model = fit(LLTBoostClassifier(**FEW), sites)
    assert len(model.ensemble_)
    told = dict(sites[0].log)["numbers"]["ranges"]
    assert told["weight"] == {"low": 0.0, "high": 300.0}
    assert set(told["c"]) == {"low", "high", "excess", "count"}
    sites = as_sites(map(lazy, split(table)), ranges={"weight": (70, 80)})
    with pytest.raises(ValueError, match="site 's0': column 'weight' is outside of the"):
        fit(LLTBoostClassifier(**FEW), sites)


def test_small_groups_are_not_told():
    table = classes_table()
    sites = as_sites(map(lazy, split(table)), min_rows=50)
    model = fit(LLTBoostClassifier(**FEW), sites)
    assert len(model.ensemble_)
    for site in sites:
        for ask, answer in site.log:
            if ask == "sums":
                total = pd.Series(answer["n_rows"]).groupby(answer["covered"]).sum()
                assert total.min() >= 50
    X, y = table.drop(columns="outcome"), table["outcome"]
    assert abs(model.score(X, y) - pooled(table).score(X, y)) < 0.02


WRONG = {
    "a column less": (lambda t: t.drop(columns="c"), {}, "site 'b' has no column 'c', which site"),
    "a column more": (
        lambda t: t.assign(d=1),
        {},
        "site 'a' has no column 'd', which site 'b' has",
    ),
    "another type": (
        lambda t: t.assign(c="x"),
        {},
        "column 'c' holds numbers at site 'a', but texts at site 'b'",
    ),
    "other classes": (
        lambda t: t.assign(outcome=1),
        {},
        "column 'outcome' holds texts at site 'a', but whole numbers at site 'b'",
    ),
    "no outcome": (
        lambda t: t.drop(columns="outcome"),
        {},
        "site 'b': y names 'outcome', which is not a column",
    ),
    "infinity": (lambda t: t.assign(c=np.inf), {}, "site 'b': X contains infinity in column 'c'"),
    "weights": (
        lambda t: t.assign(w=1),
        {"sample_weight": "w"},
        "sample_weight is None at site 'a', but 'w' at site 'b'",
    ),
    "missing class": (
        lambda t: t.assign(outcome=pd.array([None] * len(t), dtype="str")),
        {},
        "site 'b': column 'outcome' is missing in 1500 rows",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_site_is_said(name):
    change, options, message = WRONG[name]
    table = classes_table()
    sites = [
        Site(lazy(table[:1500]), "outcome", name="a"),
        Site(lazy(change(table[1500:])), "outcome", name="b", **options),
    ]
    with pytest.raises(ValueError, match=message):
        fit(LLTBoostClassifier(**FEW), sites)


def test_sites_that_share_no_rows_are_refused_without_a_search_table():
    table = classes_table()
    sites = as_sites([lazy(table)], rows=False)
    with pytest.raises(ValueError, match=r"no site shares rows.*search_table"):
        fit(LLTBoostClassifier(**FEW), sites)
    ill = table[table["outcome"] == "ill"]
    sites = [
        Site(lazy(table), "outcome", name="closed", rows=False),
        Site(lazy(ill), "outcome", name="open"),
    ]
    with pytest.raises(ValueError, match="no row of class 'well' is there to search rules in"):
        fit(LLTBoostClassifier(**FEW), sites)
    public = table.assign(outcome=np.where(table["a"] > 2, "dead", table["outcome"]))
    with pytest.raises(ValueError, match="search_table holds class 'dead', which no site has"):
        fit(LLTBoostClassifier(**FEW), sites, search_table=public)
    with pytest.raises(ValueError, match="search_table has no column 'c'"):
        fit(LLTBoostClassifier(**FEW), sites, search_table=table.drop(columns="c"))


def test_names_of_sites_differ():
    site = Site(lazy(classes_table()), "outcome", name="a")
    with pytest.raises(ValueError, match="a name of its own"):
        fit(LLTBoostClassifier(**FEW), [site, site])
    with pytest.raises(ValueError, match="at least one site"):
        fit(LLTBoostClassifier(**FEW), [])


def test_other_estimators_are_refused():
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(TypeError, match="an estimator of sorb, found LogisticRegression"):
        fit(LogisticRegression(), as_sites([lazy(classes_table())]))


def test_exposures_are_for_regressors():
    site = Site(lazy(classes_table()), "outcome", name="a", exposure="weight")
    with pytest.raises(ValueError, match="an exposure is for regressors"):
        fit(LLTBoostClassifier(**FEW), [site])


def test_all_sites_are_empty():
    sites = as_sites([lazy(classes_table()[:0])] * 2)
    with pytest.raises(ValueError, match="expected at least one row"):
        fit(LLTBoostClassifier(**FEW), sites)


def test_a_site_that_changes_is_named():
    table = classes_table()

    class Changing(OverWire):
        def answer(self, question):
            if question["ask"] == "sums":
                file.execute("UPDATE patients SET a = a + 0.1 WHERE flag")
            return super().answer(question)

    with duckdb.connect() as file:
        file.register("part", pl.from_pandas(table[1500:]).to_arrow())
        file.execute("CREATE TABLE patients AS SELECT * FROM part")
        sites = [
            Site(lazy(table[:1500]), "outcome", name="a"),
            Changing(Site(file.table("patients"), "outcome", name="b")),
        ]
        with pytest.raises(TableChangedError, match="site 'b': the table changed while"):
            fit(LLTBoostClassifier(**FEW), sites)


def test_a_site_that_fails_is_named():
    class Unreachable:
        name = "b"

        def answer(self, question):
            raise ConnectionError("timed out")

    sites = [Site(lazy(classes_table()), "outcome", name="a"), Unreachable()]
    with pytest.raises(SiteError, match=r"site 'b' did not answer the question 'columns': .*timed"):
        fit(LLTBoostClassifier(**FEW), sites)


def test_rules_that_no_group_tells_apart_are_left_out():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=3000)})
    table["outcome"] = rng.random(3000) < np.where(table["a"] > 1.9, 0.9, 0.1)
    sites = as_sites((lazy(part) for part in split(table, 60)), min_rows=20)
    model = fit(LLTBoostClassifier(max_rules=2, search_rows=200), sites)
    assert not len(model.ensemble_)


def test_rows_that_are_hidden_in_other_groups_are_warned_of():
    table = classes_table()
    sites = as_sites(map(lazy, split(table, 40)), min_rows=30)
    with pytest.warns(UserWarning, match=r"min_rows hides [0-9]+ % of the rows"):
        model = fit(LLTBoostClassifier(max_rules=3, search_rows=150, selection=None), sites)
    assert len(model.ensemble_)


@pytest.mark.parametrize("min_rows", [1, 5])
def test_a_model_remembers_extremes_unless_sites_hide_small_groups(min_rows):
    table = classes_table()
    expected = dict(pooled(table).ensemble_.experience)
    found = fit(
        LLTBoostClassifier(**FEW), as_sites(map(lazy, split(table)), min_rows=min_rows)
    ).ensemble_
    assert found.used_columns
    for name, seen in found.experience:
        hidden = min_rows > 1
        assert (seen.range is None and seen.categories is None) == hidden
        if name in expected and not hidden:
            assert seen == expected[name]
