"""Sparse logistic separators: directions of few columns that tell two kinds of rows apart.

All sizes come from one path: the solutions of L1-penalised logistic regression as its penalty
falls. The path is followed from one change of the support to the next, without bisection.
"""

from __future__ import annotations

import numpy as np

from sorb import _kernels
from sorb._kernels import PathSolution
from sorb._types import Float, Matrix


def path(Z: Matrix, side: Float, weight: Float, max_size: int) -> list[PathSolution]:
    """Follow the path until its support first has more than `max_size` columns.

    There is one solution for each support on the way, at a penalty in the middle of its interval.
    Minimises Σ weight·log(1 + exp(−side·(intercept + w·z))) + penalty·|w|₁.

    Parameters
    ----------
    Z : float array (n, d)
    side : array (n,) of ±1
    weight : array (n,) of positive numbers
    max_size : the largest support of interest

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.array([[-1.0, 0.3], [-0.5, -1.0], [0.4, 1.2], [1.1, -0.6], [-0.2, 0.4], [0.1, 0.0]])
    >>> side = np.array([-1.0, -1.0, 1.0, 1.0, 1.0, -1.0])
    >>> [separator.support for separator in path(Z, side, np.ones(6), 2)]
    [[0], [0, 1]]
    """
    rows = np.arange(len(Z), dtype=np.int64)
    return _kernels.lasso_path(np.asfortranarray(Z), rows, side * weight, max_size)
