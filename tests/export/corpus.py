"""Cases on which every export is tried, and the answers that it must give."""

import math
import os
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import polars as pl
from boundary_rows import with_boundary_rows
from export.random_models import NASTY, drawn, kind_of, outputs

from sorb.losses import LOSSES, Readout
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.rules.columns import column_source

N_LOSSES = len(LOSSES)
LABELS = [("it's", 'a"b'), (0, 1), (False, True), (0.1, 2.5), ("only",), None]

# `make test-exports` tries each target on a thousand models; the usual tests on fewer.
N_MODELS = int(os.environ.get("SORB_EXPORT_MODELS", "100"))

# Powers that are not whole may differ by so many units in the last place.
ROUNDING_OF_POWERS = 8


@dataclass(frozen=True)
class Case:
    """A model, a table, and what is asked of the model."""

    ensemble: RuleEnsemble
    table: pl.DataFrame
    output: str

    @cached_property
    def rows(self):
        """The rows as lists of Python values; None and NaN are missing."""
        return [list(row) for row in self.table.rows()]

    @cached_property
    def kinds(self):
        return [kind_of(self.table, name) for name in self.ensemble.columns]

    @cached_property
    def answers(self):
        """What the model says, as a list of numbers, lists or labels."""
        return expected(self.ensemble, self.table, self.output)

    @cached_property
    def contributions(self):
        return self.ensemble.contributions(self.table).tolist()

    @cached_property
    def sure(self):
        """The rows that no rounding of a power can move to the other side."""
        doubtful = np.zeros(len(self.table), dtype=bool)
        for product in self.propositions(Product):
            if not all(power.is_integer() and abs(power) <= 16 for power in product.powers):
                values = product.quantity(column_source(self.table, product.columns))
                with np.errstate(all="ignore"):
                    distance = abs(values - product.threshold) / np.spacing(product.threshold)
                doubtful |= distance <= ROUNDING_OF_POWERS
        return [int(i) for i in np.flatnonzero(~doubtful)]

    @property
    def is_label(self):
        return self.output == "prediction" and self.ensemble.loss.has_classes

    @property
    def is_exact(self):
        """Whether the answer needs no exponential function, which libraries round differently."""
        exponential = self.ensemble.loss.readout is Readout.EXPONENTIAL
        return self.output != "probability" and not (self.output == "prediction" and exponential)

    def propositions(self, kind):
        """The propositions of one kind."""
        every = (p for rule in self.ensemble for p in rule.condition.propositions)
        return [p for p in every if isinstance(p, kind)]

    @cached_property
    def text_columns(self):
        """The columns of which a rule asks for texts."""
        return {
            p.column
            for p in self.propositions(Membership)
            if any(isinstance(category, str) for category in p.categories)
        }

    def as_number(self, name, value):
        """The value of a column where all of them must be numbers."""
        if value is None:
            return math.nan
        return 0.0 if isinstance(value, str) else float(value)

    def check(self, answers, contributions=None):
        """Compare what an export says with what the model says."""
        assert len(answers) == len(self.rows)
        found, wanted = ([given[i] for i in self.sure] for given in (answers, self.answers))
        if self.is_exact:
            assert found == wanted, self.ensemble.describe(None)
            assert [str(value) for value in found] == [str(value) for value in wanted]
        else:
            np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-300)
        if contributions is not None:
            noted = [contributions[i] for i in self.sure]
            assert noted == [self.contributions[i] for i in self.sure], self.ensemble.describe(None)

    def restored(self, answers):
        """Give the label that equals each answer, where 2 and 2.0, or True and 1, are the same."""
        classes = self.ensemble.classes or (0, 1)
        return [next(c for c in classes if c == a) for a in answers] if self.is_label else answers


def expected(ensemble, table, output):
    with np.errstate(all="ignore"):
        scores = ensemble(table)
        if output == "score":
            return scores.tolist()
        if output == "probability" or not ensemble.loss.has_classes:
            return ensemble.loss.mean(scores).tolist()
    classes = ensemble.classes or (0, 1)
    if ensemble.loss.score_per_class:
        return [classes[k] for k in scores.argmax(axis=1)]
    return [classes[min(int(score > 0), len(classes) - 1)] for score in scores]


