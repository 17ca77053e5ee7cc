"""The refit of the votes, row by row and by a general optimiser."""

import numpy as np
from oracles import losses
from scipy.optimize import minimize


def design(covered, outputs, n_outputs):
    """One matrix for each output: the columns are the offsets, then the rules that vote for it."""
    n, r = covered.shape
    matrices = np.zeros((n_outputs, n, n_outputs + r))
    for k in range(n_outputs):
        matrices[k, :, k] = 1
        matrices[k, :, n_outputs:] = covered * (np.asarray(outputs) == k)
    return matrices


def scores(covered, outputs, n_outputs, theta):
    """The scores of each row, of shape (n, outputs)."""
    return (design(covered, outputs, n_outputs) @ theta).T


def risk(name, covered, outputs, n_outputs, y, weight, theta):
    """The weighted mean of the losses."""
    f = scores(covered, outputs, n_outputs, theta)
    return weight @ losses.loss(name, y, f if name == "softmax" else f[:, 0]) / weight.sum()


def objective(name, covered, outputs, n_outputs, y, weight, reg_lambda, theta):
    """The sum of the losses and of reg_lambda times the squares of the votes."""
    total = weight.sum() * risk(name, covered, outputs, n_outputs, y, weight, theta)
    return total + reg_lambda * np.square(theta[n_outputs:]).sum()


def gradient(name, covered, outputs, n_outputs, y, weight, reg_lambda, theta):
    """The derivatives of the objective."""
    f = scores(covered, outputs, n_outputs, theta)
    matrices = design(covered, outputs, n_outputs)
    slope = np.einsum("nk,knm->m", weight[:, None] * losses.gradient(name, y, f), matrices)
    slope[n_outputs:] += 2 * reg_lambda * theta[n_outputs:]
    return slope


def refit(name, covered, outputs, n_outputs, y, weight, reg_lambda, start):
    """The minimiser of the objective, with softmax offsets that add up to zero."""
    arguments = (name, covered, outputs, n_outputs, y, weight, reg_lambda)
    found = minimize(
        lambda theta: objective(*arguments, theta),
        start,
        jac=lambda theta: gradient(*arguments, theta),
        method="BFGS",
        options={"gtol": 1e-9 * weight.sum(), "maxiter": 5000},
    ).x
    if n_outputs > 1:
        found[:n_outputs] -= found[:n_outputs].mean()
    return found


def bounded_refit(name, covered, outputs, n_outputs, y, weight, reg_lambda, ranges):
    """The lowest objective where each vote is in its range, by a general bounded optimiser."""
    arguments = (name, covered, outputs, n_outputs, y, weight, reg_lambda)
    return minimize(
        lambda theta: objective(*arguments, theta),
        [0.0] * n_outputs + [np.clip(0.0, *ends) for ends in ranges],
        jac=lambda theta: gradient(*arguments, theta),
        method="L-BFGS-B",
        bounds=[(None, None)] * n_outputs + list(ranges),
        options={"gtol": 1e-10 * weight.sum(), "ftol": 1e-15, "maxiter": 5000, "maxfun": 50000},
    ).fun


def risk_with(name, covered, outputs, n_outputs, y, training, validation, reg_lambda, start, rule):
    """The validation risk after adding a rule (rows, output) and refitting on the training rows."""
    rows, output = rule
    covered, outputs = np.column_stack([covered, rows]), [*outputs, output]
    start = np.append(start, 0.0)
    theta = refit(name, covered, outputs, n_outputs, y, training, reg_lambda, start)
    return risk(name, covered, outputs, n_outputs, y, validation, theta)


def hessian(name, covered, outputs, n_outputs, y, weight, reg_lambda, theta):
    """The second derivatives of the objective, by differences of the first ones."""
    step = 1e-5

    def slope(at):
        return gradient(name, covered, outputs, n_outputs, y, weight, reg_lambda, at)

    moves = step * np.eye(len(theta))
    columns = [(slope(theta + move) - slope(theta - move)) / (2 * step) for move in moves]
    return (np.array(columns) + np.transpose(columns)) / 2


def removal_costs(name, covered, outputs, n_outputs, y, weight, reg_lambda, theta):
    """The square of each vote over twice its variance."""
    curvature = hessian(name, covered, outputs, n_outputs, y, weight, reg_lambda, theta)
    # A shift of all scores of softmax together changes nothing, and costs no vote anything.
    variance = np.diag(np.linalg.pinv(curvature, rcond=1e-8, hermitian=True))
    return theta[n_outputs:] ** 2 / (2 * variance[n_outputs:])
