"""``sorb show``: a model as text, as a table for documents, or as data."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import ModelArgument, examples

if TYPE_CHECKING:
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "show"]

EXAMPLES = examples(
    "sorb show model.json",
    "sorb show model.json --digits 0",
    "sorb show model.json --format latex > rules.tex",
    "sorb show model.json --format json | jq '.rules[].condition'",
)


class ModelFormat(str, Enum):
    """How a model is shown."""

    text = "text"
    latex = "latex"
    html = "html"
    markdown = "markdown"
    json = "json"


def show(
    model: ModelArgument,
    format: Annotated[  # noqa: A002
        ModelFormat, typer.Option(help="How the model is written.")
    ] = ModelFormat.text,
    digits: Annotated[
        int | None,
        typer.Option(
            min=0, max=1000, metavar="N",
            help="Significant digits; thresholds get one more. 0 means all digits. By default 3, "
            "or all if no number has more than 8.",
        ),
    ] = None,
) -> None:  # fmt: skip
    """Show the rules of a model.

    LaTeX, Markdown and HTML are tables for documents. JSON holds the rules with their
    conditions as text; 'sorb export --to json' writes the model file.
    """
    from sorb import render
    from sorb.cli.printing import STDOUT, naming, print_json, print_text
    from sorb.rules import RuleEnsemble

    ensemble = RuleEnsemble.load(model)
    shown = ensemble.shown_digits("auto" if digits is None else digits or None)
    if format is ModelFormat.json:
        print_json(_document(ensemble, shown))
    elif format is ModelFormat.text:
        with naming(STDOUT):
            render.show(ensemble, shown)
    else:
        print_text(getattr(render, f"to_{format.value}")(ensemble, shown).rstrip("\n"))


def _document(ensemble: RuleEnsemble, digits: int | None) -> dict[str, Any]:
    return {
        "loss": ensemble.loss.name,
        **ensemble.loss.parameters,
        "classes": ensemble.classes,
        "columns": len(ensemble.columns),
        "used_columns": ensemble.used_columns,
        "units": dict(ensemble.units),
        "per_exposure": ensemble.per_exposure,
        "complexity": ensemble.complexity,
        "offset": ensemble.offset,
        "rules": [
            {
                "vote": rule.vote,
                "output": rule.output,
                "condition": rule.condition.format(digits),
                "complexity": rule.complexity,
            }
            for rule in ensemble
        ],
    }
