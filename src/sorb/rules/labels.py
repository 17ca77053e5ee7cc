"""The labels of a column, stored by distinct value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from sorb._types import Index
from sorb.rules.numbers import NUMERIC_KINDS, is_missing

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NO_CATEGORY", "Labels"]

# Stands for what cannot be looked up in a set, such as a list, and so is in none.
NO_CATEGORY = object()

# From how many labels on pyarrow saves more time than its import takes.
_MANY = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Labels(Sequence[Any]):
    """The labels of a column by row, None where one is missing, stored by distinct value.

    Whatever has to be found out about a label is found out once for each distinct value, not for
    each row. Values are the same if they are equal in Python: 1 is 1.0 and True.

    Attributes
    ----------
    codes : array of int
        The position of each row's label in `values`, −1 if it is missing.
    values : tuple
        The distinct labels, all of them hashable.

    Examples
    --------
    >>> labels = Labels.of(["A", "O", None, "A"])
    >>> labels.values, labels.codes
    (('A', 'O'), array([ 0,  1, -1,  0]))
    >>> list(labels)
    ['A', 'O', None, 'A']
    """

    codes: Index
    values: tuple[Any, ...]

    @classmethod
    def of(cls, labels: Sequence[Any] | NDArray[Any]) -> Labels:
        """Find the distinct labels; None, NaN and other markers of missing values are missing."""
        if isinstance(labels, Labels):
            return labels
        if isinstance(labels, np.ndarray):
            return cls._of_array(labels)
        try:
            distinct = dict.fromkeys(labels)
        except TypeError:
            labels = [_hashable(label) for label in labels]
            distinct = dict.fromkeys(labels)
        values = tuple(label for label in distinct if not is_missing(label))
        code = {**dict.fromkeys(distinct, -1), **{label: k for k, label in enumerate(values)}}
        codes = np.fromiter(map(code.__getitem__, labels), dtype=np.intp, count=len(labels))
        return cls(codes, values)

    @classmethod
    def of_codes(cls, codes: NDArray[Any], categories: Sequence[Any]) -> Labels:
        """Leave out the categories that no row has.

        Examples
        --------
        >>> Labels.of_codes(np.array([2, -1, 0]), ["A", "B", "O"])
        Labels(codes=array([ 1, -1,  0]), values=('A', 'O'))
        """
        # The last place counts the missing ones, whose code is −1.
        used = np.bincount(codes + 1, minlength=len(categories) + 1)[1:] > 0
        place = np.append(np.cumsum(used) - 1, -1)
        values = tuple(label for label, is_used in zip(categories, used, strict=True) if is_used)
        return cls(place[codes], values)

    @classmethod
    def of_arrow(cls, column: pa.Array) -> Labels:
        """Let pyarrow number texts and categories, which is far faster than listing them."""
        import pyarrow as pa

        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        codes = column.indices.cast("int64").fill_null(-1).to_numpy()
        return cls.of_codes(codes, column.dictionary.to_pylist())

    @classmethod
    def _of_array(cls, labels: NDArray[Any]) -> Labels:
        if labels.dtype.kind not in NUMERIC_KINDS:
            texts = _texts(labels) if len(labels) >= _MANY else None
            return cls.of(labels.tolist()) if texts is None else cls.of_arrow(texts)
        known = labels == labels
        values, codes = np.unique(labels[known], return_inverse=True)
        result = np.full(len(labels), -1)
        result[known] = codes
        return cls(result, tuple(values.tolist()))

    def at(self, rows: Index) -> Labels:
        """Select the labels of some rows."""
        return Labels(self.codes[rows], self.values)

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, row: int) -> Any: ...

    @overload
    def __getitem__(self, row: slice) -> Labels: ...

    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return Labels(self.codes[row], self.values)
        return (*self.values, None)[self.codes[row]]


def _texts(labels: NDArray[Any]) -> pa.Array | None:
    """The labels as pyarrow has them, if all are texts or missing and it is installed."""
    try:
        import pyarrow as pa
    except ImportError:
        return None
    try:
        found = pa.array(labels, from_pandas=True)
    except (pa.ArrowException, UnicodeError):  # not all are texts, or some are beyond UTF-8
        return None
    return found if pa.types.is_string(found.type) else None


def _hashable(label: Any) -> Any:
    try:
        hash(label)
    except TypeError:
        return None if is_missing(label) else NO_CATEGORY
    return label
