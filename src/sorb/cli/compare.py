"""``sorb compare``: models side by side on the same rows."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    ExposureOption,
    GroupOption,
    JsonOption,
    OutcomeOption,
    WeightOption,
    examples,
)
from sorb.cli.decision import CostsOption, CutoffOption, Decision
from sorb.cli.loss_option import check_loss
from sorb.cli.reading_options import reads_tables
from sorb.cli.task import Task
from sorb.tables.files import require_pyarrow
from sorb.tables.reading import FIND_OUT, Reading

if TYPE_CHECKING:
    from sorb.cli.labelled_rows import LabelledRows
    from sorb.measures.cutoff import Cutoff
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
            "a table that the methods learn from.",
        ),
    ],
    target: OutcomeOption,
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
    cutoff: CutoffOption = None,
    costs: CostsOption = None,
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
    For saved models, --cutoff or --costs say from when on a row counts as positive. The intervals
    allow for rows that belong together if --group names them.

    With --with, each method learns from the same training rows with its own usual settings, and
    predicts the same other rows. Categories and missing values need no preparation.
    """
    require_pyarrow()
    *models, table = paths
    of_methods = {
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
    decision = Decision.of(cutoff, costs)
    if methods is None:
        if given:
            raise typer.BadParameter(f"{given[0]} is for methods that learn, which --with names")
        _require_models(models, table)
        _compare_models(
            [Path(path) for path in models],
            table,
            target,
            weight,
            exposure,
            group,
            decision,
            reading,
            as_json,
        )
        return
    if models:
        raise typer.BadParameter(
            f"--with compares methods that learn from a table: leave out {models[0]}, or leave out "
            "--with to compare saved models on rows that they have not seen"
        )
    if decision != Decision():
        option = "--cutoff" if costs is None else "--costs"
        raise typer.BadParameter(f"{option} is for saved models: leave it out, or leave out --with")
    if cv and test_size:
        raise typer.BadParameter("--cv measures on all rows, so leave out --test-size")
    from sorb.cli.compare_methods import compare_on_table, method_names
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
    group: str | None,
    decision: Decision,
    reading: Reading,
    as_json: bool,
) -> None:
    from sorb.cli.labelled_rows import read_labelled_rows
    from sorb.cli.models import class_labels
    from sorb.cli.printing import print_json, print_text
    from sorb.measures.measures import Measures
    from sorb.measures.performance import cutoff_on_rows
    from sorb.rules import RuleEnsemble
    from sorb.tables.targets import Outcomes

    ensembles = [RuleEnsemble.load(path) for path in models]
    _require_same_outcome(models, ensembles)
    ensembles = [_about_same_class(ensemble, ensembles[0]) for ensemble in ensembles]
    labels = class_labels(ensembles[0])
    decision.check(target, len(labels) if ensembles[0].loss.has_classes else 0)
    rows = read_labelled_rows(table, ensembles, target, weight, reading, exposure, group)
    outcomes = [Outcomes.of(e, rows.y, rows.weight, rows.exposure) for e in ensembles]
    cutoff = cutoff_on_rows(ensembles[0], outcomes[0], decision.cutoff, decision.costs)
    found = [
        Measures.of(ensemble, ensemble(rows.table), known, cutoff, group=rows.group)
        for ensemble, known in zip(ensembles, outcomes, strict=True)
    ]
    if as_json:
        entries = [_entry(*three) for three in zip(models, ensembles, found, strict=True)]
        document = {
            "target": target,
            "rows": {"compared": len(rows.y), "without_target": rows.left_out},
            "cutoff": cutoff and asdict(cutoff),
            "models": entries,
        }
        print_json(document)
        return
    print_text(_text(models, ensembles, found, rows, target, cutoff))


def _require_same_outcome(paths: list[Path], ensembles: list[RuleEnsemble]) -> None:
    from sorb.cli.models import class_labels

    first = set(class_labels(ensembles[0]))
    for path, ensemble in zip(paths, ensembles, strict=True):
        if set(class_labels(ensemble)) != first:
            raise ValueError(
                f"{paths[0]} and {path} cannot be compared: one predicts "
                f"{_outcome(ensembles[0])}, the other {_outcome(ensemble)}"
            )


def _about_same_class(ensemble: RuleEnsemble, first: RuleEnsemble) -> RuleEnsemble:
    """Let a model of two classes speak of the class that the first model speaks of."""
    from sorb.measures.cutoff import has_two_classes

    if not has_two_classes(ensemble) or ensemble.classes is None or first.classes is None:
        return ensemble
    return ensemble.about(first.classes[-1])


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
    cutoff: Cutoff | None,
) -> str:
    from sorb.measures.cutoff import positive_label
    from sorb.measures.table import align, measure_lines
    from sorb.rules import notation

    measures = {ensemble.loss.measure for ensemble in ensembles}
    side_by_side = len(paths) <= MOST_SIDE_BY_SIDE
    measured = measure_lines(found, ensembles[0].loss, intervals=side_by_side)
    lines = [
        ["", *map(str, paths)],
        # Of different losses, only the other measures can be compared.
        *(line for line in measured if len(measures) == 1 or line[0] not in measures),
        ["rules", *(str(len(ensemble)) for ensemble in ensembles)],
        ["complexity", *(str(ensemble.complexity) for ensemble in ensembles)],
    ]
    # One line for each model, without intervals, if there are too many to fit side by side.
    if not side_by_side:
        lines = [list(line) for line in zip(*lines, strict=True)]
    intervals = ", with 95 % intervals" if side_by_side else ""
    notes = [f"On {notation.count(len(rows.y), 'row')}{intervals}."]
    if rows.left_out:
        left_out = notation.count(rows.left_out, "row")
        notes.append(f"Left out {left_out} without {notation.name(target)}.")
    if len(measures) > 1:
        notes.append(f"The {' and the '.join(sorted(measures))} cannot be compared.")
    if cutoff is not None:
        notes.append(cutoff.explain(positive_label(ensembles[0])))
    return f"{align(lines)}\n\n{' '.join(notes)}"
