"""The features of a lazy frame that no rule could use: which they are, and empty ones instead."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import narwhals as nw

from sorb.tables.changes import COUNT
from sorb.tables.column_policy import (
    LARGEST_WHOLE,
    HowTo,
    describe_bad_numbers,
    is_whole,
    why_dates_are_left_out,
    why_identifiers_are_left_out,
    why_texts_are_left_out,
    write_date,
)
from sorb.tables.engine import EngineError, collect
from sorb.tables.expressions import Columns, Expr, as_integer
from sorb.tables.label_keys import add_label_numbers
from sorb.tables.lazy import Aggregate, add_up, ask, is_missing
from sorb.tables.text_kinds import (
    MOST_CATEGORIES,
    WHOLE_TEXT,
    Texts,
    is_plain_number,
    recognise_texts,
)

__all__ = ["empty_columns", "find_left_out", "require_no_numbers"]

# So many rows are looked at first: if they hold too many texts, all rows do.
_FIRST_ROWS = 100_000
# Finds the first text of a column that shows something, and its row.
Locate: TypeAlias = Callable[[str, Callable[[str], bool]], tuple[str, int]]
_COPIES, _PARTS, _NUMBER = "copies", "parts", "number"


def find_left_out(
    frame: nw.LazyFrame[Any],
    columns: Columns,
    names: Sequence[str],
    weight: str | None,
    how_to: Callable[[str], HowTo],
    locate: Locate | None = None,
) -> dict[str, str]:
    """Find the columns that no rule could use, and why; refuse texts that are nearly numbers.

    Types of categories are trusted. `how_to` takes the name of a column.
    """
    types = columns.types
    dates = [name for name in names if types[name].is_temporal()]
    whole = [name for name in names if is_whole(types[name])]
    texts = [name for name in names if types[name] == nw.String]
    found = {name: why_dates_are_left_out(_first_date(frame, name), how_to(name)) for name in dates}
    found |= {name: why_identifiers_are_left_out(n) for name, n in _beyond(frame, types, whole)}
    for name in texts:
        recognised, n_rows = require_no_numbers(frame, columns, name, weight, how_to(name), locate)
        reason = why_texts_are_left_out(recognised, n_rows, how_to(name))
        found |= {name: reason} if reason else {}
    return {name: found[name] for name in names if name in found}


def require_no_numbers(
    frame: nw.LazyFrame[Any],
    columns: Columns,
    name: str,
    weight: str | None,
    how_to: HowTo,
    locate: Locate | None = None,
) -> tuple[Texts, float | None]:
    """Recognise the texts of a column, and refuse what is nearly numbers.

    Also counts the rows with a text, copies as well, unless there are too many for categories.
    `locate` finds the first row of a column with a text that shows something, if rows have numbers.
    """
    texts, rows = _count_texts(frame, columns, name, weight)
    if texts.kind.is_nearly_numbers:
        example, where = texts.example, ""
        if locate is not None:
            example, row = locate(name, texts.shows)
            where = f" in row {row}"
        elif rows is not None:
            where = f" in {rows[example]:.0f} rows"
        what = describe_bad_numbers(texts, example, where, how_to)
        raise ValueError(f"column {name!r} {what}")
    return texts, None if rows is None else sum(rows.values())


def _first_date(frame: nw.LazyFrame[Any], name: str) -> str | None:
    """Write the first date or time of a column, if it can be written."""
    try:
        first = ask(frame, "find the first date", {name: Aggregate(nw.col(name), "min")})[name]
    except EngineError:  # some drivers cannot hand over some of them
        return None
    return write_date(first)


def _beyond(
    frame: nw.LazyFrame[Any], types: Mapping[str, Any], names: Sequence[str]
) -> Iterator[tuple[str, int]]:
    """Find the columns of whole numbers that floats do not hold, with such a number."""
    if not names:
        return
    # Of the column itself: as a float, the first number beyond is the largest one within.
    wholes = {n: nw.col(n).cast(nw.Float64) if types[n] == nw.Decimal else nw.col(n) for n in names}
    asked = {f"{how} {n}": Aggregate(wholes[n], how) for n in names for how in ("min", "max")}
    found = ask(frame, "look for identifiers", asked)
    for name in names:
        ends = (found[f"{how} {name}"] for how in ("min", "max"))
        beyond = [int(end) for end in ends if end is not None and abs(int(end)) > LARGEST_WHOLE]
        if beyond:
            yield name, beyond[0]


def _count_texts(
    frame: nw.LazyFrame[Any], columns: Columns, name: str, weight: str | None
) -> tuple[Texts, dict[str, float] | None]:
    """Recognise the texts of a column, and count the rows of each, copies as well.

    If there are too many texts for categories, only some are looked at and none are counted.
    """
    label = columns.label(name).alias("label")
    question = f"count the texts of column {name!r}"
    most = MOST_CATEGORIES + 2  # one may be missing
    if frame.implementation.is_duckdb():
        first = _draw(frame, question, label, lambda rows: rows.head(_FIRST_ROWS))
        if len(first) > MOST_CATEGORIES:
            # Of all texts, no other ones than these have such small numbers.
            bound = first[_NUMBER].to_list()[-1]
            few = _draw(frame, question, label, lambda rows: rows, nw.col(_NUMBER) <= bound)
            return _recognise_many(frame, label, name, few), None
    added = []
    if weight is not None:
        copies = columns.number(weight)
        added = [copies.alias(_COPIES), _has_parts(copies).alias(_PARTS)]
    names = [_COPIES, _PARTS][: len(added)]
    found = add_up(
        frame, question, lambda rows: rows.select(label, *added), ["label"], names, most
    ).to_dict(as_series=False)
    counted = found[_COPIES] if added and not any(found[_PARTS]) else found[COUNT]
    counts = dict(zip(found["label"], counted, strict=True))
    rows = {str(label): float(n) for label, n in counts.items() if not is_missing(label)}
    if len(rows) > MOST_CATEGORIES:
        few = _draw(frame, question, label, lambda rows: rows)
        return _recognise_many(frame, label, name, few), None
    return recognise_texts(list(rows), sum(rows.values())), rows


def _draw(
    frame: nw.LazyFrame[Any],
    question: str,
    label: Expr,
    take: Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]],
    wanted: Expr | None = None,
) -> nw.DataFrame[Any]:
    """Draw texts of some rows: those of the smallest numbers, whatever the order of the rows.

    One more is drawn than categories have. In alphabetical order, numbers would come before words.
    """

    def query(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        known = take(rows.select(label)).filter(~nw.col("label").is_null())
        numbered = add_label_numbers(known, "label", _NUMBER)
        numbered = numbered if wanted is None else numbered.filter(wanted)
        return numbered.unique().sort(_NUMBER, "label").head(MOST_CATEGORIES + 1)

    return collect(frame, question, query)


def _recognise_many(
    frame: nw.LazyFrame[Any], label: Expr, name: str, few: nw.DataFrame[Any]
) -> Texts:
    """Recognise more texts than categories have, given some of them."""
    some = _known(few["label"].to_list())
    known = set(some)
    if sum(map(is_plain_number, some)) > len(some) / 2:
        # What tells are the others, which may be few.
        question = f"look for words among the numbers of column {name!r}"
        words = ~nw.col("label").str.contains(WHOLE_TEXT)
        found = _draw(frame, question, label, lambda rows: rows, words)
        known.update(_known(found["label"].to_list()))
    return recognise_texts(list(known), whole=False)


def _has_parts(copies: Expr) -> Expr:
    """1 where a weight is no whole number, so that weights are no copies."""
    return as_integer((copies.floor() < copies).fill_null(value=False))


def _known(labels: Collection[Any]) -> list[str]:
    return [str(label) for label in labels if not is_missing(label)]


def empty_columns(
    frame: nw.LazyFrame[Any], columns: Columns, names: Collection[str]
) -> tuple[nw.LazyFrame[Any], Columns]:
    """Make columns of missing numbers of some columns."""
    if not names:
        return frame, columns
    # Not a literal, of which some engines would give one, not one for each row.
    nothing = [
        nw.when(nw.col(name).is_null() & ~nw.col(name).is_null()).then(nw.lit(0.0)).alias(name)
        for name in names
    ]
    types = {**columns.types, **dict.fromkeys(names, nw.Float64())}
    return frame.with_columns(*nothing), replace(columns, types=types)
