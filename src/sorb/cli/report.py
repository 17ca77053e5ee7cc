"""``sorb report``: a page that lets people see, question, change and sign a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    ExposureOption,
    GroupOption,
    ModelArgument,
    OutcomeOption,
    WeightOption,
    examples,
)
from sorb.cli.decision import CostsOption, CutoffOption, Decision
from sorb.cli.output_file import check_output
from sorb.cli.reading_options import reads_tables
from sorb.tables.reading import FIND_OUT, Reading
from sorb.tables.source_paths import source_paths

if TYPE_CHECKING:
    from sorb.cli.labelled_rows import LabelledRows
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "report", "write_fit_page"]

EXAMPLES = examples(
    "sorb report model.json patients.csv --target diabetes --out report.html",
    "sorb report model.json patients.csv --target diabetes --test later.csv --out report.html",
    "sorb report model.json patients.csv --target diabetes --no-rows --out report.html",
)


@reads_tables
def report(
    model: ModelArgument,
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="The rows that the model was learned from: a CSV, .xlsx or Parquet file, or - "
            "for standard input. Of the table that sorb fit learned from, test rows are told "
            "apart.",
        ),
    ],
    target: OutcomeOption,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The HTML page to write.")],
    test: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Rows that the model has not seen, to measure it on."),
    ] = None,
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    group: GroupOption = None,
    cutoff: CutoffOption = None,
    costs: CostsOption = None,
    rows: Annotated[
        bool,
        typer.Option(
            "--rows/--no-rows",
            help="Whether the page may hold rows of the tables, or only sums over many.",
        ),
    ] = True,
    min_rows: Annotated[
        int,
        typer.Option(
            min=2, metavar="N", help="With --no-rows: the fewest rows that a sum may be over."
        ),
    ] = 5,
    relearn: Annotated[
        bool,
        typer.Option(
            "--relearn",
            help="Learn the model from its rows again, as it notes how, to show models of other "
            "sizes, other methods and how often each rule is found again. This takes several "
            "times as long as the fit.",
        ),
    ] = False,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The title of the page.")
    ] = None,
    reading: Reading = FIND_OUT,
) -> None:  # fmt: skip
    """Write an HTML page about a model, which opens in any browser and needs no network.

    It shows the rules, what they say about a single row, how good they are and for whom, and lets
    readers change the model and save a log of what they changed. With --relearn it also shows
    models of other sizes, and compares the model with other methods, as sorb fit --report does.
    """
    from sorb.cli.labelled_rows import read_labelled_rows
    from sorb.cli.parts_of_fit import divide_as_fit, take_training_part
    from sorb.cli.printing import print_text
    from sorb.cli.relearn import relearn as learn_again
    from sorb.report.report import Options, make_report
    from sorb.rules import RuleEnsemble

    decision = Decision.of(cutoff, costs)
    others = [] if test is None else [test]
    check_output(out, [model, *source_paths([table, *others])])
    ensemble = RuleEnsemble.load(model)

    options = target, weight, reading, exposure, group
    training = read_labelled_rows(table, [ensemble], *options, unused_if_there=True)
    if test is None:
        training, test_rows = divide_as_fit(training, ensemble)
    else:
        training = take_training_part(training, ensemble)
        test_rows = read_labelled_rows(test, [ensemble], *options)
    if relearn:
        training = _as_fitted(training, ensemble)
        test_rows = None if test_rows is None else _as_fitted(test_rows, ensemble)
    found = make_report(
        learn_again(ensemble, training) if relearn else ensemble,
        training.given,
        None if test_rows is None else test_rows.given,
        Options(title, target, decision.cutoff, decision.costs, rows=rows, min_rows=min_rows),
    )
    found.save(out)
    print_text(f"The report is in {out}.")


def _as_fitted(rows: LabelledRows, ensemble: RuleEnsemble) -> LabelledRows:
    """Keep the columns that a model was learned from, as its estimator knows no others."""
    return replace(rows, table=rows.table.select(list(ensemble.columns)))


def write_fit_page(
    estimator: Any,
    training: LabelledRows,
    test: LabelledRows | None,
    target: str,
    decision: Decision,
    out: Path,
    compare: bool,
) -> None:
    """Write the page of a fit."""
    from sorb.report.report import Options, make_report

    options = Options(None, target, decision.cutoff, decision.costs, compare)
    given_test = None if test is None else test.given
    make_report(estimator, training.given, given_test, options).save(out)