@cache
def random_cases(n=N_MODELS + N_MODELS // 2):
    """Different models; some more than are wanted, because not every target can take all."""
    cases = [Case(*case) for case in drawn(n)]
    return list({case.ensemble: case for case in cases}.values())


def cases_for(fits):
    """Give random cases that a target can take, as many as are wanted."""
    found = [case for case in random_cases() if fits(case)][:N_MODELS]
    assert len(found) == N_MODELS
    return found


def boundary_cases(count=6 * N_LOSSES):
    """Sums whose thresholds are met exactly, or missed by one unit in the last place."""
    pairs = [*map(sums_on_boundaries, range(count)), met_by_each_row(20)]
    return [case for pair in pairs for case in all_outputs(*pair)]


def all_outputs(ensemble, table):
    """Everything that can be asked of a model, as cases."""
    return [Case(ensemble, table, output) for output in outputs(ensemble)]


def sums_on_boundaries(seed):
    """A model of sums, and a table with rows on all its boundaries."""
    random = np.random.default_rng(seed)
    columns = tuple(random.permutation(NASTY)[: random.integers(2, 6)].tolist())
    scale = 10.0 ** random.integers(-3, 4, len(columns))
    X = random.normal(size=(12, len(columns))) * scale
    X[::3] = np.round(X[::3], 2)
    loss = list(LOSSES)[seed % len(LOSSES)]
    n_outputs = 2 + seed // N_LOSSES % 2 if loss == "softmax" else 1
    rules = [_boundary_rule(random, columns, X, n_outputs) for _ in range(random.integers(1, 6))]
    offset = random.normal(size=n_outputs).tolist()
    classes = ("a'b", "ä", "\\")[:n_outputs] if loss == "softmax" else None
    if loss == "logistic":
        classes = LABELS[seed // len(LOSSES) % len(LABELS)]
    start = offset if n_outputs > 1 else offset[0]
    ensemble = RuleEnsemble(start, tuple(rules), columns, loss, classes)
    return ensemble, with_boundary_rows(ensemble, _frame(columns, X), rows=1)


def _frame(columns, X):
    return pl.DataFrame({name: X[:, j] for j, name in enumerate(columns)})


def _boundary_rule(random, columns, X, n_outputs):
    propositions = []
    for _ in range(random.integers(0, 3)):
        chosen = random.permutation(len(columns))[: random.integers(1, 4)].tolist()
        weights = random.normal(size=len(chosen)).tolist()
        if random.random() < 0.3:
            weights = random.choice([1.0, -1.0, 0.5, 0.1], len(chosen)).tolist()
        total = weighted_sum(weights, X[random.integers(len(X)), chosen].tolist())
        threshold = random.choice([total, math.nextafter(total, math.inf), np.round(total, 3)])
        names = [columns[j] for j in chosen]
        propositions.append(Proposition(names, weights, float(threshold)))
    weight = float(random.normal())
    try:
        condition = Condition(tuple(propositions))
    except ValueError:  # they exclude each other
        condition = Condition(tuple(propositions[:1]))
    return Rule(condition, weight, int(random.integers(n_outputs)))


def weighted_sum(weights, values):
    """Python floats are float64, and Python neither reorders nor fuses."""
    total = weights[0] * values[0]
    for weight, value in zip(weights[1:], values[1:], strict=True):
        total = total + weight * value
    return total


def met_by_each_row(count):
    """A model with as many rules as rows, each row exactly on the boundary of its rule."""
    random = np.random.default_rng(0)
    columns, X = ("a", "b", "c"), random.normal(size=(count, 3))
    rules = []
    for row in X.tolist():
        weights = tuple(random.normal(size=3).tolist())
        exact = Proposition(columns, weights, weighted_sum(weights, row))
        rules.append(Rule(Condition((exact,)), 1.0))
    return RuleEnsemble(0.0, tuple(rules), columns, "squared"), _frame(columns, X)


def finite_scores(case):
    """Whether no score overflows: e to a difference of infinities means nothing."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(case.ensemble(case.table)).all())
