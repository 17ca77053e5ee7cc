"""The boundary of the native core: what it refuses, and how long its arrays live.

What the kernels compute is tested with the parts that use them.
"""

import gc

import numpy as np
import pytest

from sorb import _kernels
from sorb._kernels import (
    AllowedSets,
    CategoryColumn,
    ColumnInfo,
    HalfSpace,
    Objective,
    ObjectiveKind,
    Patterns,
    Steps,
)

N, D = 6, 2
ROWS, COLUMNS = np.arange(N), np.arange(D)
ONES = np.ones(N)
TWO = np.ones(2)
Z = np.asfortranarray(np.random.default_rng(0).normal(size=(N, D)))
GRADIENT = np.array([1.0, -1, 1, -1, 1, -1])
PATTERN = np.array([0, 1, 0, 1, 0, 1], dtype=np.int32)
TABLE = np.array([[0], [1]], dtype=np.uint8)
HASHES = np.arange(N, dtype=np.uint64)
COVERED = np.array([True, False, True, False, False, False])
MISSING = np.zeros(N, dtype=bool)
NOT_FLAGS = np.full(N, 2, dtype=np.uint8).view(bool)  # bytes that no comparison gives
SQUARED, SOFTMAX = _kernels.Loss("squared"), _kernels.Loss("softmax")

SHORT = np.ones(N - 1)
ANY = (-np.inf, np.inf)  # vote
BEYOND = np.array([0, N])  # a row that is not there
BELOW = np.array([-1, 0])


def objective(kind="gradient_sum", gain=GRADIENT, mass=ONES, span=None):
    return Objective(ObjectiveKind[kind], 0.0, gain, mass, span)


def span(pattern=PATTERN):
    weight = np.ones(len(pattern))
    return _kernels.project_off(TABLE, pattern, weight, weight)[1]


def small_objective():
    return objective(gain=SHORT, mass=SHORT)


def oblique(goal=None, cutter=None, gradient=GRADIENT, columns=None):
    goal = goal or objective()
    return _kernels.oblique_levels(Z, goal, cutter, gradient, 2, Steps.refine, 1, columns)


def axis(goal=None, weight=ONES, columns=None):
    return _kernels.axis_levels(Z, goal or objective(), weight, 2, 1, columns)


def patterns(n_outputs=1):
    return Patterns.without_rules(N, n_outputs).split(PATTERN == 1, 0)


def refit(loss=SQUARED, n_outputs=1, y=ONES, weight=ONES, theta=TWO):
    return _kernels.refit_votes(loss, patterns(n_outputs), y, weight, 0.1, theta)


def validate(
    loss=SQUARED,
    n_outputs=1,
    y=ONES,
    training=ONES,
    validation=ONES,
    theta=TWO,
    rules=((COVERED, 0, ANY),),
):
    return _kernels.validation_losses(
        loss, patterns(n_outputs), y, training, validation, 0.1, theta, list(rules)
    )


def costs(loss=SQUARED, n_outputs=1, y=ONES, weight=ONES, reg_lambda=0.1, theta=TWO):
    return _kernels.removal_costs(loss, patterns(n_outputs), y, weight, reg_lambda, theta)


def disagreements(covered=COVERED, weight=ONES):
    return patterns().disagreements(covered, weight)


def keys(columns=(0,), low=(0.0,), square=1, linear=1, digit=0):
    integers = (np.array(v, dtype=np.int64, ndmin=1) for v in (columns, square, linear))
    places, square, linear = integers
    return _kernels.key_sums(Z, places, np.array(low), np.ones(1), square, linear, digit)


def codes(*values):
    return np.array(values, dtype=np.int32)


