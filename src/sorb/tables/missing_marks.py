"""How missing values are marked in tables."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["MISSING", "empty_missing"]

# How a missing value may be written; among numbers also "None".
MISSING = ("", "?", "NA", "<NA>", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")


def empty_missing(column: pa.ChunkedArray, marks: Sequence[str] = MISSING) -> pa.ChunkedArray:
    """Empty the cells of a column of texts that mark a missing value.

    Examples
    --------
    >>> import pyarrow as pa
    >>> empty_missing(pa.chunked_array([["x", "NA", "?"]])).to_pylist()
    ['x', None, None]
    """
    return pc.if_else(pc.is_in(column, pa.array(marks)), None, column)
