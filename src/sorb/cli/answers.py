"""What a model says about rows, as columns of a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sorb._types import Float
from sorb.cli.models import class_labels, predictions
from sorb.rules import Label, RuleEnsemble
from sorb.rules.prediction import class_probabilities

__all__ = ["find_answers", "require_other_names"]


def find_answers(ensemble: RuleEnsemble, scores: Float, proba: bool) -> dict[str, Any]:
    """Give the column ``prediction``, and the probability of each class if that is wanted."""
    answers: dict[str, Any] = {"prediction": predictions(ensemble, scores)}
    if proba:
        columns = class_probabilities(ensemble.loss, ensemble.classes, scores).T.tolist()
        names = _probability_names(class_labels(ensemble))
        answers.update(zip(names, columns, strict=True))
    return answers


def require_other_names(copied: Sequence[str], answers: Collection[str], where: str) -> None:
    """Refuse columns to copy that have the name of an answer."""
    for name in copied:
        if name in answers:
            raise ValueError(
                f"column {name!r} has the name of a column of the result: rename it in {where}"
            )


def _probability_names(labels: tuple[Label, ...]) -> list[str]:
    """Name the column of each class; two classes may differ in their type only."""
    names = {f"probability_{label}": label for label in labels}
    for label in labels:
        other = names[f"probability_{label}"]
        if other != label:
            raise ValueError(
                f"the classes {label!r} and {other!r} would share the column 'probability_{label}' "
                "of --proba: rename one of them in the model"
            )
    return list(names)
