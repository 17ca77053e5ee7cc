"""A fit to a table that need not fit in memory: an engine is asked about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import narwhals as nw
import numpy as np
import typer

from sorb.cli.arguments import require_names, split_names
from sorb.cli.asked_table import AskedTable, count_beyond
from sorb.cli.date_option import compute_dates
from sorb.cli.decision import Decision
from sorb.cli.feature_columns import AS_CLASSES, FeatureColumns
from sorb.cli.fit_report import FitReport, RowCounts
from sorb.cli.fit_request import GO_ON, FitRequest
from sorb.cli.fitted_model import MeasuredModel, fit_catching, new_estimator
from sorb.cli.group_measures import fit_constant, measure_groups
from sorb.cli.lazy_columns import TEXTS, choose_lazy_columns, require_known_types
from sorb.cli.lazy_task import detect_lazy_task
from sorb.cli.memory_limit import parse_memory, plan_memory
from sorb.cli.output_file import check_output
from sorb.cli.partial_fit import PartialFit, partial_path
from sorb.cli.printing import print_message
from sorb.cli.query_progress import QueryProgress, show_queries
from sorb.cli.task import LARGEST_CLASS, DetectedTask, Task
from sorb.learning.lazy_source import LazySource
from sorb.learning.lazy_split import LazySplit, split_lazy
from sorb.measures.curve_points import draw_points
from sorb.measures.cutoff import choose_cutoff, positive_label
from sorb.measures.performance import BASELINE, MODEL, Performance, explain_cutoff
from sorb.measures.stage_risks import comparable_stages, has_class_weights
from sorb.rules.columns import wrap_frame
from sorb.tables.changes import COUNT, TableChangedError
from sorb.tables.column_policy import is_whole
from sorb.tables.duckdb_engine import Engine, open_engine
from sorb.tables.engine import EngineError
from sorb.tables.expressions import Columns, Expr
from sorb.tables.large_table import CsvCells, LargeTable, open_large
from sorb.tables.lazy import ask, count
from sorb.tables.lazy_left_out import require_no_numbers
from sorb.tables.lazy_opening import open_lazy
from sorb.tables.source_paths import folder_variables, source_paths

__all__ = ["LazyOptions", "fit_lazily"]

NO_RIVALS = "Regression and a tree are left out, as the table is not read as a whole."
# Of more rows, the sums for each group of rows that belong together might not fit into memory.
MOST_TOGETHER = 500_000
_TOO_MANY = (
    f"The intervals take the rows of a group for independent, and are too narrow if they are not: "
    f"of more than {MOST_TOGETHER} rows, groups are not added up one by one."
)
# What a model does not depend on.
IRRELEVANT = ("verbose", "n_jobs", "max_seconds")


@dataclass(frozen=True, slots=True)
class LazyOptions:
    """The table of a database, the memory to use, and the number of threads."""

    table: str | None
    memory: str | None
    jobs: int


@dataclass(frozen=True, slots=True, eq=False)
class LazyRows:
    """The rows that have an outcome and any weight.

    Attributes
    ----------
    frame : the rows, with the columns that are learned from, and those of outcomes and weights.
    detected : what is to be learned.
    features : the columns to learn from.
    left_out : the number of rows without an outcome.
    """

    frame: Any
    detected: DetectedTask
    features: FeatureColumns
    left_out: int


def fit_lazily(request: FitRequest, options: LazyOptions, out: Path | None) -> FitReport:
    """Learn from training rows and measure on test rows, without reading all of them."""
    # Cross-validation has no single growth to resume.
    kept = None if "cv" in request.parameters else partial_path(out)
    check_output(kept)
    limit = None if options.memory is None else parse_memory(options.memory)
    threads = int(joblib.effective_n_jobs(options.jobs))
    with _telling_of_rules(kept), _plain_errors(), open_engine(threads) as engine:
        progress = QueryProgress(engine.progress)
        source = _open(request, options, engine)
        plan = plan_memory(
            limit, len(source.columns), threads, request.parameters.get("search_rows")
        )
        engine.limit_memory(plan.engine)
        with show_queries(progress):
            rows = _prepare(request, source, progress)
            parameters = {**rows.features.parameters, **request.parameters}
            if plan.search_rows is not None:
                parameters["search_rows"] = plan.search_rows
            estimator = new_estimator(rows.detected.task, parameters)
            split = _split(request, rows, estimator)
            partial = _partial_fit(request, rows, split, estimator, kept)
            estimator._checkpoint = partial
            estimator, caught = _fit(estimator, request, split)
            model = _measure(estimator, split, caught, request.decision)
    was_interrupted = any("interrupted" in warning for warning in caught)
    if partial is not None and not was_interrupted:
        partial.remove()
    unfinished = kept if was_interrupted else None
    test = split.test
    counts = RowCounts(
        split.training.n_rows,
        0 if test is None else test.n_rows,
        rows.left_out,
        split.training.n_groups,
        0 if test is None else test.n_groups,
    )
    return FitReport(request.target, rows.detected, rows.features, counts, model, out, unfinished)


@contextmanager
def _telling_of_rules(kept: Path | None) -> Iterator[None]:
    """Let an interruption after which there is no model say where the rules so far are."""
    try:
        yield
    except KeyboardInterrupt:
        if kept is None or not kept.exists():
            raise
        raise typer.Abort(f"interrupted: the rules so far are in {kept}: {GO_ON}") from None


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Let errors of an engine, and tables that change, end the command with one line."""
    try:
        yield
    except (EngineError, TableChangedError) as error:
        raise ValueError(str(error)) from error


