"""The types that every package uses, most of them of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sorb._kernels import SparseTable

__all__ = ["Bool", "Float", "Index", "Int", "Matrix", "Table", "assert_never"]

Float: TypeAlias = NDArray[np.float64]
Bool: TypeAlias = NDArray[np.bool_]
Int: TypeAlias = NDArray[np.int64]
Index: TypeAlias = NDArray[np.intp]
# A table of numbers, float32 or float64, as the user gave it.
Matrix: TypeAlias = NDArray[np.floating]
# The same, of which all values are stored or only those that are not zero.
Table: TypeAlias = "Matrix | SparseTable"


def assert_never(value: NoReturn) -> NoReturn:
    """Refuse a value that no branch above handles; mypy finds such values.

    The same as `typing.assert_never`, which Python 3.10 lacks.
    """
    raise AssertionError(f"unexpected {type(value).__name__}: {value!r}")
