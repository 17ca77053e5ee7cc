"""The array types that every package uses."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bool", "Float", "Index", "Int", "Matrix"]

Float: TypeAlias = NDArray[np.float64]
Bool: TypeAlias = NDArray[np.bool_]
Int: TypeAlias = NDArray[np.int64]
Index: TypeAlias = NDArray[np.intp]
# A table of numbers, float32 or float64, as the user gave it.
Matrix: TypeAlias = NDArray[np.floating]
