"""``sorb plot``: figures of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    ExposureOption,
    ModelArgument,
    TableArgument,
    TargetOption,
    WeightOption,
    examples,
    require_names,
    split_names,
    split_pairs,
)
from sorb.cli.reading_options import reads_tables
from sorb.tables.quoting import quote_some
from sorb.tables.reading import FIND_OUT, Reading

if TYPE_CHECKING:
    import pyarrow as pa

    from sorb.cli.labelled_rows import LabelledRows
    from sorb.rules import AnyProposition, RuleEnsemble

__all__ = ["EXAMPLES", "plot"]

EXAMPLES = examples(
    "sorb plot model.json rules patients.csv --out rules.png",
    "sorb plot model.json contributions patients.csv --row 17 --out patient17.svg",
    "sorb plot model.json regions patients.csv --columns height,weight --fix age=50 --out map.png",
    "sorb plot model.json projection patients.csv --target diabetes --rule 1 --out rule1.pdf",
    "sorb plot model.json calibration new_patients.csv --target diabetes --out calibration.png",
    "sorb plot model.json decision-curve new_patients.csv --target diabetes --out worth.png",
)


class Kind(str, Enum):
    """What to draw."""

    rules = "rules"
    contributions = "contributions"
    regions = "regions"
    projection = "projection"
    calibration = "calibration"
    decision_curve = "decision-curve"


# The kinds of figures that each option is for.
FOR = {
    "--row": (Kind.contributions,),
    "--columns": (Kind.regions,),
    "--fix": (Kind.regions,),
    "--rule": (Kind.projection,),
    "--proposition": (Kind.projection,),
    "--target": (Kind.regions, Kind.projection, Kind.calibration, Kind.decision_curve),
    "--weight": (Kind.rules, Kind.projection, Kind.calibration, Kind.decision_curve),
    "--exposure": (Kind.regions, Kind.projection, Kind.calibration),
}
NEEDED = {
    Kind.contributions: "--row",
    Kind.regions: "--columns",
    Kind.projection: "--target",
    Kind.calibration: "--target",
    Kind.decision_curve: "--target",
}


@reads_tables
def plot(
    model: ModelArgument,
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="KIND",
            help="rules, contributions, regions, projection, calibration or decision-curve.",
        ),
    ],
    table: TableArgument,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file: .png, .svg, .pdf, …")],
    row: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="For contributions: the row, counted from 0."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="For regions: one column, or two with a comma."),
    ] = None,
    fix: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE,…",
            help="For regions: values of other columns, NA for a missing one; typical values if "
            "not given.",
        ),
    ] = None,
    target: TargetOption = None,
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    rule: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="For projection: the rule, counted from 1; the first if not given.",
        ),
    ] = None,
    proposition: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="For projection: its proposition, counted from 1; the first if not given.",
        ),
    ] = None,
    reading: Reading = FIND_OUT,
) -> None:
    """Draw a model and the rows of a table.

    \b
    rules          the vote of each rule, and how many rows it covers
    contributions  what each rule adds for one row
    regions        what the model says for all values of one or two columns
    projection     what a proposition computes for each outcome, and its threshold
    calibration    what happened against what was expected
    decision-curve what acting on the probabilities is worth

    projection, calibration and decision-curve need --target; regions draws the outcomes with it.
    The curve of risk against complexity is drawn by 'sorb fit --curve'.
    """  # noqa: D301 (click keeps the lines after this sign as they are)
    from sorb.cli.figure_files import require_figure_file, save_figure
    from sorb.rules import RuleEnsemble

    given = {
        "--row": row,
        "--columns": columns,
        "--fix": fix,
        "--target": target,
        "--weight": weight,
        "--exposure": exposure,
        "--rule": rule,
        "--proposition": proposition,
    }
    options = {option: value for option, value in given.items() if value is not None}
    _check_options(kind, options)
    require_figure_file(out)
    draw = FIGURES[kind](RuleEnsemble.load(model), table, options, reading)
    save_figure(draw, out)


Options = Mapping[str, Any]


def _check_options(kind: Kind, options: Options) -> None:
    for option in options:
        if kind not in FOR[option]:
            known = ", ".join(each.value for each in FOR[option])
            raise typer.BadParameter(f"{option} is for {known}")
    if "--exposure" in options and "--target" not in options:
        raise typer.BadParameter("--exposure needs --target: only its outcomes depend on it")
    if kind in NEEDED and NEEDED[kind] not in options:
        raise typer.BadParameter(f"{kind.value} needs {NEEDED[kind]}")


def _rules(ensemble: RuleEnsemble, table: str, options: Options, reading: Reading) -> Draw:
    from sorb.cli.labelled_rows import column_weights
    from sorb.cli.model_tables import read_model_table
    from sorb.render import plot_rules

    weight = options.get("--weight")
    others = None if weight is None else {weight: "--weight"}
    rows = read_model_table(table, ensemble, others=others, reading=reading)
    weights = column_weights(rows, weight)
    return lambda: plot_rules(ensemble, rows, weights)


def _contributions(ensemble: RuleEnsemble, table: str, options: Options, reading: Reading) -> Draw:
    from sorb.cli.model_tables import read_model_row
    from sorb.explanation import Explanation
    from sorb.render import plot_contributions

    row = read_model_row(table, ensemble, options["--row"], reading)
    found = Explanation.of(ensemble, row)[0]
    return lambda: plot_contributions(found)


def _regions(ensemble: RuleEnsemble, table: str, options: Options, reading: Reading) -> Draw:
    from sorb.cli.model_tables import read_model_table
    from sorb.render import plot_regions

    if "--target" in options:
        known = _read_labelled(ensemble, table, options, reading)
        rows, outcomes, exposure = known.table, known.y, known.exposure
    else:
        rows, outcomes, exposure = read_model_table(table, ensemble, reading=reading), None, None
    columns = split_names(options["--columns"], ensemble.columns)
    fixed = split_pairs(options.get("--fix"), "--fix", "age=50", ensemble.columns)
    _require_used([*columns, *fixed], ensemble)
    values = {name: _read_value(rows, name, value) for name, value in fixed.items()}
    return lambda: plot_regions(ensemble, columns, rows, outcomes, exposure=exposure, fixed=values)


def _require_used(requested: Sequence[str], ensemble: RuleEnsemble) -> None:
    require_names(requested, ensemble.columns, "the model", "--columns or --fix")
    used = ensemble.used_columns
    for name in requested:
        if name not in used:
            others = f"; they use the columns {quote_some(used)}" if used else ""
            raise ValueError(f"no rule of the model uses column {name!r}{others}")


def _read_labelled(
    ensemble: RuleEnsemble, table: str, options: Options, reading: Reading
) -> LabelledRows:
    from sorb.cli.labelled_rows import read_labelled_rows
    from sorb.tables.exposure import require_rates

    target, weight = options["--target"], options.get("--weight")
    exposure = options.get("--exposure")
    if exposure:
        require_rates(ensemble.loss)
    return read_labelled_rows(table, [ensemble], target, weight, reading, exposure)


def _projection(ensemble: RuleEnsemble, table: str, options: Options, reading: Reading) -> Draw:
    from sorb.render import plot_projection

    known = _read_labelled(ensemble, table, options, reading)
    chosen = _proposition(ensemble, options.get("--rule", 1), options.get("--proposition", 1))
    units = dict(ensemble.units)
    return lambda: plot_projection(
        chosen, known.table, known.y, known.weight, exposure=known.exposure, units=units
    )


def _calibration(ensemble: RuleEnsemble, table: str, options: Options, reading: Reading) -> Draw:
    from sorb.render import plot_calibration

    known = _read_labelled(ensemble, table, options, reading)
    return lambda: plot_calibration(
        ensemble, known.table, known.y, known.weight, exposure=known.exposure
    )


def _decision_curve(ensemble: RuleEnsemble, table: str, options: Options, reading: Reading) -> Draw:
    from sorb.render import plot_decision_curve

    known = _read_labelled(ensemble, table, options, reading)
    return lambda: plot_decision_curve(ensemble, known.table, known.y, known.weight)


def _read_value(rows: pa.Table, name: str, value: str) -> Any:
    """Read a value as if it stood in a column of the table."""
    from sorb.tables.arrow import is_text
    from sorb.tables.missing_marks import MISSING

    if value in MISSING:
        return None
    if is_text(rows, name):
        return value
    try:
        return float(value)
    except ValueError:
        raise typer.BadParameter(f"--fix needs a number for {name}, found {value!r}") from None


def _proposition(ensemble: RuleEnsemble, rule: int, number: int) -> AnyProposition:
    if rule > len(ensemble):
        raise ValueError(f"there is no rule {rule}: the model has {len(ensemble)}")
    propositions = ensemble[rule - 1].condition.propositions
    if number > len(propositions):
        raise ValueError(f"there is no proposition {number}: rule {rule} has {len(propositions)}")
    return propositions[number - 1]


Draw = Callable[[], Any]
FIGURES: dict[Kind, Callable[[Any, str, Options, Reading], Draw]] = {
    Kind.rules: _rules,
    Kind.contributions: _contributions,
    Kind.regions: _regions,
    Kind.projection: _projection,
    Kind.calibration: _calibration,
    Kind.decision_curve: _decision_curve,
}
