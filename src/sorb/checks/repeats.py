"""A column that says whose rows these are: patients who come several times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.stats import f as f_distribution
from scipy.stats import rankdata

from sorb._types import Float, Int
from sorb.checks.checked_table import CheckedTable, Column
from sorb.checks.finding import Finding, Severity
from sorb.checks.wording import listed
from sorb.rules import notation
from sorb.tables.quoting import quote_argument

__all__ = ["find_repeats", "repeated_column"]

# Many values, each in a few rows; most rows have a value that repeats.
_FEWEST_VALUES, _MOST_ROWS, _REPEATED = 20, 30, 0.5
# The share of the variance that lies between values, if rows of the same value are alike.
_ALIKE, _LOG_CHANCE = 0.2, log(1e-8)
# Rows of the same value are taken to include so many more that are as different as any.
_UNLIKE = 5
# Fewer rows that differ from most others in a column say little about what is alike.
_FEWEST_ROWS = 20
_MOST_CATEGORIES = 20
# Of runs of equal values in a file that keeps rows of the same value together.
_RUNS = 1.1
# More rows add time and no certainty.
_MOST_COMPARED = 5000
_NAME = re.compile(
    r"(?i)(^|[\W_])(ids?|pid|uuid|guid|(patient|person|subject|participant|customer|client|"
    r"household|animal)([\W_]?(nr|no|number|code|key))?)$|(?-i:[a-z]I[dD]$)"
)
# Of the points below: what it takes to speak of repeats.
_ENOUGH = 2


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """What the rows of the same value may have in common, in a table without copies of rows.

    Attributes
    ----------
    rows : the rows that are compared.
    targets : the outcome and the columns as centred ranks, or indicators of categories, one each
        in a column; 0 where a value is missing.
    names : the column of each; None for the outcome.
    """

    rows: Int
    targets: Float
    names: tuple[str | None, ...]

    @classmethod
    def of(cls, table: CheckedTable) -> _Compared:
        rows = np.sort(np.unique(table.copies, return_index=True)[1])[:_MOST_COMPARED]
        named: list[tuple[str | None, Float]] = []
        if table.outcome is not None:
            named += [(None, target) for target in table.outcome.take(rows).targets.T]
        for column in table.columns:
            named += [(column.name, target) for target in _targets(column.take(rows))]
        centred = [(name, _centred(target)) for name, target in named]
        varied = [(name, target) for name, target in centred if _varies(target)]
        matrix = np.array([target for _, target in varied]).reshape(len(varied), len(rows)).T
        return cls(rows, matrix, tuple(name for name, _ in varied))


def find_repeats(table: CheckedTable) -> Iterator[Finding]:
    """Find the column that says which rows belong together, if there is one."""
    found = repeated_column(table)
    if found is None:
        return
    column, reason = found
    name = notation.name(column.name)
    yield Finding(
        "repeats",
        Severity.look,
        f"{name} repeats: {len(column.distinct[0])} values in {len(column.known)} rows{reason}; "
        f"keep the rows of one {name} together with --group {quote_argument(column.name)} "
        "(groups= in Python)",
        f"rows of one {name} are not independent: a model that has learned from some of them is "
        "tested on the others, and looks better than it is; intervals are too narrow",
        "nothing is learned from a column of groups; if this one is an ordinary measurement or "
        "category, nothing is wrong",
        (column.name,),
    )


def repeated_column(table: CheckedTable) -> tuple[Column, str] | None:
    """The column that says best which rows belong together, and why one would think so."""
    candidates = [column for column in table.columns if _may_repeat(column)]
    if not candidates:
        return None
    compared = _Compared.of(table)
    unlikely = _LOG_CHANCE - log(max(len(compared.names), 1) * len(candidates))
    judged = [_judge(column, compared, unlikely) for column in candidates]
    points, _, reason, place = max(
        (points, share, reason, -k) for k, (points, share, reason) in enumerate(judged)
    )
    return (candidates[-place], reason) if points >= _ENOUGH else None


def _may_repeat(column: Column) -> bool:
    """Whether there are many values, each in a few rows: texts or whole numbers."""
    if column.is_date or not (column.labels is not None or column.is_whole):
        return False
    _, counts = column.distinct
    if len(counts) < _FEWEST_VALUES or counts.mean() > _MOST_ROWS:
        return False
    return bool(counts[counts > 1].sum() >= _REPEATED * len(column.values))


def _judge(column: Column, compared: _Compared, unlikely: float) -> tuple[int, float, str]:
    """How much speaks for rows that belong together: points, how alike they are, and the reasons.

    Neighbours in a sorted file and likeness in a single column may have other reasons, so two of
    these are needed. An outcome that depends on single numbers, or on single codes, is enough: on
    a measurement, it would depend smoothly. So is a name, or an order that is not sorted.
    """
    shares = _shares(column.take(compared.rows), compared, unlikely)
    shares.pop(column.name, None)
    alike = [name for name in shares if name is not None]
    in_outcome = None in shares
    runs = _runs(column)
    together = len(runs) <= _RUNS * len(column.distinct[0])
    steps = np.diff(runs)
    is_sorted = bool((steps >= 0).all() or (steps <= 0).all())
    is_code = column.labels is None or _have_one_shape(column.labels)
    points = (
        (in_outcome and (2 if is_code else 1))
        + len(alike[:_ENOUGH])
        + (together and (1 if is_sorted else 2))
        + (2 if _NAME.search(column.name) else 0)
    )
    reasons = []
    if in_outcome or alike:
        what = ["the outcome"] if in_outcome else []
        what += [listed(alike)] if alike else []
        reasons.append(f"are alike in {' and in '.join(what)}")
    if together:
        reasons.append("follow each other")
    reason = f"; rows of the same value {' and '.join(reasons)}" if reasons else ""
    return int(points), sum(shares.values()), reason


def _shares(column: Column, compared: _Compared, unlikely: float) -> dict[str | None, float]:
    """The outcome and columns in which rows of the same value are alike, and how much."""
    known = np.flatnonzero(~np.isnan(column.values))
    order = known[np.argsort(column.values[known], kind="stable")]
    values, first, counts = np.unique(column.values[order], return_index=True, return_counts=True)
    n_rows, n_values = len(order), len(values)
    if n_values < _FEWEST_VALUES or n_rows - n_values < _FEWEST_ROWS or not compared.names:
        return {}
    targets = compared.targets[order]
    means = np.add.reduceat(targets, first) / counts[:, None]
    within = ((targets - np.repeat(means, counts, axis=0)) ** 2).sum(axis=0)
    # The few rows that share their values may be alike because nearly all rows are.
    variance = targets.var(axis=0)
    within = (within + _UNLIKE * variance) / (n_rows - n_values + _UNLIKE)
    if column.labels is None:
        squares, noise, effect, freedom = _beyond_neighbours(values, counts, means)
    else:
        squares = (means - targets.mean(axis=0)) ** 2
        noise, effect, freedom = 1 / counts, np.ones(n_values), n_values - 1.0
    least = np.finfo(np.float64).tiny
    ratio = (squares / noise[:, None]).mean(axis=0) / np.maximum(within, least)
    chance = f_distribution.logsf(ratio, freedom, n_rows - n_values)
    between = (squares - noise[:, None] * within).sum(axis=0) / effect.sum()
    share = between / np.maximum(variance, least)
    found: dict[str | None, float] = {}
    for name, each, log_chance in zip(compared.names, share, chance, strict=True):
        if each >= _ALIKE and log_chance <= unlikely:
            found[name] = max(found.get(name, 0.0), float(each))
    return found


def _beyond_neighbours(
    values: Float, counts: Int, means: Float
) -> tuple[Float, Float, Float, float]:
    """How far means are from what those at the next smaller and larger numbers predict.

    With means mᵢ = f(xᵢ) + aᵢ + noise, and f nearly linear between neighbours, the difference
    dᵢ = mᵢ − w mᵢ₋₁ − (1 − w) mᵢ₊₁ has the variance
    (1 + w² + (1 − w)²) var(a) + (1/nᵢ + w²/nᵢ₋₁ + (1 − w)²/nᵢ₊₁) var(noise).
    Neighbouring differences share means: they are worth half as many independent ones.
    """
    w = (values[2:] - values[1:-1]) / (values[2:] - values[:-2])
    difference = means[1:-1] - w[:, None] * means[:-2] - (1 - w)[:, None] * means[2:]
    noise = 1 / counts[1:-1] + w**2 / counts[:-2] + (1 - w) ** 2 / counts[2:]
    return difference**2, noise, 1 + w**2 + (1 - w) ** 2, (len(values) - 2) / 2


def _targets(column: Column) -> Iterator[Float]:
    if column.labels is None:
        known = ~np.isnan(column.values)
        ranks = np.full(len(known), np.nan)
        ranks[known] = rankdata(column.values[known])
        yield ranks
    elif len(column.labels) <= _MOST_CATEGORIES:
        codes = np.flatnonzero(np.bincount(column.known.astype(np.intp)))
        for code in codes if len(codes) > 2 else codes[:1]:
            yield np.where(np.isnan(column.values), np.nan, column.values == code)


def _centred(target: Float) -> Float:
    known = ~np.isnan(target)
    mean = target[known].mean() if known.any() else 0.0
    centred: Float = np.where(known, target - mean, 0.0)
    return centred


def _varies(target: Float) -> bool:
    """Whether enough rows differ from the most frequent value."""
    _, counts = np.unique(target, return_counts=True)
    return bool(len(target) - counts.max(initial=0) >= _FEWEST_ROWS)


def _runs(column: Column) -> Float:
    """The values in the order of the rows, one for each run of equal ones."""
    known = column.known
    runs: Float = known[np.diff(known, prepend=np.nan) != 0]
    return runs


def _have_one_shape(labels: tuple[object, ...]) -> bool:
    """Whether texts are codes such as P0001: the same but for their digits."""
    shapes = {re.sub(r"\d", "0", str(label)) for label in labels}
    return len(shapes) == 1 and "0" in next(iter(shapes))
