"""Models and tables on which every export is tried: nasty names, long numbers, exact boundaries."""

import math

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from rule_strategies import ensembles_with_rows, weighted_sum

from sorb.losses import LOSSES
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

NASTY = [
    '"; DROP TABLE t; --',
    "it's",
    "select",
    "größe",
    "two words",
    "a]b[c",
    "a`b",
    "back\\slash",
]
NASTY += [
    "line\nbreak",
    "*/ x /*",
    "__proto__",
    "row",
    "%s {0} ${x}",
    "身高",
    "x",
    "// \\",
    "$1",
    "?",
]
LABELS = [("it's", 'a"b'), (0, 1), (False, True), (0.1, 2.5), ("only",), None]


def boundary_case(seed):
    """A model whose thresholds are met exactly, or missed by one unit in the last place."""
    random = np.random.default_rng(seed)
    columns = tuple(random.permutation(NASTY)[: random.integers(2, 6)].tolist())
    scale = 10.0 ** random.integers(-3, 4, len(columns))
    X = random.normal(size=(12, len(columns))) * scale
    X[::3] = np.round(X[::3], 2)
    loss = ("squared", "logistic", "softmax", "poisson")[seed % 4]
    n_outputs = 3 if loss == "softmax" else 1
    rules = [_rule(random, columns, X, n_outputs) for _ in range(random.integers(1, 6))]
    offset = random.normal(size=n_outputs).tolist()
    classes = ("a'b", "ä", "\\") if loss == "softmax" else None
    if loss == "logistic":
        classes = LABELS[seed // 4 % len(LABELS)]
    start = offset if n_outputs > 1 else offset[0]
    return RuleEnsemble(start, tuple(rules), columns, loss, classes), X


def _rule(random, columns, X, n_outputs):
    propositions = []
    for _ in range(random.integers(0, 3)):
        chosen = tuple(random.permutation(columns)[: random.integers(1, 4)].tolist())
        weights = tuple(random.normal(size=len(chosen)).tolist())
        if random.random() < 0.3:
            weights = tuple(random.choice([1.0, -1.0, 0.5, 0.1], len(chosen)).tolist())
        free = Proposition(chosen, weights, 0.0)
        row = dict(zip(columns, X[random.integers(len(X))].tolist(), strict=True))
        total = weighted_sum(free, row)
        threshold = random.choice([total, math.nextafter(total, math.inf), np.round(total, 3)])
        propositions.append(Proposition(chosen, weights, float(threshold)))
    weight = float(random.normal())
    try:
        condition = Condition(tuple(propositions))
    except ValueError:  # they exclude each other
        condition = Condition(tuple(propositions[:1]))
    return Rule(condition, weight, int(random.integers(n_outputs)))


def met_by_each_row(count):
    """A model with as many rules as rows, each row exactly on the boundary of its rule."""
    random = np.random.default_rng(0)
    columns, X = ("a", "b", "c"), random.normal(size=(count, 3))
    rules = []
    for row in X.tolist():
        weights = tuple(random.normal(size=3).tolist())
        total = weighted_sum(
            Proposition(columns, weights, 0.0), dict(zip(columns, row, strict=True))
        )
        rules.append(Rule(Condition((Proposition(columns, weights, total),)), 1.0))
    return RuleEnsemble(0.0, tuple(rules), columns, "squared"), X


def boundary_cases(count=24):
    return [*map(boundary_case, range(count)), met_by_each_row(20)]


def drawn_cases(count=40):
    """Models and rows by hypothesis, in the full range of float64, the same ones every time."""
    cases = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(ensembles_with_rows())
    def collect(drawn):
        ensemble, rows = drawn
        cases.append((ensemble, np.array(rows, dtype=np.float64)))

    collect()
    return cases


def outputs(ensemble):
    """What can be asked of an ensemble."""
    if ensemble.loss in ("squared", "poisson") or len(ensemble.classes or (0, 1)) == 1:
        return ["decision", "prediction"]
    return ["decision", "prediction", "probability"]


def expected(ensemble, X, output):
    """The answers for all rows, as a list of numbers, lists or labels."""
    with np.errstate(all="ignore"):
        scores = ensemble(X)
        if output == "decision":
            return scores.tolist()
        if output == "probability" or ensemble.loss in ("squared", "poisson"):
            return LOSSES[ensemble.loss].mean(scores).tolist()
    classes = ensemble.classes or (0, 1)
    if ensemble.loss == "softmax":
        return [classes[k] for k in scores.argmax(axis=1)]
    return [classes[min(int(score > 0), len(classes) - 1)] for score in scores]


def is_exact(ensemble, output):
    """Whether an answer needs no exponential function, which libraries round differently."""
    if output == "probability":
        return False
    return output == "decision" or ensemble.loss != "poisson"


def assert_answers(found, ensemble, X, output):
    """Compare answers: bit for bit, or within few units in the last place of an exponential."""
    wanted = expected(ensemble, X, output)
    if is_exact(ensemble, output):
        assert found == wanted
        assert [str(value) for value in found] == [str(value) for value in wanted]
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-300)


def finite_scores(ensemble, X):
    """Whether no score overflows: e to a difference of infinities means nothing."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(ensemble(X)).all())


def boundaries_met(cases):
    """How many propositions a row of their table meets with equality."""
    return sum(
        weighted_sum(p, dict(zip(e.columns, row, strict=True))) == p.threshold
        for e, X in cases
        for rule in e
        for p in rule.condition.propositions
        for row in X.tolist()
    )
