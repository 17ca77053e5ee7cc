"""Tables that compare methods on datasets, with the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pandas as pd

from sorb.lab.curves import (
    Measure,
    MissingResults,
    PenaltyChoice,
    TradeOffCurve,
    TradeOffCurves,
    trade_off_curves,
)
from sorb.lab.published import compared_datasets, ordered_methods, published
from sorb.lab.statistics import (
    MAX_COMPLEXITY,
    REDUCTIONS,
    SMALL_COMPLEXITY,
    TARGET_COMPLEXITY,
    Estimate,
    Subset,
    area,
    average,
    complexity_at,
    coverage,
    largest_within,
    least_within,
    mean_estimate,
    median_estimate,
    seconds_estimate,
)
from sorb.lab.tables.table import Cell, NumberFormat, ResultTable, TableRow, mark_best

Statistic: TypeAlias = Callable[[Sequence[TradeOffCurve]], Estimate]

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
        The curves of each dataset and method.
    statistic : callable
        What is computed from them.
    number_format : str
        How its numbers are written.
    source : (str, str) or None
        Table and section of the published numbers.
    any_size : bool
        Whether it is meaningful for a method that claims no complexity.
    """

    title: str
    curves: TradeOffCurves
    statistic: Statistic
    number_format: NumberFormat
    source: tuple[str, str] | None = None
    any_size: bool = False

    def cell(self, dataset: str, method: str) -> Cell:
        """Compute one cell."""
        printed = published().get((*self.source, dataset, method)) if self.source else None
        repetitions = self.curves.get((dataset, method))
        if not repetitions or not (self.any_size or _has_complexity(repetitions)):
            return Cell(None, self.number_format, printed)
        return Cell(self.statistic(repetitions), self.number_format, printed)

    def row(self, dataset: str, methods: Sequence[str]) -> TableRow:
        """Compute the cells of a dataset, and mark the best of the methods with a complexity."""
        cells = [self.cell(dataset, method) for method in methods]
        competes = [_has_complexity(self.curves.get((dataset, method), ())) for method in methods]
        return TableRow(self.title, dataset, mark_best(cells, competes))

    def rows(self, methods: Sequence[str]) -> tuple[TableRow, ...]:
        """Compute all rows."""
        datasets = compared_datasets(dataset for dataset, _ in self.curves)
        return tuple(self.row(dataset, methods) for dataset in datasets)


def _has_complexity(repetitions: Sequence[TradeOffCurve]) -> bool:
    return bool(repetitions) and all(curve.is_sized for curve in repetitions)


def complexity_table(
    results: pd.DataFrame, name: str, choice: PenaltyChoice, measure: Measure
) -> ResultTable:
    """Show the complexity that each reduction of risk or error needs."""
    found = trade_off_curves(results, choice, measure)
    sections = [
        Section(title, found, _median_at(share), "complexity", (name, title))
        for share, title in zip(REDUCTIONS, ("25 %", "50 %", "75 %"), strict=True)
    ]
    what = MEASURES[measure]
    return _table(
        name,
        f"Complexity needed to reduce the test {what}, {BRIEFLY[choice]}",
        f"Least complexity up to {MAX_COMPLEXITY} at which the test {what}, {RELATIVE}, is lower "
        f"by 25, 50 or 75 %; ∞ if there is none. {CHOSEN[choice]}",
        sections,
        medians=True,
    )


def _median_at(share: float) -> Statistic:
    return lambda repetitions: median_estimate([complexity_at(c, share) for c in repetitions])


def average_table(
    results: pd.DataFrame, name: str, choice: PenaltyChoice, measure: Measure
) -> ResultTable:
    """Show the risk or error averaged over sizes of model."""
    found = trade_off_curves(results, choice, measure)
    sections = [
        Section("train", found, _average("train"), "average risk", (name, "train"), any_size=True),
        Section("test", found, _average("test"), "average risk", (name, "test"), any_size=True),
        Section("test, area", found, _area, "average risk"),
    ]
    what = MEASURES[measure]
    return _table(
        name,
        f"Average {what} up to complexity {MAX_COMPLEXITY}, {BRIEFLY[choice]}",
        f"Mean {what}, {RELATIVE}, over the sizes of model whose mean complexity is at most "
        f"{MAX_COMPLEXITY}; – if there is none. {CHOSEN[choice]} The ± is 1.96 standard errors "
        "over these sizes, like the paper's, and says nothing about repetitions. The area is the "
        f"mean over the complexities 1 to {MAX_COMPLEXITY} of the {what} of the largest model "
        "within each, 1 before the first, with its 95 % interval over repetitions. A method "
        "without a complexity is averaged over all its models and does not compete.",
        sections,
    )


def _average(subset: Subset) -> Statistic:
    def statistic(repetitions: Sequence[TradeOffCurve]) -> Estimate:
        found = average(repetitions, subset)
        low, high = found.mean - found.margin, found.mean + found.margin
        return Estimate(found.mean, low, high, len(repetitions))

    return statistic


def _area(repetitions: Sequence[TradeOffCurve]) -> Estimate:
    return mean_estimate([area(curve) for curve in repetitions])


