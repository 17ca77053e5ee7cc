"""The rows of a table that a model was learned from, and those that it was tested on."""

from __future__ import annotations

import re

import numpy as np

from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.printing import print_message
from sorb.cli.row_split import split_rows
from sorb.cli.task import Task
from sorb.editing.vote_refit import FittingRows
from sorb.learning.recalibration import find_correction
from sorb.rules import RuleEnsemble, notation
from sorb.rules.training_record import TrainingRecord
from sorb.tables.weights import apply_class_weight

__all__ = ["describe_test_rows", "divide_as_fit", "parts_of_fit", "take_training_part"]

_DRAWN = re.compile(r"(\S+) % of the rows, drawn by what they hold with the seed \d+")


def describe_test_rows(share: float, seed: int) -> str:
    """Say how test rows are drawn, as a model notes it.

    Examples
    --------
    >>> describe_test_rows(0.25, 3)
    '25 % of the rows, drawn by what they hold with the seed 3'
    """
    percent = notation.plain_number(round(100 * share, 9), None)
    return f"{percent} % of the rows, drawn by what they hold with the seed {seed}"


def parts_of_fit(
    rows: LabelledRows, ensemble: RuleEnsemble
) -> tuple[LabelledRows, LabelledRows] | None:
    """Draw test rows again as a model notes it, and give its training rows and these.

    None unless the votes of the model are those that are fitted to these training rows: they may
    be of another table, or the model may have been changed, which a message says, or all rows may
    be the training rows.
    """
    record = ensemble.record
    drawn = None if record is None else _DRAWN.fullmatch(record.test_rows)
    if record is None or drawn is None:
        return None
    parts = _draw_parts(rows, ensemble, record, float(drawn[1]) / 100)
    learned_from_all = len(rows.y) == record.n_rows and _is_fitted(ensemble, rows, record)
    if parts is None and not learned_from_all:
        print_message(
            f"all {notation.count(len(rows.y), 'row')} are used: the fit held test rows back, but "
            "which they are cannot be told, as the table, its options (such as --group) or the "
            "votes are not those of the fit"
        )
    return parts


def _draw_parts(
    rows: LabelledRows, ensemble: RuleEnsemble, record: TrainingRecord, share: float
) -> tuple[LabelledRows, LabelledRows] | None:
    if not {*ensemble.columns} <= {*rows.table.column_names}:
        return None
    task = Task.classification if ensemble.loss.has_classes else Task.regression
    settings = record.readable_settings
    training, test = split_rows(rows, task, ensemble.columns, settings, share)
    if (
        test is None
        or len(training.y) != record.n_rows
        or not _is_fitted(ensemble, training, record)
    ):
        return None
    return _with_all_columns(training, rows), _with_all_columns(test, rows)


def divide_as_fit(
    rows: LabelledRows, ensemble: RuleEnsemble
) -> tuple[LabelledRows, LabelledRows | None]:
    """Give the rows that a model was learned from, and its test rows if these can be told."""
    parts = parts_of_fit(rows, ensemble)
    if parts is None:
        return rows, None
    training, test = parts
    print_message(
        f"of {len(rows.y)} rows, the model was learned from {len(training.y)}; the others, "
        f"{len(test.y)}, are its test rows"
    )
    return parts


def take_training_part(rows: LabelledRows, ensemble: RuleEnsemble) -> LabelledRows:
    """Give the rows that a model was learned from, if they can be told, and say so; else all."""
    parts = parts_of_fit(rows, ensemble)
    if parts is None:
        return rows
    training, test = parts
    print_message(
        f"of {len(rows.y)} rows, only the {len(training.y)} that the model was learned from are "
        f"used: its {notation.count(len(test.y), 'test row')} are left out"
    )
    return training


def _is_fitted(ensemble: RuleEnsemble, rows: LabelledRows, record: TrainingRecord) -> bool:
    """Whether the votes of a model are fitted to rows.

    A recalibration after class weights changed the offset alone, and is undone first.
    """
    class_weight = record.readable_settings.get("class_weight")
    weight = apply_class_weight(class_weight, np.array(rows.y), rows.weight)
    table = rows.table, rows.y, weight, rows.exposure
    fitting = FittingRows.of(ensemble, ensemble.used_columns, *table)
    reg_lambda = None
    if class_weight is not None:
        outcomes, offsets = fitting.outcomes, np.array(ensemble.offsets)
        scores = fitting.scores(ensemble)
        offsets -= find_correction(ensemble, scores, outcomes.y, outcomes.weight)
        ensemble = ensemble.with_votes(
            tuple(offsets.tolist()) if len(offsets) > 1 else float(offsets[0]),
            [rule.vote for rule in ensemble],
        )
        # With an offset to fit any rows, some penalty would explain any single vote.
        reg_lambda = record.reg_lambda
    free, penalty = [False] * len(ensemble), fitting.penalty(ensemble, reg_lambda)
    return fitting.confirms(fitting.refit(ensemble, free, penalty), ensemble, free, penalty)


def _with_all_columns(part: LabelledRows, rows: LabelledRows) -> LabelledRows:
    weight = np.zeros(len(rows.y))
    weight[np.searchsorted(rows.places, part.places)] = part.weight
    return rows.part(weight, rows.table.column_names)
