"""``sorb compare``: models side by side on the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    ExposureOption,
    GroupOption,
    JsonOption,
    WeightOption,
    examples,
)
from sorb.cli.loss_option import check_loss
from sorb.cli.reading_options import reads_tables
from sorb.cli.task import Task
from sorb.tables.files import require_pyarrow
from sorb.tables.reading import FIND_OUT, Reading

if TYPE_CHECKING:
    from sorb.cli.labelled_rows import LabelledRows
    from sorb.measures.measures import Measures
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "compare"]

MOST_SIDE_BY_SIDE = 4
# The options of fit about columns that methods without rules do not have.
UNCHANGED = ("--log-columns", "--units", "--monotone", "--together", "--price", "--dates")
EXAMPLES = examples(
    "sorb compare model.json simple.json new_patients.csv --target diabetes",
    "sorb compare models/*.json test.parquet --target price --json",
    "sorb compare patients.csv --target diabetes --with logistic,tree",
    "sorb compare patients.csv --target diabetes --with logistic,ebm,hgb --cv 5 --picture all.png",
)


@reads_tables
def compare(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL...] TABLE",
            help="Model files and a table of rows that they have not seen; or, with --with, only "
            "a table, of which methods learn.",
        ),
    ],
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column of the outcomes.")],
    methods: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="METHODS",
            help="Methods to compare sorb with on the table: logistic (linear for numbers), tree, "
            "ebm, hgb, separated by commas.",
        ),
    ] = None,
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    group: GroupOption = None,
    task: Annotated[
        Task | None, typer.Option(help="With --with: the kind of outcome, as in fit.")
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", callback=check_loss, help="With --with: the loss of numbers, as in fit."
        ),
    ] = None,
    categories: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="With --with: numbers that are categories."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="With --with: columns not to learn from."),
    ] = None,
    test_size: Annotated[
        float | None,
        typer.Option(
            min=0.01, max=0.9, metavar="SHARE",
            help="With --with: the share of the rows to measure on, by default 0.25.",
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            min=2, metavar="FOLDS",
            help="With --with: measure on all rows by cross-validation, instead of --test-size.",
        ),
    ] = None,
    random_state: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**32 - 1, metavar="SEED",
            help="With --with: the seed of all random draws, by default 0.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --with: a figure to write, .png, .svg, .pdf, …"),
    ] = None,
    reading: Reading = FIND_OUT,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Compare saved models on new rows, or sorb with other methods on a table.

    The AUC is the probability that a row of the second class has a higher score than one of the
    first; R² is the share of the variance that is explained; the calibration error is the mean
    difference between what is expected and what occurs. Of losses and errors, less is better.

    With --with, each method learns from the same training rows with its own usual settings, and
    predicts the same other rows. Categories and missing values need no preparation.
    """
    require_pyarrow()
    *models, table = paths
    of_methods = {
        "--group": group,
        "--task": task,
        "--loss": loss,
        "--categories": categories,
        "--ignore": ignore,
        "--test-size": test_size,
        "--cv": cv,
        "--random-state": random_state,
        "--picture": picture,
    }
    given = [option for option, value in of_methods.items() if value is not None]
    if methods is None:
        if given:
            raise typer.BadParameter(f"{given[0]} is for methods that learn, which --with names")
        _require_models(models, table)
        _compare_models(
            [Path(path) for path in models], table, target, weight, exposure, reading, as_json
        )
        return
    if models:
        raise typer.BadParameter(
            f"--with compares methods that learn from a table: leave out {models[0]}, or leave out "
            "--with to compare saved models on rows that they have not seen"
        )
    if cv and test_size:
        raise typer.BadParameter("--cv measures on all rows, so leave out --test-size")
    from sorb.cli.compare_methods import compare_on_table, method_names
    from sorb.cli.decision import Decision
    from sorb.cli.figure_files import require_figure_file
    from sorb.cli.fit_request import FitRequest
    from sorb.losses import loss_by_name

    names = method_names(methods)
    if picture is not None:
        require_figure_file(picture)
    request = FitRequest(
        sources=[table],
        target=target,
        weight=weight,
        exposure=exposure,
        group=group,
        task=Task.regression if loss else task,
        loss=loss_by_name(loss or "squared"),
        columns={
            **dict.fromkeys(UNCHANGED),
            "--categories": categories,
            "--ignore": ignore,
        },
        reading=reading,
        test_size=0.25 if test_size is None else test_size,
        random_state=random_state or 0,
        recalibrate=False,
        parameters={"random_state": random_state or 0, **({"loss": loss} if loss else {})},
        decision=Decision(),
    )
    compare_on_table(request, names, cv, picture, as_json)


