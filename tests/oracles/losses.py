"""The losses as negative log-likelihoods or halves of deviances, written with SciPy.

There is one twin for each loss of the registry, so that a loss without one fails all tests.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import expit, log_expit, logsumexp, softmax, xlogy

from sorb.losses import Squared


@dataclass(frozen=True, slots=True)
class UnknownReadout(Squared):
    """A loss that says what its outcomes are, but whose scores nothing else knows how to read."""

    readout: ClassVar[str] = "square root"
    has_classes: ClassVar[bool] = False
    score_per_class: ClassVar[bool] = False
    has_rates: ClassVar[bool] = False


class Twin(NamedTuple):
    """A loss as a function of the outcomes and the scores, of shape (n,) or (n, classes).

    `draw` gives outcomes whose expectations belong to given scores.
    """

    mean: Callable
    value: Callable
    gradient: Callable
    draw: Callable
    takes_zero: bool = True


def _sums_of_amounts(root, rng):
    counts = rng.poisson(2 * root)
    return np.where(counts > 0, rng.gamma(np.maximum(counts, 1), root / 2), 0.0)


def _one_hot(y, f):
    return np.eye(f.shape[1])[y.astype(int)]


TWINS = {
    "squared": Twin(
        mean=lambda f: f,
        value=lambda y, f: (y - f) ** 2 / 2,
        gradient=lambda y, f: f - y,
        draw=lambda f, rng: f + rng.normal(size=f.shape),
    ),
    "logistic": Twin(
        mean=expit,
        value=lambda y, f: -np.where(y == 1, log_expit(f), log_expit(-f)),
        gradient=lambda y, f: expit(f) - y,
        draw=lambda f, rng: (rng.uniform(size=f.shape) < expit(f)).astype(float),
    ),
    "softmax": Twin(
        mean=lambda f: softmax(f, axis=1),
        value=lambda y, f: logsumexp(f, axis=1) - f[np.arange(len(y)), y.astype(int)],
        gradient=lambda y, f: softmax(f, axis=1) - _one_hot(y, f),
        draw=lambda f, rng: np.argmax(f + rng.gumbel(size=f.shape), axis=1).astype(float),
    ),
    "poisson": Twin(
        mean=np.exp,
        value=lambda y, f: np.exp(f) - y * f + xlogy(y, y) - y,
        gradient=lambda y, f: np.exp(f) - y,
        draw=lambda f, rng: rng.poisson(np.exp(f)).astype(float),
    ),
    "gamma": Twin(
        mean=np.exp,
        value=lambda y, f: y / np.exp(f) - 1 - np.log(y / np.exp(f)),
        gradient=lambda y, f: 1 - y / np.exp(f),
        draw=lambda f, rng: np.exp(f) * rng.gamma(2.0, 0.5, size=f.shape),
        takes_zero=False,
    ),
    # Of power 1.5: a Poisson number of exponential amounts.
    "tweedie": Twin(
        mean=np.exp,
        value=lambda y, f: 2 * (np.sqrt(y) - np.exp(f / 2)) ** 2 / np.exp(f / 2),
        gradient=lambda y, f: np.exp(f / 2) - y / np.exp(f / 2),
        draw=lambda f, rng: _sums_of_amounts(np.exp(f / 2), rng),
    ),
}


def loss(name, y, f):
    """The loss of each row, for scores of shape (n,) or, for softmax, (n, classes)."""
    return TWINS[name].value(y, f)


def gradient(name, y, f):
    """The derivative for scores of shape (n, outputs)."""
    twin = TWINS[name].gradient
    return twin(y, f) if f.shape[1] > 1 else twin(y, f[:, 0])[:, None]


def draw(name, f, rng):
    """Draw outcomes for scores of shape (n, outputs)."""
    return TWINS[name].draw(f if f.shape[1] > 1 else f[:, 0], rng)
