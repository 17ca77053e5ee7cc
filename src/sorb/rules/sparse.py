"""Sparse matrices of SciPy: whether a table is one, and whether it can be trusted."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

__all__ = ["is_sparse", "require_sound"]


def is_sparse(X: Any) -> bool:
    """Whether a table is a sparse matrix or array of SciPy."""
    # Whoever has one has imported this; others need not.
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def require_sound(X: Any) -> None:
    """Refuse a damaged CSR or CSC matrix, on which SciPy's own routines would crash.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from sorb.rules.sparse import require_sound
    >>> X = csr_array([[0.0, 2.0]])
    >>> X.indices[0] = 7
    >>> require_sound(X)
    Traceback (most recent call last):
    ValueError: the sparse matrix is damaged: its indices must be from 0 to 1
    """
    if X.format not in ("csr", "csc"):
        return
    n_lines, n_places = X.shape if X.format == "csr" else X.shape[::-1]
    starts, indices = X.indptr, X.indices
    if not (
        len(starts) == n_lines + 1
        and starts[0] == 0
        and (np.diff(starts) >= 0).all()
        and starts[-1] <= min(len(indices), len(X.data))
    ):
        raise ValueError(
            "the sparse matrix is damaged: its indptr must begin with 0 and ascend to the number "
            "of stored values"
        )
    if len(indices) and not 0 <= indices.min() <= indices.max() < n_places:
        raise ValueError(
            f"the sparse matrix is damaged: its indices must be from 0 to {n_places - 1}"
        )
