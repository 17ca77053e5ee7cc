"""The fourteen benchmark datasets, each as one frozen table of numbers."""

import csv
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets

Task = Literal["regression", "classification"]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A table of numbers and what is to be predicted from it.

    Attributes
    ----------
    name : str
        One of `NAMES`.
    X : ndarray of shape (n, d)
        The columns, read-only.
    y : ndarray of shape (n,)
        The target, read-only: floats for regression, 0 and 1 for classification.
    columns : tuple of str
        The names of the columns of `X`.
    task : {"regression", "classification"}
        What kind of target `y` is.
    """

    name: str
    X: FloatArray
    y: NDArray[Any]
    columns: tuple[str, ...]
    task: Task


class DatasetUnavailable(OSError):  # noqa: N818
    """A dataset's file is not on this machine."""


class DatasetDamaged(ValueError):  # noqa: N818
    """A dataset's file is not the one that the results were measured on."""


def load(name: str) -> Dataset:
    """Load one of the benchmark datasets.

    Parameters
    ----------
    name : str
        One of `NAMES`. Six of them need no file; the others are read from the folder
        that the environment variable ``SORB_DATA`` names, and checked by SHA-256.

    Returns
    -------
    Dataset
        The table, without columns that are zero throughout.

    Raises
    ------
    DatasetUnavailable
        If the dataset needs a file that is not there.
    DatasetDamaged
        If the file is there, but is not the expected one.

    Examples
    --------
    >>> from sorb.lab.datasets import load
    >>> iris = load("iris")
    >>> iris.X.shape, iris.task, iris.columns[0]
    ((150, 4), 'classification', 'sepal length (cm)')
    """
    if name not in _LOADERS:
        raise ValueError(f"There is no dataset {name!r}; choose one of {', '.join(NAMES)}.")
    return _without_zero_columns(_LOADERS[name](name))


def _frozen(
    name: str, X: FloatArray, y: NDArray[Any], columns: Sequence[str], task: Task
) -> Dataset:
    X = np.ascontiguousarray(X, dtype=np.float64)
    y = np.ascontiguousarray(y, dtype=np.int64 if task == "classification" else np.float64)
    X.flags.writeable = False
    y.flags.writeable = False
    return Dataset(name, X, y, tuple(map(str, columns)), task)


def _without_zero_columns(data: Dataset) -> Dataset:
    kept = np.flatnonzero(data.X.any(axis=0))
    if len(kept) == data.X.shape[1]:
        return data
    columns = [data.columns[j] for j in kept]
    return _frozen(data.name, data.X[:, kept], data.y, columns, data.task)


def _iris(name: str) -> Dataset:
    bunch = sklearn_datasets.load_iris()
    versicolor = bunch.target == 1
    return _frozen(name, bunch.data, versicolor, bunch.feature_names, "classification")


def _diabetes(name: str) -> Dataset:
    bunch = sklearn_datasets.load_diabetes(scaled=False)
    return _frozen(name, bunch.data, bunch.target, bunch.feature_names, "regression")


def _breast_cancer(name: str) -> Dataset:
    bunch = sklearn_datasets.load_breast_cancer()
    benign = bunch.target == 1
    return _frozen(name, bunch.data, benign, bunch.feature_names, "classification")


def _friedman(make: Callable[..., Any], n: int) -> Callable[[str], Dataset]:
    def generate(name: str) -> Dataset:
        X, y = make(n_samples=n, noise=0.1, random_state=1000)
        return _frozen(name, X, y, [f"x{j + 1}" for j in range(X.shape[1])], "regression")

    return generate


@dataclass(frozen=True, slots=True)
class _Table:
    """How a CSV file becomes a dataset: its checksum, and what its columns mean."""

    sha256: str
    target: str
    task: Task
    features: tuple[str, ...] = ()  # all columns but the target, where none are named
    ignored: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()  # columns that become one 0/1 column per value
    renamed: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, name: str) -> Dataset:
        """Read the file of this name."""
        table = _read(f"{name}.csv", self.sha256)
        y = _numbers(table.pop(self.target))
        X, columns = self._matrix(table)
        return _frozen(name, X, y > 0 if self.task == "classification" else y, columns, self.task)

    def _matrix(self, table: Mapping[str, Sequence[str]]) -> tuple[FloatArray, list[str]]:
        blocks, columns = [], []
        for column in self.features or table:
            if column in self.ignored:
                continue
            if column in self.categories:
                values = sorted(set(table[column]))
                blocks += [_is_equal(table[column], value) for value in values]
                columns += [f"{column}={value}" for value in values]
            else:
                blocks.append(_numbers(table[column]))
                columns.append(column)
        return np.column_stack(blocks), [self.renamed.get(name, name) for name in columns]


