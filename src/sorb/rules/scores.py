"""Scores: what each rule adds to a row that it covers, and what all of them add up to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sorb import _kernels
from sorb._types import Bool, Float
from sorb.rules.rule import Rule

__all__ = ["contributions", "sum_votes"]


def sum_votes(
    offset: float | tuple[float, ...], rules: Sequence[Rule], covered: Iterable[Bool], n_rows: int
) -> Float:
    """Add votes to the offset in the order of the rules, in float64.

    Every score of a rule ensemble is computed here, so that all of them are the same bit for bit.

    Parameters
    ----------
    offset : float, or tuple of float with one for each output
        What every row starts with.
    rules : sequence of Rule
        What is added, in this order.
    covered : iterable of arrays of bool
        For each rule, which rows it covers.
    n_rows : int
        The number of rows.

    Returns
    -------
    scores : array of shape (rows,), or (rows, outputs) if there is a tuple of offsets

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.rules import Condition
    >>> sum_votes(-1.0, [Rule(Condition(), 2.0)], [np.array([True, False])], 2)
    array([ 1., -1.])
    """
    table = np.empty((len(rules), n_rows), dtype=np.bool_)
    for row, rows in zip(table, covered, strict=True):
        row[...] = rows
    offsets = offset if isinstance(offset, tuple) else (offset,)
    votes, outputs = [rule.vote for rule in rules], [rule.output for rule in rules]
    scores = _kernels.sum_votes(offsets, votes, outputs, table)
    return scores if isinstance(offset, tuple) else scores[:, 0]


def contributions(rules: Iterable[Rule], covered: Bool) -> Float:
    """Give for each row (first axis) what each rule (second axis) adds: its vote, or 0.

    Parameters
    ----------
    rules : iterable of Rule
        The rules.
    covered : array of bool, of shape (rows, rules)
        Which rules cover which rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.rules import Condition
    >>> contributions([Rule(Condition(), 2.0)], np.array([[True], [False]]))
    array([[2.],
           [0.]])
    """
    return np.where(covered, np.array([rule.vote for rule in rules], dtype=np.float64), 0.0)
