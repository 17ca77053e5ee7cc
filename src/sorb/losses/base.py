"""What every loss is: loss(y, f) = a(f) − b(f)·y + c(y), for an outcome y and a score f.

Each is linear in the outcome. The sum of the losses of rows with the same score is therefore
a(f)·Σw − b(f)·Σwy plus a constant, and so are its derivatives: two sums for each set of rows that
the same rules cover are all that the refit of the votes needs, whatever a and b are.

The formulas of a and b, with their derivatives, are in `src/kernels/losses.hpp` alone.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cache
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Bool, Float, assert_never

__all__ = ["MARGIN", "Loss", "Readout"]

# A probability never starts closer to its limits than this, so that scores stay finite.
MARGIN = 1e-12
# What summing up a risk loses, as a share of the parts that it is summed up from.
ROUNDING = 2e-15
# The rows of one dot product: for more, BLAS may start threads of its own.
_BLOCK = 1 << 13

T = TypeVar("T")


class Readout(Enum):
    """How the expected outcome is read off the score or scores of a row."""

    IDENTITY = "identity"
    EXPONENTIAL = "exponential"
    SIGMOID = "sigmoid"
    SOFTMAX = "softmax"


@dataclass(frozen=True, slots=True)
class Loss(ABC):
    """A loss, and everything that depends on which one it is.

    Outcomes `y` are numbers, or class indices if the loss `has_classes`; scores `f` have the shape
    (n,), or (n, classes) if there is a `score_per_class`. The fields of a loss are its parameters.

    Attributes
    ----------
    name : str
        What users, model files and the kernels call it.
    readout : Readout
        How the expected outcome is read off the scores.
    measure : str
        What users call the mean loss, or twice the mean loss if the outcomes are numbers.
    centred : bool
        Whether outcomes are counted from their mean in training, so that squares lose no digits.
    non_negative : bool
        Whether no outcome may be negative: scikit-learn's tag `positive_only`.
    """

    name: ClassVar[str]
    readout: ClassVar[Readout]
    measure: ClassVar[str]
    centred: ClassVar[bool]
    non_negative: ClassVar[bool]

    def __str__(self) -> str:
        return self.name

    @property
    def has_classes(self) -> bool:
        """Whether the outcomes are classes, which have probabilities."""
        match self.readout:
            case Readout.SIGMOID | Readout.SOFTMAX:
                return True
            case Readout.IDENTITY | Readout.EXPONENTIAL:
                return False
            case _:
                return assert_never(self.readout)

    @property
    def score_per_class(self) -> bool:
        """Whether there is one score for each class."""
        match self.readout:
            case Readout.SOFTMAX:
                return True
            case Readout.IDENTITY | Readout.EXPONENTIAL | Readout.SIGMOID:
                return False
            case _:
                return assert_never(self.readout)

    @property
    def has_rates(self) -> bool:
        """Whether outcomes may accumulate over an exposure; the model then predicts rates."""
        match self.readout:
            case Readout.EXPONENTIAL:
                return True
            case Readout.IDENTITY | Readout.SIGMOID | Readout.SOFTMAX:
                return False
            case _:
                return assert_never(self.readout)

    def by_readout(self, table: Mapping[Readout, T], done: str) -> T:
        """Look up what depends on the readout, where a model is `done`, such as "exported"."""
        if self.readout not in table:
            raise ValueError(f'models with the loss "{self}" cannot be {done}')
        return table[self.readout]

    def measured(self, risk: float) -> float:
        """Turn a mean loss, or its standard error, into what users know under the measure's name.

        Losses of numbers are half of a square or of a deviance, so that derivatives have no factor.
        """
        return risk if self.has_classes else 2 * risk

    @property
    def parameters(self) -> dict[str, float]:
        """What the loss depends on besides its name."""
        return asdict(self)

    @property
    def kernel(self) -> _kernels.Loss:
        """The same loss as the kernels know it."""
        return _kernel(self)

    @abstractmethod
    def check_outcomes(self, y: Float, what: str = "y", rows: Sequence[int] | None = None) -> None:
        """Raise an error that names the row, if an outcome is outside the domain of the loss.

        The error calls the outcomes `what`; the number of row k is `rows[k]`, or k itself.
        """

    def can_learn_from(self, y: Float) -> Bool:
        """Which outcomes training needs at least one of."""
        return np.ones(len(y), dtype=np.bool_)

    @abstractmethod
    def check_training(self, y: Float, weight: Float, where: str = "") -> None:
        """Raise an error that says `where`, if there is nothing to learn from the outcomes."""

    @abstractmethod
    def link(self, mean: Float) -> Float:
        """The scores at which the expected outcome is `mean`."""

    @abstractmethod
    def constant(self, y: Float) -> Float:
        """The part c(y) of the loss, which makes 0 the least that any score could reach.

        It takes an array, or an expression of narwhals.
        """

    def mean_constant(self, y: Float, weight: Float) -> float:
        """The weighted mean of c(y), the part of the risk that no score can change."""
        blocks = [slice(k, k + _BLOCK) for k in range(0, len(y), _BLOCK)]
        # Contiguous, so that products are added up in the same order however weights are kept.
        total = math.fsum(
            np.ascontiguousarray(weight[block]) @ self.constant(y[block]) for block in blocks
        )
        return total / float(weight.sum())

    def rounding(self, y: Float, weight: Float, shift: float = 0.0) -> float:
        """The risk that rounding explains, with nothing left to learn.

        Parameters
        ----------
        y : the outcome of each row, less the shift if the loss is `centred`.
        weight : the weight of each row.
        shift : what was subtracted from all outcomes.
        """
        f = self.best_constant(y, weight)
        a, b = self._derivatives(f, 0)
        parts = np.abs(a) + np.abs(b * y) + np.abs(self.constant(y))
        return ROUNDING * float(np.average(parts, weights=weight))

    @abstractmethod
    def outcome_words(self, labels: Sequence[str]) -> str:
        """What is expected, such as "probability of ill"; `labels` are those of the classes."""

    @abstractmethod
    def score_words(self, labels: Sequence[str]) -> str:
        """What the votes add up to, such as "log-odds of ill against well"."""

    @abstractmethod
    def vote_words(self, labels: Sequence[str]) -> str:
        """What a single vote is about, such as "log-odds of ill"."""

    def mean(self, f: Float) -> Float:
        """The expected outcome at the scores; the probability of each class, or of the second."""
        return _kernels.expected_outcome(self.kernel, _columns(f)).reshape(np.shape(f))

    def mean_slope(self, f: Float) -> Float:
        """The derivative of each expected outcome with respect to its own score."""
        # a′ = b′·mean, so its derivative is a″ = b″·mean + b′·(the derivative of the mean).
        return self.information(f) / self._derivatives(f, 1)[1]

    def value(self, y: Float, f: Float) -> Float:
        """The loss of each row; 0 is the best that any score could reach.

        It is infinite if the score is so far from the outcome that no float could hold it.
        """
        a, b = self._derivatives(f, 0)
        if self.score_per_class:
            own: Float = b[np.arange(len(y)), y.astype(np.intp)]
            return a - own
        with np.errstate(over="ignore"):
            return a - _times(y, b) + self.constant(y)

    def gradient(self, y: Float, f: Float) -> Float:
        """The derivative of each row's loss with respect to its score(s)."""
        a, b = self._derivatives(f, 1)
        return a - _times(self._numbers(y, f), b)

    def curvature(self, y: Float, f: Float) -> Float:
        """The second derivative of each row's loss with respect to each of its scores."""
        a, b = self._derivatives(f, 2)
        return a - _times(self._numbers(y, f), b)

    def information(self, f: Float) -> Float:
        """The curvature that is expected at the scores: that of an outcome equal to its mean.

        Unlike the curvature itself it depends on the scores alone and is never negative, and
        where b(f) = f it is the same.
        """
        a, b = self._derivatives(f, 2)
        return a - b * self.mean(f)

    def gradients_by_output(
        self, f: Float, pattern: NDArray[np.int32], y: Float
    ) -> Iterator[Float]:
        """The gradient of each row for one output after the other.

        Parameters
        ----------
        f : the scores of each pattern (first axis) for each output (second axis).
        pattern : the pattern of each row.
        y : the outcome of each row.
        """
        a, b = self._derivatives(f, 1)
        canonical = bool((b == 1).all())  # where no row has to be multiplied
        for output in range(f.shape[1]):
            gradient = a[:, output][pattern]
            outcome = y == output if self.score_per_class else y
            gradient -= outcome if canonical else _times(outcome, b[:, output][pattern])
            yield gradient

    def best_constant(self, y: Float, weight: Float, classes: int = 1) -> Float:
        """The score(s), one for each class, that minimise the weighted loss without any rule."""
        if self.score_per_class:
            return self.link(np.bincount(y.astype(np.intp), weight, classes) / weight.sum())
        return self.link(np.atleast_1d(np.average(y, weights=weight)))

    def _derivatives(self, f: Float, order: int) -> tuple[Float, Float]:
        """The derivatives of a and b at the scores, of order 0, 1 or 2."""
        a, b = _kernels.loss_derivatives(self.kernel, _columns(f), order)
        return (a[:, 0] if order == 0 else a.reshape(np.shape(f))), b.reshape(np.shape(f))

    def _numbers(self, y: Float, f: Float) -> Float:
        """The outcomes as numbers for each score: for classes 1 for that of the row, else 0."""
        if self.score_per_class:
            return np.asarray(y[:, None] == np.arange(f.shape[1]), dtype=np.float64)
        return y

    def _refuse(
        self, y: Float, wrong: Bool, expected: str, what: str, rows: Sequence[int] | None
    ) -> None:
        """Raise an error that names the first wrong outcome, if there is any."""
        found = np.flatnonzero(wrong)
        if len(found):
            k = found[0]
            raise ValueError(
                f"{what} is {y[k]} in row {k if rows is None else rows[k]}: expected {expected} "
                f"for the loss {self.name!r}"
            )


def log(y: Any) -> Any:
    """The logarithm of an array, or of an expression of narwhals."""
    return np.log(y) if isinstance(y, np.ndarray) else y.log()


@cache
def _kernel(loss: Loss) -> _kernels.Loss:
    return _kernels.Loss(loss.name, **loss.parameters)


def _times(y: Float, b: Float) -> Float:
    """The products; without an outcome b does not count, and may be infinite."""
    return np.asarray(np.where(y == 0, 0.0, b) * y)


def _columns(f: Float) -> Float:
    scores = np.ascontiguousarray(f, dtype=np.float64)
    return scores if scores.ndim == 2 else scores[:, None]
