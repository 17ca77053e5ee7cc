"""Other methods beside sorb on one table: who is better, by how much, and how large."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import typer

from sorb.cli.compare_progress import show_methods
from sorb.cli.fit_in_memory import TrainingTable, read_training_table
from sorb.cli.fit_request import FitRequest
from sorb.cli.fitted_model import fit_catching, new_estimator
from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.printing import print_json, print_message, print_text
from sorb.cli.row_split import fold_rows, split_rows
from sorb.cli.task import Task
from sorb.measures.boosted_rivals import require_interpret
from sorb.measures.comparison import METHODS, Comparison, Rows, compare_methods
from sorb.measures.estimate import Estimate
from sorb.measures.table import UNKNOWN, align, format_interval, format_losses
from sorb.rules import notation
from sorb.rules.notation import MINUS

__all__ = ["compare_on_table", "method_names"]


def method_names(text: str) -> list[str]:
    """Read the names of methods.

    Examples
    --------
    >>> method_names("logistic, tree")
    ['logistic', 'tree']
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in METHODS]
    if unknown or not names:
        found = f", found {unknown[0]!r}" if unknown else ""
        raise typer.BadParameter(f"--with names some of {', '.join(METHODS)}{found}")
    return list(dict.fromkeys(names))


def compare_on_table(
    request: FitRequest, names: Sequence[str], cv: int | None, picture: Path | None, as_json: bool
) -> None:
    """Let sorb and other methods learn from the same rows, and measure them on the same others."""
    if "ebm" in names:
        require_interpret()
    given = read_training_table(request)
    _check_names(names, given.detected.task, request.target)
    splits = _splits(request, given, cv)
    messages: dict[str, None] = {}
    learn = partial(_learn, request, given, messages)
    rows = [(_rows(training), _rows(test)) for training, test in splits]
    with show_methods(1 + len(names), len(rows)) as show:
        found = compare_methods(learn, names, rows, show)
    for message in messages:
        print_message(message)
    print_json(_document(request, given, found, cv)) if as_json else print_text(
        _text(given, found, cv, len(splits[0][0].y))
    )
    if picture:
        from sorb.cli.figure_files import save_figure
        from sorb.render.plots.comparison import plot_comparison

        save_figure(partial(plot_comparison, found), picture)


def _check_names(names: Sequence[str], task: Task, target: str) -> None:
    """Refuse a regression for the other kind of outcome."""
    wrong, right = ("linear", "logistic") if task is Task.classification else ("logistic", "linear")
    if wrong in names:
        kind = "classes" if task is Task.classification else "numbers"
        raise typer.BadParameter(f"--with {wrong}: {target} holds {kind}, so use {right}")


def _splits(
    request: FitRequest, given: TrainingTable, cv: int | None
) -> list[tuple[LabelledRows, LabelledRows]]:
    parameters = {**given.features.parameters, **request.parameters}
    known = (given.labelled, given.detected.task, given.features.names, parameters)
    if cv:
        return fold_rows(*known, cv)
    training, test = split_rows(*known, request.test_size)
    if test is None:
        raise ValueError("the rows leave none to test on: use --cv or a larger --test-size")
    return [(training, test)]


def _rows(part: LabelledRows) -> Rows:
    return Rows(part.table, part.y, part.weight, part.exposure, part.group)


def _learn(request: FitRequest, given: TrainingTable, messages: dict[str, None], rows: Rows) -> Any:
    parameters = {**given.features.parameters, **request.parameters}
    exposure = {} if rows.exposure is None else {"exposure": rows.exposure}
    estimator, caught = fit_catching(
        new_estimator(given.detected.task, parameters, verbose=0),
        (rows.table, np.array(rows.y), rows.weight),
        request.recalibrate,
        rows.group,
        **exposure,
    )
    messages.update(dict.fromkeys(caught))
    return estimator


def _document(
    request: FitRequest, given: TrainingTable, found: Comparison, cv: int | None
) -> dict[str, Any]:
    return {
        "target": request.target,
        "task": given.detected.task.value,
        "rows": {"compared": _count(given, found, cv), "without_target": given.labelled.left_out},
        "cv": cv,
        "methods": [
            {
                "method": name,
                "size": method.size,
                "seconds": method.seconds,
                "against_sorb": method.against_sorb and method.against_sorb.to_dict(),
                **method.measures.to_dict(),
            }
            for name, method in found.methods.items()
        ],
    }


def _text(given: TrainingTable, found: Comparison, cv: int | None, n_training: int) -> str:
    if cv:
        how = f"Each method learned {cv} times, from all folds of the rows but one"
        how += f", and was measured on that one: {_count(given, found, cv)} rows in all."
    else:
        how = f"Each method learned from the same {n_training} rows and was measured on "
        how += f"{found.n_rows} others."
    return "\n".join(
        [
            f"{given.detected.reason}.",
            how,
            "",
            align(_lines(found)),
            "",
            f"From sorb: the difference in {found.loss.measure} ± its standard error; + is worse.",
        ]
    )


def _count(given: TrainingTable, found: Comparison, cv: int | None) -> int:
    """How many rows were measured: with folds all of them, of which copies are measured as one."""
    return len(given.labelled.y) if cv else found.n_rows


def _lines(found: Comparison) -> list[list[str]]:
    measure = found.loss.measure
    measured = [method.measures for method in found.methods.values()]
    losses = format_losses([found.loss.measured(m.risk) for m in measured])
    if found.loss.has_classes:
        head = ["", "AUC", "95 % interval", measure, "from sorb", "calibration error"]
        body = [
            [
                *_write(m.auc),
                loss,
                _difference(found, name),
                f"{100 * m.calibration_error:.1f} %",
            ]
            for (name, m, loss) in zip(found.methods, measured, losses, strict=True)
        ]
    else:
        head = ["", "R²", "95 % interval", measure, "from sorb", "mean absolute error"]
        errors = format_losses([m.mae for m in measured])
        body = [
            [*_write(m.estimate("r2")), loss, _difference(found, name), mae]
            for (name, m, loss, mae) in zip(found.methods, measured, losses, errors, strict=True)
        ]
    names = list(found.methods)
    return [
        [*head, "size", "seconds"],
        *(
            [name, *cells, found.methods[name].size, f"{found.methods[name].seconds:.1f}"]
            for name, cells in zip(names, body, strict=True)
        ),
    ]


def _write(found: Estimate | None) -> tuple[str, str]:
    if found is None:
        return UNKNOWN, ""

    def write(value: float) -> str:
        return f"{value:.3f}".replace("-", MINUS)

    return write(found.value), format_interval(found, write)


def _difference(found: Comparison, name: str) -> str:
    """Write how much worse a method is than sorb, with its standard error."""
    gain = found.methods[name].against_sorb
    if gain is None:
        return ""
    if not np.isfinite(gain.value) or gain.standard_error is None:
        return "–"
    worse, error = (found.loss.measured(value) for value in (-gain.value, gain.standard_error))
    sign = "+" if worse > 0 else ""
    return f"{sign}{notation.number(worse, 2)} ± {notation.number(error, 2)}"
