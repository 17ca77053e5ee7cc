"""``sorb scorecard``: whole points to add up by hand, as text, as a page to print, or as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    JsonOption,
    ModelArgument,
    OutOption,
    TargetOption,
    WeightOption,
    examples,
)
from sorb.cli.decision import CostsOption, CutoffOption, Decision
from sorb.cli.output_file import check_output
from sorb.cli.reading_options import reads_tables
from sorb.tables.reading import FIND_OUT, Reading
from sorb.tables.source_paths import source_paths

if TYPE_CHECKING:
    from sorb.cli.labelled_rows import LabelledRows
    from sorb.rules import Label, RuleEnsemble
    from sorb.simplify import Scorecard

__all__ = ["EXAMPLES", "scorecard"]

EXAMPLES = examples(
    "sorb scorecard model.json patients.csv --target diabetes --max-points 5",
    "sorb scorecard model.json patients.csv --target diabetes --out card.html",
    "sorb scorecard model.json loans.csv --target paid --pdo 20 --base-score 600 --base-odds 50",
    "sorb scorecard model.json patients.csv --target diabetes --test later.csv --cutoff 0.2",
    "sorb scorecard model.json patients.csv --target diabetes --nomogram nomogram.pdf",
)


class CardFormat(str, Enum):
    """How a card is written."""

    text = "text"
    markdown = "markdown"
    html = "html"
    latex = "latex"
    json = "json"


SUFFIXES = {
    ".html": CardFormat.html,
    ".htm": CardFormat.html,
    ".md": CardFormat.markdown,
    ".tex": CardFormat.latex,
    ".json": CardFormat.json,
}


@reads_tables
def scorecard(
    model: ModelArgument,
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]",
            help="Rows to choose points and numbers by: a CSV, .xlsx or Parquet file, or - for "
            "standard input. They need --target.",
        ),
    ] = None,
    target: TargetOption = None,
    weight: WeightOption = None,
    test: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Other rows, on which to measure what the card costs."),
    ] = None,
    cutoff: CutoffOption = None,
    costs: CostsOption = None,
    max_points: Annotated[
        int | None,
        typer.Option(metavar="N", show_default="10", help="The most points that a line may get."),
    ] = None,
    high: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS", show_default="the class whose probability the model gives",
            help="The class that points speak for.",
        ),
    ] = None,
    pdo: Annotated[
        float | None,
        typer.Option(metavar="N", help="Make a score, with these points to double the odds."),
    ] = None,
    base_score: Annotated[
        float | None,
        typer.Option(metavar="N", show_default="600", help="With --pdo: the score at --base-odds."),
    ] = None,
    base_odds: Annotated[
        float | None,
        typer.Option(
            metavar="N", show_default="50", help="With --pdo: the odds at --base-score."
        ),
    ] = None,
    format: Annotated[  # noqa: A002
        CardFormat | None,
        typer.Option(
            help="How the card is written; by default as the name of --out says, or as text."
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The title of an HTML page.")
    ] = None,
    about: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="A sentence on an HTML page: whom the card is for."),
    ] = None,
    nomogram: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the card as a nomogram: .png, .svg, .pdf, …"),
    ] = None,
    model_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the card as a model, too, for other commands."),
    ] = None,
    reading: Reading = FIND_OUT,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Turn a model of two classes into a scorecard: points to add up, and what a total means.

    No points are negative: a rule that votes the other way gives its points to the rows that it
    does not cover. With TABLE and --target, the points are those with the lowest log loss, numbers
    are shortened so that no row changes sides, and the card says what it costs.

    HTML is a page to print, also to PDF, from any browser. Rows are counted from 0.
    """
    from sorb.cli.figure_files import tell_warnings
    from sorb.cli.printing import print_text
    from sorb.rules import RuleEnsemble

    written = _format(format, as_json, out)
    _check_options(
        written,
        {"--target": target, "--weight": weight, "--test": test, "--cutoff": cutoff,
         "--costs": costs},
        {"--base-score": base_score, "--base-odds": base_odds},
        {"--title": title, "--about": about},
        table, pdo, max_points,
    )  # fmt: skip
    tables = [name for name in (table, test) if name is not None]
    read: list[str | Path] = [model, *source_paths(tables)]
    for file in (out, model_out, nomogram):
        check_output(file, read)
    if nomogram:
        from sorb.cli.figure_files import require_figure_file

        require_figure_file(nomogram)
    ensemble = RuleEnsemble.load(model)
    given: dict[str, Any] = {"max_points": max_points, "pdo": pdo, "base_score": base_score}
    given |= {
        "base_odds": base_odds,
        "cutoff": Decision.of(cutoff, costs).value,
        "high": _label(ensemble, high),
    }
    options = {name: value for name, value in given.items() if value is not None}
    with tell_warnings():
        card = _card(ensemble, table, target, weight, reading, options)
    if test is not None and target is not None:
        card = _with_test(card, test, target, weight, reading, options.get("cutoff"))
    if nomogram:
        _draw(card, nomogram)
    if model_out:
        card.ensemble.save(model_out)
    content = _written(card, written, title, about or "")
    if out is None:
        print_text(content)
    else:
        _save(content, out)
        print_text(f"The card is in {out}.")


