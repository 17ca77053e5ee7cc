"""``sorb dossier``: all that is known about a model, in a folder to hand in."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sorb.cli.arguments import (
    ExposureOption,
    GroupOption,
    JsonOption,
    ModelArgument,
    OutcomeOption,
    TableArgument,
    WeightOption,
    examples,
    split_names,
)
from sorb.cli.decision import CostsOption, CutoffOption, Decision
from sorb.cli.reading_options import reads_tables
from sorb.tables.files import STANDARD_INPUT
from sorb.tables.reading import FIND_OUT, Reading

__all__ = ["EXAMPLES", "dossier"]

EXAMPLES = examples(
    "sorb dossier model.json later.csv --target ill --test-rows --out dossier",
    "sorb dossier model.json later.csv --target ill --by sex,region --out dossier",
    "sorb dossier model.json later.csv --target ill --exports python,sqlite,onnx --out dossier",
    "sorb dossier model.json later.csv --target ill --no-rows --min-rows 10 --out dossier",
    "sorb verify dossier",
)


@reads_tables
def dossier(
    model: ModelArgument,
    table: TableArgument,
    target: OutcomeOption,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="The folder to write, new or empty.")
    ],
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the model is called.")
    ] = None,
    test_rows: Annotated[
        bool | None,
        typer.Option(
            "--test-rows/--training-rows",
            help="Whether the model has not seen these rows, or was learned from them. By default "
            "the dossier says that it is not known. Of the table that sorb fit learned from, only "
            "its test rows or training rows are taken.",
        ),
    ] = None,
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    group: GroupOption = None,
    cutoff: CutoffOption = None,
    costs: CostsOption = None,
    rows: Annotated[
        bool,
        typer.Option(
            "--rows/--no-rows",
            help="Whether the dossier holds the rows, in the columns that the model uses. Without "
            "them it discloses no value of a single row, and less can be verified.",
        ),
    ] = True,
    min_rows: Annotated[
        int, typer.Option(min=2, metavar="N", help="The fewest rows of a subgroup that is shown.")
    ] = 5,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="Columns that divide the rows into subgroups, besides those that the model uses, "
            "such as sex,region.",
        ),
    ] = None,
    exports: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="The exports to hold: python, javascript, r and c (all of them by default), onnx, "
            "or the name of a database, such as sqlite or duckdb; none for none of them.",
        ),
    ] = None,
    stability: Annotated[
        bool,
        typer.Option("--stability", help="Also learn the model again from resamples of the rows."),
    ] = False,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What 'sorb simplify --json' printed about the model."),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The log of an edited model, which --save-log of 'sorb edit' or the page of a "
            "report wrote.",
        ),
    ] = None,
    reading: Reading = FIND_OUT,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Write what people must hand in about a model, filled as far as the software knows it.

    FOLDER gets facts.json, with all that is known about the model and how good it is on TABLE; a
    model card, the TRIPOD+AI checklist, the technical documentation of the EU AI Act and an
    inventory entry for model risk, in which each line is filled or marked as for a human; and the
    model, the rows, their predictions and exports, which 'sorb verify' computes again.
    """
    from sorb.cli.labelled_rows import read_labelled_rows
    from sorb.cli.parts_of_fit import divide_as_fit
    from sorb.cli.printing import print_json, print_text
    from sorb.dossier.change_facts import History
    from sorb.dossier.exports import DEFAULT_EXPORTS
    from sorb.dossier.subject import Settings, Split
    from sorb.dossier.write import Contents, make_dossier, require_new
    from sorb.rules import RuleEnsemble

    decision = Decision.of(cutoff, costs)
    require_new(out)
    ensemble = RuleEnsemble.load(model)
    divides = split_names(by)
    found = read_labelled_rows(
        table,
        [ensemble],
        target,
        weight,
        reading,
        exposure,
        group,
        unused=stability,
        unused_if_there=test_rows is not None,
        also=divides,
    )
    if test_rows is not None:
        training, tested = divide_as_fit(found, ensemble)
        found = training if tested is None or not test_rows else tested
    split: Split | None = None if test_rows is None else ("test" if test_rows else "training")
    settings = Settings(decision.cutoff, decision.costs, min_rows, split, rows, tuple(divides))
    names = DEFAULT_EXPORTS if exports is None else split_names(exports)
    contents = Contents(
        title,
        () if [*names] == ["none"] else names,
        stability,
        History(
            None if log is None else _log(log),
            None if certificate is None else _certificate(certificate),
        ),
        {"model": _file(str(model)), "table": _file(table)},
    )
    written = make_dossier(ensemble, found.given, target, settings, contents, out)
    if as_json:
        document = {
            "out": str(out),
            "fingerprint": written.fingerprint,
            "files": dict(written.files),
        }
        print_json(document)
    else:
        print_text(str(written))


def _file(source: str) -> dict[str, str | None]:
    """Name a file, and say what identifies its content."""
    path = Path(source)
    if source == STANDARD_INPUT or not path.is_file():
        return {"name": source, "sha256": None}
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
    return {"name": path.name, "sha256": digest.hexdigest()}


def _log(path: Path) -> dict[str, Any]:
    """Read a log of ``sorb edit`` or of a page; whether it is one is found out later."""
    return _json_object(path, "log of changes")


def _certificate(path: Path) -> dict[str, Any]:
    """Read what ``sorb simplify --json`` printed."""
    found = _json_object(path, "certificate").get("certificate")
    if not isinstance(found, dict):
        raise ValueError(f"{path} is no certificate: expected what 'sorb simplify --json' prints")
    return found


def _json_object(path: Path, what: str) -> dict[str, Any]:
    """Read a JSON file; what is no object has no keys."""
    from sorb.rules.text_files import read_text

    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no {what}: {error}") from error
    return found if isinstance(found, dict) else {}
