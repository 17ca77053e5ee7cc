"""What looks odd about a table that is read from a file, in the words of the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from shutil import get_terminal_size
from typing import Any

import numpy as np
import pyarrow as pa

from sorb.checks import TableReport, check
from sorb.cli.labelled_rows import LabelledRows, column_weights
from sorb.cli.task import Task
from sorb.tables.arrow import cells

__all__ = ["check_rows", "odd_table_section", "speak_of_groups"]

WIDEST, NARROWEST = 100, 40
_REPEATS = "repeats"


def check_rows(
    rows: pa.Table,
    columns: Sequence[str],
    target: str,
    labelled: LabelledRows,
    task: Task,
    weight: str | None = None,
    categorical_features: Any = "from_dtype",
) -> TableReport:
    """Check columns of all rows of a file, of which some are labelled."""
    exposure = None
    if labelled.exposure is not None:
        exposure = np.ones(rows.num_rows)  # those of the other rows do not matter
        exposure[labelled.places] = labelled.exposure
    return check(
        rows.select(list(columns)),
        cells(rows, target),
        sample_weight=None if weight is None else column_weights(rows, weight),
        exposure=exposure,
        task=task.value,
        categorical_features=categorical_features,
    )


def speak_of_groups(report: TableReport, wider: TableReport | None) -> TableReport:
    """Take the column that says which rows belong together from a report on more columns.

    It may be one that nothing is learned from. If the groups are known (None), nothing is said.
    """
    others = tuple(finding for finding in report if finding.kind != _REPEATS)
    repeats = tuple(finding for finding in wider or () if finding.kind == _REPEATS)
    return replace(report, findings=others + repeats)


def odd_table_section(report: TableReport | None) -> str:
    """The section of ``sorb fit``, empty if nothing looks odd or nothing was looked at."""
    if not report:
        return ""
    width = min(WIDEST, max(NARROWEST, get_terminal_size().columns))
    return f"{report.brief(width)}\n'sorb check' says what this may do, and how to act."
