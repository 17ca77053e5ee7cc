"""A fit to a table that is read as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from sorb.checks import TableReport
from sorb.cli.feature_columns import (
    AS_CLASSES,
    FeatureColumns,
    choose_feature_columns,
    count_texts,
    require_no_numbers,
)
from sorb.cli.fit_report import FitReport, RowCounts
from sorb.cli.fit_request import FitRequest
from sorb.cli.fitted_model import fit_model
from sorb.cli.labelled_rows import LabelledRows, column_weights
from sorb.cli.odd_table import check_rows, speak_of_groups
from sorb.cli.read_table import read_table
from sorb.cli.row_split import split_rows
from sorb.cli.task import DetectedTask, Task, detect_task, require_variation
from sorb.losses import Loss
from sorb.tables.arrow import cells, is_text
from sorb.tables.targets import require_numbers, require_scale
from sorb.tables.weights import copy_counts, row_floats

__all__ = ["TrainingTable", "fit_in_memory", "read_training_table"]


def fit_in_memory(
    request: FitRequest, out: Path | None
) -> tuple[FitReport, LabelledRows, LabelledRows | None]:
    """Learn from training rows and measure on test rows; both are given back."""
    given, target = read_training_table(request), request.target
    labelled, detected, features = given.labelled, given.detected, given.features
    parameters = {**features.parameters, **request.parameters}
    oddities = _check(request, given)
    training, test = split_rows(
        labelled, detected.task, features.names, parameters, request.test_size
    )
    _require_folds(request.parameters.get("cv"), len(training.y))
    model = fit_model(
        detected.task, training, test, parameters, request.decision, request.recalibrate
    )
    counts = RowCounts.of(training, test, labelled.left_out, detected.n_classes > 0)
    report = FitReport(target, detected, features, counts, model, out, oddities=oddities)
    return report, training, test


def _check(request: FitRequest, given: TrainingTable) -> TableReport:
    """Check the columns to learn from, and see whether any column says which rows belong together.

    Numbers of patients with letters in them are too many texts to learn from.
    """
    features, labelled = given.features, given.labelled
    categorical = features.parameters.get("categorical_features", "from_dtype")

    def check(columns: Sequence[str]) -> TableReport:
        task, weight = given.detected.task, request.weight
        return check_rows(given.whole, columns, request.target, labelled, task, weight, categorical)

    report = check(features.names)
    if request.group is not None:
        return speak_of_groups(report, None)
    unused = [name for name in features.left_out if name in given.whole.column_names]
    return speak_of_groups(report, check([*features.names, *unused])) if unused else report


@dataclass(frozen=True, slots=True, eq=False)
class TrainingTable:
    """A table to learn from: as it was read, the rows to use, the task, and the columns."""

    whole: pa.Table
    labelled: LabelledRows
    detected: DetectedTask
    features: FeatureColumns


def read_training_table(request: FitRequest) -> TrainingTable:
    """Read the table of a request, find out what is to be learned, and check that it can be."""
    options, target = request.columns, request.target
    [source] = request.sources
    rows, ignored, unnamed = read_table(
        source,
        request.others,
        options["--categories"],
        options["--ignore"],
        request.reading,
        options["--dates"],
    )
    labelled = LabelledRows.of(rows, target, request.weight, request.exposure, request.group)
    detected = _detect_task(labelled, rows, target, request.task)
    request.check_task(detected)
    if detected.task is Task.regression:
        _check_outcomes(rows, target, request.loss, request.weight, request.exposure)
    others = list(request.others.values())
    features = choose_feature_columns(
        labelled, rows, source, others, ignored, options
    ).also_without(unnamed)
    return TrainingTable(rows, labelled, detected, features)


def _check_outcomes(
    rows: pa.Table, target: str, loss: Loss, weight: str | None, exposure: str | None
) -> None:
    """Refuse numbers that the loss cannot predict, by their row in the file."""
    what = f"column {target!r}"
    y = row_floats(cells(rows, target), rows.num_rows, what)
    loss.check_outcomes(y, what)
    known = np.where(np.isnan(y), 0.0, column_weights(rows, weight))
    used = np.flatnonzero(known)
    require_numbers(y[used], what, used.tolist())
    if exposure and loss.has_rates:
        what += f" / column {exposure!r}"
        with np.errstate(all="ignore"):
            y = y / row_floats(cells(rows, exposure), rows.num_rows, what)
    require_scale(loss, y, known, what)


def _require_folds(cv: int | None, n_training: int) -> None:
    if cv and cv > n_training:
        raise ValueError(f"--cv {cv} is more than the {n_training} rows to learn from")


def _detect_task(
    labelled: LabelledRows, whole: pa.Table, target: str, requested: Task | None
) -> DetectedTask:
    """Detect the task; refuse texts that are unreadable numbers, unless they are called classes."""
    if is_text(labelled.table, target) and requested is not Task.classification:
        texts = count_texts(labelled.table[target], copy_counts(labelled.weight))
        require_no_numbers(texts, whole[target], target, AS_CLASSES)
    detected = detect_task(target, labelled.y, requested)
    exposure = None if labelled.exposure is None else labelled.exposure.tolist()
    require_variation(target, labelled.y, exposure)
    return detected
