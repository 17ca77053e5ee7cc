"""A site: a table that answers questions, and what of it stays where it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw

from sorb.federated import messages
from sorb.federated.messages import Message
from sorb.federated.small_groups import merge_small_groups
from sorb.learning.lazy_source import LazySource
from sorb.tables.frames import as_narwhals
from sorb.tables.lazy_opening import open_lazy
from sorb.tables.quoting import quote_some
from sorb.tables.row_keys import Range

__all__ = ["Site"]


class Site:
    """A table of one site, which stays there and answers questions.

    Parameters
    ----------
    frame : lazy frame, or DataFrame
        A frame of DuckDB, polars, PySpark, Dask or Ibis, or a DataFrame of pandas, polars or
        pyarrow, with the columns to learn from and those named below, and no other ones.
    y : str
        The column with the class labels, or the numbers to predict.
    name : str
        What to call the site in messages.
    sample_weight, exposure : str or None, default=None
        The columns with the weights and the exposures of the rows.
    rows : bool, default=True
        Whether a sample of rows may leave the site. If not, rules are searched in the rows of
        others, and this site tells sums only.
    min_rows : int, default=1
        Sums are told only of groups that have so many rows, ≥ 1; the rows of smaller groups are
        added to the most similar one that is large enough.
    ranges : dict or None, default=None
        Ranges of columns of numbers, as in ``{"age": (0, 120)}``, which are told instead of the
        least, the largest and the mean value. They must include all values.

    Examples
    --------
    >>> import polars as pl
    >>> from sorb.federated import Site
    >>> table = pl.DataFrame({"age": [30, 40, 50, 60], "ill": [0, 0, 1, 1]})
    >>> site = Site(table, "ill", name="north", rows=False)
    >>> _ = site.answer({"ask": "columns", "categorical": "from_dtype", "loss": None})
    >>> site.answer({"ask": "numbers", "counted": True})["ranges"]
    {'age': {'low': 30.0, 'high': 60.0, 'mean': 45.0, 'count': 4.0}}
    """

    def __init__(
        self,
        frame: Any,
        y: str,
        *,
        name: str,
        sample_weight: str | None = None,
        exposure: str | None = None,
        rows: bool = True,
        min_rows: int = 1,
        ranges: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        if isinstance(min_rows, bool) or not isinstance(min_rows, int) or min_rows < 1:
            raise ValueError(f"min_rows must be a whole number ≥ 1, found {min_rows!r}")
        self.name = name
        self._frame = _lazy(frame)
        self._fields = (y, sample_weight, exposure)
        self._rows, self._min_rows = rows, min_rows
        self._ranges = {
            key: Range(float(low), float(high), math.nan)
            for key, (low, high) in (ranges or {}).items()
        }
        self._source: LazySource | None = None

    def answer(self, question: Message) -> Message:
        """Answer a question; both are values that JSON can hold.

        Parameters
        ----------
        question : dict
            What is asked, under the key ``"ask"``, and its details. The first question of a fit is
            for the columns: with it, the table is opened anew.

        Returns
        -------
        answer : dict
        """
        details = {key: value for key, value in question.items() if key != "ask"}
        ask = question["ask"]
        if ask not in _QUESTIONS:
            raise ValueError(f"expected one of the questions {quote_some(_QUESTIONS)}: {ask!r}")
        found: Message = getattr(self, f"_{ask}")(**details)
        return found

    def _columns(self, categorical: Any, loss: Message | None) -> Message:
        columns = open_lazy(self._frame, *self._fields, categorical, loss is None, self._ranges)
        self._source = LazySource(columns, messages.read_loss(loss))
        description = replace(
            self._source.description, min_rows=self._min_rows, shares_rows=self._rows
        )
        return messages.write_description(description)

    @property
    def _opened(self) -> LazySource:
        if self._source is None:
            raise ValueError("the first question must be for the columns")
        return self._source

    def _numbers(self, counted: bool) -> Message:
        self._opened.columns = replace(self._opened.columns, counted=counted)
        return messages.write_numbers(self._opened.numbers())

    def _labels(self, column: str) -> Message:
        if column not in self._opened.columns.categorical:
            raise ValueError(f"column {column!r} is not one with categories to learn from")
        labels = self._opened.labels(column)
        return {"labels": messages.write_labels(labels, self._kind(column))}

    def _between(self, ranges: Mapping[str, Message]) -> Message:
        asked = {name: messages.read_range(ends) for name, ends in ranges.items()}
        self._require_features(asked)
        return {"columns": sorted(self._opened.between(asked))}

    def _classes(self) -> Message:
        kind = self._kind(self._opened.columns.y)
        return messages.write_classes(self._opened.count_classes(), kind)

    def _outcomes(self) -> Message:
        count, outcomes = self._opened.check_outcomes()
        range_ = messages.write_range(outcomes)
        return {"n_rows": count.n_rows, "weight": count.weight, "range": range_}

    def _keys(self, plan: Message, limit: int) -> Message:
        if limit > 0:
            self._require_sharing()
        found = self._opened.count_keys(messages.read_plan(plan), limit)
        return {"keys": list(found.keys), "n_rows": found.n_rows}

    def _sample(self, limits: Sequence[Any] | None, copied: bool) -> Message:
        self._require_sharing()
        rows = self._opened.rows(None if limits is None else dict(limits), copied)
        return messages.write_rows(rows, self._opened.description)

    def _sums(self, conditions: Sequence[Any], shift: float) -> Message:
        asked = messages.read_conditions(conditions)
        self._require_features({name: None for condition in asked for name in condition.columns})
        sums = merge_small_groups(self._opened.sums(asked, shift), self._min_rows)
        return messages.write_sums(sums, self._kind(self._opened.columns.y))

    def _kind(self, name: str) -> str:
        return self._opened.description.kinds[name]

    def _require_sharing(self) -> None:
        if not self._rows:
            raise ValueError("no rows leave this site, nor their keys")

    def _require_features(self, names: Mapping[str, Any]) -> None:
        others = [name for name in names if name not in self._opened.columns.features]
        if others:
            raise ValueError(f"column {others[0]!r} is not one to learn from")


_QUESTIONS = (
    "columns",
    "numbers",
    "labels",
    "between",
    "classes",
    "outcomes",
    "keys",
    "sample",
    "sums",
)


def _lazy(frame: Any) -> nw.LazyFrame[Any]:
    found = as_narwhals(frame)
    if not isinstance(found, (nw.LazyFrame, nw.DataFrame)):
        raise TypeError(f"a site needs a lazy frame or a DataFrame, found {type(frame).__name__}")
    return found.lazy()
