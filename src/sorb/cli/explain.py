"""``sorb explain``: why a model says what it says about one row."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import JsonOption, ModelArgument, TableArgument, examples
from sorb.cli.reading_options import reads_tables
from sorb.tables.reading import FIND_OUT, Reading

if TYPE_CHECKING:
    from sorb.explanation import RowExplanation
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "explain"]

EXAMPLES = examples(
    "sorb explain model.json patients.csv --row 0",
    "sorb explain model.json patients.csv --row 17 --json",
)


@reads_tables
def explain(
    model: ModelArgument,
    table: TableArgument,
    row: Annotated[
        int, typer.Option(min=0, metavar="N", help="The row, counted from 0 below the header.")
    ],
    reading: Reading = FIND_OUT,
    as_json: JsonOption = False,
) -> None:
    """Show what each rule adds for one row, as numbers and in words."""
    from sorb.cli.model_tables import read_model_row
    from sorb.cli.printing import print_json, print_text
    from sorb.explanation import Explanation
    from sorb.rules import RuleEnsemble

    ensemble = RuleEnsemble.load(model)
    one = read_model_row(table, ensemble, row, reading)
    found = Explanation.of(ensemble, one)[0]
    outside = ensemble.outside_training(one)
    values = {name: one[name][0].as_py() for name in ensemble.used_columns}
    if as_json:
        [names] = outside.columns()
        print_json({"row": row, "outside_training": names, **_document(found, values)})
    else:
        unlike = "\n".join(each.describe() for each in outside.values)
        parts = [_values_text(ensemble, values), unlike, str(found), found.in_words()]
        print_text("\n\n".join(filter(None, parts)))


def _values_text(ensemble: RuleEnsemble, values: Mapping[str, Any]) -> str:
    """List the values that the rules use, with their units."""
    from sorb.rules.notation import label, name

    units = dict(ensemble.units)
    parts = (
        f"{name(c)} missing" if v is None else f"{name(c)} {label(v)} {units.get(c, '')}".rstrip()
        for c, v in values.items()
    )
    return fill(", ".join(parts), break_long_words=False, break_on_hyphens=False)


def _document(found: RowExplanation, values: Mapping[str, Any]) -> dict[str, Any]:
    import numpy as np

    from sorb.cli.models import predictions

    total = np.atleast_1d(found.total)
    scores = total[None] if found.ensemble.loss.score_per_class else total
    expected = found.expected
    return {
        "values": {column: _plain(value) for column, value in values.items()},
        "prediction": _plain(predictions(found.ensemble, scores)[0]),
        "score": np.asarray(found.total).tolist(),
        "expected": _numbers(expected.total()),
        "offset": {
            "score": np.asarray(found.ensemble.offset).tolist(),
            "expected": _numbers(expected.offset),
        },
        "rules": [
            {
                "condition": rule.condition.format(None),
                "output": rule.output,
                "covers": bool(found.covered[k]),
                "score": float(found.contributions[k]),
                "expected": _numbers(expected.contributions[k]),
            }
            for k, rule in enumerate(found.ensemble)
        ],
        "words": found.in_words(),
    }


def _numbers(values: Any) -> Any:
    """Convert a number, or one for each class, to what JSON can hold; infinity becomes null."""
    import numpy as np

    found = np.asarray(values).tolist()
    return list(map(_plain, found)) if isinstance(found, list) else _plain(found)


def _plain(value: Any) -> Any:
    """Convert a value to one that JSON can hold."""
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, type(None))) else str(value)
