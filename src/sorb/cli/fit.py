"""``sorb fit``: learn rules from a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sorb.cli.arguments import (
    MOST_JOBS,
    ExposureOption,
    GroupOption,
    JsonOption,
    LargeTableArgument,
    MemoryOption,
    TableNameOption,
    WeightOption,
    examples,
    refuse_standard_input,
)
from sorb.cli.decision import CostsOption, CutoffOption, Decision
from sorb.cli.fit_request import GO_ON, FitRequest
from sorb.cli.loss_option import check_loss, choose_loss, loss_parameters
from sorb.cli.model_size import (
    CvOption,
    EffortOption,
    MaxComplexityOption,
    MaxRuleComplexityOption,
    MaxRulesOption,
    PenaltyOption,
    Selection,
    SelectionOption,
    choice_parameters,
)
from sorb.cli.output_file import check_output
from sorb.cli.reading_options import reads_tables
from sorb.cli.task import Task
from sorb.tables.files import require_pyarrow
from sorb.tables.large_table import is_large
from sorb.tables.reading import FIND_OUT, Reading
from sorb.tables.source_paths import source_paths

if TYPE_CHECKING:
    from sorb.cli.fitted_model import MeasuredModel
    from sorb.cli.labelled_rows import LabelledRows

__all__ = ["EXAMPLES", "fit"]

EXAMPLES = examples(
    "sorb fit patients.csv --target diabetes",
    "sorb fit patients.csv --target diabetes --ignore id,name --positive yes --out model.json",
    "sorb fit patients.csv --target diabetes --selection one_se --max-rules 5 --curve curve.png",
    "sorb fit patients.csv --target diabetes --out model.json --report report.html",
    "sorb fit patients.csv --target diabetes --log-columns auto --integer",
    "sorb fit visits.csv --target ill --group patient --out model.json",
    "sorb fit patients.csv --target diabetes --init guideline.json --out model.json",
    "sorb fit houses.parquet --target price --units area=m²,rent=€ --test-size 0 --json",
    "sorb fit data/*.parquet --target ill --memory 2GB --out model.json",
    "sorb fit clinic.duckdb --table patients --target ill --out model.json",
    "sorb fit postgresql://me@host/clinic --table patients --target ill --out model.json",
    "zcat claims.csv.gz | sorb fit - --target claims --loss poisson --exposure years",
)


class ClassWeight(str, Enum):
    """How classes are weighted."""

    balanced = "balanced"


class NearDuplicates(str, Enum):
    """Whether rows that are nearly equal belong together."""

    together = "together"
    apart = "apart"


def _check_jobs(count: int) -> int:
    if count == 0 or count > MOST_JOBS:
        raise typer.BadParameter(
            f"must be from 1 to {MOST_JOBS}, or -1 for all processors, found {count}"
        )
    return count


def _check_seconds(seconds: float | None) -> float | None:
    if seconds is not None and not 0 < seconds < inf:
        raise typer.BadParameter(f"must be above 0 and finite, found {seconds:g}")
    return seconds


@reads_tables
def fit(
    context: typer.Context,
    table: LargeTableArgument,
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column to predict.")],
    task: Annotated[
        Task | None,
        typer.Option(
            help="The kind of outcome. By default texts, booleans and two different whole "
            "numbers are classes, and other numbers are a quantity."
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", callback=check_loss,
            help="What is minimised to predict numbers: squared (the default), or one whose votes "
            "multiply: poisson for counts, gamma or tweedie for amounts.",
        ),
    ] = None,
    power: Annotated[
        float | None,
        typer.Option(metavar="P", help="The power of --loss tweedie, between 1 and 2."),
    ] = None,
    max_rules: MaxRulesOption = None,
    max_complexity: MaxComplexityOption = None,
    max_rule_complexity: MaxRuleComplexityOption = 5,
    effort: EffortOption = None,
    reg_lambda: PenaltyOption = "auto",
    selection: SelectionOption = None,
    cv: CvOption = None,
    log_columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="auto|COLUMNS",
            help="Columns to weigh by their logarithms, so that rules are about products and "
            "ratios; auto chooses them.",
        ),
    ] = None,
    integer: Annotated[
        bool, typer.Option("--integer", help="Use only whole numbers from −5 to 5 as coefficients.")
    ] = False,
    categories: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="Columns of numbers that are categories, as texts always are. In CSV they are "
            "kept as they are written, with leading zeros.",
        ),
    ] = None,
    class_weight: Annotated[
        ClassWeight | None,
        typer.Option(help="Give all classes the same total weight, however rare they are."),
    ] = None,
    recalibrate: Annotated[
        bool,
        typer.Option(
            "--recalibrate",
            help="Expect each class as often as it occurs in the training rows, whatever "
            "--class-weight says.",
        ),
    ] = False,
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="Of two classes, the one that scores and votes are for. By default the second in "
            "the order of the alphabet or of numbers.",
        ),
    ] = None,
    init: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="A model file whose rules the new model begins with and keeps; their votes are "
            "fitted to the table, and more rules may be learned.",
        ),
    ] = None,
    near_duplicates: Annotated[
        NearDuplicates,
        typer.Option(help="Whether rows that are nearly equal are kept together in validation."),
    ] = NearDuplicates.together,
    dates: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=PART,…",
            help="What to compute from columns of dates, such as visit=year,month; also day, day "
            "of year, weekday (Monday is 1), hour, and days since 2020-01-01.",
        ),
    ] = None,
    units: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=UNIT,…", help="Units to print, such as weight=kg,height=m."),
    ] = None,
    monotone: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=+,…",
            help="Columns along which the score never falls (+) or never rises (-), such as "
            "age=+,weight=-.",
        ),
    ] = None,
    together: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS;…",
            help="Groups of columns: a rule uses columns of one group only, and those in no group "
            "are one more; pairwise: two columns at most; alone: one.",
        ),
    ] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=PRICE,…",
            help="What a column adds to the complexity of models that use it, such as crp=5.",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COLUMNS", help="Columns not to learn from.")
    ] = None,
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    group: GroupOption = None,
    test_size: Annotated[
        float,
        typer.Option(
            min=0, max=0.9, metavar="SHARE",
            help="The share of the rows to set aside as test rows.",
        ),
    ] = 0.25,
    random_state: Annotated[
        int,
        typer.Option(min=0, max=2**32 - 1, metavar="SEED", help="The seed of all random draws."),
    ] = 0,
    cutoff: CutoffOption = None,
    costs: CostsOption = None,
    jobs: Annotated[
        int,
        typer.Option(
            metavar="N", callback=_check_jobs,
            help="Processes for cross-validation; -1: all processors.",
        ),
    ] = 1,
    max_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", callback=_check_seconds,
            help="The time for everything: then no further rule is started.",
        ),
    ] = None,
    reading: Reading = FIND_OUT,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write the model to, in JSON.")
    ] = None,
    curve: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A figure of the log loss, or its like for numbers, against complexity, "
            "cross-validated or on the test rows: .png, .svg, .pdf, …",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE",
            help="A page to see, question, change and sign the model, as HTML.",
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare/--no-compare",
            help="Whether the page of --report compares the model with other methods.",
        ),
    ] = True,
    table_name: TableNameOption = None,
    memory: MemoryOption = None,
    search_rows: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N",
            help="About the most rows that a search for rules looks at; rules are learned from a "
            "sample of five times as many, and their votes from all rows. By default 20000.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Learn rules from a table, and test them on rows set aside.

    Models of all sizes are grown, and cross-validation within the training rows chooses one.

    COLUMNS are separated by commas, or the option is given several times. Empty cells, ?, NA, <NA>,
    N/A, #N/A, NaN and NULL are missing values. Rows whose target is missing are left out.

    With --memory, and from several files or a database, the table need not fit in memory. The rules
    so far are then kept beside the file of --out, and if the command is killed, running it again
    goes on from there.
    """
    from sorb.rules import RuleEnsemble

    written: list[Path] = []
    with _telling_of_interruptions(written):
        read: list[str | Path] = [*source_paths(table), *([init] if init else [])]
        check_output(out, read)
        check_output(page, [*read, *([out] if out else [])], "--report")
        choice = choice_parameters(cv, selection, reg_lambda)
        decision = Decision.of(cutoff, costs)
        _check_figure(curve, test_size, selection)
        of_loss = loss_parameters(context.params)
        chosen_loss = choose_loss(task, loss, of_loss)
        given = {
            "loss": loss,
            **of_loss,
            "weights": "integer" if integer else None,
            "effort": effort and effort.value,
            "class_weight": class_weight and class_weight.value,
            "positive": positive,
            "init": None if init is None else RuleEnsemble.load(init),
            "near_duplicates": near_duplicates.value,
            "max_rules": max_rules,
            "max_rule_complexity": max_rule_complexity,
            "max_complexity": max_complexity,
            "max_seconds": max_seconds,
            "random_state": random_state,
            "n_jobs": jobs,
            "search_rows": search_rows,
        }
        given = {name: value for name, value in given.items() if value is not None}
        request = FitRequest(
            sources=table,
            target=target,
            weight=weight,
            exposure=exposure,
            group=group,
            task=Task.regression if loss else task,
            loss=chosen_loss,
            columns={
                "--categories": categories,
                "--log-columns": log_columns,
                "--units": units,
                "--monotone": monotone,
                "--together": together,
                "--price": price,
                "--ignore": ignore,
                "--dates": dates,
            },
            reading=reading,
            test_size=test_size,
            random_state=random_state,
            recalibrate=recalibrate,
            parameters={**given, **choice},
            decision=decision,
        )
        request.check_group()
        require_pyarrow()
        if memory is not None or table_name is not None or is_large(table):
            from sorb.cli.fit_lazily import LazyOptions, fit_lazily

            refuse_standard_input(table, table_name)
            _require_lazy_curve(curve, selection)
            if page is not None:
                raise typer.BadParameter("--report needs a table that is read as a whole")
            report, test_rows = (
                fit_lazily(request, LazyOptions(table_name, memory, jobs), out),
                None,
            )
            _note_origin(report.model, request)
        else:
            from sorb.cli.fit_in_memory import fit_in_memory
            from sorb.cli.report import write_fit_page

            report, training_rows, test_rows = fit_in_memory(request, out)
            _note_origin(report.model, request)
            if page is not None:
                write_fit_page(
                    report.model.estimator,
                    training_rows,
                    test_rows,
                    target,
                    decision,
                    page,
                    compare,
                )
                written.append(page)
        _write_files(report.model, test_rows, out, curve, written)
        report.print_json() if as_json else report.print_text()
        _print_warnings(report.model, report.unfinished)


