from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles.few_examples import quick
from scipy.stats import entropy

from sorb.lab.rivals.rule_mining import Literals, Pool, conditional_entropy


def tables(n_columns, elements, n_rows=12):
    return arrays(np.float64, (n_rows, n_columns), elements=elements)


def frequent(literals, n_positive, support, max_length):
    """All frequent conjunctions that raise the share of positives, with their rows, plainly."""
    n_rows = literals.covered.shape[1]
    found = {}
    for length in range(1, max_length + 1):
        for rule in combinations(range(len(literals)), length):
            if len({literals.bounds[j] for j in rule}) < length:
                continue
            rows = np.logical_and.reduce(literals.covered[list(rule)])
            inside, total = rows[:n_positive].sum(), rows.sum()
            if inside >= support * n_positive and inside / max(total, 1) > n_positive / n_rows:
                found[rule] = rows
    return found


def shortest(rules):
    """The length of the shortest rule for each group of rows."""
    lengths = {}
    for rule, rows in rules.items():
        key = rows.tobytes()
        lengths[key] = min(len(rule), lengths.get(key, len(rule)))
    return lengths


def mined(pool):
    rules = [tuple(rule.tolist()) for level in pool.levels for rule in level.rules]
    return {rule: pool.literals.covers(np.array([rule]))[0] for rule in rules}


def mine(literals, n_positive, support, max_length, **beam):
    pool = Pool(literals, n_positive, support)
    for _ in range(max_length):
        pool = pool.longer(**beam)
    return pool


@quick
@given(tables(2, st.floats(-1e300, 1e300)))
def test_literals_cover_the_rows_of_their_conditions(X):
    literals = Literals.of(X)
    for j in range(len(literals)):
        condition = literals.condition([j], ("a", "b"))
        np.testing.assert_array_equal(condition(X, ("a", "b")), literals.covered[j])


@quick
@given(st.floats(-1e300, 1e300, allow_subnormal=False), st.integers(1, 8))
def test_values_next_to_each_other_are_told_apart(value, n_distinct):
    values = [value]
    for _ in range(n_distinct):
        values.append(np.nextafter(values[-1], np.inf))
    literals = Literals.of(np.array(values)[:, None])
    assert (literals.covered.any(axis=1) & ~literals.covered.all(axis=1)).all()
    np.testing.assert_array_equal(literals.covered[::2], ~literals.covered[1::2])


def test_few_values_are_parted_everywhere_and_many_in_fifths():
    few = Literals.of(np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [2.0], [6.0]]))
    np.testing.assert_array_equal(few.thresholds[::2], [1.0, 4.0])
    many = Literals.of(np.random.default_rng(0).permutation(100)[:, None])
    np.testing.assert_array_equal(many.covered[::2].sum(axis=1), [20, 40, 60, 80])


def test_a_column_that_is_mostly_one_value_is_still_parted():
    assert len(Literals.of(np.array([[0.0]] + 50 * [[1.0]]))) == 2
    assert len(Literals.of(np.ones((50, 1)))) == 0


def test_number_of_conjunctions():
    literals = Literals.of(np.random.default_rng(0).integers(3, size=(30, 3)))
    counts = [
        sum(len({literals.bounds[j] for j in rule}) == length for rule in rules)
        for length in (1, 2, 3, 4)
        for rules in [combinations(range(len(literals)), length)]
    ]
    np.testing.assert_array_equal(literals.n_conjunctions(4), counts)


@quick
@given(tables(3, st.integers(0, 7)), st.integers(1, 11), st.floats(0.05, 0.9))
def test_mining_finds_all_frequent_pairs(X, n_positive, support):
    literals = Literals.of(X)
    expected = shortest(frequent(literals, n_positive, support, 2))
    assert shortest(mined(mine(literals, n_positive, support, 2))) == expected


@quick
@given(tables(5, st.integers(0, 1)), st.integers(1, 11), st.floats(0.05, 0.5))
def test_longer_conjunctions_extend_those_of_two(X, n_positive, support):
    literals = Literals.of(X)
    reachable = frequent(literals, n_positive, support, 4)
    for length in (3, 4):
        for rule in [rule for rule in reachable if len(rule) == length]:
            if not any(part in reachable for part in combinations(rule, length - 1)):
                del reachable[rule]
    assert shortest(mined(mine(literals, n_positive, support, 4))) == shortest(reachable)


@quick
@given(tables(4, st.integers(0, 6), n_rows=30), st.integers(5, 25))
def test_mined_rules_are_what_they_claim(X, n_positive):
    pool = mine(Literals.of(X), n_positive, 0.2, 3)
    found = mined(pool)
    plain = frequent(pool.literals, n_positive, 0.2, 3)
    for rule, rows in found.items():
        np.testing.assert_array_equal(rows, plain[rule])
    assert len({rows.tobytes() for rows in found.values()}) == len(found)


def planted_table():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    y = (X[:, 0] > 0.3) | (X[:, 1] < -0.5) & (X[:, 2] > 0)
    order = np.argsort(~y, kind="stable")
    return X[order], int(y.sum())


def test_a_narrow_beam_keeps_the_lowest_entropies():
    X, n_positive = planted_table()
    literals = Literals.of(X)
    wide, narrow = (mine(literals, n_positive, 0.05, 2, beam=beam) for beam in (4000, 30))
    np.testing.assert_array_equal(narrow.levels[1].entropy, wide.levels[1].entropy[:30])


def test_screening_takes_the_lowest_entropies_of_all_lengths():
    X, n_positive = planted_table()
    pool = mine(Literals.of(X), n_positive, 0.05, 3)
    rows = np.array([pool.literals.covers(rule[None])[0] for rule in pool.screen(10**6)])
    inside = rows[:, :n_positive].sum(axis=1)
    outside = rows[:, n_positive:].sum(axis=1)
    entropies = conditional_entropy(inside, outside, n_positive, 200 - n_positive)
    assert len(rows) == sum(len(level.rules) for level in pool.levels)
    assert (np.diff(entropies) >= 0).all()
    assert [r.tolist() for r in pool.screen(7)] == [r.tolist() for r in pool.screen(99)][:7]


@given(st.integers(0, 5), st.integers(0, 7))
def test_conditional_entropy(inside, outside):
    covered, others = [inside, outside], [5 - inside, 7 - outside]
    expected = sum(sum(part) / 12 * entropy(part) for part in (covered, others) if sum(part))
    found = conditional_entropy(np.array([inside]), np.array([outside]), 5, 7)
    np.testing.assert_allclose(found, [expected], atol=1e-12)
