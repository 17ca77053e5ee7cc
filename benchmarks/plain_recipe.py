"""The yardstick: the paper's recipe, written plainly on scikit-learn.

Rows are standardised; each round grows one chain of conditions per sign of the gradient on a
bootstrap of the rows, finds each proposition by bisecting the L1 penalty of a logistic
regression, chooses the level by the risk on the out-of-bag rows, and refits all weights.
It follows the paper, not the mistakes of its authors' code: the intercept of a separator is not
penalised, copies of a row are either all in the bag or all out of it, and the weights are
refitted on all training rows.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import sklearn
from scipy.linalg import LinAlgWarning
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler
from sklearn.utils.fixes import parse_version

MAX_SOLVES = 50  # of one bisection
MAX_DOUBLINGS = 20
# scikit-learn 1.8 changed how an L1 penalty is set.
NEW = parse_version(sklearn.__version__) >= parse_version("1.8")
L1 = {"l1_ratio": 1} if NEW else {"penalty": "l1"}
WIDE = 1000.0  # liblinear penalises the intercept by 1 / intercept_scaling: negligible


@dataclass(frozen=True, slots=True, eq=False)
class Proposition:
    """w·x ≥ t, in standardised units."""

    columns: np.ndarray
    weights: np.ndarray
    threshold: float

    def __call__(self, X):
        """Return whether it covers each row."""
        return X[:, self.columns] @ self.weights >= self.threshold


Condition = tuple[Proposition, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """The model after a round: what it costs, how well it fits, and how it decides."""

    complexity: int
    train_risk: float
    decide: Callable[[np.ndarray], np.ndarray]
    seconds: float


def fit_plain(X, y, task, max_rules, reg_lambda, max_rule_complexity=5, seed=0):
    """Boost oblique rules by the paper's recipe; one stage per number of rules, from 0."""
    with warnings.catch_warnings():
        # Separable rows have no finite separator, and equal rules make a singular system: what
        # the solvers have found so far is good enough.
        for category in (ConvergenceWarning, LinAlgWarning):
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("ignore", message="Line Search failed")
        return _boost(X, y, task, max_rules, reg_lambda, max_rule_complexity, seed)


def _boost(X, y, task, max_rules, reg_lambda, max_rule_complexity, seed):
    start = time.perf_counter()
    rng = np.random.default_rng(seed)
    groups = np.unique(np.column_stack([X, y]), axis=0, return_inverse=True)[1].ravel()
    scaler = StandardScaler().fit(X)
    Z = np.asfortranarray(scaler.transform(X))
    rules, offset, weights = (), _constant(y, task), np.empty(0)
    covered = np.empty((len(y), 0))
    f = np.full(len(y), offset)
    stages = [_stage(scaler, rules, offset, weights, risk(y, f, task), start)]
    while len(rules) < max_rules:
        bag, out = _bootstrap(groups, y, task, rng)
        gradient = expit(f) - y if task == "classification" else f - y
        validation_risk = _ValidationRisk(Z, y, covered, bag, out, task, reg_lambda)
        best = _best_condition(Z[bag], gradient[bag], max_rule_complexity, validation_risk)
        if best is None:
            break
        rules = (*rules, best)
        covered = np.column_stack([covered, covers(best, Z)])
        offset, weights = _fit_weights(covered, y, task, reg_lambda)
        f = offset + covered @ weights
        stages.append(_stage(scaler, rules, offset, weights, risk(y, f, task), start))
    return stages


def _stage(scaler, rules, offset, weights, train_risk, start):
    def decide(X):
        Z = scaler.transform(X)
        covered = np.array([covers(rule, Z) for rule in rules], dtype=float).reshape(
            len(rules), len(Z)
        )
        return offset + weights @ covered

    seconds = time.perf_counter() - start
    return Stage(sum(map(complexity, rules)), train_risk, decide, seconds)


def complexity(condition):
    return 1 + sum(1 + len(proposition.columns) for proposition in condition)


def covers(condition, Z):
    return np.logical_and.reduce([proposition(Z) for proposition in condition])


def risk(y, f, task):
    if task == "classification":
        return float(np.mean(np.logaddexp(0, f) - y * f))
    return float(np.mean((y - f) ** 2) / 2)


def _constant(y, task):
    return logit(np.mean(y)) if task == "classification" else np.mean(y)


def _bootstrap(groups, y, task, rng):
    """Draw as many distinct rows as there are, with all their copies; the others stay out."""
    distinct = groups.max() + 1
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups))
    while True:
        drawn = np.bincount(rng.integers(distinct, size=distinct), minlength=distinct)
        bag = np.repeat(order, np.repeat(drawn, np.diff(ends, prepend=0)))
        out = np.flatnonzero(drawn[groups] == 0)
        if len(out) and (task == "regression" or len(np.unique(y[bag])) == 2):
            return bag, out