@contextmanager
def _telling_of_interruptions(written: list[Path]) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        files = ", ".join(map(str, written))
        what = f"{files} was written" if files else "nothing was written"
        raise typer.Abort(f"interrupted: {what}") from None


def _check_figure(curve: Path | None, test_size: float, selection: Selection | None) -> None:
    """Refuse a figure that cannot be drawn, before any work is done."""
    if curve is None:
        return
    from sorb.cli.figure_files import require_figure_file

    require_figure_file(curve)
    if not test_size and selection is Selection.none:
        raise typer.BadParameter("--curve needs test rows or cross-validation")


def _require_lazy_curve(curve: Path | None, selection: Selection | None) -> None:
    """Refuse what cannot be drawn of a table that is not read as a whole, before any work."""
    if curve is not None and selection is Selection.none:
        raise typer.BadParameter("--curve of a table this large needs cross-validation")


def _note_origin(model: MeasuredModel, request: FitRequest) -> None:
    """Note in the model what it predicts, and how test rows were set aside."""
    from sorb.cli.parts_of_fit import describe_test_rows

    ensemble = model.ensemble
    if ensemble.record is None:
        return
    drawn = describe_test_rows(request.test_size, request.random_state)
    test_rows = drawn if request.test_size else ""
    record = replace(ensemble.record, target=request.target, test_rows=test_rows)
    model.estimator.ensemble_ = replace(ensemble, record=record)


def _write_files(
    model: MeasuredModel,
    test: LabelledRows | None,
    out: Path | None,
    curve: Path | None,
    written: list[Path],
) -> None:
    from sorb.cli.figure_files import save_figure
    from sorb.cli.fitted_model import draw_curve

    if out:
        model.ensemble.save(out)
        written.append(out)
    if curve:
        save_figure(partial(draw_curve, model, test), curve)
        written.append(curve)


def _print_warnings(model: MeasuredModel, unfinished: Path | None) -> None:
    """Print the warnings of the estimator; an interruption ends the command."""
    from sorb.cli.printing import print_message

    interrupted = [warning for warning in model.warnings if "interrupted" in warning]
    for warning in model.warnings:
        if warning not in interrupted:
            print_message(warning)
    if interrupted:
        more = "" if unfinished is None else f", also in {unfinished}: {GO_ON}"
        raise typer.Abort(f"interrupted: kept the rules learned so far{more}")
