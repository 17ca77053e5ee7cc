"""The options of ``sorb fit`` that decide how large models grow, and which of them is used."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import typer

__all__ = [
    "CvOption",
    "Effort",
    "EffortOption",
    "MaxComplexityOption",
    "MaxRuleComplexityOption",
    "MaxRulesOption",
    "PenaltyOption",
    "Selection",
    "SelectionOption",
    "choice_parameters",
]

AUTO = "auto"
LARGEST_PENALTY = 1e308


class Selection(str, Enum):
    """Which size is used."""

    near_best = "near_best"
    one_se = "one_se"
    best = "best"
    none = "none"


class Effort(str, Enum):
    """How much time to spend on better models."""

    low = "low"
    normal = "normal"
    high = "high"


def _check_penalty(text: str) -> str:
    try:
        valid = text == AUTO or 0 <= float(text) <= LARGEST_PENALTY
    except ValueError:
        valid = False
    if not valid:
        raise typer.BadParameter(f"must be auto or a number ≥ 0, found {text}")
    return text


MaxRulesOption = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", help="The largest number of rules. By default no limit."),
]
MaxComplexityOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="The largest number of rules, propositions and coefficients in total. By default 100, "
        "more for more than two classes, and no limit if --max-rules is given.",
    ),
]
MaxRuleComplexityOption = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="The largest number of coefficients in one rule."),
]
EffortOption = Annotated[
    Effort | None,
    typer.Option(
        help="How much time to spend on better models: after each new rule, a few of the older "
        "ones are learned again (normal, the default), many (high) or none (low)."
    ),
]
PenaltyOption = Annotated[
    str,
    typer.Option(
        metavar="auto|NUMBER",
        callback=_check_penalty,
        help="The penalty on the squared votes; auto lets cross-validation choose it.",
    ),
]
SelectionOption = Annotated[
    Selection | None,
    typer.Option(
        help="Which size cross-validation chooses: the smallest one whose log loss, or its like "
        "for numbers, is about as low as the lowest (near_best, the default) or within one "
        "standard error of it (one_se, the default with --cv); or the lowest (best). With none, "
        "there is no cross-validation: the largest model is used."
    ),
]
CvOption = Annotated[
    int | None,
    typer.Option(
        min=2,
        metavar="FOLDS",
        help="Cross-validate twelve times with this many folds, which takes longer but depends "
        "less on the draws.",
    ),
]


def choice_parameters(cv: int | None, selection: Selection | None, penalty: str) -> dict[str, Any]:
    """Give the parameters of the estimator that say how the penalty and the size are chosen.

    Examples
    --------
    >>> choice_parameters(None, Selection.none, "0.5")
    {'selection': None, 'reg_lambda': 0.5}
    >>> choice_parameters(3, None, "0.5")
    {'cv': 3, 'reg_lambdas': (0.5,)}
    """
    if cv and selection is Selection.none:
        raise typer.BadParameter("--selection none means no cross-validation, so leave out --cv")
    parameters: dict[str, Any] = {} if cv is None else {"cv": cv}
    if selection is not None:
        parameters["selection"] = None if selection is Selection.none else selection.value
    if penalty != AUTO and cv:
        parameters["reg_lambdas"] = (float(penalty),)
    elif penalty != AUTO:
        parameters["reg_lambda"] = float(penalty)
    return parameters
