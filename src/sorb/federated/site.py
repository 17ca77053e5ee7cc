"""A site: a table that answers questions, and what of it stays where it is."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw

from sorb.federated import messages
from sorb.federated.messages import Message
from sorb.federated.small_groups import merge_small_groups
from sorb.learning.lazy_source import LazySource
from sorb.tables.frames import as_narwhals
from sorb.tables.lazy import LazyColumns
from sorb.tables.lazy_opening import open_lazy
from sorb.tables.quoting import quote_some
from sorb.tables.row_keys import Range

__all__ = ["Site"]

# So many fits may go on at the same time.
_MOST_FITS = 16


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
    >>> opened = site.answer({"ask": "columns", "categorical": "from_dtype", "loss": None})
    >>> site.answer({"ask": "numbers", "fit": opened["fit"], "counted": True})["ranges"]
    {'age': {'low': 30.0, 'high': 60.0, 'excess': 15.0, 'count': 4.0}}
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
        self._ranges = {key: _read_ends(key, *ends) for key, ends in (ranges or {}).items()}
        self._fits: dict[str, LazySource] = {}

    def answer(self, question: Message) -> Message:
        """Answer a question; both are values that JSON can hold.

        Parameters
        ----------
        question : dict
            What is asked, under the key ``"ask"``, and its details. The first question of a fit is
            for the columns: with it, the table is opened anew. Its answer says how to call this
            fit, under the key ``"fit"``, in all further questions; the last few fits are known.

        Returns
        -------
        answer : dict
        """
        details = {key: value for key, value in question.items() if key not in ("ask", "fit")}
        ask = question["ask"]
        if ask == "columns":
            return self._open(**details)
        if ask not in _QUESTIONS:
            raise ValueError(
                f"expected one of the questions {quote_some(['columns', *_QUESTIONS])}: {ask!r}"
            )
        source = self._fits.get(question.get("fit", ""))
        if source is None:
            raise ValueError("this fit is not known here: first ask for the columns")
        found: Message = getattr(self, f"_{ask}")(source, **details)
        return found

    def _open(self, categorical: Any, loss: Message | None) -> Message:
        columns = open_lazy(self._frame, *self._fields, categorical, loss is None, self._ranges)
        for name, reason in columns.left_out.items():
            raise ValueError(f"column {name!r} must be left out of the tables: {reason}")
        self._require_ranges_of(columns)
        source = LazySource(columns, messages.read_loss(loss))
        fit = secrets.token_hex(8)
        # In place, so that a fit that another thread opens meanwhile is not lost.
        self._fits[fit] = source
        for old in list(self._fits)[:-_MOST_FITS]:
            self._fits.pop(old, None)
        description = replace(source.description, min_rows=self._min_rows, shares_rows=self._rows)
        return {"fit": fit, **messages.write_description(description)}

    def _require_ranges_of(self, columns: LazyColumns) -> None:
        """Refuse ranges that would hide nothing: of a name with a typo, or of categories."""
        numbers = [*columns.numeric, columns.y]
        others = [name for name in self._ranges if name not in numbers]
        if others:
            raise ValueError(
                f"ranges names {others[0]!r}, which is neither a column of numbers to learn from "
                f"nor y: these are {quote_some(numbers)}"
            )

    def _numbers(self, source: LazySource, counted: bool) -> Message:
        if source.columns.counted != counted:
            source.columns = replace(source.columns, counted=counted)
        return messages.write_numbers(source.numbers())

    def _labels(self, source: LazySource, column: str) -> Message:
        if column not in source.columns.categorical:
            raise ValueError(f"column {column!r} is not one with categories to learn from")
        kind = source.description.kinds[column]
        if not self._rows and kind in ("integer", "float"):
            raise ValueError(f"column {column!r} holds numbers, which leave this site only in rows")
        return {"labels": messages.write_labels(source.labels(column), kind)}

    def _between(self, source: LazySource, ranges: Mapping[str, Message]) -> Message:
        asked = {name: messages.read_range(ends) for name, ends in ranges.items()}
        _require_features(source, asked)
        known = source.numbers().ranges
        for name, ends in asked.items():
            # Other ends would tell, question by question, which values there are.
            if name not in known or known[name].low < ends.low or known[name].high > ends.high:
                raise ValueError(f"the ends must include the whole range of column {name!r}")
        return {"columns": sorted(source.between(asked))}

    def _classes(self, source: LazySource) -> Message:
        return messages.write_classes(source.count_classes(), _outcome_kind(source))

    def _outcomes(self, source: LazySource) -> Message:
        count, outcomes = source.check_outcomes()
        range_ = messages.write_range(outcomes)
        return {"n_rows": count.n_rows, "weight": count.weight, "range": range_}

    def _keys(self, source: LazySource, plan: Message, limit: int) -> Message:
        self._require_sharing()
        found = source.count_keys(messages.read_plan(plan), limit)
        return messages.write_keys(found, _outcome_kind(source))

    def _sample(
        self, source: LazySource, draw: Message | None, copied: bool, most: int | None
    ) -> Message:
        self._require_sharing()
        rows = source.rows(messages.read_draw(draw), copied, most)
        return messages.write_rows(rows, source.description)

    def _sums(self, source: LazySource, conditions: Sequence[Any], shift: float) -> Message:
        asked = messages.read_conditions(conditions)
        _require_features(source, {name for condition in asked for name in condition.columns})
        sums = merge_small_groups(source.sums(asked, shift), self._min_rows)
        return messages.write_sums(sums, _outcome_kind(source))

    def _require_sharing(self) -> None:
        if not self._rows:
            raise ValueError("no rows leave this site, nor their keys")


_QUESTIONS = (
    "numbers",
    "labels",
    "between",
    "classes",
    "outcomes",
    "keys",
    "sample",
    "sums",
)


def _read_ends(name: str, low: float, high: float) -> Range:
    ends = Range(float(low), float(high))
    if not (math.isfinite(ends.high - ends.low) and ends.low <= ends.high):
        raise ValueError(
            f"the range of column {name!r} must be two finite numbers, the smaller one first, "
            f"found {low!r} and {high!r}"
        )
    return ends


def _outcome_kind(source: LazySource) -> str:
    return source.description.kinds[source.columns.y]


def _require_features(source: LazySource, names: Iterable[str]) -> None:
    others = [name for name in names if name not in source.columns.features]
    if others:
        raise ValueError(f"column {others[0]!r} is not one to learn from")


def _lazy(frame: Any) -> nw.LazyFrame[Any]:
    found = as_narwhals(frame)
    if not isinstance(found, (nw.LazyFrame, nw.DataFrame)):
        raise TypeError(f"a site needs a lazy frame or a DataFrame, found {type(frame).__name__}")
    return found.lazy()
