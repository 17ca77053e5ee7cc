"""A table of numbers and a target, as one frozen value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sorb._types import Float, Index, Int
from sorb.lab.datasets.description import Description, Task
from sorb.losses import Logistic, Loss, Squared, loss_by_name


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A table of numbers and a target to predict from it.

    Attributes
    ----------
    name : str
        Its name.
    X : ndarray of shape (n, d)
        The columns, read-only: numbers as they are, a category as one 0/1 column for each value
        that occurs in any row. No column is zero throughout.
    y : ndarray of shape (n,)
        The target, read-only: floats for regression, 0 and 1 for classification.
    columns : tuple of str
        The names of the columns of `X`; ``"colour=red"`` is a value of a category.
    task : {"regression", "classification"}
        What `y` is.
    description : Description, optional
        What else is known about it.
    exposure : ndarray of shape (n,) or None
        The exposure over which the target of each row accumulated.
    group : ndarray of shape (n,) or None
        The number of the group of each row, if rows belong together.
    """

    name: str
    X: Float
    y: NDArray[Any]
    columns: tuple[str, ...]
    task: Task
    description: Description | None = None
    exposure: Float | None = None
    group: Int | None = None

    @property
    def loss(self) -> Loss:
        """The loss that is minimised and reported."""
        if self.task == "classification":
            return Logistic()
        if self.description is None or not self.description.loss:
            return Squared()
        return loss_by_name(self.description.loss, **self.description.loss_parameters)

    def encoder(self, rows: ArrayLike) -> Encoder:
        """Learn from training rows which columns a model may use.

        Parameters
        ----------
        rows : array-like of int
            The indices of the training rows.

        Returns
        -------
        Encoder
            Makes matrices of the columns that are not zero in all of these rows. A value of a
            category that occurs in none of them therefore has no column, and a row with that
            value has zeros in the columns of all others.

        Examples
        --------
        >>> from sorb.lab.datasets import load
        >>> iris = load("iris")
        >>> encoder = iris.encoder(range(100))
        >>> encoder.matrix(range(100, 150)).shape
        (50, 4)
        """
        return Encoder(self, np.flatnonzero(self.X[np.asarray(rows)].any(axis=0)))

    def standardised(self) -> Dataset:
        """Scale each column, and the target of a regression, to mean 0 and standard deviation 1.

        Columns of zeros and ones stay as they are; other constant columns are dropped. All rows are
        used, test rows included, because the paper's results were made that way. The standard
        deviation is that of a sample, with n − 1.

        Examples
        --------
        >>> from sorb.lab.datasets import load
        >>> diabetes = load("diabetes").standardised()
        >>> diabetes.y.std(ddof=1).round(6), diabetes.X[:, 0].std(ddof=1).round(6)
        (np.float64(1.0), np.float64(1.0))
        """
        if self.loss not in (Logistic(), Squared()):
            raise ValueError(
                f"The dataset {self.name!r} has the loss {self.loss}, for which nothing is "
                "published: run it without as_published."
            )
        binary = np.isin(self.X, (0.0, 1.0)).all(axis=0)
        X = np.where(binary, self.X, _standardise(self.X))
        y = self.y if self.task == "classification" else _standardise(self.y)
        known = self.description and replace(self.description, units={})
        return make_dataset(self.name, X, y, self.columns, self.task, known, group=self.group)

    def logarithms(self) -> Dataset:
        """Replace the columns under ``log`` in the description by their natural logarithms.

        A linear condition on logarithms is a condition on a product or ratio of powers, such as
        weight / height².

        Examples
        --------
        >>> from sorb.lab.datasets import load
        >>> data = load("nhanes_standin").logarithms()
        >>> data.name, data.columns
        ('nhanes_standin+log', ('log(age)', 'log(weight)', 'log(height)'))
        """
        description = self.description or Description(self.name, target="")
        known = description.logarithms()
        names = {column: f"log({column})" for column in description.log}
        X = self.X.copy()
        for column in names:
            X[:, self._place(column)] = np.log(self._positive(column))
        columns = [names.get(column, column) for column in self.columns]
        others = (self.exposure, self.group)
        return make_dataset(known.name, X, self.y, columns, self.task, known, *others)

    def _place(self, column: str) -> int:
        if column not in self.columns:
            raise ValueError(
                f"The dataset {self.name!r} has no column {column!r} of numbers to take the "
                f"logarithm of; its columns are {', '.join(self.columns)}."
            )
        return self.columns.index(column)

    def _positive(self, column: str) -> Float:
        values = self.X[:, self._place(column)]
        if (values <= 0).any():
            row = int(np.argmax(values <= 0))
            raise ValueError(
                f"The column {column!r} of the dataset {self.name!r} has no logarithm: "
                f"it is {values[row]:g} in row {row}."
            )
        return values


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """The columns of a dataset that a model may use, learned from its training rows.

    Encoding only the categories of the training rows is the same as leaving out the 0/1 columns
    that are zero in all of them, so this is a choice of columns.
    """

    dataset: Dataset
    kept: Index

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `matrix`."""
        return tuple(self.dataset.columns[j] for j in self.kept)

    def matrix(self, rows: ArrayLike) -> Float:
        """Return these rows of the dataset, training rows or others, as a matrix."""
        chosen: Float = self.dataset.X[np.ix_(np.asarray(rows), self.kept)]
        return chosen


def make_dataset(
    name: str,
    X: Float,
    y: NDArray[Any],
    columns: Sequence[str],
    task: Task,
    description: Description | None = None,
    exposure: Float | None = None,
    group: Int | None = None,
) -> Dataset:
    """Make a dataset of read-only arrays, without columns that are zero throughout."""
    kept = np.flatnonzero(X.any(axis=0))
    X = np.array(X[:, kept], dtype=np.float64, order="C")
    y = np.array(y, dtype=np.int64 if task == "classification" else np.float64)
    X.flags.writeable = False
    y.flags.writeable = False
    names = tuple(str(columns[j]) for j in kept.tolist())
    _require_distinct(name, names)
    return Dataset(name, X, y, names, task, description, exposure, group)


def _require_distinct(dataset: str, columns: Sequence[str]) -> None:
    """Refuse categories and logarithms whose names another column has."""
    seen: set[str] = set()
    for column in columns:
        if column in seen:
            raise ValueError(
                f"The dataset {dataset!r} would have two columns {column!r}: rename one, by the "
                "entry header or values of a description."
            )
        seen.add(column)


def _standardise(values: Float) -> Float:
    # The range of a constant is exactly 0; its computed deviation need not be.
    spread = np.where(np.ptp(values, axis=0) > 0, values.std(axis=0, ddof=1), np.inf)
    scaled: Float = (values - values.mean(axis=0)) / spread
    return scaled
