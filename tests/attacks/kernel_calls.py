"""Random calls of the kernels: each gives an answer, or an error that says what is wrong."""

from functools import partial

import numpy as np

from sorb import _kernels
from sorb._kernels import (
    CategoryColumn,
    ColumnInfo,
    HalfSpace,
    Loss,
    Objective,
    ObjectiveKind,
    Patterns,
    SparseTable,
    Steps,
)

LOSSES = ["squared", "logistic", "poisson", "softmax", "gamma", "tweedie"]
# Far from what is meant, but in reach of a mistake.
INTEGERS = [-1, 0, 1, 2, 7, -(2**31), 2**31 - 1, 2**31, -(2**63), 2**63, 2**64 - 1]
MODERATE = 1000  # as large as numbers get of which each takes memory or time
FLOATS = [np.nan, np.inf, -np.inf, -1.0, -0.0, 5e-324, 1e-300, 1e300, np.finfo(float).max]


REFUSED = object()


def attack(seed):
    """Call a random kernel with random arguments; say whether it answered or refused."""
    return call(seed)[1]


def call(seed):
    """Call a random kernel; say which one, too."""
    calls = Calls(np.random.default_rng(seed))
    name = NAMES[calls.random.integers(len(NAMES))]
    with np.errstate(all="ignore"):  # as arrays are converted to the types of the kernels
        return name, outcome(name, calls)


def outcome(name, calls):
    """What becomes of a call: its arguments may hold structures that are refused themselves."""
    prepared = answer_of(CALLS[name], calls)
    answer = REFUSED if prepared is REFUSED else answer_of(prepared)
    if answer is not REFUSED:
        READERS.get(name, repr)(answer)
    if calls.fits:
        assert answer is not REFUSED, f"{name} refuses arguments that fit"
        return "unspoilt and answered"
    if prepared is REFUSED:
        return "refused in part"
    return "refused" if answer is REFUSED else "answered"


def answer_of(function, *arguments):
    """What a function gives; REFUSED if it says what is wrong with its arguments."""
    try:
        return function(*arguments)
    except (ValueError, TypeError) as error:
        if not str(error):
            raise
        return REFUSED