REFUSED = {
    # the table
    "canonical table: outcomes": (
        lambda: _kernels.canonical_table(Z, SHORT, ONES, ROWS),
        "y must have length 6, not 5",
    ),
    "canonical table: weight": (
        lambda: _kernels.canonical_table(Z, ONES, SHORT, ROWS),
        "weight must have length 6, not 5",
    ),
    "canonical table: row beyond": (
        lambda: _kernels.canonical_table(Z, ONES, ONES, BEYOND),
        "rows must be in 0 … 5",
    ),
    "canonical table: row below": (
        lambda: _kernels.canonical_table(Z, ONES, ONES, BELOW),
        "one is -1",
    ),
    "identify: row beyond": (lambda: _kernels.identify_rows(Z, BEYOND), "rows must be in 0 … 5"),
    "standardise: no rows": (
        lambda: _kernels.standardise(Z, ROWS[:0], COLUMNS, ONES[:0]),
        "no rows to standardise",
    ),
    "standardise: row": (
        lambda: _kernels.standardise(Z, BEYOND, COLUMNS, ONES[:2]),
        "rows must be in",
    ),
    "standardise: column": (
        lambda: _kernels.standardise(Z, ROWS, COLUMNS + 1, ONES),
        "columns must be in 0 … 1, but one is 2",
    ),
    "standardise: weight": (
        lambda: _kernels.standardise(Z, ROWS, COLUMNS, SHORT),
        "weight must have",
    ),
    "standardise: negative weight": (
        lambda: _kernels.standardise(Z, ROWS, COLUMNS, -ONES),
        "weight must be finite and non-negative",
    ),
    "standardise: no weight": (
        lambda: _kernels.standardise(Z, ROWS, COLUMNS, 0 * ONES),
        "weight must not be zero everywhere",
    ),
    "draw: weight": (lambda: _kernels.draw_bag(HASHES, SHORT, ROWS, 0, 0), "weight must have"),
    "draw: pieces": (lambda: _kernels.draw_bag(HASHES, ONES, ROWS[1:], 0, 0), "pieces must have"),
    "draw: endless pieces": (
        lambda: _kernels.draw_bag(HASHES, ONES, ROWS + 2**31, 0, 0),
        "pieces must be in 0 … 2147483647",
    ),
    "draw: negative pieces": (
        lambda: _kernels.draw_bag(HASHES, ONES, ROWS - 1, 0, 0),
        "pieces must be in 0 … 2147483647, but one is -1",
    ),
    "too many columns": (
        lambda: _kernels.identify_rows(np.empty((0, 2**31)), ROWS[:0]),
        "more than 2147483647 columns",
    ),
    # separators
    "separators: row": (lambda: _kernels.separators(Z, BEYOND, GRADIENT, 1), "rows must be in"),
    "separators: order": (
        lambda: _kernels.separators(Z, ROWS[::-1].copy(), GRADIENT, 1),
        "rows must be in ascending order",
    ),
    "separators: copies": (
        lambda: _kernels.separators(Z, np.repeat(ROWS, 2), GRADIENT, 1),
        "each only once",
    ),
    "separators: gradient": (
        lambda: _kernels.separators(Z, ROWS, SHORT, 1),
        "weighted_gradient must have",
    ),
    "separators: size": (lambda: _kernels.separators_of_size(Z, ROWS, GRADIENT, 0), "at least 1"),
    "separators: direction": (
        lambda: _kernels.separators(Z, ROWS, GRADIENT, 1, [1] * (Z.shape[1] + 1)),
        "direction must have",
    ),
    "bounded minimum: hessian": (
        lambda: _kernels.bounded_minimum([0.0], [1.0], [], [0.0], [1.0]),
        "hessian must have",
    ),
    "bounded minimum: x": (
        lambda: _kernels.bounded_minimum([2.0], [1.0], [1.0], [0.0], [1.0]),
        "x must be within the bounds",
    ),
    "path: row": (lambda: _kernels.lasso_path(Z, BELOW, GRADIENT, 1), "rows must be in"),
    # objectives
    "objective: mass": (lambda: objective(mass=SHORT), "mass must have"),
    "objective: span": (
        lambda: objective("orthogonal", span=span(PATTERN[1:])),
        "the span must have",
    ),
    "objective: span missing": (lambda: objective("orthogonal"), "needs a span"),
    "objective: span not needed": (lambda: objective(span=span()), "only the second-order one"),
    "objective: ridge": (
        lambda: Objective(ObjectiveKind.gradient_sum, np.nan, GRADIENT, ONES),
        "ridge must be finite and non-negative",
    ),
    "score: row": (lambda: objective().score(BEYOND, 1), "rows must be in"),
    "score: sign": (lambda: objective().score(ROWS, 0), "sign must be 1 or -1, not 0"),
    "cut: row": (lambda: objective().best_cut(BELOW, np.arange(2.0), 1), "rows must be in"),
    "cut: projection": (lambda: objective().best_cut(ROWS, SHORT, 1), "projection must have"),
    "project: pattern": (
        lambda: _kernels.project_off(TABLE[:1], PATTERN, ONES, GRADIENT),
        "pattern must be in",
    ),
    "project: weight": (
        lambda: _kernels.project_off(TABLE, PATTERN, SHORT, GRADIENT),
        "weight must have",
    ),
    # searches
    "half-space": (lambda: HalfSpace([0, 1], [1.0], 0.0), "weights must have length 2, not 1"),
    "oblique: objective": (lambda: oblique(small_objective()), "the objective must have"),
    "oblique: cutter": (lambda: oblique(cutter=small_objective()), "the cutter must have"),
    "oblique: gradient": (lambda: oblique(gradient=SHORT), "weighted_gradient must have"),
    "axis: objective": (lambda: axis(small_objective()), "the objective must have"),
    "axis: weight": (lambda: axis(weight=SHORT), "weight must have"),
    "categories: code": (lambda: CategoryColumn(codes(0, 1, 4), 3), "codes must be in 0 … 3"),
    "categories: below": (lambda: CategoryColumn(codes(-1, 1), 3), "codes must be in 0 … 3"),
    "categories: number": (
        lambda: CategoryColumn(codes(0), 2**31 - 1),
        "n_categories must be in 0 … 2147483646",
    ),
    "columns: codes": (
        lambda: axis(columns=ColumnInfo(categories=[CategoryColumn(codes(0, 1), 2)])),
        "codes must have",
    ),
    "columns: missing": (
        lambda: axis(columns=ColumnInfo(missing={0: MISSING[1:]})),
        "missing must have",
    ),
    "columns: missing in column": (
        lambda: oblique(columns=ColumnInfo(missing={D: MISSING})),
        "columns with missing values must be in 0 … 1",
    ),
    "columns: logarithm": (
        lambda: oblique(columns=ColumnInfo(first_logarithm=D + 1)),
        "first_logarithm must be in 0 … 2",
    ),
    "columns: missing flags": (
        lambda: ColumnInfo(missing={0: NOT_FLAGS}),
        "missing must hold the bytes 0 and 1 only",
    ),
    "columns: scale that is not a number": (
        lambda: ColumnInfo(scale=np.array([1.0, np.nan])),
        "scale must be finite and non-negative",
    ),
    "columns: direction": (
        lambda: axis(columns=ColumnInfo(direction=[1])),
        "direction must have",
    ),
    "columns: source": (
        lambda: axis(columns=ColumnInfo(allowed=AllowedSets([0], [], 1))),
        "source must have",
    ),
    "columns: sources": (lambda: AllowedSets([1], [], 1), "source must be in 0 … 0"),
    "columns: groups": (lambda: AllowedSets([0], [[-1]], 1), "groups must be in"),
    "columns: most": (lambda: AllowedSets([0], [], 0), "most must be at least 1"),
    "columns: scale": (lambda: oblique(columns=ColumnInfo(scale=np.ones(1))), "scale must have"),
    # the refit
    "patterns: outputs": (lambda: Patterns.without_rules(N, 0), "n_outputs must be at least 1"),
    "patterns: covered": (lambda: patterns().split(COVERED[1:], 0), "covered must have"),
    "patterns: flags": (lambda: patterns().split(NOT_FLAGS, 0), "covered must hold the bytes"),
    "patterns: range": (
        lambda: patterns().split(COVERED, 0, (1.0, 0.0)),
        "least vote must not exceed",
    ),
    "patterns: output": (lambda: patterns().split(COVERED, 1), "output must be in 0 … 0"),
    "patterns: theta": (lambda: patterns().scores(np.ones(1)), "theta must have length 2, not 1"),
    "patterns: rule beyond": (lambda: patterns().without(1), "rule must be in 0 … 0, but one is 1"),
    "patterns: rule below": (
        lambda: patterns().without(-1),
        "rule must be in 0 … 0, but one is -1",
    ),
    "patterns: no rule": (
        lambda: Patterns.without_rules(N, 1).without(0),
        "rule must be",
    ),
    "disagreements: covered": (lambda: disagreements(COVERED[1:]), "covered must have"),
    "disagreements: flags": (lambda: disagreements(NOT_FLAGS), "covered must hold the bytes"),
    "disagreements: weight": (lambda: disagreements(weight=SHORT), "weight must have"),
    "costs: y": (lambda: costs(y=SHORT), "y must have"),
    "costs: class": (
        lambda: costs(SOFTMAX, 2, y=np.full(N, 2.0), theta=np.ones(3)),
        "class indices in 0 … 1",
    ),
    "costs: classes": (lambda: costs(n_outputs=2, theta=np.ones(3)), "one output only"),
    "costs: weight": (lambda: costs(weight=SHORT), "weight must have"),
    "costs: theta": (lambda: costs(theta=np.ones(1)), "theta must have"),
    "costs: penalty": (lambda: costs(reg_lambda=-0.1), "reg_lambda must not be negative"),
    "refit: y": (lambda: refit(y=SHORT), "y must have"),
    "refit: class": (
        lambda: refit(SOFTMAX, 2, y=np.full(N, 2.0), theta=np.ones(3)),
        "class indices in 0 … 1",
    ),
    "refit: classes": (lambda: refit(n_outputs=2, theta=np.ones(3)), "one output only"),
    "refit: weight": (lambda: refit(weight=SHORT), "weight must have"),
    "refit: theta": (lambda: refit(theta=np.ones(1)), "theta must have"),
    "refit: penalty": (
        lambda: _kernels.refit_votes(SQUARED, patterns(), ONES, ONES, -0.1, TWO),
        "reg_lambda must not be negative",
    ),
    "validation: y": (lambda: validate(y=SHORT), "y must have"),
    "validation: class": (
        lambda: validate(SOFTMAX, 2, y=np.full(N, -1.0), theta=np.ones(3)),
        "class indices",
    ),
    "validation: classes": (lambda: validate(n_outputs=2, theta=np.ones(3)), "one output only"),
    "validation: training": (lambda: validate(training=SHORT), "training_weight must have"),
    "validation: validation": (lambda: validate(validation=SHORT), "validation_weight must have"),
    "validation: theta": (lambda: validate(theta=np.ones(1)), "theta must have"),
    "validation: covered": (lambda: validate(rules=[(COVERED[1:], 0, ANY)]), "covered must have"),
    "validation: flags": (
        lambda: validate(rules=[(NOT_FLAGS, 0, ANY)]),
        "covered must hold the bytes",
    ),
    "validation: output": (lambda: validate(rules=[(COVERED, 1, ANY)]), "output must be in 0 … 0"),
    "validation: range": (
        lambda: validate(rules=[(COVERED, 0, (1.0, 0.0))]),
        "least vote must not exceed",
    ),
    "losses: unknown": (lambda: _kernels.Loss("hinge"), "unknown loss: hinge"),
    "losses: power missing": (lambda: _kernels.Loss("tweedie"), "tweedie needs a power"),
    "losses: power of tweedie": (lambda: _kernels.Loss("tweedie", 2.0), "between 1 and 2"),
    "losses: order": (
        lambda: _kernels.loss_derivatives(SQUARED, np.ones((3, 1)), 3),
        "order must be in 0 … 2",
    ),
    # rules
    "sums: no column": (lambda: _kernels.weighted_sum([], []), "no columns to add up"),
    "sums: weights": (lambda: _kernels.weighted_sum([ONES], [1.0, 2.0]), "weights must have"),
    "sums: rows": (
        lambda: _kernels.reaches([ONES, SHORT], [1.0, 2.0], 0.0, False),
        "each column must have length 6, not 5",
    ),
    "votes: votes": (lambda: _kernels.sum_votes([0.0], [], [0], COVERED[None]), "votes must have"),
    "votes: outputs": (
        lambda: _kernels.sum_votes([0.0], [1.0], [], COVERED[None]),
        "outputs must have",
    ),
    "votes: output": (
        lambda: _kernels.sum_votes([0.0], [1.0], [1], COVERED[None]),
        "outputs must be in 0 … 0",
    ),
    "votes: flags": (
        lambda: _kernels.sum_votes([0.0], [1.0], [0], NOT_FLAGS[None]),
        "covered must hold the bytes",
    ),
    "copies: columns": (lambda: _kernels.copy_columns(Z, BEYOND), "columns must be in 0 … 1"),
    "ranges: counts": (lambda: _kernels.column_ranges(Z, SHORT), "counts must have length 6"),
    "keys: columns": (lambda: keys(BEYOND), "columns must be in 0 … 1"),
    "keys: square": (lambda: keys(square=2**21), "square must be in"),
    "keys: linear": (lambda: keys(linear=2**31), "linear must be in"),
    "keys: low": (lambda: keys(low=ONES), "low must have length 1"),
    "division: flags": (lambda: _kernels.division(NOT_FLAGS), "covered must hold the bytes"),
    "losses: power": (lambda: _kernels.Loss("squared", 1.5), "squared has no power"),
    "losses: no output": (
        lambda: _kernels.expected_outcome(SOFTMAX, np.ones((3, 0))),
        "at least 1",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_together_is_refused(case):
    call, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        call()


def test_the_same_calls_are_accepted_if_all_fits_together():
    for call in (oblique, axis, refit, validate, costs, disagreements):
        assert len(call()) > 0


# ---- numbers that are not finite ----


def test_a_projection_that_is_not_finite_has_no_cut():
    for value in (np.nan, np.inf, -np.inf):
        projection = np.array([0.0, 1.0, value, 3.0, 4.0, 5.0])
        assert objective().best_cut(ROWS, projection, 1) is None


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_a_search_survives_numbers_that_are_not_finite(value):
    spoilt = Z.copy(order="F")
    spoilt[2, 1] = value
    whole = ColumnInfo(scale=np.array([1.0, 1e-320]))
    found = _kernels.oblique_levels(spoilt, objective(), None, GRADIENT, 3, Steps.refine, 1, whole)
    assert len(found) == 2


def test_rows_of_next_to_no_weight_do_not_make_a_column_vary():
    """Their squares times their weight are less than the smallest number."""
    x = np.array([[1.0], [1.0], [2.0]])
    weight = np.array([1.0, 1.0, 5e-324])
    found, centre, _ = _kernels.standardise(x, np.arange(3), np.arange(1), weight)
    assert found.ravel().tolist() == [0.0, 0.0, 0.0]
    assert centre.tolist() == [1.0]


# ---- arrays outlive the names that Python has for them ----


def test_an_objective_keeps_its_arrays():
    kept = objective(gain=np.full(N, 2.0), mass=np.full(N, 3.0))
    gc.collect()
    [np.full(N, np.nan) for _ in range(100)]  # would take the place of arrays that were freed
    assert kept.score(ROWS, 1) == 2 * N
    assert kept.mass.tolist() == [3.0] * N


def test_a_span_keeps_its_pattern():
    kept = objective("orthogonal", span=span(PATTERN.copy()))
    expected = objective("orthogonal", span=span()).score(ROWS[:1], 1)
    assert expected > 0
    gc.collect()
    [np.full(N, -1, dtype=np.int32) for _ in range(100)]
    assert kept.score(ROWS[:1], 1) == expected


def test_column_info_keeps_its_arrays():
    info = ColumnInfo(
        missing={1: np.ones(N, dtype=bool)},
        categories=[CategoryColumn(np.full(N, 2, dtype=np.int32), 3)],
        scale=np.full(D, 5.0),
    )
    gc.collect()
    [np.zeros(N) for _ in range(100)]
    assert info.missing[1].all()
    assert info.categories[0].codes.tolist() == [2] * N
    assert info.categories[0].n_categories == 3
    assert info.scale.tolist() == [5.0] * D


def test_what_was_checked_cannot_be_changed():
    numbers, flags, scale = codes(0, 1, 0), np.zeros(3, dtype=bool), np.ones(1)
    info = ColumnInfo(missing={0: flags}, categories=[CategoryColumn(numbers, 2)], scale=scale)
    numbers[:], flags.view(np.uint8)[:], scale[:] = 10**6, 255, np.nan
    assert info.categories[0].codes.tolist() == [0, 1, 0]
    assert info.missing[0].tolist() == [False] * 3
    assert info.scale.tolist() == [1.0]


def test_arrays_of_patterns_outlive_them():
    found = patterns()
    index, table = found.index, found.table
    del found
    gc.collect()
    [np.full(N, -1, dtype=np.int32) for _ in range(100)]
    assert index.tolist() == PATTERN.tolist()
    assert table.tolist() == TABLE.tolist()
    assert not index.flags.writeable
    assert not table.flags.writeable


def test_covered_rows_outlive_their_level():
    covered = axis()[0][0].covered
    expected = covered.copy()
    gc.collect()
    [np.ones(N, dtype=bool) for _ in range(100)]
    assert np.array_equal(covered, expected)
    assert not covered.flags.writeable


# ---- propositions ----


def test_half_spaces_are_equal_if_all_their_parts_are():
    one = HalfSpace([0, 1], [1.0, -2.0], 0.5, True)
    assert one == HalfSpace([0, 1], [1.0, -2.0], 0.5, True)
    assert one != HalfSpace([0, 1], [1.0, -2.0], 0.5)
    assert one != HalfSpace([0, 2], [1.0, -2.0], 0.5, True)
    assert one != category_level(codes(0, 1, 0, 1, 0, 1), 2).parts[0]
    assert repr(one) == "HalfSpace([0, 1], [1.0, -2.0], 0.5, True)"


def category_level(categories, n_categories):
    """A set of categories tells the signs of the gradient apart."""
    return axis(columns=ColumnInfo(categories=[CategoryColumn(categories, n_categories)]))[0][0]


def test_sets_of_categories_are_equal_if_all_their_parts_are():
    one = category_level(codes(0, 1, 0, 1, 0, 1), 2).parts[0]
    assert one == category_level(codes(0, 1, 0, 2, 0, 1), 3).parts[0]
    assert one != category_level(codes(1, 0, 1, 0, 1, 0), 2).parts[0]
    assert one != category_level(codes(1, 0, 2, 0, 1, 0), 3).parts[0]
    missing = 2
    assert one != category_level(codes(0, 1, 0, 1, missing, 1), 2).parts[0]
    assert repr(one) == "CategorySet(0, [0], False, False)"


@pytest.mark.parametrize(
    ("categories", "n_categories", "named", "complexity"),
    [((0, 1, 0, 1, 0, 1), 1, [], 3), ((0, 2, 0, 3, 1, 3), 4, [0, 1], 4)],
)
def test_a_set_of_no_categories_still_asks_one_question(
    categories, n_categories, named, complexity
):
    """Whether the category is missing."""
    level = category_level(codes(*categories), n_categories)
    assert level.parts[0].categories == named
    assert level.complexity == complexity
