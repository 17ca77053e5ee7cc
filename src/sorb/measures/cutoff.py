"""From which probability on a row counts as positive, and how good such decisions are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float
from sorb.measures.estimate import Estimate, estimate_share
from sorb.rules import RuleEnsemble
from sorb.rules.notation import label, number
from sorb.rules.prediction import class_labels, class_probabilities

__all__ = ["Cutoff", "Decisions", "choose_cutoff", "positive_label"]

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Cutoff:
    """Rows whose probability of the positive class is above `value` count as positive.

    Attributes
    ----------
    value : float
        The probability.
    reason : str
        Why it is this one.

    Examples
    --------
    >>> Cutoff.by_costs(10, 1, "ill")
    Cutoff(value=0.09090909090909091, reason='a missed ill costs 10 times a false alarm')
    """

    value: float
    reason: str

    @classmethod
    def by_costs(cls, missed: float, false_alarm: float, positive: str) -> Cutoff:
        """Choose the probability above which a false alarm is the smaller loss to expect."""
        for name, cost in (("missed positive", missed), ("false alarm", false_alarm)):
            if not 0 < cost < math.inf:
                raise ValueError(
                    f"the cost of a {name} must be finite and more than 0, found {cost}"
                )
        ratio = missed / false_alarm
        times = (
            f"costs {number(ratio, 4)} times a false alarm"
            if ratio >= 1
            else f"costs 1/{number(1 / ratio, 4)} of a false alarm"
        )
        times = "costs as much as a false alarm" if ratio == 1 else times
        return cls(false_alarm / (false_alarm + missed), f"a missed {positive} {times}")

    @classmethod
    def by_hand(cls, value: float) -> Cutoff:
        """Take a probability that someone chose."""
        if not 0 < value < 1:
            raise ValueError(f"the cut-off must be a probability between 0 and 1, found {value}")
        return cls(float(value), "as chosen")

    def explain(self, positive: str) -> str:
        """Say in a sentence what it means for the measures from the sensitivity on."""
        return (
            f"From sensitivity on, a row counts as {positive} (+) above a probability of "
            f"{number(100 * self.value, 3)} %: {self.reason}."
        )

    def is_above(self, probability: Float) -> Bool:
        """Which rows count as positive; a probability that equals the cut-off does not."""
        return np.asarray(probability > self.value * (1 + ROUNDING))


@dataclass(frozen=True, slots=True)
class Decisions:
    """How good decisions at a cut-off are; None where there are no such rows.

    Attributes
    ----------
    sensitivity, specificity : Estimate or None
        Which share of the positive rows is found, and which of the negative rows is left alone.
    positive_predictive_value, negative_predictive_value : Estimate or None
        Which share of the rows that count as positive, or as negative, are so.
    """

    sensitivity: Estimate | None
    specificity: Estimate | None
    positive_predictive_value: Estimate | None
    negative_predictive_value: Estimate | None

    @classmethod
    def of(
        cls,
        above: Bool,
        positive: Bool,
        weight: Float,
        group: NDArray[np.intp] | None = None,
        count: Float | None = None,
    ) -> Decisions:
        """Compare which rows count as positive with those that are.

        Examples
        --------
        >>> above = np.array([True, True, False, False])
        >>> found = Decisions.of(above, np.array([True, False, True, False]), np.ones(4))
        >>> found.sensitivity.value, found.positive_predictive_value.value
        (0.5, 0.5)
        """
        return cls(
            estimate_share(above, positive, weight, group, count),
            estimate_share(~above, ~positive, weight, group, count),
            estimate_share(positive, above, weight, group, count),
            estimate_share(~positive, ~above, weight, group, count),
        )


def choose_cutoff(
    ensemble: RuleEnsemble,
    baseline: Float,
    cutoff: float | None,
    costs: tuple[float, float] | None,
    share: str,
) -> Cutoff | None:
    """Choose the cut-off: by costs, by hand, or else that of the baseline, which is a `share`."""
    if not has_two_classes(ensemble):
        if cutoff is None and costs is None:
            return None
        what = "costs are" if cutoff is None else "a cut-off is"
        raise ValueError(f"{what} for models of two classes, which this one is not")
    positive = positive_label(ensemble)
    if costs is not None:
        if cutoff is not None:
            raise ValueError("costs decide the cut-off: give one of both")
        missed, false_alarm = costs
        return Cutoff.by_costs(missed, false_alarm, positive)
    if cutoff is not None:
        return Cutoff.by_hand(cutoff)
    value = class_probabilities(ensemble.loss, ensemble.classes, baseline[:1])[0, 1]
    return Cutoff(float(value), share.format(positive))


def has_two_classes(ensemble: RuleEnsemble) -> bool:
    """Whether a model tells two classes apart."""
    return ensemble.loss.has_classes and len(class_labels(ensemble.classes)) == 2


def positive_label(ensemble: RuleEnsemble) -> str:
    """Name the class that counts as positive."""
    return label(class_labels(ensemble.classes)[-1]) if ensemble.loss.has_classes else ""
