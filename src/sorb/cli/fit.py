"""``sorb fit``: learn rules from a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sorb.cli.arguments import (
    AsJson,
    Decimal,
    DecimalSign,
    Table,
    Weight,
    examples,
    names,
    require_folder,
    require_names,
)
from sorb.cli.questions import Task

if TYPE_CHECKING:
    import pyarrow as pa

    from sorb.cli.known_rows import KnownRows
    from sorb.cli.learning import Learned

__all__ = ["EXAMPLES", "fit"]

INTERRUPTED = 130
EXAMPLES = examples(
    "sorb fit patients.csv --target diabetes",
    "sorb fit patients.csv --target diabetes --ignore id,name --cv 5 --out model.json",
    "sorb fit patients.csv --target diabetes --log-columns auto --integer",
    "sorb fit houses.parquet --target price --units area=m²,rent=€ --held-out 0 --json",
    "zcat claims.csv.gz | sorb fit - --target claims --task counts --weight years",
)


class Selection(str, Enum):
    """What cross-validation chooses."""

    best = "best"
    one_se = "one_se"


class ClassWeight(str, Enum):
    """How much the classes count."""

    balanced = "balanced"


def _some_jobs(count: int) -> int:
    if count == 0:
        raise typer.BadParameter("0 threads do nothing; say 1 or more, or -1 for all")
    return count


def _some_seconds(seconds: float | None) -> float | None:
    if seconds is not None and not seconds > 0:
        raise typer.BadParameter(f"the time must be above 0, found {seconds:g}")
    return seconds


def fit(
    table: Table,
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column to predict.")],
    task: Annotated[
        Task | None,
        typer.Option(
            help="What kind of outcome it is. If not given, texts, truth values and two different "
            "numbers are classes, and other numbers a quantity."
        ),
    ] = None,
    max_rules: Annotated[int, typer.Option(min=0, help="The largest number of rules.")] = 10,
    max_complexity: Annotated[
        int | None,
        typer.Option(min=0, help="The largest number of rules, propositions and weights in all."),
    ] = None,
    max_rule_complexity: Annotated[
        int, typer.Option(min=1, help="The largest number of weights in one rule.")
    ] = 5,
    cv: Annotated[
        int | None,
        typer.Option(
            min=2, metavar="FOLDS",
            help="Choose the strength of the penalty and the number of rules by cross-validation "
            "with so many folds.",
        ),
    ] = None,
    selection: Annotated[
        Selection | None,
        typer.Option(
            help="What --cv chooses: the model of the lowest risk, which is what it does if this "
            "is not given, or the simplest one within a standard error of it."
        ),
    ] = None,
    log_columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="auto|COLUMNS",
            help="Columns to take logarithms of, so that rules are about products and ratios; "
            "auto finds them.",
        ),
    ] = None,
    integer: Annotated[
        bool, typer.Option("--integer", help="Only whole numbers from −5 to 5 as weights.")
    ] = False,
    categories: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="Columns of numbers that are categories, as texts always are. In CSV they are "
            "taken as they are written, with leading zeros.",
        ),
    ] = None,
    class_weight: Annotated[
        ClassWeight | None,
        typer.Option(help="Let all classes count the same, however rare they are."),
    ] = None,
    units: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=UNIT,…", help="Units to print, such as weight=kg,height=m."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COLUMNS", help="Columns not to learn from.")
    ] = None,
    weight: Weight = None,
    held_out: Annotated[
        float,
        typer.Option(
            min=0, max=0.9, metavar="SHARE",
            help="The share of the rows that the model is judged by, and not learned from.",
        ),
    ] = 0.25,
    random_state: Annotated[
        int, typer.Option(min=0, metavar="SEED", help="The seed of all random draws.")
    ] = 0,
    jobs: Annotated[
        int,
        typer.Option(
            metavar="N", callback=_some_jobs, help="How many threads or processes; -1 means all."
        ),
    ] = 1,
    max_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", callback=_some_seconds,
            help="The time after which no rule is begun.",
        ),
    ] = None,
    decimal: Decimal = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file for the model, in JSON.")
    ] = None,
    curve: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A picture of risk against complexity: .png, .svg, .pdf, …"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Learn rules from a table, and judge them on rows held out.

    COLUMNS are separated by commas, or the option is given several times. Empty cells, ?, NA, <NA>,
    N/A, #N/A, NaN and NULL are missing values. Rows whose target is missing are left out, and so
    are columns without a name.
    """
    require_folder(out)
    _require_curve(curve, bool(held_out or cv))
    if selection and not cv:
        raise typer.BadParameter("--selection needs --cv, whose choice it is about")
    others = {"--target": target} | ({"--weight": weight} if weight else {})
    rows = _read(table, others, categories, decimal)

    # All of these need what reads tables, which is there by now.
    from sorb.cli.features import choose_features
    from sorb.cli.fit_report import Fit
    from sorb.cli.holding_out import held_out_rows
    from sorb.cli.known_rows import KnownRows
    from sorb.cli.learning import learn
    from sorb.cli.questions import find_task

    _require_outcomes(rows, target, task)
    known = KnownRows.of(rows, target, weight)
    found = find_task(target, known.y, task)
    classes = found.task is Task.classification
    if class_weight and not classes:
        raise typer.BadParameter(f"--class-weight is for classes, but {target} is a number")
    wishes = {
        "--ignore": ignore,
        "--categories": categories,
        "--log-columns": log_columns,
        "--units": units,
    }
    features = choose_features(rows, table, list(others.values()), wishes)
    parameters = {
        **features.parameters,
        **({"weights": "integer"} if integer else {}),
        **({"cv": cv} if cv else {}),
        **({"selection": selection.value} if selection else {}),
        **({"class_weight": class_weight.value} if class_weight else {}),
        "max_rules": max_rules,
        "max_rule_complexity": max_rule_complexity,
        "max_complexity": max_complexity,
        "max_seconds": max_seconds,
        "random_state": random_state,
        "n_jobs": jobs,
    }
    learned_from, kept = held_out_rows(known.y, held_out, random_state, classes)
    if cv and cv > len(learned_from):
        raise ValueError(f"--cv {cv} is more than the {len(learned_from)} rows to learn from")
    judged = known.take(kept, features.columns) if len(kept) else None
    try:
        learned = learn(found.task, known.take(learned_from, features.columns), judged, parameters)
    except KeyboardInterrupt:
        raise typer.Abort("interrupted before there was a model: nothing was written") from None
    _keep(learned, judged, out, curve)
    report = Fit(target, found, features, known, len(kept), learned, out)
    report.print_json() if as_json else report.print_text()
    _warn(learned)


