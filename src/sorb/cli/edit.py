"""``sorb edit``: a model that is changed by hand, and a log of what that did to whom."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    ExposureOption,
    GroupOption,
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
    from sorb.cli.labelled_rows import LabelledRows
    from sorb.editing import Change, Edited, EditLog
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "edit"]

EXAMPLES = examples(
    "sorb edit model.json patients.csv --target ill --drop 2 --out edited.json",
    'sorb edit model.json patients.csv --target ill --forbid 3 --author "C. Ode" --save-log l.json',
    "sorb edit model.json patients.csv --target ill --threshold 1.2=25 --out edited.json",
    "sorb edit model.json patients.csv --target ill --log l.json --out edited.json",
    "sorb edit model.json --pin 1=1.5 --out edited.json",
)

UNCHECKED = (
    "The votes are those of the log. Name the table that it was made with, to have them checked."
)


@reads_tables
def edit(
    model: ModelArgument,
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]",
            help="The rows that the other votes are fitted to, usually those that the model was "
            "learned from: a CSV, .xlsx or Parquet file, or - for standard input; needs --target. "
            "Without it, the other votes stay as they are.",
        ),
    ] = None,
    target: TargetOption = None,
    drop: Annotated[
        list[int] | None,
        typer.Option(min=1, metavar="N", help="Leave out rule N; may be given several times."),
    ] = None,
    forbid: Annotated[
        list[int] | None,
        typer.Option(
            min=1, metavar="N", help="Leave out rule N, and refuse changes that bring it back."
        ),
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N=VALUE",
            help="Set the threshold of rule N, on the scale that is printed; if the rule has "
            "several propositions, N.P names the one, such as 1.2=25.",
        ),
    ] = None,
    pin: Annotated[
        list[str] | None,
        typer.Option(metavar="N=VOTE", help="Give rule N this vote, which is not fitted again."),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Replay the changes of a log: one that --save-log or the page of a report wrote, "
            "or one that is written by hand. Votes in it must agree with the rows.",
        ),
    ] = None,
    reason: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="Why the model is changed, for the log.", show_default=False
        ),
    ] = "",
    author: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Who changes the model, for the log.", show_default=False
        ),
    ] = "",
    save_log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write the log to, in JSON.")
    ] = None,
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    group: GroupOption = None,
    reg_lambda: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="PENALTY",
            help="The penalty on the squared votes. By default the one that explains the votes of "
            "the model best: on the rows it was learned from, the one it was learned with.",
        ),
    ] = None,
    reading: Reading = FIND_OUT,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Drop or forbid rules, move thresholds and pin votes; fit all other votes again.

    Prints the new model, and for each change what it did: to how many rows, and to which. Of the
    table that sorb fit learned the model from, test rows are left out again. Nothing is kept
    without --out. Rules are counted from 1, and keep their numbers whatever happens to
    those before them; rows are counted from 0.
    """
    from sorb.cli.printing import print_json, print_text
    from sorb.rules import RuleEnsemble
    from sorb.rules.atomic_files import replace_file

    read: list[str | Path] = [model, *source_paths([table] if table else [])]
    read += [log] if log else []
    check_output(out, read)
    check_output(save_log, [*read, *([out] if out else [])])
    if (table is None) != (target is None):
        raise typer.BadParameter("votes are fitted to a TABLE with a --target: name both, or none")
    ensemble = RuleEnsemble.load(model)
    signature = {"reason": reason, "author": author}
    wanted = _changes(ensemble, log, drop or (), forbid or (), threshold, pin, signature)
    if table is None or target is None:
        needs_table = {"--weight": weight, "--exposure": exposure, "--group": group}
        for option, column in needs_table.items():
            if column is not None:
                raise typer.BadParameter(f"{option} needs a TABLE with a --target")
        found = ensemble.edited(wanted, reg_lambda=reg_lambda)
    else:
        from sorb.cli.labelled_rows import read_labelled_rows
        from sorb.cli.parts_of_fit import take_training_part

        # What the changes bring in is read, too.
        columns = [ensemble, ensemble.edited(wanted).ensemble]
        rows = read_labelled_rows(
            table, columns, target, weight, reading, exposure, group, unused_if_there=True
        )
        found = _edited(ensemble, wanted, take_training_part(rows, ensemble), reg_lambda)
    if out:
        found.ensemble.save(out)
    if save_log:
        replace_file(save_log, f"{found.to_json()}\n".encode())
    if as_json:
        print_json(_document(found, out, save_log))
    else:
        unchecked = table is None and wanted.offsets_and_votes is not None
        print_text(_text(found, out, save_log, UNCHECKED if unchecked else ""))


def _edited(
    ensemble: RuleEnsemble, wanted: EditLog, rows: LabelledRows, reg_lambda: float | None
) -> Edited:
    """Make the changes, and number the rows that they move as the table does."""
    from sorb.cli.printing import print_message

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = ensemble.edited(
            wanted, rows.table, rows.y, rows.weight, exposure=rows.exposure, reg_lambda=reg_lambda
        )
    for warning in caught:
        print_message(str(warning.message))
    effects = tuple(
        replace(effect, first_rows=tuple(rows.places[list(effect.first_rows)].tolist()))
        for effect in found.effects
    )
    return replace(found, effects=effects)


def _changes(
    ensemble: RuleEnsemble,
    log: Path | None,
    drop: Sequence[int],
    forbid: Sequence[int],
    thresholds: Sequence[str] | None,
    pins: Sequence[str] | None,
    signature: Mapping[str, str],
) -> EditLog:
    """Read a log, or take the changes from options: rules count from 1 there."""
    from sorb.editing import DropRule, EditLog, ForbidRule, PinVote
    from sorb.rules.text_files import read_text

    given = (drop, forbid, thresholds, pins)
    if log is not None:
        if any(given) or any(signature.values()):
            raise typer.BadParameter(
                "--log has all changes, reasons and authors: give no others (--save-log writes one)"
            )
        return EditLog.from_json(read_text(log), ensemble)
    if not any(given):
        raise typer.BadParameter(
            "nothing to change: use --drop, --forbid, --threshold, --pin or --log"
        )
    signed = {**signature, "time": datetime.now(timezone.utc).isoformat(timespec="seconds")}
    dropped = [DropRule(_rule(ensemble, str(n), "--drop"), **signed) for n in drop]
    forbidden = [ForbidRule(_rule(ensemble, str(n), "--forbid"), **signed) for n in forbid]
    moved = _moved(ensemble, split_pairs(thresholds, "--threshold", "1.2=25"), signed)
    pinned = [
        PinVote(_rule(ensemble, name, "--pin"), _number(vote, "--pin"), **signed)
        for name, vote in split_pairs(pins, "--pin", "1=1.5").items()
    ]
    return EditLog((*dropped, *forbidden, *moved, *pinned))


def _moved(
    ensemble: RuleEnsemble, thresholds: Mapping[str, str], signed: Mapping[str, str]
) -> list[Change]:
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
        ChangeCondition(rule, Condition(tuple(propositions)), **signed)
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


def _document(found: Edited, out: Path | None, log_file: Path | None) -> dict[str, Any]:
    return {
        "model": json.loads(found.ensemble.to_json()),
        "log": found.to_dict(),
        "out": None if out is None else str(out),
        "log_file": None if log_file is None else str(log_file),
    }


def _text(found: Edited, out: Path | None, log_file: Path | None, note: str) -> str:
    parts = [found.ensemble.describe(), found.log, *([note] if note else [])]
    if out:
        parts.append(f"The model is in {out}.")
    if log_file:
        parts.append(f"The log is in {log_file}.")
    return "\n\n".join(parts)