def _open(request: FitRequest, options: LazyOptions, engine: Engine) -> LargeTable:
    source = open_large(request.sources, options.table, engine, request.reading)
    for option, name in request.others.items():
        require_names([name], source.columns, source.where, option)
    ignored = split_names(request.columns["--ignore"], source.columns)
    require_names(ignored, source.columns, source.where, "--ignore")
    _tell_of_folders(request, source)
    return source


def _tell_of_folders(request: FitRequest, source: LargeTable) -> None:
    for name in folder_variables(source_paths(request.sources)):
        if name not in source.columns:
            print_message(
                f"the folders are named {name}=…, which is not a column of the files, so nothing "
                "is learned from it: to learn from it, write it into the files"
            )


def _prepare(request: FitRequest, source: LargeTable, progress: QueryProgress) -> LazyRows:
    """Find out what is to be learned, and which columns to learn it from."""
    others, options = list(request.others.values()), request.columns
    ignored = {*split_names(options["--ignore"], source.columns)} - {*others}
    columns = [name for name in source.columns if name not in ignored]
    codes = [name for name in split_names(options["--categories"], columns) if name in columns]
    understood = CsvCells(codes)
    frame = wrap_frame(source.frame(columns, understood))
    day_first = request.reading.day_first
    frame = compute_dates(frame, options["--dates"], request.others, source.where, day_first)
    cells = Columns.of(frame)
    require_known_types(cells.types, others, source.where)
    used = _used_rows(request, cells)
    found = _count_rows(request, frame, cells, used)
    progress.n_rows = found[COUNT]
    _require_outcomes(request, source, found)
    if found["used"] < progress.n_rows:
        frame = frame.filter(used)
    frame = _with_plain_outcomes(frame, request.target)
    cells = Columns.of(frame)
    table = AskedTable(source, frame, cells)
    if cells.types[request.target] in TEXTS and request.task is not Task.classification:
        require_no_numbers(frame, cells, request.target, None, AS_CLASSES, table.locate)
    detected = detect_lazy_task(
        table, request.target, found["used"], request.task, request.exposure
    )
    request.check_task(detected)
    features = choose_lazy_columns(table, others, sorted(ignored), request.weight, options)
    features = features.also_without(source.left_out)
    chosen = frame.select(*features.names, *dict.fromkeys(others)).to_native()
    return LazyRows(chosen, detected, features, progress.n_rows - found["known"])


def _used_rows(request: FitRequest, cells: Columns) -> Expr:
    """Whether a row has an outcome and any weight; weights that are missing are refused later."""
    weight, known = request.weight, ~cells.label(request.target).is_null()
    if weight is None or not cells.types[weight].is_numeric():
        return known
    return known & (cells.number(weight) != 0.0).fill_null(value=True)


def _count_rows(
    request: FitRequest, frame: nw.LazyFrame[Any], cells: Columns, used: Expr
) -> dict[str, int]:
    """Count all rows, those with an outcome, with an infinite one, and those that are used."""
    asked = {"known": count(~cells.label(request.target).is_null()), "used": count(used)}
    if cells.types[request.target].is_float():
        asked["infinite"] = count(cells.infinite(request.target))
    if is_whole(cells.types[request.target]):
        asked["beyond"] = count_beyond(request.target)
    found = ask(frame, "count the rows", asked)
    return {name: int(number or 0) for name, number in found.items()}


