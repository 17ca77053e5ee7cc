"""The rows of a table that a model was learned from, and those that it was tested on."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.printing import print_message
from sorb.cli.row_split import split_rows
from sorb.cli.task import Task
from sorb.editing.vote_refit import FittingRows
from sorb.rules import RuleEnsemble, notation
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
    be of another table, or the model may have been changed.
    """
    record = ensemble.record
    drawn = None if record is None else _DRAWN.fullmatch(record.test_rows)
    if record is None or drawn is None or not {*ensemble.columns} <= {*rows.table.column_names}:
        return None
    task = Task.classification if ensemble.loss.has_classes else Task.regression
    settings, share = record.readable_settings, float(drawn[1]) / 100
    training, test = split_rows(rows, task, ensemble.columns, settings, share)
    if (
        test is None
        or len(training.y) != record.n_rows
        or not _is_fitted(ensemble, training, settings.get("class_weight"))
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


def _is_fitted(ensemble: RuleEnsemble, rows: LabelledRows, class_weight: Any) -> bool:
    """Whether the votes of a model are fitted to rows, with whatever penalty."""
    weight = apply_class_weight(class_weight, np.array(rows.y), rows.weight)
    table = rows.table, rows.y, weight, rows.exposure
    fitting = FittingRows.of(ensemble, ensemble.used_columns, *table)
    free, penalty = [False] * len(ensemble), fitting.penalty(ensemble, None)
    return fitting.confirms(fitting.refit(ensemble, free, penalty), ensemble, free, penalty)


def _with_all_columns(part: LabelledRows, rows: LabelledRows) -> LabelledRows:
    weight = np.zeros(len(rows.y))
    weight[np.searchsorted(rows.places, part.places)] = part.weight
    return rows.part(weight, rows.table.column_names)