def _save(content: str, out: Path) -> None:
    from sorb.rules.atomic_files import replace_file

    replace_file(out, f"{content}\n".encode())


def _format(chosen: CardFormat | None, as_json: bool, out: Path | None) -> CardFormat:
    if as_json and chosen not in (None, CardFormat.json):
        raise typer.BadParameter("--json and --format name two formats: give one of them")
    if out is not None and out.suffix.lower() == ".pdf":
        page = out.with_suffix(".html")
        raise typer.BadParameter(
            f"a PDF is printed from a browser: write --out {page}, and print that page"
        )
    if as_json:
        return CardFormat.json
    if chosen is not None:
        return chosen
    return CardFormat.text if out is None else SUFFIXES.get(out.suffix.lower(), CardFormat.text)


def _check_options(
    written: CardFormat,
    of_rows: Mapping[str, Any],
    of_scale: Mapping[str, Any],
    of_page: Mapping[str, Any],
    table: str | None,
    pdo: float | None,
    max_points: int | None,
) -> None:
    def refuse(options: Mapping[str, Any], reason: str) -> None:
        for option, value in options.items():
            if value is not None:
                raise typer.BadParameter(f"{option} {reason}")

    if table is None:
        refuse(of_rows, "needs a TABLE: the card is made without rows")
    elif of_rows["--target"] is None:
        raise typer.BadParameter("a TABLE needs --target, the column of its outcomes")
    if pdo is None:
        refuse(of_scale, "needs --pdo, the points that double the odds")
    elif max_points is not None:
        raise typer.BadParameter("--max-points has no effect with --pdo: the scale decides")
    if written is not CardFormat.html:
        refuse(of_page, "is for a page: give --format html, or --out with a name such as card.html")


def _label(ensemble: RuleEnsemble, high: str | None) -> Label | None:
    """Find the class that is meant by what was typed."""
    from sorb.rules.prediction import class_labels, find_label

    labels = class_labels(ensemble.classes)
    label = None if high is None else find_label(labels, high)
    if high is not None and label is None:
        known = " or ".join(map(str, labels))
        raise typer.BadParameter(f"--high must be a class of the model, {known}, found {high!r}")
    return label


def _card(
    ensemble: RuleEnsemble,
    table: str | None,
    target: str | None,
    weight: str | None,
    reading: Reading,
    options: Mapping[str, Any],
) -> Scorecard:
    from sorb.cli.labelled_rows import read_labelled_rows

    if table is None or target is None:
        return ensemble.scorecard(**options)
    rows = read_labelled_rows(table, [ensemble], target, weight, reading)
    card = ensemble.scorecard(rows.table, rows.y, rows.weight, **options)
    return _in_file(card, rows)


def _with_test(
    card: Scorecard,
    test: str,
    target: str,
    weight: str | None,
    reading: Reading,
    cutoff: float | None,
) -> Scorecard:
    from sorb.cli.labelled_rows import read_labelled_rows

    rows = read_labelled_rows(test, [card.model], target, weight, reading)
    chosen = {} if cutoff is None else {"cutoff": cutoff}
    name = f"rows of {Path(test).name}"
    return _in_file(card.with_test(rows.table, rows.y, rows.weight, rows=name, **chosen), rows)


def _in_file(card: Scorecard, rows: LabelledRows) -> Scorecard:
    """Name rows by their numbers in the file."""
    if card.cost is None:
        return card
    changed = tuple(rows.places[list(card.cost.changed_rows)].tolist())
    return replace(card, cost=replace(card.cost, changed_rows=changed))


def _draw(card: Scorecard, nomogram: Path) -> None:
    from sorb.cli.figure_files import save_figure
    from sorb.render import plot_nomogram

    save_figure(lambda: plot_nomogram(card), nomogram)


def _written(card: Scorecard, written: CardFormat, title: str | None, about: str) -> str:
    import json

    from sorb import render

    if written is CardFormat.json:
        return json.dumps(card.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if written is CardFormat.html:
        return render.scorecard_page(card, title, about).rstrip("\n")
    if written is CardFormat.markdown:
        return render.scorecard_markdown(card)
    return render.scorecard_latex(card) if written is CardFormat.latex else str(card)
