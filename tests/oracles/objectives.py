"""The objectives as their formulas, and the best cut by trying every threshold."""

import numpy as np

EPSILON = 1e-4  # of the root of the mean weight


def score(name, search_input, covered, sign):
    """The objective of the covered rows (a mask), for one sign of the gradient."""
    if name == "orthogonal":
        return orthogonal(search_input, covered, sign)
    if name == "refitted":
        return refitted(search_input, covered, sign)
    weight, curvature = search_input.weight, search_input.curvature()[search_input.pattern]
    S, N = search_input.weighted_gradient[covered].sum(), weight[covered].sum()
    H = (weight * curvature)[covered].sum()
    if sign * S <= 0:
        return 0.0
    if name == "gradient_sum":
        return sign * S
    if name == "gradient_boosting":
        return sign * S / np.sqrt(N)
    denominator = H + 2 * search_input.reg_lambda
    return S**2 / denominator if denominator > 0 else 0.0


def orthogonal(search_input, covered, sign):
    """The gradient along the covered' indicator, both without what the rules so far explain."""
    bag = search_input.weight > 0
    root = np.sqrt(search_input.weight[bag])
    rules = search_input.patterns[search_input.pattern[bag]]
    span = root[:, None] * np.column_stack([np.ones(len(root)), rules])
    left, sizes, _ = np.linalg.svd(span, full_matrices=False)
    basis = left[:, sizes > 1e-9 * sizes[0]]

    def remainder(values):
        return values - basis @ (basis.T @ values)

    q = remainder(root * covered[bag])
    norm = np.linalg.norm(q)
    gain = sign * q @ remainder(search_input.weighted_gradient[bag] / root)
    epsilon = EPSILON * np.sqrt(search_input.mean_weight)
    return gain / (norm + epsilon) if gain > 0 and norm > epsilon else 0.0


def refitted(search_input, covered, sign):
    """Twice the gain of a penalised vote in the quadratic approximation, the others refitted."""
    curvature = search_input.curvature()[search_input.pattern]
    bag = search_input.weight > 0
    root = np.sqrt((search_input.weight * curvature)[bag])
    rules = search_input.patterns[search_input.pattern[bag]]
    others = root[:, None] * np.column_stack([np.ones(len(root)), rules])
    penalty = np.sqrt(2 * search_input.reg_lambda)
    target = search_input.weighted_gradient[bag] / root

    def squares(design, target):
        votes = np.linalg.lstsq(design, target, rcond=None)[0]
        return np.square(target - design @ votes).sum(), votes[-1]

    without, _ = squares(others, target)
    design = np.vstack(
        [np.column_stack([others, root * covered[bag]]), [0.0] * others.shape[1] + [penalty]]
    )
    left, vote = squares(design, np.append(target, 0.0))
    return without - left if sign * vote > 0 else 0.0


def best_cut(score_of, projection):
    """The highest score of {projection ≥ t} over all t that keep some and drop others.

    Returns the score and all lowest kept projections that reach it, but for rounding.
    """
    places = np.unique(projection)[1:]
    values = np.array([score_of(projection >= place) for place in places])
    if not len(values) or values.max() <= 0:
        return 0.0, []
    return values.max(), places[values >= values.max() * (1 - 1e-9)].tolist()


def best_cut_by_sort(kind, ridge, gain, mass, projection, sign):
    """The same for objectives that are functions of two sums, in one pass after a full sort."""
    order = np.argsort(-projection, kind="stable")
    S, N = sign * np.cumsum(gain[order]), np.cumsum(mass[order])
    with np.errstate(all="ignore"):
        values = {
            "gradient_sum": S,
            "gradient_boosting": S / np.sqrt(N),
            "second_order": S**2 / (N + ridge),
        }[kind]
    allowed = np.append(np.diff(projection[order]) < 0, False)
    values = np.where(allowed & (S > 0) & np.isfinite(values), values, 0.0)
    return max(values.max(), 0.0)
