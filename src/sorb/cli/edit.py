"""``sorb edit``: a model that is changed by hand, and a log of what that did to whom."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    ExposureOption,
    JsonOption,
    ModelArgument,
    OutOption,
    TargetOption,
    WeightOption,
    examples,
    split_pairs,
)
from sorb.cli.output_file import check_output
from sorb.cli.reading_options import reads_tables
from sorb.tables.reading import FIND_OUT, Reading
from sorb.tables.source_paths import source_paths

if TYPE_CHECKING:
    from sorb.editing import Change, Edited
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "edit"]

EXAMPLES = examples(
    "sorb edit model.json patients.csv --target ill --drop 2 --out edited.json",
    'sorb edit model.json patients.csv --target ill --pin 1=1.5 --reason "agreed" --log log.json',
    "sorb edit model.json patients.csv --target ill --threshold 1.2=25 --out edited.json",
    "sorb edit model.json patients.csv --target ill --changes log.json --out edited.json",
    "sorb edit model.json --pin 1=1.5 --out edited.json",
)


@reads_tables
def edit(
    model: ModelArgument,
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]",
            help="The rows that the other votes are fitted to, usually those that the model was "
            "learned from: a CSV or Parquet file, or - for standard input. Without it, they stay.",
        ),
    ] = None,
    target: TargetOption = None,
    drop: Annotated[
        list[int] | None,
        typer.Option(min=1, metavar="N", help="Leave out rule N; may be given several times."),
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N=VALUE",
            help="Move the threshold of rule N, as it is printed; N.P means its proposition P.",
        ),
    ] = None,
    pin: Annotated[
        list[str] | None,
        typer.Option(metavar="N=VOTE", help="Give rule N this vote, which is not fitted again."),
    ] = None,
    changes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Make the changes of a log, or of a file that is written by hand."
        ),
    ] = None,
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="Why, for the log.", show_default=False)
    ] = "",
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write the log to, in JSON.")
    ] = None,
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    reg_lambda: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="PENALTY",
            help="The penalty on the votes. By default the one that the model was learned with, as "
            "its votes tell.",
        ),
    ] = None,
    reading: Reading = FIND_OUT,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Drop rules, move thresholds and pin votes; fit all other votes again.

    Prints the new model, and for each change what it did: to how many rows, and to which. Rules are
    counted from 1, and keep their numbers whatever happens to those before them; rows are counted
    from 0.
    """
    from sorb.cli.printing import print_json, print_text
    from sorb.rules import RuleEnsemble
    from sorb.rules.atomic_files import replace_file

    read: list[str | Path] = [model, *source_paths([table] if table else [])]
    read += [changes] if changes else []
    check_output(out, read)
    check_output(log, [*read, *([out] if out else [])])
    if (table is None) != (target is None):
        raise typer.BadParameter("votes are fitted to a TABLE with a --target: name both, or none")
    ensemble = RuleEnsemble.load(model)
    wanted = _changes(ensemble, changes, drop or (), threshold, pin, reason)
    if table is None or target is None:
        for option, column in (("--weight", weight), ("--exposure", exposure)):
            if column is not None:
                raise typer.BadParameter(f"{option} needs a TABLE with a --target")
        found = ensemble.edited(wanted, reg_lambda=reg_lambda)
    else:
        from sorb.cli.labelled_rows import read_labelled_rows

        # What the changes bring in is read, too.
        columns = [ensemble, ensemble.edited(wanted).ensemble]
        rows = read_labelled_rows(table, columns, target, weight, reading, exposure)
        found = ensemble.edited(
            wanted,
            rows.table,
            rows.y,
            rows.weight,
            exposure=rows.exposure,
            reg_lambda=reg_lambda,
        )
        effects = tuple(
            replace(effect, first_rows=tuple(rows.places[list(effect.first_rows)].tolist()))
            for effect in found.effects
        )
        found = replace(found, effects=effects)
    if out:
        found.ensemble.save(out)
    if log:
        replace_file(log, f"{found.to_json()}\n".encode())
    if as_json:
        print_json(_document(found, out, log))
    else:
        print_text(_text(found, out, log))


