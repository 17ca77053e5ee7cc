"""Whether the columns of known rules are found, among ten, by sorb and two rivals.

Labels are drawn from three truths: one oblique rule, a ratio, and two oblique rules. Starting from
300 rows, 10 % wrong labels and independent columns, one thing at a time is changed. All three
choose their size (and sorb and TGB their penalty) by cross-validation, and prefer a small model
that is about as good as the best: sorb as its defaults do, the rivals by one standard error of five
folds. For the ratio, sorb is told that the columns may stand in ratios, which means nothing to the
rivals: their rules compare single columns with thresholds. TGB cuts columns at quintiles, and its
rules may have any number of conditions.
"""

import argparse
from itertools import product

import numpy as np
import tables
from joblib import Parallel, delayed
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV

from sorb import LLTBoostClassifier
from sorb.lab.rivals import BoostedRulesClassifier, ImodelsFIGSClassifier

N_COLUMNS = 10
N_TEST = 5000
USUAL = {"n": 300, "wrong": 0.1, "correlation": 0.0}
CHANGES = (
    {},
    {"n": 100},
    {"n": 1000},
    {"n": 3000},
    {"wrong": 0.0},
    {"wrong": 0.2},
    {"correlation": 0.5},
    {"correlation": 0.9},
)
# For each truth, the log-odds before labels are made wrong, and the columns that decide on them.
TRUTHS = {
    "one rule": (lambda X: np.where(X[:, 0] + X[:, 1] >= 0, 50.0, -50.0), {0, 1}),
    "ratio": (lambda X: np.where(X[:, 0] / X[:, 1] ** 2 >= 1, 50.0, -50.0), {0, 1}),
    "two rules": (
        lambda X: 6.0 * (X[:, 0] + X[:, 1] >= 0) + 4.0 * (X[:, 2] >= X[:, 3]) - 5.0,
        {0, 1, 2, 3},
    ),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20, help="tables of each kind")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    cells = list(product(TRUTHS, CHANGES, METHODS))
    found = Parallel(options.jobs)(
        delayed(_measure)(*cell, repeat) for cell in cells for repeat in range(options.repeats)
    )
    shape = (len(cells), options.repeats, -1)
    rows = [
        _row(*cell, of_cell) for cell, of_cell in zip(cells, np.reshape(found, shape), strict=True)
    ]
    notes = [
        "All: share of the tables where every column of the truth is in the model. Only: share "
        "where, besides, no other is. Others: mean number of other columns. Risk: test log loss, "
        "relative to that of a constant; the last column has that of the true probabilities.",
        "",
        f"Made by `python benchmarks/planted_rules.py --repeats {options.repeats}`.",
    ]
    path = tables.RESULTS / "planted_rules.md"
    tables.write_markdown(path, "Whether the columns of known rules are found", rows, notes)
    print(path.read_text())


def _measure(truth, change, method, repeat):
    X, y = _draw(truth, repeat, **USUAL | change)
    log_columns = list(range(N_COLUMNS)) if truth == "ratio" else None
    model = METHODS[method](log_columns, repeat).fit(X[:-N_TEST], y[:-N_TEST])
    ensemble = getattr(model, "best_estimator_", model).ensemble_
    names = {name for rule in ensemble for name in rule.condition.columns}
    columns = {ensemble.columns.index(name) for name in names}
    right, test = TRUTHS[truth][1], y[-N_TEST:]
    constant, truth_itself = (
        log_loss(test, predicted)
        for predicted in (
            np.full(N_TEST, y[:-N_TEST].mean()),
            _probability(truth, X[-N_TEST:], (USUAL | change)["wrong"]),
        )
    )
    risk = log_loss(test, model.predict_proba(X[-N_TEST:]))
    return (
        right <= columns,
        right == columns,
        len(columns - right),
        ensemble.complexity,
        risk / constant,
        truth_itself / constant,
    )


def _draw(truth, repeat, n, wrong, correlation):
    """Draw a table, at whose end are the rows to test with."""
    rng = np.random.default_rng([repeat, list(TRUTHS).index(truth)])
    shared, own = rng.normal(size=(n + N_TEST, 1)), rng.normal(size=(n + N_TEST, N_COLUMNS))
    X = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
    if truth == "ratio":
        X = np.exp(X)
    return X, rng.random(len(X)) < _probability(truth, X, wrong)


def _probability(truth, X, wrong):
    """The probability of a label of 1, if some labels are wrong."""
    probability = 1 / (1 + np.exp(-TRUTHS[truth][0](X)))
    return wrong + (1 - 2 * wrong) * probability


def _sorb(log_columns, seed):
    return LLTBoostClassifier(log_columns=log_columns, random_state=seed)


def _figs(log_columns, seed):
    return _search(ImodelsFIGSClassifier(), {})


def _tgb(log_columns, seed):
    return _search(BoostedRulesClassifier(), {"reg_lambda": (10.0, 1.0, 0.1)})


def _search(rival, grid):
    sizes = {"max_rules": (1, 2, 3, 5, 8, 12, 18, 27)}
    return GridSearchCV(rival, sizes | grid, scoring="neg_log_loss", refit=_smallest_near_best)


def _smallest_near_best(found):
    """The fewest rules within one standard error of the best; of them, the best."""
    scores = np.column_stack([found[f"split{k}_test_score"] for k in range(5)])
    mean = scores.mean(axis=1)
    best = mean.argmax()
    near = mean >= mean[best] - scores[best].std(ddof=1) / np.sqrt(5)
    rules = np.array([parameters["max_rules"] for parameters in found["params"]])
    return int(np.lexsort((-mean, rules, ~near))[0])


METHODS = {"sorb": _sorb, "FIGS": _figs, "TGB": _tgb}


def _row(truth, change, method, measured):
    every, only, others, complexity, risk, least = measured.mean(axis=0)
    changed = [f"{name} {value}" for name, value in change.items()]
    return {
        "truth": truth,
        "table": ", ".join(changed) or "usual",
        "method": method,
        "all": f"{100 * every:.0f} %",
        "only": f"{100 * only:.0f} %",
        "others": f"{others:.1f}",
        "complexity": f"{complexity:.0f}",
        "risk": f"{risk:.2f}",
        "of the truth": f"{least:.2f}",
    }


if __name__ == "__main__":
    main()