def _require_models(models: list[str], table: str) -> None:
    """Refuse a table without models, or models without a table."""
    if not models and table.endswith(".json"):
        raise typer.BadParameter(f"TABLE is missing: on which rows should {table} be measured?")
    if not models:
        raise typer.BadParameter(
            f"name model files before {table} to compare them on its rows, or methods that learn "
            "from it, such as --with logistic,tree"
        )


def _compare_models(
    models: list[Path],
    table: str,
    target: str,
    weight: str | None,
    exposure: str | None,
    reading: Reading,
    as_json: bool,
) -> None:
    from sorb.cli.labelled_rows import read_labelled_rows
    from sorb.cli.printing import print_json, print_text
    from sorb.measures.measures import Measures
    from sorb.rules import RuleEnsemble
    from sorb.tables.targets import Outcomes

    ensembles = [RuleEnsemble.load(path) for path in models]
    _require_same_outcome(models, ensembles)
    rows = read_labelled_rows(table, ensembles, target, weight, reading, exposure)
    known = (rows.y, rows.weight, rows.exposure)
    found = [
        Measures.of(ensemble, ensemble(rows.table), Outcomes.of(ensemble, *known))
        for ensemble in ensembles
    ]
    if as_json:
        entries = [_entry(*three) for three in zip(models, ensembles, found, strict=True)]
        document = {
            "target": target,
            "rows": {"compared": len(rows.y), "without_target": rows.left_out},
            "models": entries,
        }
        print_json(document)
        return
    print_text(_text(models, ensembles, found, rows, target))


def _require_same_outcome(paths: list[Path], ensembles: list[RuleEnsemble]) -> None:
    from sorb.cli.models import class_labels

    first = set(class_labels(ensembles[0]))
    for path, ensemble in zip(paths, ensembles, strict=True):
        if set(class_labels(ensemble)) != first:
            raise ValueError(
                f"{paths[0]} and {path} cannot be compared: one predicts "
                f"{_outcome(ensembles[0])}, the other {_outcome(ensemble)}"
            )


def _outcome(ensemble: RuleEnsemble) -> str:
    from sorb.cli.models import class_labels

    labels = class_labels(ensemble)
    return f"the classes {', '.join(map(repr, labels))}" if labels else "numbers"


def _entry(path: Path, ensemble: RuleEnsemble, found: Measures) -> dict[str, Any]:
    return {
        "model": str(path),
        "loss": ensemble.loss.name,
        "rules": len(ensemble),
        "complexity": ensemble.complexity,
        **found.to_dict(),
    }


def _text(
    paths: list[Path],
    ensembles: list[RuleEnsemble],
    found: list[Measures],
    rows: LabelledRows,
    target: str,
) -> str:
    from sorb.measures.table import align, measure_lines
    from sorb.rules import notation

    measures = {ensemble.loss.measure for ensemble in ensembles}
    measured = measure_lines(found, ensembles[0].loss)
    lines = [
        ["", *map(str, paths)],
        # Of different losses, only the other measures can be compared.
        *(line for line in measured if len(measures) == 1 or line[0] not in measures),
        ["rules", *(str(len(ensemble)) for ensemble in ensembles)],
        ["complexity", *(str(ensemble.complexity) for ensemble in ensembles)],
    ]
    # One line for each model if there are too many to fit side by side.
    if len(paths) > MOST_SIDE_BY_SIDE:
        lines = [list(line) for line in zip(*lines, strict=True)]
    notes = [f"On {notation.count(len(rows.y), 'row')}."]
    if rows.left_out:
        left_out = notation.count(rows.left_out, "row")
        notes.append(f"Left out {left_out} without {notation.name(target)}.")
    if len(measures) > 1:
        notes.append(f"The {' and the '.join(sorted(measures))} cannot be compared.")
    return f"{align(lines)}\n\n{' '.join(notes)}"