@dataclass(frozen=True, slots=True, eq=False)
class _ValidationRisk:
    """The validation risk after one more rule is added and all weights are refitted."""

    Z: np.ndarray
    y: np.ndarray
    covered: np.ndarray
    bag: np.ndarray
    out: np.ndarray
    task: str
    reg_lambda: float

    def __call__(self, condition):
        covered = np.column_stack([self.covered, covers(condition, self.Z)])
        offset, weights = _fit_weights(
            covered[self.bag], self.y[self.bag], self.task, self.reg_lambda
        )
        return risk(self.y[self.out], offset + covered[self.out] @ weights, self.task)


def _fit_weights(covered, y, task, reg_lambda):
    """Minimise the summed loss + λ‖β‖², the offset being free."""
    if task == "regression":
        model = Ridge(alpha=2 * reg_lambda).fit(covered, y)
        return model.intercept_, model.coef_
    model = LogisticRegression(C=1 / (2 * reg_lambda), solver="newton-cholesky").fit(covered, y)
    return model.intercept_[0], model.coef_[0]


def _best_condition(Z, gradient, max_rule_complexity, validation_risk):
    """Return the condition of least out-of-bag risk, over both signs and all levels."""
    candidates = [
        condition
        for sign in (1, -1)
        for condition in _chain(Z, sign * gradient, max_rule_complexity)
    ]
    return min(candidates, key=validation_risk, default=None)


def _chain(Z, gradient, max_rule_complexity) -> Iterator[Condition]:
    """One condition per level, each the best refinement of the one before."""
    condition: Condition = ()
    for _ in range(max_rule_complexity):
        refined = _best_refinement(condition, Z, gradient)
        if refined is None:
            return
        condition = refined
        yield condition


def _best_refinement(condition, Z, gradient):
    best, best_value = None, -np.inf
    covered = [proposition(Z) for proposition in condition]
    for j in range(len(condition) + 1):
        others = np.logical_and.reduce([np.full(len(Z), True), *covered[:j], *covered[j + 1 :]])
        sparsity = len(condition[j].columns) + 1 if j < len(condition) else 1
        proposition = _separator(Z[others], gradient[others], sparsity)
        if proposition is None:
            continue
        value = gradient[others] @ proposition(Z[others])
        if value > best_value:
            best, best_value = (*condition[:j], proposition, *condition[j + 1 :]), value
    return best


def _separator(Z, gradient, sparsity):
    """Separate the gradient's signs by a hyperplane with this many non-zero weights."""
    labels, weights = gradient >= 0, np.abs(gradient)
    total, positive = weights.sum(), weights[labels].sum()
    if sparsity > Z.shape[1] or positive <= 0 or positive >= total:
        return None
    weights = weights * (len(weights) / total)
    support = _support(Z, labels, weights, sparsity)
    while len(support) < sparsity:
        support, grown = _grow(Z, labels, weights, support), len(support)
        if len(support) == grown:
            break
    if not len(support):
        return None
    w, intercept = _refit(Z, labels, weights, support)
    kept = w != 0
    return Proposition(support[kept], w[kept], -intercept) if kept.any() else None


def _support(Z, labels, weights, sparsity):
    """Bisect the L1 penalty for this many non-zero weights; else the nearest smaller support."""
    slopes = np.abs(Z.T @ _residual(labels, weights, np.average(labels, weights=weights)))
    smaller = np.empty(0, dtype=int)
    if slopes.max() <= 1e-9 * weights.sum():
        return smaller
    low, high = 1 / slopes.max(), np.inf  # at C = low the first weight leaves zero
    doublings = 0
    for _ in range(MAX_SOLVES):
        C = np.sqrt(low * high) if np.isfinite(high) else 2 * low
        support = _l1_support(Z, labels, weights, C)
        if len(support) == sparsity:
            return support
        if len(support) > sparsity:
            high = C
        else:
            low, doublings = C, doublings + np.isinf(high)
            smaller = max(smaller, support, key=len)
        if doublings == MAX_DOUBLINGS or high / low < 1 + 1e-6:
            break
    return smaller


def _l1_support(Z, labels, weights, C):
    model = LogisticRegression(
        C=C, **L1, solver="liblinear", intercept_scaling=WIDE, random_state=0
    ).fit(Z, labels, sample_weight=weights)
    return np.flatnonzero(model.coef_[0])


def _grow(Z, labels, weights, support):
    """Add the column along which the loss falls most steeply, if there is one."""
    chance = np.average(labels, weights=weights)
    if len(support):
        w, intercept = _refit(Z, labels, weights, support)
        chance = expit(Z[:, support] @ w + intercept)
    slopes = np.abs(Z.T @ _residual(labels, weights, chance))
    slopes[support] = 0
    if slopes.max() <= 1e-9 * weights.sum():
        return support
    return np.append(support, slopes.argmax())


def _residual(labels, weights, chance):
    return weights * (labels - chance)


def _refit(Z, labels, weights, support):
    # L1 shrinks the kept weights, so refit without it.
    model = LogisticRegression(C=np.inf, solver="newton-cg")
    model.fit(Z[:, support], labels, sample_weight=weights)
    return model.coef_[0], model.intercept_[0]
