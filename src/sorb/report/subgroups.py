"""Parts of the rows by the values of one column: each category, each quarter of the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import ndtri

from sorb._types import Bool, Float, Int
from sorb.measures.estimate import Units
from sorb.report.cells import row_sums
from sorb.report.cuts import roundest
from sorb.report.rows import ReportRows
from sorb.rules.labels import Labels
from sorb.rules.notation import label, number

__all__ = [
    "SMALL_GROUP",
    "Subgroup",
    "clearly_worse",
    "find_subgroups",
    "leave_out_alike",
    "subgroup_sums",
]

# Of fewer rows, a share says next to nothing.
SMALL_GROUP = 20
MOST_CATEGORIES = 8
PARTS = 4
# How often some group is called worse, at most, where all rows are predicted equally well.
CHANCE = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Subgroup:
    """Some rows that are alike in a column."""

    column: str
    part: str
    rows: Int
    suppressed: bool


def find_subgroups(
    rows: ReportRows, numbers: Iterable[str], categories: Iterable[str], least: int = SMALL_GROUP
) -> tuple[Subgroup, ...]:
    """Divide the rows by each of the columns; groups with fewer rows than `least` are not shown."""
    parts = [(name, part, mask) for name in numbers for part, mask in _by_number(rows, name)]
    parts += [(name, part, mask) for name in categories for part, mask in _by_category(rows, name)]
    return tuple(
        Subgroup(name, part, np.flatnonzero(mask), int(mask.sum()) < least)
        for name, part, mask in parts
    )


def _by_number(rows: ReportRows, name: str) -> Iterator[tuple[str, Bool]]:
    values = rows.source.take(name)
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    if 1 < len(distinct) <= PARTS:
        for value in distinct.tolist():
            yield number(value, 4), values == value
    elif len(distinct):
        yield from _between(values, _boundaries(known))
    if len(known) < len(values):
        yield "missing", np.isnan(values)


def _boundaries(known: Float) -> list[float]:
    """Round numbers near the quartiles."""
    found = []
    for share in np.arange(1, PARTS) / PARTS:
        low, high = np.quantile(known, [share - 0.05, share + 0.05]).tolist()
        value = roundest(low, high)
        if known.min() < value <= known.max():
            found.append(value)
    return sorted(set(found))


def _between(values: Float, boundaries: list[float]) -> Iterator[tuple[str, Bool]]:
    if not boundaries:
        return
    yield f"below {number(boundaries[0], 4)}", values < boundaries[0]
    for low, high in pairwise(boundaries):
        yield f"{number(low, 4)} to below {number(high, 4)}", (values >= low) & (values < high)
    yield f"{number(boundaries[-1], 4)} or more", values >= boundaries[-1]


def _by_category(rows: ReportRows, name: str) -> Iterator[tuple[str, Bool]]:
    found = Labels.of(rows.source.labels(name))
    counts = np.bincount(found.codes[found.codes >= 0], minlength=len(found.values))
    frequent = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES].tolist()
    for code in frequent:
        yield label(found.values[code]), found.codes == code
    if len(found.values) > len(frequent):
        yield "all others", (found.codes >= 0) & ~np.isin(found.codes, frequent)
    if (found.codes < 0).any():
        yield "missing", found.codes < 0


def leave_out_alike(subgroups: Iterable[Subgroup], n_rows: int, least: int) -> tuple[Subgroup, ...]:
    """Leave out columns that divide the rows like an earlier one, but for fewer than `least` rows.

    Whoever knows that one of two columns follows from the other, such as ages in months and in
    years, could subtract the sums of a group from those of one with a few rows more.
    """
    by_column = _by_column(subgroups)
    unions: dict[str, Bool] = {}
    for column, groups in by_column.items():
        inside = np.zeros((len(groups), n_rows), dtype=np.bool_)
        for mask, group in zip(inside, groups, strict=True):
            mask[group.rows] = True
        ours = np.concatenate([inside, np.logical_or.accumulate(inside)[1:-1]])
        if not any(_differ_by_few(ours, others, least) for others in unions.values()):
            unions[column] = ours
    return tuple(group for column in unions for group in by_column[column])


def _differ_by_few(ours: Bool, others: Bool, least: int) -> bool:
    """Whether some set of rows holds another one and fewer than `least` rows more."""
    both = ours.astype(np.float64) @ others.T.astype(np.float64)
    more = ours.sum(axis=1)[:, None] - both
    fewer = others.sum(axis=1)[None, :] - both
    few = (np.minimum(more, fewer) == 0) & (more + fewer > 0) & (more + fewer < least)
    return bool((few & (both > 0)).any())


def _by_column(subgroups: Iterable[Subgroup]) -> dict[str, list[Subgroup]]:
    found: dict[str, list[Subgroup]] = {}
    for group in subgroups:
        found.setdefault(group.column, []).append(group)
    return found


def clearly_worse(
    subgroups: Sequence[Subgroup], rows: ReportRows, scores: Float
) -> tuple[bool, ...]:
    """Whether the mean loss of each group exceeds that of the other rows by more than chance does.

    The more groups there are, the more must the highest one exceed: it is the highest by chance.
    """
    weight = rows.weight
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        losses = rows.outcomes.loss.value(rows.y, scores)
        units = Units.of(weight, rows.group, rows.outcomes.count)
        around = weight * (losses - np.average(losses, weights=weight))
        found = []
        for group in subgroups:
            inside = np.zeros(len(rows), dtype=np.bool_)
            inside[group.rows] = True
            shares = np.where(inside, 1 / weight[inside].sum(), -1 / weight[~inside].sum())
            # Around the mean of all rows, as if they were alike, losses vary even in a group
            # where all are the same.
            deviation = around * shares
            found.append(float(deviation.sum() / np.sqrt(units.variance(deviation))))
    least = float(ndtri(1 - CHANCE / max(1, len(subgroups))))
    return tuple(excess > least for excess in found)


def subgroup_sums(
    subgroups: Iterable[Subgroup],
    rows: ReportRows,
    scores: Float,
    cell: Int,
    shift: float,
    n_classes: int,
    most_entries: int,
    least: int = 1,
) -> list[dict[str, Any]]:
    """Sum up each group by cell, column by column until there are too many sums.

    The scores of the rows tell which groups are clearly worse. Columns are left out where a group
    would have a cell with fewer rows than `least`.
    """
    found: list[tuple[Subgroup, dict[str, Any] | None]] = []
    entries = 0
    for groups in _by_column(subgroups).values():
        sums = [
            None
            if group.suppressed
            else row_sums(rows.take(group.rows), cell[group.rows], shift, n_classes)
            for group in groups
        ]
        if any(n < least for part in sums if part is not None for n in part["n"]):
            continue
        if least > 1 and any(part is None for part in sums):
            continue  # what is left of all rows would tell the group that is not shown
        entries += sum(len(part["cell"]) for part in sums if part is not None)
        if found and entries > most_entries:
            break
        found += zip(groups, sums, strict=True)
    shown = [group for group, part in found if part is not None]
    worse = dict(zip(shown, clearly_worse(shown, rows, scores), strict=True))
    return [
        {
            "column": group.column,
            "part": group.part,
            "suppressed": group.suppressed,
            "worse": worse.get(group, False),
            "sums": part,
        }
        for group, part in found
    ]
