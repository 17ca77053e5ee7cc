"""Whether a fit has learned anything, in a sentence, and why it has not."""

from __future__ import annotations

from sorb.cli.fitted_model import MeasuredModel
from sorb.rules import notation

__all__ = ["find_verdict"]

# Fewer rows, or fewer of a class, hardly tell rules from noise.
FEW_ROWS, FEW_OF_A_CLASS = 60, 30
NO_BETTER = "No better than without rules"


def find_verdict(
    model: MeasuredModel, n_training: int, n_test: int, rarest: int | None
) -> str | None:
    """Say so if a model is no better than without rules, and why; None if it is better.

    Parameters
    ----------
    model : the model, with its measures.
    n_training, n_test : the number of rows.
    rarest : how many training rows there are of the rarest class, if there are classes.
    """
    if not len(model.ensemble):
        return f"{NO_BETTER}: there are none. {_explain_nothing(n_training, rarest)}"
    validated = model.cross_validation
    gain = None if validated is None else validated.gain
    if not n_test:
        if gain is None or gain.is_clear:
            return None
        return f"{NO_BETTER}, as far as cross-validation can tell: the rules may describe noise."
    found = model.performance.verdict
    if found is None:
        return None
    if gain is None:
        why = "No cross-validation chose the size, so the rules may describe noise."
    elif gain.is_clear:
        why = "Cross-validation, within the training rows, found the rules clearly better."
    else:
        why = "Nor could cross-validation tell: the rules may describe noise."
    return f"{found} {why}"


def _explain_nothing(n_training: int, rarest: int | None) -> str:
    """Why there are no rules."""
    if n_training < FEW_ROWS or (rarest is not None and rarest < FEW_OF_A_CLASS):
        of_class = "" if rarest is None else f", {rarest} of them of the rarest class"
        rows = notation.count(n_training, "training row")
        return f"With {rows}{of_class}, little can be told from noise: more rows may help."
    return (
        f"In {notation.count(n_training, 'training row')}, the columns tell nothing about the "
        "target that could not be chance."
    )