class Calls:
    """Arguments that fit together, but for some that are spoilt in random ways."""

    def __init__(self, random):
        self.random = random
        self.spoiling = random.choice([0.0, 0.02, 0.1, 0.3])
        self.fits = self.spoiling == 0
        self.n = int(random.choice([0, 1, 2, 5, 8, 30, 70, 300]))
        self.d = int(random.choice([0, 1, 2, 3, 5]))
        self.name_of_loss = str(random.choice(LOSSES))
        self.n_outputs = int(random.integers(2, 5)) if self.name_of_loss == "softmax" else 1

    # ---- spoiling ----

    def spoils(self):
        return self.random.random() < self.spoiling

    def spoilt(self, values):
        """An array, or another one that has a wrong length, layout, type or value."""
        if not self.spoils():
            return values
        return self.random.choice([resized, laid_out, retyped, revalued])(self.random, values)

    def integer(self, usual):
        return INTEGERS[self.random.integers(len(INTEGERS))] if self.spoils() else usual

    def real(self, usual):
        return float(self.random.choice(FLOATS)) if self.spoils() else usual

    # ---- arrays ----

    def normal(self, *shape):
        scale = 10.0 ** self.random.choice([0, 0, 0, -150, 150, -310, 300])
        values = self.random.normal(size=shape) * scale
        return np.round(values) if self.random.random() < 0.3 else values

    def vector(self, n=None):
        return self.spoilt(self.normal(self.n if n is None else n))

    def weight(self, n=None):
        n = self.n if n is None else n
        return self.spoilt(np.abs(self.normal(n)) * self.random.integers(0, 2, n))

    def table(self):
        values = self.normal(self.n, self.d).astype(self.random.choice([np.float32, np.float64]))
        return self.spoilt(self.random.choice([np.asfortranarray, np.ascontiguousarray])(values))

    def sparse_parts(self):
        values = self.normal(self.d, self.n).astype(self.random.choice([np.float32, np.float64]))
        stored = self.random.random((self.d, self.n)) < 0.3
        starts = np.concatenate(([0], stored.sum(axis=1).cumsum()))
        rows = np.nonzero(stored)[1].astype(np.int32)
        return partial(
            SparseTable,
            min(self.integer(self.n), MODERATE),
            *map(self.spoilt, (starts, rows, values[stored])),
        )

    def any_table(self):
        return self.sparse_parts()() if self.random.random() < 0.3 else self.table()

    def rows(self):
        present = np.flatnonzero(self.random.random(self.n) < self.random.choice([0.0, 0.5, 1.0]))
        return self.spoilt(present)

    def flags(self):
        return self.spoilt(self.random.random(self.n) < self.random.choice([0.0, 0.3, 1.0]))

    def hashes(self):
        return self.spoilt(self.random.integers(0, 2**64, self.n, dtype=np.uint64))

    def codes(self, end):
        return self.spoilt(self.random.integers(0, max(end, 1), self.n).astype(np.int32))

    # ---- structures ----

    def sign(self):
        return self.integer(int(self.random.choice([-1, 1])))

    def size(self):
        return self.integer(int(self.random.integers(1, 5)))

    def projected(self):
        patterns = int(self.random.integers(1, 4))
        table = self.spoilt(self.random.integers(0, 2, (patterns, 2)).astype(np.uint8))
        return partial(
            _kernels.project_off, table, self.codes(patterns), self.weight(), self.vector()
        )

    def objective(self):
        kind = ObjectiveKind(int(self.random.integers(4)))
        second_order = kind == ObjectiveKind.second_order and self.random.random() < 0.5
        needs_span = kind == ObjectiveKind.orthogonal or second_order
        span = self.projected()()[1] if needs_span else None
        return partial(Objective, kind, self.real(0.1), self.vector(), self.weight(), span)

    def categories(self):
        n_categories = int(self.random.integers(0, 5))
        stated = self.integer(n_categories)
        return CategoryColumn(self.codes(n_categories + 1), min(stated, MODERATE))

    def columns(self):
        return None if self.random.random() < 0.3 else self.column_info()()

    def column_info(self):
        missing = [j for j in range(self.d) if self.random.random() < 0.4]
        scale = 10.0 ** self.random.choice([0, -320, 300], self.d) * self.random.random(self.d)
        return partial(
            ColumnInfo,
            missing={self.integer(j): self.flags() for j in missing},
            categories=[self.categories() for _ in range(self.random.integers(3))],
            first_logarithm=self.integer(int(self.random.integers(self.d + 1))),
            scale=self.spoilt(scale) if self.random.random() < 0.5 else None,
            direction=self.direction(),
        )

    def direction(self):
        if self.random.random() < 0.5:
            return []
        return self.spoilt(self.random.integers(-1, 2, self.d)).tolist()

    def loss(self):
        has_power = (self.name_of_loss == "tweedie") != self.spoils()
        return partial(Loss, self.name_of_loss, self.real(1.5) if has_power else None)

    def patterns(self):
        found = Patterns.without_rules(self.n, min(self.integer(self.n_outputs), MODERATE))
        for _ in range(self.random.integers(4)):
            found = self.split(found)()
        return found

    def split(self, patterns):
        output = self.integer(int(self.random.integers(self.n_outputs)))
        return partial(patterns.split, self.flags(), output, self.vote_range())

    def vote_range(self):
        lower, upper = sorted(self.random.normal(size=2))
        return self.real(float(lower)), self.real(float(upper))

    def without(self):
        patterns = self.patterns()
        n_rules = patterns.table.shape[1]
        self.fits &= n_rules > 0  # otherwise there is nothing to remove
        rule = int(self.random.integers(max(n_rules, 1)))
        return partial(patterns.without, self.integer(rule))

    def disagreements(self):
        return partial(self.patterns().disagreements, self.flags(), self.weight())

    def theta(self, patterns):
        return self.vector(patterns.n_outputs + patterns.table.shape[1])

    def outcomes(self, patterns):
        if patterns.n_outputs == 1:
            return self.vector()
        return self.spoilt(
            self.random.integers(0, min(patterns.n_outputs, 9), self.n).astype(float)
        )

    # ---- calls ----

    def half_space(self):
        columns = [self.integer(0) for _ in range(self.integer(2) % 4)]
        return partial(HalfSpace, columns, [self.real(1.0), self.real(0.5)], self.real(0.0))

    def category_column(self):
        stated = self.integer(int(self.random.integers(2, 4)))
        return partial(CategoryColumn, self.codes(3), stated)

    def without_rules(self):
        rows = min(self.integer(self.n), MODERATE)
        return partial(Patterns.without_rules, rows, self.integer(self.n_outputs))

    def standardise(self):
        rows = self.rows()
        weight = self.weight(rows.size)
        self.fits &= bool(np.any(weight))  # without any weight there is no mean
        columns = self.spoilt(self.random.permutation(self.d))
        return partial(_kernels.standardise, self.any_table(), rows, columns, weight)

    def draw_bag(self):
        pieces = self.spoilt(self.random.integers(1, 4, self.n))
        countable = (pieces > MODERATE) & (pieces < 2**31)
        pieces = np.where(countable, MODERATE, pieces)
        numbers = self.integer(0), self.integer(1)
        return partial(_kernels.draw_bag, self.hashes(), self.weight(), pieces, *numbers)

    def separators(self, learn):
        arguments = self.table(), self.rows(), self.vector(), self.size()
        return partial(learn, *arguments, self.direction())

    def bounded_minimum(self):
        factor = self.random.normal(size=(self.d, self.d))
        hessian = (factor.T @ factor) * 10.0 ** self.random.choice([0, -300, 150])
        lower, x, upper = np.sort(self.normal(3, self.d), axis=0)
        gradient = self.vector(self.d)
        arrays = (x, gradient, hessian.ravel(), lower, upper)
        return partial(_kernels.bounded_minimum, *(self.spoilt(a).tolist() for a in arrays))

    def score(self):
        return partial(self.objective()().score, self.rows(), self.sign())

    def best_cut(self):
        rows = self.rows()
        return partial(self.objective()().best_cut, rows, self.vector(rows.size), self.sign())

    def oblique_levels(self):
        cutter = self.objective()() if self.random.random() < 0.5 else None
        steps = Steps(int(self.random.integers(2)))
        size, threads = self.size(), self.integer(int(self.random.integers(1, 3)))
        return partial(
            _kernels.oblique_levels,
            self.any_table(),
            self.objective()(),
            cutter,
            self.vector(),
            size,
            steps,
            threads,
            self.columns(),
        )

    def axis_levels(self):
        return partial(
            _kernels.axis_levels,
            self.any_table(),
            self.objective()(),
            self.weight(),
            self.size(),
            self.integer(int(self.random.integers(1, 3))),
            self.columns(),
        )

    def scores(self):
        patterns = self.patterns()
        return partial(patterns.scores, self.theta(patterns))

    def votes(self, kernel):
        patterns = self.patterns()
        return partial(
            kernel,
            self.loss()(),
            patterns,
            self.outcomes(patterns),
            self.weight(),
            self.real(0.1),
            self.theta(patterns),
        )

    def validation_losses(self):
        patterns = self.patterns()
        return partial(
            _kernels.validation_losses,
            self.loss()(),
            patterns,
            self.outcomes(patterns),
            self.weight(),
            self.weight(),
            self.real(0.1),
            self.theta(patterns),
            [
                (self.flags(), self.integer(0), self.vote_range())
                for _ in range(self.random.integers(3))
            ],
            self.integer(int(self.random.integers(1, 3))),
        )

    def expected_outcome(self):
        return partial(_kernels.expected_outcome, self.loss()(), self.score_table())

    def two_probabilities(self):
        return partial(_kernels.two_probabilities, self.loss()(), self.vector())

    def terms(self):
        size = self.d + 1
        columns = [self.vector() for _ in range(size + self.spoils())]
        return columns, [self.real(1.0) for _ in range(size)]

    def weighted_sum(self):
        return partial(_kernels.weighted_sum, *self.terms())

    def reaches(self):
        return partial(_kernels.reaches, *self.terms(), self.real(0.5), bool(self.integer(0)))

    def holds_infinity(self):
        return partial(_kernels.holds_infinity, self.vector())

    def sum_votes(self):
        offsets = [self.real(0.0) for _ in range(self.n_outputs)]
        votes = [self.real(1.0) for _ in range(self.d)]
        outputs = [self.integer(self.n_outputs - 1) for _ in range(self.d)]
        covered = self.spoilt(self.random.random((self.d, self.n)) < 0.5)
        return partial(_kernels.sum_votes, offsets, votes, outputs, covered)

    def copy_columns(self):
        columns = self.spoilt(self.random.permutation(self.d))
        return partial(_kernels.copy_columns, self.table(), columns)

    def column_ranges(self):
        return partial(_kernels.column_ranges, self.table(), self.vector())

    def key_sums(self):
        places = self.spoilt(self.random.permutation(self.d))
        ends = [self.spoilt(self.normal(self.d)) for _ in range(2)]
        factors = [self.spoilt(self.random.integers(0, 2**21, self.d)) for _ in range(2)]
        digit = self.integer(int(self.random.integers(3)))
        return partial(_kernels.key_sums, self.table(), places, *ends, *factors, digit)

    def loss_derivatives(self):
        order = self.integer(int(self.random.integers(3)))
        return partial(_kernels.loss_derivatives, self.loss()(), self.score_table(), order)

    def score_table(self):
        return self.spoilt(self.normal(self.n, self.n_outputs))

    def canonical_table(self):
        numbers = self.vector(), self.vector()
        return partial(_kernels.canonical_table, self.any_table(), *numbers, self.rows())

    def identify_rows(self):
        return partial(_kernels.identify_rows, self.any_table(), self.rows())

    def canonical_rows(self):
        rows = self.rows()
        hashes = np.sort(self.random.integers(0, 3, np.size(rows), dtype=np.uint64))
        columns = self.spoilt(self.random.permutation(self.d))
        table = self.sparse_parts()()
        return partial(
            _kernels.canonical_rows, table, self.vector(), rows, self.spoilt(hashes), columns
        )

    def column(self):
        self.fits &= self.d > 0
        return partial(
            self.sparse_parts()().column, self.integer(int(self.random.integers(max(self.d, 1))))
        )


