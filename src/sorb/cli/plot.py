"""``sorb plot``: pictures of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    Decimal,
    DecimalSign,
    Model,
    Table,
    Target,
    Weight,
    examples,
    known_names,
    names,
    pairs,
    require_names,
)

if TYPE_CHECKING:
    import pyarrow as pa

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


# Which option is for which kind of picture.
FOR = {
    "--row": (Kind.contributions,),
    "--columns": (Kind.regions,),
    "--fix": (Kind.regions,),
    "--rule": (Kind.projection,),
    "--proposition": (Kind.projection,),
    "--target": (Kind.regions, Kind.projection, Kind.calibration, Kind.decision_curve),
    "--weight": (Kind.rules, Kind.projection, Kind.calibration, Kind.decision_curve),
}
NEEDED = {
    Kind.contributions: "--row",
    Kind.regions: "--columns",
    Kind.projection: "--target",
    Kind.calibration: "--target",
    Kind.decision_curve: "--target",
}


def plot(
    model: Model,
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="KIND",
            help="rules, contributions, regions, projection, calibration or decision-curve.",
        ),
    ],
    table: Table,
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
            help="For regions: values of other columns, NA for a missing one; if not given, they "
            "are what is usual.",
        ),
    ] = None,
    target: Target = None,
    weight: Weight = None,
    rule: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="For projection: the rule, from 1.")
    ] = None,
    proposition: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="For projection: its proposition, from 1."),
    ] = None,
    decimal: Decimal = None,
) -> None:
    """Draw a model and the rows of a table.

    \b
    rules          the weight of each rule, and how many rows it applies to
    contributions  what each rule adds for one row
    regions        what the model says for all values of one or two columns
    projection     what a proposition computes, for each outcome, and its cut
    calibration    what happened against what was expected
    decision-curve what acting on the probabilities is worth

    The curve of risk against complexity is drawn by 'sorb fit --curve'.
    """  # noqa: D301 (click knows the sign for lines that shall stay as they are)
    from sorb.cli.models import load_model
    from sorb.cli.pictures import require_picture, save_picture

    given = {
        "--row": row,
        "--columns": columns,
        "--fix": fix,
        "--target": target,
        "--weight": weight,
        "--rule": rule,
        "--proposition": proposition,
    }
    wishes = {option: value for option, value in given.items() if value is not None}
    _check_options(kind, wishes)
    require_picture(out)
    drawn = DRAWERS[kind](load_model(model), table, wishes, decimal)
    save_picture(drawn, out)


Wishes = Mapping[str, Any]
Sign = DecimalSign | None


def _check_options(kind: Kind, wishes: Wishes) -> None:
    for option in wishes:
        if kind not in FOR[option]:
            known = ", ".join(each.value for each in FOR[option])
            raise typer.BadParameter(f"{option} is for {known}")
    if kind in NEEDED and NEEDED[kind] not in wishes:
        raise typer.BadParameter(f"{kind.value} needs {NEEDED[kind]}")


def _rules(ensemble: RuleEnsemble, table: str, wishes: Wishes, decimal: Sign) -> Drawn:
    from sorb.cli.known_rows import weight_cells
    from sorb.cli.models import table_for
    from sorb.render import plot_rules

    weight = wishes.get("--weight")
    others = {weight: "--weight"} if weight else None
    rows = table_for(table, ensemble, others=others, decimal=decimal)
    weights = weight_cells(rows, weight)
    return lambda: plot_rules(ensemble, rows, weights)


def _contributions(ensemble: RuleEnsemble, table: str, wishes: Wishes, decimal: Sign) -> Drawn:
    from sorb.cli.models import one_row
    from sorb.explanation import Explanation
    from sorb.render import plot_contributions

    found = Explanation.of(ensemble, one_row(table, ensemble, wishes["--row"], decimal))[0]
    return lambda: plot_contributions(found)


def _regions(ensemble: RuleEnsemble, table: str, wishes: Wishes, decimal: Sign) -> Drawn:
    from sorb.cli.known_rows import known_rows
    from sorb.cli.models import table_for
    from sorb.render import plot_regions

    target = wishes.get("--target")
    known = None if target is None else known_rows(table, [ensemble], target, None, decimal)
    rows, outcomes = (
        (known.table, known.y) if known else (table_for(table, ensemble, decimal=decimal), None)
    )
    columns = names(wishes["--columns"], ensemble.columns)
    fixed = pairs(wishes.get("--fix"), "--fix", "age=50", ensemble.columns)
    _require_used([*columns, *fixed], ensemble)
    values = {name: _typed(rows, name, value) for name, value in fixed.items()}
    return lambda: plot_regions(ensemble, columns, rows, outcomes, fixed=values)


def _require_used(asked: Sequence[str], ensemble: RuleEnsemble) -> None:
    require_names(asked, ensemble.columns, "the model", "--columns or --fix")
    used = ensemble.used_columns
    for name in asked:
        if name not in used:
            others = f"; they use {known_names(used)}" if used else ""
            raise ValueError(f"no rule of the model uses the column {name!r}{others}")


def _projection(ensemble: RuleEnsemble, table: str, wishes: Wishes, decimal: Sign) -> Drawn:
    from sorb.cli.known_rows import known_rows
    from sorb.render import plot_projection

    known = known_rows(table, [ensemble], wishes["--target"], wishes.get("--weight"), decimal)
    chosen = _proposition(ensemble, wishes.get("--rule", 1), wishes.get("--proposition", 1))
    units = dict(ensemble.units)
    return lambda: plot_projection(chosen, known.table, known.y, known.weight, units=units)


def _calibration(ensemble: RuleEnsemble, table: str, wishes: Wishes, decimal: Sign) -> Drawn:
    from sorb.cli.known_rows import known_rows
    from sorb.render import plot_calibration

    known = known_rows(table, [ensemble], wishes["--target"], wishes.get("--weight"), decimal)
    return lambda: plot_calibration(ensemble, known.table, known.y, known.weight)


def _decision_curve(ensemble: RuleEnsemble, table: str, wishes: Wishes, decimal: Sign) -> Drawn:
    from sorb.cli.known_rows import known_rows
    from sorb.render import plot_decision_curve

    known = known_rows(table, [ensemble], wishes["--target"], wishes.get("--weight"), decimal)
    return lambda: plot_decision_curve(ensemble, known.table, known.y, known.weight)


def _typed(rows: pa.Table, name: str, value: str) -> Any:
    """Read a value as the column holds them, and what a table would miss as missing."""
    from sorb.cli.tables import MISSING, is_text

    if value in MISSING:
        return None
    if is_text(rows, name):
        return value
    try:
        return float(value)
    except ValueError:
        raise typer.BadParameter(f"--fix wants a number for {name}, found {value!r}") from None


def _proposition(ensemble: RuleEnsemble, rule: int, number: int) -> AnyProposition:
    if rule > len(ensemble):
        raise ValueError(f"there is no rule {rule}: the model has {len(ensemble)}")
    propositions = ensemble[rule - 1].condition.propositions
    if number > len(propositions):
        raise ValueError(f"there is no proposition {number}: rule {rule} has {len(propositions)}")
    return propositions[number - 1]


Drawn = Callable[[], Any]
DRAWERS: dict[Kind, Callable[[Any, str, Wishes, Sign], Drawn]] = {
    Kind.rules: _rules,
    Kind.contributions: _contributions,
    Kind.regions: _regions,
    Kind.projection: _projection,
    Kind.calibration: _calibration,
    Kind.decision_curve: _decision_curve,
}
