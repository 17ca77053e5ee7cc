"""Results of a run: a folder with one Parquet file for each finished unit, or for all of them.

A unit is one method on one split of one dataset. It is written as one row group, to a file of its
own that appears at once or not at all. `gather` puts the units of a finished run into one file,
again with a row group for each.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = pa.schema(
    [
        ("dataset", pa.string()),
        ("task", pa.string()),  # classification or regression
        ("method", pa.string()),
        ("repetition", pa.int32()),  # the number of the split, from 0
        ("step", pa.int32()),  # which size of model, from 1: for rules mostly their number
        ("setting", pa.string()),  # the same in words, such as "max_rules=3"
        ("reg_lambda", pa.float64()),  # null for a method without an L2 penalty
        ("complexity", pa.float64()),  # null if none is claimed
        ("cv_risk", pa.float64()),  # mean loss over the inner folds; null without inner folds
        ("train_risk", pa.float64()),  # these four are relative to the model without rules
        ("test_risk", pa.float64()),  # null for a method that gives no probabilities
        ("train_error", pa.float64()),  # null for a regression
        ("test_error", pa.float64()),
        ("seconds", pa.float64()),  # to learn this model, without the inner folds
        ("iterations", pa.float64()),  # of the search for a sparse separator of `step` columns
        ("doublings", pa.float64()),  # of the penalty before these, in a bisection
        ("model", pa.string()),  # first repetition: rules as JSON, other models in words
        ("failure", pa.string()),  # why the unit has no result; then it has this one row only
    ]
)
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    """One method on one split of one dataset."""

    repetition: int
    dataset: str
    method: str

    @property
    def file_name(self) -> str:
        """A file name of its own."""
        return quote(f"{self.dataset}--{self.method}--{self.repetition:02}.parquet", safe=" +=")


@dataclass(frozen=True, slots=True)
class Results:
    """The folder of a run."""

    folder: Path

    def write(self, unit: Unit, rows: Sequence[Row]) -> None:
        """Write the rows of a unit; whoever looks sees all of them or no file."""
        table = pa.Table.from_pylist([_complete(unit, row) for row in rows], SCHEMA)
        _write(self.folder / "units" / unit.file_name, [table])

    def write_facts(self, facts: Mapping[str, Any]) -> None:
        """Write down what the run consists of and where it was made."""
        _replace(
            self.folder / "run.json",
            (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode(),
        )

    def facts(self) -> dict[str, Any]:
        """Read what `remember` wrote; empty if it never did."""
        path = self.folder / "run.json"
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}

    def done(self) -> dict[Unit, str | None]:
        """List the units that are finished, each with the reason if it failed."""
        columns = [*_PLACE, "failure"]
        return {_unit(table): table["failure"][0].as_py() for table in self._units(columns)}

    def gather(self) -> Path:
        """Put all units into one file, one row group each, and remove their own files."""
        path = self.folder / "results.parquet"
        own = list((self.folder / "units").glob("*.parquet"))
        _write(path, sorted(self._units(), key=_unit))
        for file in own:
            file.unlink()
        return path

    def table(self) -> pd.DataFrame:
        """Read all rows of all units, the failed ones included."""
        tables = list(self._units())
        if not tables:
            raise FileNotFoundError(
                f"there are no results in {self.folder}: make some with 'sorb lab run'"
            )
        return pa.concat_tables(tables).to_pandas()

    def _units(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """Read unit by unit; one that was done again counts as it was done last.

        A file that vanishes was gathered, so the file of all units is looked at last.
        """
        own = {}
        for path in sorted((self.folder / "units").glob("*.parquet")):
            with suppress(FileNotFoundError), pq.ParquetFile(path) as file:
                own[path.name] = file.read_row_group(0, columns)
        gathered = self.folder / "results.parquet"
        if gathered.exists():
            for unit in _row_groups(gathered, columns):
                if _unit(unit).file_name not in own:
                    yield unit
        yield from own.values()


_PLACE = ["repetition", "dataset", "method"]


def _row_groups(path: Path, columns: list[str] | None) -> Iterator[pa.Table]:
    """Read all row groups at once, which takes a fraction of the time, and take them apart."""
    with pq.ParquetFile(path) as file:
        sizes = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
        whole = file.read(columns).combine_chunks()
    start = 0
    for size in sizes:
        yield whole.slice(start, size)
        start += size


def _unit(table: pa.Table) -> Unit:
    return Unit(*(table[name][0].as_py() for name in _PLACE))


def _complete(unit: Unit, row: Row) -> dict[str, Any]:
    place = {"dataset": unit.dataset, "method": unit.method, "repetition": unit.repetition}
    return {**dict.fromkeys(SCHEMA.names), **row, **place}


def _write(path: Path, tables: Sequence[pa.Table]) -> None:
    sink = pa.BufferOutputStream()
    # Numbers hardly repeat, and a row group is too small for statistics to be of use.
    texts = [column.name for column in SCHEMA if column.type == pa.string()]
    small = {"compression": "zstd", "use_dictionary": texts, "write_statistics": False}
    with pq.ParquetWriter(sink, SCHEMA, compression_level=15, **small) as writer:
        for table in tables:
            writer.write_table(table)
    _replace(path, sink.getvalue().to_pybytes())


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    unfinished.write_bytes(content)
    unfinished.replace(path)