# Each gives a kernel with its arguments.
CALLS = {
    "CategoryColumn": Calls.category_column,
    "ColumnInfo": Calls.column_info,
    "HalfSpace": Calls.half_space,
    "Loss": Calls.loss,
    "Objective": Calls.objective,
    "Objective.best_cut": Calls.best_cut,
    "Objective.score": Calls.score,
    "Patterns.disagreements": Calls.disagreements,
    "Patterns.scores": Calls.scores,
    "Patterns.split": lambda calls: calls.split(calls.patterns()),
    "Patterns.without": Calls.without,
    "Patterns.without_rules": Calls.without_rules,
    "SparseTable": Calls.sparse_parts,
    "SparseTable.column": Calls.column,
    "SparseTable.take": lambda calls: partial(calls.sparse_parts()().take, calls.rows()),
    "axis_levels": Calls.axis_levels,
    "bounded_minimum": Calls.bounded_minimum,
    "canonical_rows": Calls.canonical_rows,
    "canonical_table": Calls.canonical_table,
    "column_ranges": Calls.column_ranges,
    "copy_columns": Calls.copy_columns,
    "division": lambda calls: partial(_kernels.division, calls.flags()),
    "draw_bag": Calls.draw_bag,
    "expected_outcome": Calls.expected_outcome,
    "holds_infinity": Calls.holds_infinity,
    "identify_rows": Calls.identify_rows,
    "key_sums": Calls.key_sums,
    "lasso_path": lambda calls: calls.separators(_kernels.lasso_path),
    "loss_derivatives": Calls.loss_derivatives,
    "oblique_levels": Calls.oblique_levels,
    "project_off": Calls.projected,
    "reaches": Calls.reaches,
    "refit_votes": lambda calls: calls.votes(_kernels.refit_votes),
    "removal_costs": lambda calls: calls.votes(_kernels.removal_costs),
    "scramble": lambda calls: partial(_kernels.scramble, calls.hashes(), calls.integer(3)),
    "separators": lambda calls: calls.separators(_kernels.separators),
    "separators_of_size": lambda calls: calls.separators(_kernels.separators_of_size),
    "standardise": Calls.standardise,
    "sum_votes": Calls.sum_votes,
    "two_probabilities": Calls.two_probabilities,
    "validation_losses": Calls.validation_losses,
    "weighted_sum": Calls.weighted_sum,
}
NAMES = sorted(CALLS)