def _require_curve(curve: Path | None, judged: bool) -> None:
    if curve is None:
        return
    from sorb.cli.pictures import require_picture

    require_picture(curve)
    if not judged:
        raise typer.BadParameter("--curve needs rows held out, or --cv")


def _read(
    table: str,
    others: Mapping[str, str],
    categories: Sequence[str] | None,
    decimal: DecimalSign | None,
) -> pa.Table:
    """Read a table with the columns for outcomes and weights, and categories as texts."""
    from sorb.cli.tables import as_categories, read_table

    rows = read_table(table, as_text=categories or (), decimal=decimal)
    known = rows.column_names
    for option, name in others.items():
        require_names([name], known, table, option)
    return as_categories(rows, [name for name in names(categories, known) if name in known])


def _require_outcomes(rows: pa.Table, target: str, task: Task | None) -> None:
    """Refuse numbers that are no texts but could not be read, unless they are called classes."""
    from sorb.cli.tables import is_text
    from sorb.cli.written_numbers import require_no_numbers

    if is_text(rows, target) and task is not Task.classification:
        require_no_numbers(rows[target], target, "--task classification")


def _keep(
    learned: Learned, held_out: KnownRows | None, out: Path | None, curve: Path | None
) -> None:
    """Write the files that were asked for."""
    from sorb.cli.learning import draw_curve
    from sorb.cli.pictures import save_picture

    if out:
        learned.ensemble.save(out)
    if curve:
        save_picture(partial(draw_curve, learned, held_out), curve)


def _warn(learned: Learned) -> None:
    """Tell what the learner had to say; an interruption is told by the exit code."""
    from sorb.cli.messages import tell

    interrupted = [warning for warning in learned.warnings if "interrupted" in warning]
    for warning in learned.warnings:
        if warning not in interrupted:
            tell(warning)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
