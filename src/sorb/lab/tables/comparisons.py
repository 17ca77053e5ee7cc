"""The tables that compare methods on datasets, our numbers beside the published ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pandas as pd

from sorb.lab.published import compared_datasets, ordered_methods, published
from sorb.lab.statistics import (
    MAX_COMPLEXITY,
    REDUCTIONS,
    TARGET_COMPLEXITY,
    Curve,
    Curves,
    Estimate,
    Measure,
    MissingResults,
    Part,
    Selection,
    area,
    average,
    complexity_at,
    coverage,
    curves,
    largest_within,
    least_within,
    mean_estimate,
    median_estimate,
    seconds_estimate,
)
from sorb.lab.tables.table import Cell, Form, Row, Table, with_best

Statistic: TypeAlias = Callable[[Sequence[Curve]], Estimate]

STRATEGIES = ("LLTB", "LLTB-append")
CHOSEN = {
    "cv": "The L2 penalty is chosen by cross-validation for each size of model.",
    "oracle": "The L2 penalty is the best on the test rows for each size of model, in hindsight.",
}
BRIEFLY = {"cv": "penalty by cross-validation", "oracle": "penalty chosen in hindsight"}
MEASURES = {"risk": "risk", "error": "error rate"}
RELATIVE = "relative to the model without rules"


@dataclass(frozen=True, slots=True)
class Section:
    """A statistic of the curves of each method on each dataset.

    Attributes
    ----------
    title : str
        Its heading.
    curves : mapping
        What it is computed from.
    statistic : callable
        How.
    form : str
        How its numbers are written.
    source : (str, str) or None
        Table and section of the published numbers.
    any_size : bool
        Whether it makes sense for a method that claims no complexity.
    """

    title: str
    curves: Curves
    statistic: Statistic
    form: Form
    source: tuple[str, str] | None = None
    any_size: bool = False

    def cell(self, dataset: str, method: str) -> Cell:
        """Compute one cell."""
        printed = published().get((*self.source, dataset, method)) if self.source else None
        repetitions = self.curves.get((dataset, method))
        if not repetitions or not (self.any_size or _sized(repetitions)):
            return Cell(None, self.form, printed)
        return Cell(self.statistic(repetitions), self.form, printed)

    def row(self, dataset: str, methods: Sequence[str]) -> Row:
        """Compute the cells of a dataset, and mark the best of the methods with a complexity."""
        cells = [self.cell(dataset, method) for method in methods]
        competes = [_sized(self.curves.get((dataset, method), ())) for method in methods]
        return Row(self.title, dataset, with_best(cells, competes))

    def rows(self, methods: Sequence[str]) -> tuple[Row, ...]:
        """Compute all rows."""
        datasets = compared_datasets(dataset for dataset, _ in self.curves)
        return tuple(self.row(dataset, methods) for dataset in datasets)


def _sized(repetitions: Sequence[Curve]) -> bool:
    return bool(repetitions) and all(curve.is_sized for curve in repetitions)


def complexity_table(
    results: pd.DataFrame, name: str, selection: Selection, measure: Measure
) -> Table:
    """Show the complexity that each reduction of risk or error needs."""
    found = curves(results, selection, measure)
    sections = [
        Section(title, found, _median_at(share), "complexity", (name, title))
        for share, title in zip(REDUCTIONS, ("25 %", "50 %", "75 %"), strict=True)
    ]
    what = MEASURES[measure]
    return _table(
        name,
        f"Complexity needed to reduce the test {what}, {BRIEFLY[selection]}",
        f"Least complexity up to {MAX_COMPLEXITY} at which the test {what}, {RELATIVE}, is lower "
        f"by 25, 50 or 75 %; ∞ if there is none. {CHOSEN[selection]}",
        sections,
        medians=True,
    )


def _median_at(share: float) -> Statistic:
    return lambda repetitions: median_estimate([complexity_at(c, share) for c in repetitions])


def average_table(
    results: pd.DataFrame, name: str, selection: Selection, measure: Measure
) -> Table:
    """Show the risk or error averaged over sizes of model."""
    found = curves(results, selection, measure)
    sections = [
        Section("train", found, _average("train"), "average risk", (name, "train"), any_size=True),
        Section("test", found, _average("test"), "average risk", (name, "test"), any_size=True),
        Section("test, area", found, _area, "average risk"),
    ]
    what = MEASURES[measure]
    return _table(
        name,
        f"Average {what} up to complexity {MAX_COMPLEXITY}, {BRIEFLY[selection]}",
        f"Mean {what}, {RELATIVE}, over the sizes of model whose mean complexity is at most "
        f"{MAX_COMPLEXITY}; – if there is none. {CHOSEN[selection]} The ± is 1.96 standard errors "
        "over these sizes, like the paper's, and says nothing about repetitions. The area is the "
        f"mean over the complexities 1 to {MAX_COMPLEXITY} of the {what} of the largest model "
        "within each, 1 before the first, with its 95 % interval over repetitions. A method "
        "without a complexity is averaged over all its models and does not compete.",
        sections,
    )


def _average(part: Part) -> Statistic:
    def statistic(repetitions: Sequence[Curve]) -> Estimate:
        found = average(repetitions, part)
        low, high = found.mean - found.margin, found.mean + found.margin
        return Estimate(found.mean, low, high, len(repetitions))

    return statistic


def _area(repetitions: Sequence[Curve]) -> Estimate:
    return mean_estimate([area(curve) for curve in repetitions])


def target_table(results: pd.DataFrame, name: str, measure: Measure) -> Table:
    """Show the risk or error of models within a complexity of 50."""
    found = curves(results, "cv", measure)
    ways = {"least": least_within, "largest model": largest_within}
    sections = [
        Section(f"{part}, {way}", found, _median_within(choose, part), "risk",
                (name, part) if way == "least" else None)
        for way, choose in ways.items()
        for part in ("train", "test")
    ]  # fmt: skip
    what = MEASURES[measure]
    return _table(
        name,
        f"{what.capitalize()} within complexity {TARGET_COMPLEXITY}",
        f"The {what}, {RELATIVE}, of models with a complexity of at most {TARGET_COMPLEXITY}; 1 "
        f"for a repetition without such a model. {CHOSEN['cv']} “Least” takes the best of these "
        "models, as the paper does: on the test rows this is optimistic. “Largest model” takes "
        f"the largest of them, whatever its {what}.",
        sections,
        medians=True,
    )


def _median_within(choose: Callable[[Curve, Part], float], part: Part) -> Statistic:
    return lambda repetitions: median_estimate([choose(curve, part) for curve in repetitions])


def times_table(results: pd.DataFrame) -> Table:
    """Show the training time for a reduction of the risk by a quarter."""
    section = Section("", curves(results), _seconds, "seconds", ("times", ""))
    return _table(
        "times",
        "Seconds to reduce the test risk by 25 %",
        "Time to learn the largest model within the median complexity that reduces the test risk "
        "by 25 %, without the cross-validation; – if it is not reached. The machine and the "
        "number of threads are those of the run, and not the paper's.",
        [section],
        medians=True,
    )


def _seconds(repetitions: Sequence[Curve]) -> Estimate:
    return seconds_estimate(repetitions, REDUCTIONS[0])


def strategies_table(results: pd.DataFrame) -> Table:
    """Compare the two search strategies of the paper."""
    found = {key: value for key, value in curves(results).items() if key[1] in STRATEGIES}
    if {method for _, method in found} != set(STRATEGIES):
        raise MissingResults(f"there are no results of both {' and '.join(STRATEGIES)}")
    sections = [
        Section("average test risk", found, _average("test"), "average risk"),
        Section("complexity for 25 %", found, _median_at(0.25), "complexity"),
        Section("complexity for 50 %", found, _median_at(0.5), "complexity"),
        Section("complexity for 75 %", found, _median_at(0.75), "complexity"),
        Section("seconds for 25 %", found, _seconds, "seconds"),
    ]
    return _table(
        "strategies",
        "Two search strategies",
        "LLTB increases the complexity of a condition by one at each level and may refit an "
        "earlier proposition; LLTB-append adds the next proposition at any complexity that is "
        "left, and keeps the earlier ones. The numbers are those of the tables of averages, "
        f"complexities and times. {CHOSEN['cv']}",
        sections,
        medians=True,
    )


COMPARISONS: dict[str, Callable[[pd.DataFrame], Table]] = {
    "complexity_cv": lambda results: complexity_table(results, "complexity_cv", "cv", "risk"),
    "complexity_oracle": lambda results: complexity_table(
        results, "complexity_oracle", "oracle", "risk"
    ),
    "complexity_error": lambda results: complexity_table(
        results, "complexity_error", "cv", "error"
    ),
    "risk_cv": lambda results: average_table(results, "risk_cv", "cv", "risk"),
    "risk_oracle": lambda results: average_table(results, "risk_oracle", "oracle", "risk"),
    "error_cv": lambda results: average_table(results, "error_cv", "cv", "error"),
    "risk_at_50": lambda results: target_table(results, "risk_at_50", "risk"),
    "error_at_50": lambda results: target_table(results, "error_at_50", "error"),
}
"""The tables in which a method can win."""


def _table(
    name: str, title: str, caption: str, sections: Sequence[Section], medians: bool = False
) -> Table:
    methods = ordered_methods(
        method
        for section in sections
        for (dataset, method), repetitions in section.curves.items()
        if compared_datasets([dataset]) and (section.any_size or _sized(repetitions))
    )
    if not methods:
        raise MissingResults(f"there are no results for the table {name}")
    rows = tuple(row for section in sections for row in section.rows(methods))
    notes = [caption, *_notes(rows, medians)]
    return Table(name, title, " ".join(notes), "dataset", methods, rows)


def _notes(rows: Sequence[Row], medians: bool) -> Iterator[str]:
    cells = [cell for row in rows for cell in row.cells]
    counts = {cell.ours.repetitions for cell in cells if isinstance(cell.ours, Estimate)}
    if medians:
        yield f"Medians over repetitions with their distribution-free interval, {_covers(counts)}."
    if any(cell.published for cell in cells):
        yield "Behind them the paper's numbers, ▼ where ours are lower, ▲ where they are higher."
    yield "Bold is best."
    yield rests_on(counts)


def _covers(counts: Collection[int]) -> str:
    shares = [coverage(n) for n in counts]
    ends = dict.fromkeys(f"{100 * share:.1f}" for share in (min(shares), max(shares)))
    claimed = " (the paper says 92 %)" if set(counts) == {15} else ""
    return f"which covers the true median with a probability of {' to '.join(ends)} %{claimed}"


def rests_on(counts: Collection[int]) -> str:
    """Say on how many repetitions numbers rest.

    Examples
    --------
    >>> from sorb.lab.tables.comparisons import rests_on
    >>> rests_on([15]), rests_on([3, 1, 2])
    ('Based on 15 repetitions.', 'Based on 1 to 3 repetitions.')
    """
    text = " to ".join(map(str, dict.fromkeys((min(counts), max(counts)))))
    return f"Based on {text} repetition{'' if text == '1' else 's'}."
