"""Predictions for a table that is read in pieces, so that it need not fit in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from sorb.cli.answers import find_answers, require_other_names
from sorb.cli.arguments import refuse_standard_input
from sorb.cli.memory_limit import parse_memory, require_memory
from sorb.cli.model_tables import ModelColumns
from sorb.cli.outside_rows import OutsideRows
from sorb.cli.piece_progress import show_pieces
from sorb.cli.table_output import write_pieces
from sorb.rules import RuleEnsemble
from sorb.tables.arrow import replace_columns
from sorb.tables.duckdb_engine import open_engine
from sorb.tables.large_table import CsvCells, LargeTable, open_large
from sorb.tables.reading import Reading

__all__ = ["PieceOptions", "predict_in_pieces"]


@dataclass(frozen=True, slots=True)
class PieceOptions:
    """Where the table is, how much memory may be used, and what to write."""

    sources: Sequence[str]
    table: str | None
    memory: str | None
    copied: Sequence[str]
    proba: bool
    reading: Reading


def predict_in_pieces(
    ensemble: RuleEnsemble, options: PieceOptions, outside: OutsideRows, out: Path | None
) -> None:
    """Predict the rows of one piece after the other, in the order of the table."""
    refuse_standard_input(options.sources, options.table)
    limit = None if options.memory is None else parse_memory(options.memory)
    columns = ModelColumns.of([ensemble], dict.fromkeys(options.copied, "--id"))
    with open_engine() as engine:
        engine.limit_memory(require_memory(limit, len(columns.wanted) + len(options.copied)))
        source = open_large(options.sources, options.table, engine, options.reading)
        columns = columns.find(source.columns, source.where, options.reading.day_first)
        write_pieces(show_pieces(_answered(ensemble, options, outside, columns, source)), out)


def _answered(
    ensemble: RuleEnsemble,
    options: PieceOptions,
    outside: OutsideRows,
    columns: ModelColumns,
    source: LargeTable,
) -> Iterator[pa.Table]:
    as_written = [name for name in options.copied if name not in ensemble.used_columns]
    read = columns.read or source.columns[:1]
    cells = CsvCells(columns.texts, as_written)
    first_row, schema = 0, None
    for piece in source.pieces(read, cells):
        if not piece.num_rows:
            continue
        rows = columns.spell(_without_null_types(piece), first_row)
        unlike = outside.find(rows, first_row)
        answers = {**find_answers(ensemble, ensemble(rows), options.proba), **unlike}
        require_other_names(options.copied, answers, source.where)
        copied = {name: rows[name] for name in options.copied}
        answered = pa.table({**copied, **{n: pa.array(a) for n, a in answers.items()}})
        schema = schema or answered.schema
        yield answered.cast(schema)
        first_row += piece.num_rows
    if not first_row:
        raise ValueError(f"{source.where} has no rows")


def _without_null_types(piece: pa.Table) -> pa.Table:
    empty = [f.name for f in piece.schema if pa.types.is_null(f.type)]
    return replace_columns(piece, {name: piece[name].cast(pa.float64()) for name in empty})
