"""The bounds on the derivatives after a refit, for random problems of all losses and sizes.

`make test-refit` tries ten thousand problems; the usual tests fewer.
"""

import os

import numpy as np
import pytest
from oracles import losses
from oracles.weights import design

from sorb.learning.refit import Patterns, refit
from sorb.losses import LOSSES, loss_by_name

N_PROBLEMS = int(os.environ.get("SORB_REFIT_PROBLEMS", "300"))
PRECISION = 1e-7  # as the docstring of `refit` says


def random_problem(name, rng):
    """Rules on rows, outcomes and weights of any size, a penalty, and somewhere to start."""
    n, r = int(rng.integers(3, 200)), int(rng.integers(0, 10))
    n_outputs = int(rng.choice([2, 3, 4, 30])) if loss_by_name(name).score_per_class else 1
    covered = rng.random((n, r)) < rng.random(r)
    outputs = rng.integers(n_outputs, size=r)
    f = covered @ rng.normal(size=(r, n_outputs)) * rng.choice([0.3, 1.0, 3.0])
    unit = 1.0 if loss_by_name(name).has_classes else 10.0 ** rng.uniform(-3, 3)
    y = losses.draw(name, f, rng) * unit
    weight = rng.exponential(size=n) * 10.0 ** rng.uniform(-3, 3)
    if loss_by_name(name).non_negative:
        y[0] = max(y[0], unit)
    start = loss_by_name(name).best_constant(y, weight, n_outputs)
    start = np.concatenate([start, rng.normal(size=r) * rng.choice([0.0, 1.0])])
    return covered, outputs, y, weight, 10.0 ** rng.uniform(-10, 1), start


def largest_derivative(name, covered, outputs, y, weight, reg_lambda, start):
    """Refit, and give the largest derivative as a share of its scale."""
    loss = loss_by_name(name)
    n, n_outputs = len(y), len(start) - len(outputs)
    patterns = Patterns.without_rules(n, n_outputs)
    for rows, output in zip(covered.T, outputs, strict=True):
        patterns = patterns.split(np.ascontiguousarray(rows), int(output))
    theta, _ = refit(loss, patterns, y, weight, reg_lambda, start)
    matrices = design(covered.astype(float), outputs, n_outputs)
    f = (matrices @ theta).T
    scores = f if loss.score_per_class else f[:, 0]
    gradient = np.einsum("nk,knm->m", weight[:, None] * losses.gradient(name, y, f), matrices)
    curvature = np.einsum(
        "nk,knm->m", weight[:, None] * loss.curvature(y, scores).reshape(n, -1), matrices
    )
    votes = np.concatenate([np.zeros(n_outputs), theta[n_outputs:]])
    gradient += 2 * reg_lambda * votes
    curvature[n_outputs:] += 2 * reg_lambda
    terms = np.abs(loss.value(y, scores) - loss.constant(y)) + np.abs(loss.constant(y))
    size = weight @ terms + reg_lambda * votes @ votes
    scale = np.sqrt(size * curvature)
    return (
        np.abs(gradient) / (np.maximum(scale, weight.sum()) if loss.has_classes else scale)
    ).max()


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_are_within_the_bounds_of_the_refit(name):
    rng = np.random.default_rng(0)
    problems = -(-N_PROBLEMS // len(LOSSES))
    found = [largest_derivative(name, *random_problem(name, rng)) for _ in range(problems)]
    assert max(found) <= PRECISION
