"""The losses, each an exponential family: loss(y, f) = A(f) − y·f + constant(y).

A is the cumulant; its derivative is the mean of y given the score f, its second derivative the
variance. The sum of the losses over rows with the same score therefore needs only the sums of the
weights and of the outcomes, which is what makes the refit of the rule weights cheap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sorb import _kernels
from sorb._types import Float

# A rate or probability never starts closer to its limits than this, so that scores stay finite.
_MARGIN = 1e-12


@dataclass(frozen=True, slots=True)
class Loss:
    """One loss, by name.

    Outcomes `y` are numbers, or for softmax the numbers of the classes; scores `f` have shape (n,),
    or (n, classes) for softmax.

    Examples
    --------
    >>> import numpy as np
    >>> LOSSES["logistic"].value(np.array([1.0, 0.0]), np.array([0.0, 0.0])).round(3)
    array([0.693, 0.693])
    """

    name: str
    code: _kernels.Loss

    @property
    def multiclass(self) -> bool:
        """Whether there is one score for each class."""
        return self.name == "softmax"

    def _cumulant(self, f: Float) -> tuple[Float, Float]:
        scores = np.ascontiguousarray(f, dtype=np.float64)
        columns = scores if scores.ndim == 2 else scores[:, None]
        value, mean = _kernels.cumulant(self.code, columns)
        return value, mean.reshape(scores.shape)

    def mean(self, f: Float) -> Float:
        """The expected outcome (for softmax: the class probabilities) at the scores."""
        return self._cumulant(f)[1]

    def value(self, y: Float, f: Float) -> Float:
        """The loss of each row; 0 is the best that any score could reach."""
        if self.name == "squared":
            return (y - f) ** 2 / 2  # the sum below would cancel for large y
        return self._cumulant(f)[0] - self._product(y, f) + self.constant(y)

    def gradient(self, y: Float, f: Float) -> Float:
        """The derivative of each row's loss with respect to its score(s)."""
        mean = self.mean(f)
        if self.multiclass:
            mean[np.arange(len(y)), y.astype(np.intp)] -= 1
            return mean
        return mean - y

    def hessian(self, f: Float) -> Float:
        """The second derivative of each row's loss with respect to each of its scores."""
        return self.variance(self.mean(f))

    def variance(self, mean: Float) -> Float:
        """The second derivative as a function of the mean."""
        if self.name == "squared":
            return np.ones_like(mean)
        return mean if self.name == "poisson" else mean * (1 - mean)

    def link(self, mean: Float) -> Float:
        """The scores at which the expected outcome is `mean`."""
        if self.name == "squared":
            return np.asarray(mean, dtype=np.float64)
        if self.name == "logistic":
            p = np.clip(mean, _MARGIN, 1 - _MARGIN)
            return np.asarray(np.log(p) - np.log1p(-p))
        score = np.log(np.maximum(mean, _MARGIN))
        return np.asarray(score - score.mean(axis=-1, keepdims=True) if self.multiclass else score)

    def best_constant(self, y: Float, weight: Float, classes: int = 1) -> Float:
        """The score(s), one for each class, that minimise the weighted loss without any rule."""
        if self.multiclass:
            return self.link(np.bincount(y.astype(np.intp), weight, classes) / weight.sum())
        return self.link(np.atleast_1d(np.average(y, weights=weight)))

    def constant(self, y: Float) -> Float:
        """The part of the loss that depends on the outcome alone."""
        if self.name == "squared":
            return y * y / 2
        if self.name == "poisson":
            return y * np.log(np.where(y > 0, y, 1.0)) - y
        return np.zeros(len(y))

    def _product(self, y: Float, f: Float) -> Float:
        if self.multiclass:
            return f[np.arange(len(y)), y.astype(np.intp)]
        return y * f


LOSSES = {
    name: Loss(name, _kernels.Loss[name]) for name in ("squared", "logistic", "poisson", "softmax")
}
