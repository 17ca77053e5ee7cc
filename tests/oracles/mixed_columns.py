"""The oblique search on tables with missing values, categories and logarithms, in plain Python."""

from dataclasses import dataclass

import numpy as np
from oracles import objectives
from oracles.searches import first_best, middle_below

from sorb import _kernels


@dataclass(frozen=True)
class HalfSpace:
    """w·z ≥ threshold."""

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    threshold: float
    covers_missing: bool = False

    def covers(self, rows):
        values = rows.Z[:, list(self.columns)].astype(float) @ np.array(self.weights)
        missing = missing_in(rows, self.columns)
        return np.where(missing, self.covers_missing, values >= self.threshold)

    @property
    def size(self):
        return len(self.weights)

    def implies(self, other):
        return (
            isinstance(other, HalfSpace)
            and self.size == other.size == 1
            and other.columns == self.columns
            and other.weights[0] * self.weights[0] > 0
            and other.covers_missing >= self.covers_missing
            and other.threshold / abs(other.weights[0]) <= self.threshold / abs(self.weights[0])
        )


@dataclass(frozen=True)
class CategorySet:
    """A category among these or, if negated, among the others."""

    column: int
    categories: tuple[int, ...]
    negated: bool = False
    covers_missing: bool = False

    def covers(self, rows):
        column = rows.categories[self.column]
        among = np.isin(column.codes, self.categories) != self.negated
        return np.where(column.codes == column.count, self.covers_missing, among)

    @property
    def size(self):
        return max(1, len(self.categories))

    def implies(self, other):
        return False


def missing_in(rows, columns):
    """Which rows miss a value in one of the columns."""
    nothing = np.zeros(len(rows), dtype=bool)
    masks = [rows.missing[j] for j in columns if j in rows.missing]
    return np.logical_or.reduce([nothing, *masks])


def chain(search_input, objective, cut, max_weights, sign):
    """For each level the conjunction with the best objective among all steps from the last."""
    rows, found, parts = search_input.rows, [], []
    for _ in range(max_weights):
        steps = []
        for place in range(len(parts) + 1):
            others = [part for i, part in enumerate(parts) if i != place]
            covered = [part.covers(rows) for part in others]
            region = np.flatnonzero(
                np.logical_and.reduce([search_input.weighted_gradient != 0, *covered])
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
    if added or isinstance(parts[place], HalfSpace):
        for part in half_spaces(search_input, objective, cut, region, size, sign):
            yield score(objective, search_input, region, part, sign), part
    if added:
        asked = {part.column for part in parts if isinstance(part, CategorySet)}
        columns = [c for c in range(len(search_input.rows.categories)) if c not in asked]
    else:
        columns = [parts[place].column] if isinstance(parts[place], CategorySet) else []
    for column in columns:
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
        for separator in _kernels.separators_of_size(
            Z, region, search_input.weighted_gradient, size
        ):
            columns = tuple(first + j for j in separator.support)
            w = tuple(sign * x for x in separator.weights)
            absent = missing_in(rows, columns)[region]
            parts = []
            for missing in (False, True) if absent.any() else (False,):
                threshold = -sign * separator.intercept
                if cut != "separator":
                    name = objective if cut == "objective" else cut
                    threshold = best_threshold(
                        name, search_input, region, columns, w, absent, missing, sign
                    )
                if threshold is None:
                    continue
                part = HalfSpace(columns, w, threshold, missing)
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
    categories = search_input.rows.categories[column]
    codes, count = categories.codes, categories.count
    mass, gain = search_input.weight, sign * search_input.weighted_gradient
    if objective == "second_order":
        mass = mass * search_input.curvature()[search_input.pattern]
    of_code = {code: region[codes[region] == code] for code in np.unique(codes[region]).tolist()}

    def along(power):
        order = sorted(
            of_code,
            key=lambda c: gain[of_code[c]].sum() / mass[of_code[c]].sum() ** power,
            reverse=True,
        )
        for length in range(1, len(order)):
            part = set_of_first(column, order, length, count)
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


def set_of_first(column, order, length, count):
    """The first categories of the order, or the complement of the others if that is shorter."""
    first = [code for code in order[:length] if code != count]
    others = [code for code in order[length:] if code != count]
    negated = len(others) < len(first)
    categories = tuple(sorted(others if negated else first))
    return CategorySet(column, categories, negated, count in order[:length])