# Ways to read all that an answer has, so that a sanitizer sees values that were never set.


def read_levels(chains):
    for level in (level for chain in chains for level in chain):
        _ = level.covered.sum(), level.division, level.complexity, repr(level.parts)


def read_patterns(patterns):
    _ = patterns.index.sum(), patterns.table.sum()


READERS = {
    "Patterns.split": read_patterns,
    "Patterns.without": read_patterns,
    "Patterns.without_rules": read_patterns,
    "axis_levels": read_levels,
    "oblique_levels": read_levels,
}


# ---- ways to spoil an array ----


def resized(random, values):
    """One too few, one too many, none at all, or another number of dimensions."""
    return random.choice(
        [
            lambda: values[:-1],
            lambda: np.concatenate([values, values[:1]]),
            lambda: values[:0],
            lambda: values[..., None],
            lambda: values.reshape(-1),
            lambda: values[..., :0],
        ]
    )()


def laid_out(random, values):
    """The same values, or half of them, with other strides."""
    return random.choice(
        [
            lambda: values[::-1],
            lambda: np.repeat(values, 2, axis=0)[::2],
            lambda: np.broadcast_to(values[:1], values.shape),
            lambda: values[::2],
            lambda: values.T,
        ]
    )()


def retyped(random, values):
    """The same values in another type."""
    types = [np.float32, np.float64, np.int64, np.int32, np.uint8, np.uint64, bool, complex, object]
    return values.astype(types[random.integers(len(types))])


def revalued(random, values):
    """Some values that are out of range, or not numbers; flags that are neither 0 nor 1."""
    values = values.copy()
    chosen = random.random(values.shape) < random.choice([0.1, 1.0])
    if values.dtype == bool:
        values.view(np.uint8)[chosen] = random.choice([2, 128, 255])
    elif values.dtype.kind == "f":
        values[chosen] = random.choice(FLOATS)
    else:
        least, most = np.iinfo(values.dtype).min, np.iinfo(values.dtype).max
        outside = [least, most, least + 1, most - 1, values.size]
        values[chosen] = outside[random.integers(len(outside))]
    return values