def _numbers(column: Sequence[str]) -> FloatArray:
    return np.array(column, dtype=np.float64)


def _is_equal(column: Sequence[str], value: str) -> FloatArray:
    return np.array([cell == value for cell in column], dtype=np.float64)


def _read(file: str, sha256: str) -> dict[str, tuple[str, ...]]:
    """Read a checked CSV file column by column."""
    path = _path(file)
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise DatasetDamaged(
            f"{path} is not the expected file: its SHA-256 is {found}, expected {sha256}. "
            "Replace it by the original file."
        )
    header, *rows = (row for row in csv.reader(content.decode().splitlines()) if row)
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def _path(file: str) -> Path:
    folder = os.environ.get("SORB_DATA")
    if not folder:
        raise DatasetUnavailable(
            f"The file {file} is needed: set the environment variable SORB_DATA "
            f"to a folder that contains {file}."
        )
    path = Path(folder).expanduser() / file
    if not path.is_file():
        raise DatasetUnavailable(
            f"There is no file {path}: put {file} there, or set the environment variable "
            f"SORB_DATA to a folder that contains {file}."
        )
    return path


_LOADERS: dict[str, Callable[[str], Dataset]] = {
    "iris": _iris,
    "liver": _Table(
        sha256="d13cedfa8b483cb3e9f4f9b6c9087893b1168a935c99b4da321c5c52d9f9964e",
        target="selector",
        task="classification",
    ),
    "diabetes": _diabetes,
    "breast_cancer": _breast_cancer,
    "banknote": _Table(
        sha256="0787e50299c198e919276660edf98dd5dcb94951ad81435b3ab61afb666936c9",
        target="class",
        task="classification",
    ),
    "red_wine": _Table(
        sha256="d6a0d9bd24806944818795f22500c46cb6424cbff517aacda36595d3ed9b2daa",
        target="quality",
        task="regression",
    ),
    "car_price": _Table(
        sha256="9087560d2ffed6610fce4202f269e9dc8abefd7d639b530cf6715a52960a0090",
        target="avgPrice",
        task="regression",
        features=("count", "km", "year", "powerPS"),  # the others are prices too
    ),
    "friedman1": _friedman(sklearn_datasets.make_friedman1, 2000),
    "friedman2": _friedman(sklearn_datasets.make_friedman2, 5000),
    "friedman3": _friedman(sklearn_datasets.make_friedman3, 10000),
    "magic": _Table(
        sha256="1a00ce7473cb86343c26f97f5b7a906f27a43f3e2979b8e8cd28351ac7a1c290",
        target="class",
        task="classification",
        # The file's header went through the replacement g → 1, h → -1 of its classes.
        renamed={
            "fLen1t-1": "fLength",
            "fWidt-1": "fWidth",
            "fM3Lon1": "fM3Long",
            "fAlp-1a": "fAlpha",
        },
    ),
    "adult": _Table(
        sha256="e5a6adc10a5ccb1fcd1d98af698c6fda012663c756bd049ddb0be25788e5bded",
        target="output",
        task="classification",
        ignored=("fnlwgt", "native-country"),
        categories=("workclass", "marital-status", "occupation", "relationship", "race", "sex"),
        renamed={"sex=1": "sex=Male", "sex=-1": "sex=Female"},
    ),
    "voice": _Table(
        sha256="a8a9ccf30178da5aef93f26bb5b99084cdaadfece46544059162759b62908e52",
        target="label",
        task="classification",
    ),
    "housing": _Table(
        sha256="0828142fadcda9e5240f4aa43928d6835ccf8aa443cbfe70c196efb8d07abc6d",
        target="MedHouseVal",
        task="regression",
        ignored=("",),  # the number of the row
    ),
}

NAMES = tuple(_LOADERS)
"""The names of the datasets, as `load` takes them, in the order of the paper."""