def target_table(
    results: pd.DataFrame, name: str, measure: Measure, complexity: int = TARGET_COMPLEXITY
) -> ResultTable:
    """Show the risk or error of models within a complexity."""
    found = trade_off_curves(results, "cv", measure)
    ways = {"least": least_within, "largest model": largest_within}
    sections = [
        Section(f"{subset}, {way}", found, _median_within(choose, subset, complexity), "risk",
                (name, subset) if way == "least" else None)
        for way, choose in ways.items()
        for subset in ("train", "test")
    ]  # fmt: skip
    what = MEASURES[measure]
    return _table(
        name,
        f"{what.capitalize()} within complexity {complexity}",
        f"The {what}, {RELATIVE}, of models with a complexity of at most {complexity}; 1 "
        f"for a repetition without such a model. {CHOSEN['cv']} “Least” takes the best of these "
        "models, as the paper does: on the test rows this is optimistic. “Largest model” takes "
        f"the largest of them, whatever its {what}.",
        sections,
        medians=True,
    )


def _median_within(
    choose: Callable[[TradeOffCurve, Subset, float], float], subset: Subset, complexity: int
) -> Statistic:
    return lambda repetitions: median_estimate(
        [choose(curve, subset, complexity) for curve in repetitions]
    )


def times_table(results: pd.DataFrame) -> ResultTable:
    """Show the training time for a reduction of the risk by a quarter."""
    section = Section("", trade_off_curves(results), _seconds, "seconds", ("times", ""))
    return _table(
        "times",
        "Seconds to reduce the test risk by 25 %",
        "Time to learn the largest model within the median complexity that reduces the test risk "
        "by 25 %, without the cross-validation; – if it is not reached. The machine and the "
        "number of threads are those of the run, not the paper's.",
        [section],
        medians=True,
    )


def _seconds(repetitions: Sequence[TradeOffCurve]) -> Estimate:
    return seconds_estimate(repetitions, REDUCTIONS[0])


def strategies_table(results: pd.DataFrame) -> ResultTable:
    """Compare the two search strategies of the paper."""
    found = {key: value for key, value in trade_off_curves(results).items() if key[1] in STRATEGIES}
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
        "earlier proposition; LLTB-append keeps the earlier propositions, and adds the next one "
        "at any complexity that is left. The numbers are those of the tables of averages, "
        f"complexities and times. {CHOSEN['cv']}",
        sections,
        medians=True,
    )


COMPARISONS: dict[str, Callable[[pd.DataFrame], ResultTable]] = {
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
    "risk_at_20": lambda results: target_table(results, "risk_at_20", "risk", SMALL_COMPLEXITY),
    "error_at_20": lambda results: target_table(results, "error_at_20", "error", SMALL_COMPLEXITY),
    "risk_at_50": lambda results: target_table(results, "risk_at_50", "risk"),
    "error_at_50": lambda results: target_table(results, "error_at_50", "error"),
}
"""The tables in which methods compete."""


def _table(
    name: str, title: str, caption: str, sections: Sequence[Section], medians: bool = False
) -> ResultTable:
    methods = ordered_methods(
        method
        for section in sections
        for (dataset, method), repetitions in section.curves.items()
        if compared_datasets([dataset]) and (section.any_size or _has_complexity(repetitions))
    )
    if not methods:
        raise MissingResults(f"there are no results for the table {name}")
    rows = tuple(row for section in sections for row in section.rows(methods))
    notes = [caption, *_notes(rows, medians)]
    return ResultTable(name, title, " ".join(notes), "dataset", methods, rows)


def _notes(rows: Sequence[TableRow], medians: bool) -> Iterator[str]:
    cells = [cell for row in rows for cell in row.cells]
    counts = {cell.ours.repetitions for cell in cells if isinstance(cell.ours, Estimate)}
    if medians and max(counts) > 1:
        yield f"Medians over repetitions with their distribution-free interval, {_covers(counts)}."
    if any(cell.published for cell in cells):
        yield "The paper's numbers follow ours: ▼ where ours are lower, ▲ where they are higher."
    yield "Bold is best."
    yield repetitions_note(counts)


def _covers(counts: Collection[int]) -> str:
    shares = [coverage(n) for n in counts if n > 1]
    ends = dict.fromkeys(f"{100 * share:.1f}" for share in (min(shares), max(shares)))
    claimed = " (the paper says 92 %)" if set(counts) == {15} else ""
    return f"which covers the true median with a probability of {' to '.join(ends)} %{claimed}"


def repetitions_note(counts: Collection[int]) -> str:
    """Say how many repetitions numbers are based on.

    Examples
    --------
    >>> from sorb.lab.tables.comparisons import repetitions_note
    >>> repetitions_note([15]), repetitions_note([1])
    ('Based on 15 repetitions.', 'Based on 1 repetition, which gives no intervals.')
    >>> repetitions_note([3, 1, 2])
    'Based on 1 to 3 repetitions; a single one gives no interval.'
    """
    least, most = min(counts), max(counts)
    if most == 1:
        return "Based on 1 repetition, which gives no intervals."
    text = " to ".join(map(str, dict.fromkeys((least, most))))
    single = "; a single one gives no interval" if least == 1 else ""
    return f"Based on {text} repetitions{single}."