def _require_outcomes(request: FitRequest, source: LargeTable, found: Mapping[str, int]) -> None:
    what = f"column {request.target!r}"
    if not found[COUNT]:
        raise ValueError(f"{source.where} has no rows")
    if found.get("infinite"):
        raise ValueError(f"{what} is infinite in {found['infinite']} rows: expected finite numbers")
    if found.get("beyond"):
        raise ValueError(
            f"{what} is beyond {LARGEST_CLASS} in {found['beyond']} rows: such whole numbers are "
            "taken for identifiers, so write it as a decimal number if it is a quantity"
        )
    if not found["used"]:
        where = f" of positive weight in column {request.weight!r}" if found["known"] else ""
        raise ValueError(f"{what} is empty in all rows{where}")


def _with_plain_outcomes(frame: nw.LazyFrame[Any], target: str) -> nw.LazyFrame[Any]:
    """Turn outcomes that are decimals into integers if they have no decimals, or into floats."""
    dtype = Columns.of(frame).types[target]
    if dtype != nw.Decimal:
        return frame
    return frame.with_columns(nw.col(target).cast(nw.Int64 if is_whole(dtype) else nw.Float64))


def _split(request: FitRequest, rows: LazyRows, estimator: Any) -> LazySplit:
    loss = request.loss if rows.detected.task is Task.regression else None
    columns = open_lazy(
        rows.frame,
        request.target,
        request.weight,
        request.exposure,
        estimator.categorical_features,
        loss is None,
        group=request.group,
    )
    return split_lazy(LazySource(columns, loss), request.test_size, request.random_state)


def _partial_fit(
    request: FitRequest, rows: LazyRows, split: LazySplit, estimator: Any, path: Path | None
) -> PartialFit | None:
    """Keep the rules so far, if there is a file for them."""
    if path is None:
        return None
    from sorb import __version__

    table = {
        "rows": split.training.n_rows + (0 if split.test is None else split.test.n_rows),
        "columns": list(rows.features.names),
        "checksum": split.checksum,
    }
    relevant: Mapping[str, Any] = {
        name: value for name, value in estimator.get_params().items() if name not in IRRELEVANT
    }
    parameters = {
        "version": __version__,
        **request.others,
        "--test-size": request.test_size,
        **relevant,
    }
    return PartialFit.of(path, table, parameters)


def _fit(estimator: Any, request: FitRequest, split: LazySplit) -> tuple[Any, tuple[str, ...]]:
    exposure = {} if request.exposure is None else {"exposure": request.exposure}
    frame = split.training.source.columns.frame.to_native()
    # Other processes would have memory of their own.
    with joblib.parallel_config(backend="threading"):
        table = (frame, request.target, request.weight)
        return fit_catching(estimator, table, request.recalibrate, request.group, **exposure)


def _measure(
    estimator: Any, split: LazySplit, caught: tuple[str, ...], decision: Decision
) -> MeasuredModel:
    chosen, baseline = estimator.ensemble_, estimator.stages_[0].ensemble
    if len(baseline):  # of rules that were given, there is no stage without any
        baseline = fit_constant(split.training.source, baseline)
    cutoff = choose_cutoff(
        baseline,
        np.array(baseline.offsets),
        decision.cutoff,
        decision.costs,
        explain_cutoff(has_class_weights(estimator)),
    )
    used = split.training if split.test is None else split.test
    grouped = used.n_groups is not None and chosen.loss.has_classes
    together = grouped and used.n_rows <= MOST_TOGETHER
    on_training = measure_groups(
        split.training.source,
        [chosen, baseline],
        baseline,
        cutoff,
        together=together and split.test is None,
    )
    if split.test is None:
        found, points = on_training, draw_points(estimator, None)
    else:
        found = measure_groups(
            split.test.source, [chosen, baseline], baseline, cutoff, together=together
        )
        models = [stage.ensemble for stage in comparable_stages(estimator)]
        on_test = measure_groups(split.test.source, models, baseline, weighed_by=estimator)
        risks = {
            id(model): found.measures.risk for model, found in zip(models, on_test, strict=True)
        }
        points = draw_points(estimator, lambda model: risks[id(model)])
    measured = Performance(
        n_rows=used.n_rows,
        measures={MODEL: found[0].measures, BASELINE: found[1].measures},
        gain=found[0].gain,
        loss=chosen.loss,
        cutoff=cutoff,
        positive=positive_label(chosen),
        has_rules=len(chosen) > 0,
        notes=(NO_RIVALS, *([_TOO_MANY] if grouped and not together else [])),
    )
    return MeasuredModel(estimator, on_training[0].measures, measured, points, caught)
