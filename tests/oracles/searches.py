"""The searches, step by step in plain Python, on every threshold between rows."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from oracles import objectives

from sorb import _kernels


@dataclass(frozen=True)
class HalfSpace:
    """w·z ≥ threshold, with the largest weight scaled to ±1."""

    support: tuple[int, ...]
    w: tuple[float, ...]
    threshold: float

    @classmethod
    def scaled(cls, support, w, threshold):
        size = np.abs(w).max()
        return cls(tuple(support), tuple(float(x / size) for x in w), float(threshold / size))

    @classmethod
    def of(cls, part):
        """What a kernel found."""
        return cls.scaled(part.columns, part.weights, part.threshold)

    def covers(self, Z):
        return Z[:, list(self.support)] @ np.array(self.w) >= self.threshold

    def implies(self, other):
        """Whether the other, of one column, adds nothing to this one."""
        return (
            len(other.support) == 1
            and (self.support, self.w) == (other.support, other.w)
            and self.threshold >= other.threshold
        )


def where(Z, halves):
    """The rows that all half-spaces cover."""
    everywhere = np.ones(len(Z), dtype=bool)
    return np.logical_and.reduce([everywhere, *(half.covers(Z) for half in halves)])


def exchanged(halves, place, half):
    """The conjunction with one half-space replaced or added, without what that one implies."""
    kept = [h for i, h in enumerate(halves) if i != place and not half.implies(h)]
    return [*kept[:place], half, *kept[place:]]


def middle_below(projection, kept):
    """Half-way between the lowest kept projection and the highest below it."""
    return (kept + projection[projection < kept].max()) / 2


# ---- oblique ------------------------------------------------------------------------------------


def oblique_chain(search_input, objective, cut, max_weights, sign):
    """For each level the conjunction with the best objective among all refinements of the last."""
    chain, halves = [], []
    for _ in range(max_weights):
        steps = []
        for place in range(len(halves) + 1):
            size = 1 + (len(halves[place].support) if place < len(halves) else 0)
            if size <= search_input.rows.Z.shape[1]:
                kernel = partial(_kernels.separators_of_size, size=size)
                steps += exchanges(search_input, objective, cut, halves, place, kernel, sign)
        if not steps:
            break
        _, place, half = first_best(steps)
        halves = exchanged(halves, place, half)
        chain.append(halves)
    return chain


def appending_chain(search_input, objective, cut, max_weights, sign):
    """The conjunction after each step, which adds the best half-space of any size that is left."""
    chain, halves, left = [], [], max_weights
    while left > 0:
        kernel = partial(_kernels.separators, max_size=min(left, search_input.rows.Z.shape[1]))
        steps = list(exchanges(search_input, objective, cut, halves, len(halves), kernel, sign))
        if not steps:
            break
        _, place, half = first_best(steps)
        halves = exchanged(halves, place, half)
        left -= len(half.support)
        chain.append(halves)
    return chain


def exchanges(search_input, objective, cut, halves, place, kernel, sign):
    """All half-spaces for a place in the conjunction, with the objective that they reach there."""
    Z, bag = search_input.rows.Z.astype(float), search_input.weighted_gradient != 0
    others = [half for i, half in enumerate(halves) if i != place]
    region = np.flatnonzero(bag & where(Z, others))
    for half in half_spaces(search_input, objective, cut, region, kernel, sign):
        kept = half.covers(Z[region])
        if kept.all() or not kept.any():
            continue
        covered = np.zeros(len(Z), dtype=bool)
        covered[region[kept]] = True
        yield objectives.score(objective, search_input, covered, sign), place, half


def first_best(found):
    """The first of those whose values differ by rounding alone from the largest met so far."""
    best = found[0]
    for other in found[1:]:
        if other[0] > best[0] * (1 + 1e-9):
            best = other
    return best


def half_spaces(search_input, objective, cut, region, kernel, sign):
    """The half-spaces that separate the region by the sign of the gradient."""
    Z = np.asfortranarray(search_input.rows.Z)
    for separator in kernel(Z, region, search_input.weighted_gradient):
        support, w = separator.support, sign * np.array(separator.weights)
        threshold = -sign * separator.intercept
        if cut != "separator":
            projection = Z[np.ix_(region, support)].astype(float) @ w
            name = objective if cut == "objective" else cut
            lowest = best_cut(name, search_input, region, projection, sign)[1]
            if lowest is None:
                continue
            threshold = middle_below(projection, lowest)
        yield HalfSpace.scaled(support, w, threshold)


def best_cut(name, search_input, region, projection, sign):
    """The best score, and the lowest projection that it keeps."""

    def score_of(kept):
        covered = np.zeros(len(search_input.weight), dtype=bool)
        covered[region[kept]] = True
        return objectives.score(name, search_input, covered, sign)

    value, places = objectives.best_cut(score_of, projection)
    return value, places[-1] if places else None


# ---- axis-parallel ------------------------------------------------------------------------------


def borders(values, weight, n_groups):
    """The places half-way above each quantile of the weighted values, or above all of a few."""
    if len(set(values)) <= n_groups:
        return sorted((e + values[values > e].min()) / 2 for e in set(values) - {values.max()})
    order = np.argsort(values)
    share = np.cumsum(weight[order]) / weight.sum()
    edges = {values[order][share >= k / n_groups - 1e-12][0] for k in range(1, n_groups)}
    return sorted((e + values[values > e].min()) / 2 for e in edges if (values > e).any())


def axis_chain(
    search_input, objective, max_weights, sign, n_quantiles=None, may_add=lambda halves, half: True
):
    """Half-spaces of one column, the best that may be added as long as the objective grows."""
    Z, bag = search_input.rows.Z.astype(float), search_input.weight > 0
    chain, halves, best = [], [], 0.0
    for _ in range(max_weights):
        region = np.flatnonzero(bag & where(Z, halves))
        found = None
        for column, direction in np.ndindex(Z.shape[1], 2):
            direction = 1 - 2 * direction
            projection = direction * Z[region, column]
            if n_quantiles is None:
                value, lowest = best_cut(objective, search_input, region, projection, sign)
                threshold = None if lowest is None else middle_below(projection, lowest)
            else:
                allowed = borders(Z[:, column], search_input.rows.weight, n_quantiles)
                value, threshold = best_of(
                    objective, search_input, region, projection, sign, direction * np.array(allowed)
                )
            if value > best * (1 + 1e-9):
                half = HalfSpace((column,), (float(direction),), float(threshold))
                if may_add(halves, half):
                    best, found = value, half
        if found is None:
            break
        halves = exchanged(halves, len(halves), found)
        chain.append(halves)
    return chain


def best_of(name, search_input, region, projection, sign, thresholds):
    """The best score, and its threshold, of some thresholds that divide the region."""
    best = (0.0, None)
    for threshold in thresholds:
        kept = projection >= threshold
        if kept.all() or not kept.any():
            continue
        covered = np.zeros(len(search_input.weight), dtype=bool)
        covered[region[kept]] = True
        value = objectives.score(name, search_input, covered, sign)
        best = max(best, (value, threshold), key=lambda found: found[0])
    return best
