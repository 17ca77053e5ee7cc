"""The rows of a table that a model was learned from, and those that it was tested on."""

from __future__ import annotations

import re

import numpy as np

from sorb._types import Float
from sorb.cli.fitted_model import new_estimator
from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.printing import print_message
from sorb.cli.row_split import split_rows
from sorb.cli.task import Task
from sorb.rules import RuleEnsemble, notation
from sorb.rules.training_record import TrainingRecord
from sorb.tables.targets import Outcomes
from sorb.tables.weights import apply_class_weight

__all__ = ["describe_test_rows", "divide_as_fit", "parts_of_fit", "take_training_part"]

_DRAWN = re.compile(r"(\S+) % of the rows, drawn by what they hold with the seed \d+")
# By what share of their sizes the derivatives of a fitted offset may fail to add up to 0.
_UNBALANCED = 1e-6


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
            "numbers of the model are not those of the fit"
        )
    return parts


def _draw_parts(
    rows: LabelledRows, ensemble: RuleEnsemble, record: TrainingRecord, share: float
) -> tuple[LabelledRows, LabelledRows] | None:
    if not {*ensemble.columns} <= {*rows.table.column_names}:
        return None
    task = Task.classification if ensemble.loss.has_classes else Task.regression
    # Those that only cross-validation has, or another version, draw no rows.
    known = new_estimator(task, {}).get_params()
    settings = {name: value for name, value in record.readable_settings.items() if name in known}
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
    """Whether the offset is the one that fits rows best, given the votes.

    It is in every fit and after every edit, of other rows hardly ever. After a recalibration it
    fits the rows as they are, else with the class weights of the fit.
    """
    class_weight = record.readable_settings.get("class_weight")
    weighted = apply_class_weight(class_weight, np.array(rows.y), rows.weight)
    return any(_is_balanced(ensemble, rows, weight) for weight in (weighted, rows.weight))


def _is_balanced(ensemble: RuleEnsemble, rows: LabelledRows, weight: Float) -> bool:
    outcomes = Outcomes.of(ensemble, rows.y, weight, rows.exposure)
    slopes = np.atleast_2d(outcomes.loss.gradient(outcomes.y, ensemble(rows.table)).T)
    sums, sizes = slopes @ outcomes.weight, np.abs(slopes) @ outcomes.weight
    return bool(np.all(np.abs(sums) <= _UNBALANCED * sizes))


def _with_all_columns(part: LabelledRows, rows: LabelledRows) -> LabelledRows:
    weight = np.zeros(len(rows.y))
    weight[np.searchsorted(rows.places, part.places)] = part.weight
    return rows.part(weight, rows.table.column_names)
