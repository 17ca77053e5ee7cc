"""The losses as negative log-likelihoods, written with SciPy."""

import numpy as np
from scipy.special import expit, log_expit, logsumexp, softmax, xlogy


def cumulant(name, f):
    """A and A′ for scores of shape (n, outputs)."""
    if name == "softmax":
        return logsumexp(f, axis=1), softmax(f, axis=1)
    f = f[:, 0]
    if name == "squared":
        value, mean = f**2 / 2, f
    elif name == "logistic":
        value, mean = -log_expit(-f), expit(f)
    else:
        value, mean = np.exp(f), np.exp(f)
    return value, mean[:, None]


def loss(name, y, f):
    """The loss of each row, for scores of shape (n,) or, for softmax, (n, classes)."""
    if name == "squared":
        return (y - f) ** 2 / 2
    if name == "logistic":
        return -np.where(y == 1, log_expit(f), log_expit(-f))
    if name == "softmax":
        return logsumexp(f, axis=1) - f[np.arange(len(y)), y.astype(int)]
    return np.exp(f) - y * f + xlogy(y, y) - y
