"""The oblique search on tables with missing values, categories and logarithms, in plain Python."""

from dataclasses import dataclass

import numpy as np
from oracles import objectives
from oracles.searches import first_best, middle_below

from sorb import _kernels


@dataclass(frozen=True)
class Part:
    """w·z ≥ threshold or, without weights, a category among (or not among) those named."""

    support: tuple[int, ...]
    w: tuple[float, ...]
    threshold: float
    missing: bool
    named: tuple[int, ...] = ()
    negated: bool = False

    def covers(self, rows):
        if not self.w:
            codes, count = rows.meaning(whole=True)[1][self.support[0]]
            inside = np.isin(codes, self.named) != self.negated
            return np.where(codes == count, self.missing, inside)
        inside = rows.Z[:, list(self.support)].astype(float) @ np.array(self.w) >= self.threshold
        return np.where(gone(rows, self.support), self.missing, inside)

    @property
    def size(self):
        return max(1, len(self.w) + len(self.named))

    def implies(self, other):
        return (
            len(other.w) == len(self.w) == 1
            and other.support == self.support
            and other.w[0] * self.w[0] > 0
            and other.missing >= self.missing
            and other.threshold / abs(other.w[0]) <= self.threshold / abs(self.w[0])
        )


def gone(rows, support):
    """Which rows miss a value in one of the columns."""
    missing = dict(rows.meaning(whole=True)[0])
    nothing = np.zeros(len(rows), dtype=bool)
    return np.logical_or.reduce([nothing, *(missing[j] for j in support if j in missing)])


def chain(search_input, objective, cut, max_weights, sign):
    """For each level the conjunction with the best objective among all steps from the last."""
    rows, found, parts = search_input.rows, [], []
    for _ in range(max_weights):
        steps = []
        for place in range(len(parts) + 1):
            others = [part for i, part in enumerate(parts) if i != place]
            held = [part.covers(rows) for part in others]
            region = np.flatnonzero(
                np.logical_and.reduce([search_input.weighted_gradient != 0, *held])
            )
            steps += [
                (value, place, part)
                for value, part in learned(search_input, objective, cut, region, parts, place, sign)
            ]
        if not steps:
            return found
        _, place, part = first_best(steps)
        kept = [p for i, p in enumerate(parts) if i != place and not part.implies(p)]
        parts = [*kept[:place], part, *kept[place:]]
        found.append(parts)
    return found


def learned(search_input, objective, cut, region, parts, place, sign):
    """Learn one part again with one more column or category, or add one of a single one."""
    added = place == len(parts)
    size = 1 if added else parts[place].size + 1
    if added or parts[place].w:
        for part in half_spaces(search_input, objective, cut, region, size, sign):
            yield score(objective, search_input, region, part, sign), part
    asked = {part.support[0] for part in parts if not part.w}
    for column in range(len(search_input.rows.meaning(whole=True)[1])):
        if (
            column not in asked
            if added
            else not parts[place].w and parts[place].support[0] == column
        ):
            yield from best_set(search_input, objective, region, column, (size, size), sign)


def score(objective, search_input, region, part, sign):
    covered = np.zeros(len(search_input.rows), dtype=bool)
    covered[region] = part.covers(search_input.rows)[region]
    return objectives.score(objective, search_input, covered, sign)


def half_spaces(search_input, objective, cut, region, size, sign):
    """Each direction, with the best threshold for both ways that missing values may go."""
    rows = search_input.rows
    for first, end in ((0, rows.n_plain), (rows.n_plain, rows.Z.shape[1])):
        if size > end - first:
            continue
        Z = np.asfortranarray(rows.Z[:, first:end])
        for support, weights, intercept, *_ in _kernels.separators_of_size(
            Z, region, search_input.weighted_gradient, size
        ):
            columns = tuple(first + j for j in support)
            w = tuple(sign * x for x in weights)
            absent = gone(rows, columns)[region]
            parts = []
            for missing in (False, True) if absent.any() else (False,):
                threshold = -sign * intercept
                if cut != "separator":
                    name = objective if cut == "objective" else cut
                    threshold = best_threshold(
                        name, search_input, region, columns, w, absent, missing, sign
                    )
                if threshold is None:
                    continue
                part = Part(columns, w, threshold, missing)
                kept = part.covers(rows)[region]
                if kept.any() and not kept.all():
                    parts.append((score(objective, search_input, region, part, sign), part))
            if parts:
                yield max(parts, key=lambda pair: pair[0])[1]


def best_threshold(name, search_input, region, columns, w, absent, missing, sign):
    """The best of all thresholds between known values, unless some other division is better."""
    Z = search_input.rows.Z.astype(float)
    known = Z[np.ix_(region[~absent], columns)] @ np.array(w)
    if len(set(known)) < 2:
        return None

    def value_of(kept):
        covered = np.zeros(len(Z), dtype=bool)
        covered[region[~absent]] = kept
        covered[region[absent]] = missing
        return objectives.score(name, search_input, covered, sign)

    values = {place: value_of(known >= place) for place in np.unique(known)[1:]}
    best = max(values, key=values.get)
    # Whether a value is missing at all is for a set to ask.
    whole = value_of(np.zeros(len(known), bool) if missing else np.ones(len(known), bool))
    if values[best] <= 0 or (absent.any() and whole > values[best]):
        return None
    return middle_below(known, best)


def best_set(search_input, objective, region, column, sizes, sign):
    """The best set along the order of the mean gain or, beyond the sizes, of other orders."""
    codes, count = search_input.rows.meaning(whole=True)[1][column]
    mass, gain = search_input.weight, sign * search_input.weighted_gradient
    if objective == "second_order":
        mass = mass * search_input.curvature[search_input.pattern]
    inside = {code: region[codes[region] == code] for code in np.unique(codes[region]).tolist()}

    def along(power):
        order = sorted(
            inside,
            key=lambda c: gain[inside[c]].sum() / mass[inside[c]].sum() ** power,
            reverse=True,
        )
        for length in range(1, len(order)):
            part = named(column, order, length, count)
            value = score(objective, search_input, region, part, sign)
            if value > 0:
                yield value, part

    def best(found):
        return max(found, key=lambda pair: pair[0], default=None)

    def allowed(found):
        return found is not None and sizes[0] <= found[1].size <= sizes[1]

    first = best(along(1))
    if first is not None and not allowed(first):
        first = best(pair for power in (1, 0.5, 0) for pair in along(power) if allowed(pair))
    if first is not None:
        yield first


def named(column, order, length, count):
    """The first categories of the order, or the complement of the others if that is shorter."""
    inside = [code for code in order[:length] if code != count]
    outside = [code for code in order[length:] if code != count]
    negated = len(outside) < len(inside)
    listed = tuple(sorted(outside if negated else inside))
    return Part((column,), (), 0.0, count in order[:length], listed, negated)