def _changes(
    ensemble: RuleEnsemble,
    file: Path | None,
    drop: Sequence[int],
    thresholds: Sequence[str] | None,
    pins: Sequence[str] | None,
    reason: str,
) -> tuple[Change, ...]:
    """Read the changes from a file, or from options: rules count from 1 there."""
    from sorb.editing import DropRule, PinVote, changes_from_json
    from sorb.rules.text_files import read_text

    given = (drop, thresholds, pins)
    if file is not None:
        if any(given) or reason:
            raise typer.BadParameter("--changes has all changes and reasons: give no others")
        return changes_from_json(read_text(file), ensemble)
    if not any(given):
        raise typer.BadParameter("nothing to change: use --drop, --threshold, --pin or --changes")
    moved = _moved(ensemble, split_pairs(thresholds, "--threshold", "1.2=25"), reason)
    votes = split_pairs(pins, "--pin", "1=1.5")
    pinned = [
        PinVote(_rule(ensemble, name, "--pin"), _number(vote, "--pin"), reason)
        for name, vote in votes.items()
    ]
    dropped = [DropRule(_rule(ensemble, str(number), "--drop"), reason) for number in drop]
    return (*dropped, *moved, *pinned)


def _moved(ensemble: RuleEnsemble, thresholds: Mapping[str, str], reason: str) -> list[Change]:
    """The rules whose thresholds are moved, each with all its new thresholds."""
    from sorb.editing import ChangeCondition
    from sorb.rules import Condition, Membership

    conditions: dict[int, list[Any]] = {}
    for place, value in thresholds.items():
        rule_name, _, proposition_name = place.partition(".")
        rule = _rule(ensemble, rule_name, "--threshold")
        propositions = conditions.setdefault(rule, list(ensemble[rule].condition.propositions))
        if not proposition_name and len(propositions) > 1:
            raise typer.BadParameter(
                f"--threshold {place}: rule {rule_name} has {len(propositions)} propositions; name "
                f"one of them, as in {rule_name}.1={value}"
            )
        number = _whole(proposition_name or "1", "--threshold")
        if not 1 <= number <= len(propositions):
            raise typer.BadParameter(
                f"--threshold {place}: rule {rule_name} has propositions 1 to {len(propositions)}"
            )
        old = propositions[number - 1]
        if isinstance(old, Membership):
            raise typer.BadParameter(f"--threshold {place}: {old} has no threshold")
        propositions[number - 1] = old.with_threshold(_number(value, "--threshold"))
    return [
        ChangeCondition(rule, Condition(tuple(propositions)), reason)
        for rule, propositions in conditions.items()
    ]


def _rule(ensemble: RuleEnsemble, name: str, option: str) -> int:
    """The number of a rule, counted from 0."""
    number = _whole(name, option)
    if not 1 <= number <= len(ensemble):
        raise typer.BadParameter(
            f"{option} names rule {name}, but the model has rules 1 to {len(ensemble)}"
            if len(ensemble)
            else f"{option} names rule {name}, but the model has no rules"
        )
    return number - 1


def _whole(text: str, option: str) -> int:
    if not text.isdecimal():
        raise typer.BadParameter(f"{option} counts in whole numbers from 1, found {text!r}")
    return int(text)


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{option} needs numbers, found {text!r}") from None


def _document(found: Edited, out: Path | None, log: Path | None) -> dict[str, Any]:
    return {
        "model": json.loads(found.ensemble.to_json()),
        "log": found.to_dict(),
        "out": None if out is None else str(out),
        "log_file": None if log is None else str(log),
    }


def _text(found: Edited, out: Path | None, log: Path | None) -> str:
    parts = [found.ensemble.describe(), found.log]
    if out:
        parts.append(f"The model is in {out}.")
    if log:
        parts.append(f"The log is in {log}.")
    return "\n\n".join(parts)
