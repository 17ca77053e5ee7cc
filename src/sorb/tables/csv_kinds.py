"""What the columns of a CSV file hold that is read in pieces: known only after the last one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import Enum

import pyarrow as pa
import pyarrow.compute as pc

from sorb.tables.missing_marks import MISSING, empty_missing
from sorb.tables.number_texts import (
    NONE,
    drop_point_zero,
    is_beyond_64_bits,
    read_large_integers,
    read_numbers,
)
from sorb.tables.reading import FIND_OUT, MissingMarks

__all__ = ["Kind", "find_kinds", "read_piece"]


class Kind(Enum):
    """What the cells of a column are; codes are texts that may look like numbers."""

    EMPTY = pa.float64()
    WHOLE = pa.int64()
    NUMBER = "number"
    BOOLEAN = pa.bool_()
    DATE = pa.timestamp("us")
    TEXT = pa.string()
    CODE = "code"


def find_kinds(
    pieces: Iterable[pa.Table],
    codes: Collection[str],
    commas: bool,
    known: Mapping[str, Kind] | None = None,
    marks: MissingMarks = FIND_OUT.missing,
) -> dict[str, Kind]:
    """Say what each column holds, given pieces of texts; `codes` are texts in any case.

    `known` is what other pieces hold, `marks` what else marks missing values.

    Examples
    --------
    >>> pieces = [pa.table({"age": ["40"], "bmi": ["?"]}), pa.table({"age": ["4.5"], "bmi": ["x"]})]
    >>> {name: kind.name for name, kind in find_kinds(pieces, (), commas=False).items()}
    {'age': 'NUMBER', 'bmi': 'TEXT'}
    """
    found = dict(known or {})
    for piece in pieces:
        for name in piece.column_names:
            before = found.get(name, Kind.EMPTY)
            if name in codes:
                found[name] = Kind.CODE
            elif before is not Kind.TEXT:
                found[name] = _both(before, _kind(_empty(piece, name, marks), commas))
    return found


def read_piece(
    piece: pa.Table,
    kinds: Mapping[str, Kind],
    commas: bool,
    marks: MissingMarks = FIND_OUT.missing,
) -> pa.Table:
    """Read a piece of texts as what its columns hold."""
    columns = {
        name: _read(_empty(piece, name, marks), kind, commas) for name, kind in kinds.items()
    }
    return pa.table(columns)


def _empty(piece: pa.Table, name: str, marks: MissingMarks) -> pa.ChunkedArray:
    return empty_missing(piece[name], (*MISSING, *marks.texts(name)))


def _both(one: Kind, other: Kind) -> Kind:
    if one is other or other is Kind.EMPTY:
        return one
    if one is Kind.EMPTY:
        return other
    return Kind.NUMBER if {one, other} == {Kind.WHOLE, Kind.NUMBER} else Kind.TEXT


def _kind(column: pa.ChunkedArray, commas: bool) -> Kind:
    known = _empty_none(column)
    if known.null_count == len(known):
        return Kind.EMPTY
    for kind in (Kind.WHOLE, Kind.NUMBER, Kind.BOOLEAN, Kind.DATE):
        try:
            read = _read(column, kind, commas)
        except pa.ArrowInvalid:
            continue
        if kind is Kind.NUMBER and is_beyond_64_bits(read) and read_large_integers(known):
            return Kind.TEXT  # as floats they would lose their last digits
        return kind
    return Kind.TEXT


def _read(column: pa.ChunkedArray, kind: Kind, commas: bool) -> pa.ChunkedArray:
    if kind is Kind.CODE:
        return drop_point_zero(column)
    if kind is not Kind.NUMBER:
        return column.cast(kind.value)
    known = _empty_none(column)
    try:
        return known.cast(pa.float64())
    except pa.ArrowInvalid:
        numbers = read_numbers(known, commas)
        if not pa.types.is_floating(numbers.type):
            raise
        return numbers


def _empty_none(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.equal(column, NONE), None, column)
