"""How good a model is on rows whose outcome is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.cli.models import class_labels, predictions
from sorb.rules import RuleEnsemble
from sorb.rules.notation import MINUS, number
from sorb.rules.prediction import class_probabilities
from sorb.tables.targets import Outcomes

__all__ = ["Measures", "format_risks", "measure_lines"]

BINS = 10
UNKNOWN = "–"

# Smaller numbers need more than four decimals, unless they are zero up to rounding: that is below
# the least, or below this share of the risk.
SMALL, LEAST, SHARE = 1e-3, 1e-14, 1e-9

NAMES = {"risk": "risk", "error": "error", "r2": "R²", "calibration_error": "calibration error"}


@dataclass(frozen=True, slots=True)
class Measures:
    """How good the predictions of a model are; infinitely bad if they are too large for a float.

    Attributes
    ----------
    risk : float
        The mean loss.
    error : float or None
        The share of wrong classes; None if numbers are predicted.
    r2 : float or None
        The share of the variance that is explained; None if classes are predicted, or if all
        outcomes are equal.
    calibration_error : float
        The mean difference between what the model expects and what occurs, over ten bins of equal
        width that group rows by their expected outcome: the probability of the second class, of
        each class in turn if there are more, or the predicted number.

    Examples
    --------
    >>> import numpy as np
    >>> ensemble = RuleEnsemble(0.0, (), (), "logistic", ("no", "yes"))
    >>> found = Measures.of(ensemble, np.array([-2.0, 2.0]), ["no", "no"], np.ones(2))
    >>> found.error
    0.5
    """

    risk: float
    error: float | None
    r2: float | None
    calibration_error: float

    @classmethod
    def of(
        cls,
        ensemble: RuleEnsemble,
        scores: Float,
        y: Any,
        weight: Float,
        exposure: Float | None = None,
    ) -> Measures:
        """Compare scores with the outcomes of their rows, or with rates if there is an exposure."""
        outcomes = Outcomes.of(ensemble, y, weight, exposure)
        risk = outcomes.risk(scores)
        if class_labels(ensemble):
            found = predictions(ensemble, scores)
            wrong = [a != b for a, b in zip(found, y, strict=True)]
            error = float(np.average(wrong, weights=weight))
            expected, occurred = _class_probabilities(ensemble, scores, outcomes.y)
            gap = _calibration_error(expected, occurred, weight, (0.0, 1.0))
            return cls(risk, error, None, gap)
        mean = np.array(predictions(ensemble, scores))
        weight = outcomes.weight
        gap = _calibration_error(mean[:, None], outcomes.y[:, None], weight, _range(mean))
        return cls(risk, None, _r2(mean, outcomes.y, weight), gap)


def _class_probabilities(ensemble: RuleEnsemble, scores: Float, y: Float) -> tuple[Float, Float]:
    """Compute the probability of each class and whether it occurred; of two, only the second."""
    expected = class_probabilities(ensemble.loss, ensemble.classes, scores)
    if expected.shape[1] <= 2:
        return expected[:, -1:], y[:, None]
    return expected, (y[:, None] == np.arange(expected.shape[1])).astype(np.float64)


def _range(mean: Float) -> tuple[float, float]:
    return float(mean.min()), float(mean.max())


def _calibration_error(
    expected: Float, occurred: Float, weight: Float, limits: tuple[float, float]
) -> float:
    low, high = limits
    if not math.isfinite(high - low):
        return math.inf  # some expected outcome is
    scaled = (expected - low) / ((high - low) or 1.0)
    bins = np.minimum((scaled * BINS).astype(np.intp), BINS - 1)
    gaps = [
        np.bincount(bins[:, k], weight * (expected[:, k] - occurred[:, k]), BINS)
        for k in range(expected.shape[1])
    ]
    return float(np.abs(gaps).sum() / (weight.sum() * len(gaps)))


def _r2(mean: Float, y: Float, weight: Float) -> float | None:
    total = float(weight @ (y - np.average(y, weights=weight)) ** 2)
    with np.errstate(over="ignore"):  # the square of a large prediction may be infinite
        return 1 - float(weight @ (y - mean) ** 2) / total if total else None


def measure_lines(found: Sequence[Measures]) -> list[list[str]]:
    """Format measures of the same rows side by side, one line for each that they have.

    Examples
    --------
    >>> measure_lines([Measures(0.3512, 0.125, None, 0.02)])
    [['risk', '0.3512'], ['error', '12.5 %'], ['calibration error', '0.0200']]
    """
    values = [asdict(measures) for measures in found]
    risk = max(measures.risk for measures in found)
    return [
        [name, *_format(key, [value[key] for value in values], risk)]
        for key, name in NAMES.items()
        if any(value[key] is not None for value in values)
    ]


def format_risks(values: Sequence[float | None]) -> list[str]:
    """Format risks that stand in one column, of which some may be unknown.

    Examples
    --------
    >>> format_risks([0.66, 0.0512, None])
    ['0.6600', '0.0512', '–']
    """
    known = [value for value in values if value is not None]
    return _format("risk", values, max(known)) if known else [UNKNOWN] * len(values)


def _format(key: str, values: Sequence[float | None], risk: float) -> list[str]:
    """Write one measure of all models; R² and errors are shares, the others have units."""
    largest = max(value for value in values if value is not None)
    if key == "error":
        write = _percentage
    elif key != "r2" and max(LEAST, SHARE * risk) < largest < SMALL:
        write = _significant
    else:
        write = _four_decimals
    return [UNKNOWN if value is None else write(value) for value in values]


def _percentage(value: float) -> str:
    return f"{100 * value:.1f} %"


def _significant(value: float) -> str:
    return number(value, 4)


def _four_decimals(value: float) -> str:
    # The same number of decimals in each column, unless the numbers are large.
    return f"{value:.4f}".replace("-", MINUS) if abs(value) < 10 else number(value, 5)
