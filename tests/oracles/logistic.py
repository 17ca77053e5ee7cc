"""Sparse logistic regression with a free intercept, by coordinate descent and by SciPy.

Minimises Σ weight·log(1 + exp(−side·(b + w·z))) + penalty·|w|₁.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit


def objective(Z, side, weight, w, b, penalty):
    return -weight @ log_expit(side * (Z @ w + b)) + penalty * np.abs(w).sum()


def derivatives(Z, side, weight, w, b):
    """The derivatives of the loss with respect to the weights and to the intercept."""
    first = -weight * side * expit(-side * (Z @ w + b))
    return Z.T @ first, first.sum()


def violation(Z, side, weight, w, b, penalty, direction=0):
    """How far a solution is from optimal, relative to the total weight.

    The weight of a column may be 0 or have the other sign than its direction, if that is not 0.
    """
    by_weight, by_intercept = derivatives(Z, side, weight, w, b)
    assert (direction * w <= 0).all()
    on = w != 0
    worst = [abs(by_intercept)]
    worst += np.abs(by_weight[on] + penalty * np.sign(w[on])).tolist()
    may_leave = ~on & (direction * by_weight >= 0)
    worst += np.maximum(np.abs(by_weight[may_leave]) - penalty, 0).tolist()
    return max(worst) / weight.sum()


def l1_solution(Z, side, weight, penalty, start=None):
    """(w, b), by Newton's method with coordinate descent for each quadratic model."""
    n, d = Z.shape
    A = np.column_stack([Z, np.ones(n)])
    v = np.zeros(d + 1) if start is None else np.append(*start)
    penalties = np.append(np.full(d, penalty), 0.0)
    for _ in range(100):
        score = A @ v
        gradient = A.T @ (-weight * side * expit(-side * score))
        H = A.T @ ((weight * expit(score) * expit(-score))[:, None] * A)
        H[np.diag_indices(d + 1)] += 1e-10 * weight.sum()
        target = _descend(H, gradient - H @ v, penalties, v)
        value, length = objective(Z, side, weight, v[:-1], v[-1], penalty), 1.0
        while length > 1e-6:
            trial = v + length * (target - v)
            if objective(Z, side, weight, trial[:-1], trial[-1], penalty) <= value:
                break
            length /= 2
        moved = np.abs(A @ (trial - v)).max()
        v = trial
        if moved < 1e-11:
            break
    return v[:-1], v[-1]


def _descend(H, linear, penalties, start):
    """The minimiser of v·Hv/2 + linear·v + Σ penalties·|v|, one coordinate after the other."""
    v = start.copy()
    for _ in range(10_000):
        largest = 0.0
        for j in range(len(v)):
            rest = linear[j] + H[j] @ v - H[j, j] * v[j]
            new = -np.sign(rest) * max(abs(rest) - penalties[j], 0.0) / H[j, j]
            largest = max(largest, abs(new - v[j]))
            v[j] = new
        if largest < 1e-13 * (1 + np.abs(v).max()):
            break
    return v


def largest_penalty(Z, side, weight):
    """The smallest penalty for which all weights are zero."""
    up = weight[side > 0].sum() / weight.sum()
    by_weight, _ = derivatives(Z, side, weight, np.zeros(Z.shape[1]), np.log(up / (1 - up)))
    return np.abs(by_weight).max()


def supports(Z, side, weight, max_size, steps=150, lowest=1e-3):
    """The supports on a fine grid of falling penalties, up to the first that is too large."""
    top = largest_penalty(Z, side, weight)
    found, start = [], None
    for penalty in top * np.geomspace(0.999, lowest, steps):
        start = l1_solution(Z, side, weight, penalty, start)
        support = frozenset(np.flatnonzero(np.abs(start[0]) > 1e-9).tolist())
        if len(support) > max_size:
            break
        if not found or found[-1] != support:
            found.append(support)
    return found


def refit(Z, side, weight):
    """(w, b) without any penalty."""
    A = np.column_stack([Z, np.ones(len(Z))])
    found = minimize(
        lambda v: objective(Z, side, weight, v[:-1], v[-1], 0.0),
        np.zeros(A.shape[1]),
        jac=lambda v: np.append(*derivatives(Z, side, weight, v[:-1], v[-1])),
        hess=lambda v: A.T @ ((weight * expit(A @ v) * expit(-A @ v))[:, None] * A),
        method="trust-exact",
        options={"gtol": 1e-9 * weight.sum()},
    ).x
    return found[:-1], found[-1]


def bounded_refit(Z, side, weight, direction, ridge):
    """(w, b) of the least loss + Σ ridge·w²/2, where no weight has the sign of its direction."""
    A = np.column_stack([Z, np.ones(len(Z))])
    ridges = np.append(ridge, 0.0)
    bounds = [(0 if s < 0 else None, 0 if s > 0 else None) for s in direction]
    found = minimize(
        lambda v: objective(Z, side, weight, v[:-1], v[-1], 0.0) + ridges @ v**2 / 2,
        np.zeros(A.shape[1]),
        jac=lambda v: np.append(*derivatives(Z, side, weight, v[:-1], v[-1])) + ridges * v,
        bounds=[*bounds, (None, None)],
        method="L-BFGS-B",
        options={"ftol": 0, "gtol": 1e-10 * weight.sum(), "maxiter": 10_000, "maxfun": 100_000},
    ).x
    return found[:-1], found[-1]


def rank(Z, weight):
    """The number of columns that are independent of each other and of a constant."""
    centred = (Z - weight @ Z / weight.sum()) * np.sqrt(weight)[:, None]
    sizes = np.linalg.norm(centred, axis=0)
    varying = sizes > 1e-10
    return int(np.linalg.matrix_rank(centred[:, varying] / sizes[varying], tol=1e-6))
