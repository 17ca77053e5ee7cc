"""Results of a run: a folder with a Parquet file for each finished unit, or one for all of them.

A unit is one method on one split of one dataset. It is one row group, written atomically to a file
of its own. `merge` puts the units of a finished run into one file, still with a row group for each.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sorb.lab.facts import damage_error, read_facts, require_regular
from sorb.rules.atomic_files import replace_file

SCHEMA = pa.schema(
    [
        ("dataset", pa.string()),
        ("task", pa.string()),  # classification or regression
        ("method", pa.string()),
        ("repetition", pa.int32()),  # index of the split, from 0
        ("step", pa.int32()),  # index of the model's size, from 1; mostly the number of rules
        ("setting", pa.string()),  # the size as parameters, such as "max_rules=3"
        ("reg_lambda", pa.float64()),  # null for a method without an L2 penalty
        ("complexity", pa.float64()),  # null if the method claims none
        ("cv_risk", pa.float64()),  # mean loss over the inner folds; null without inner folds
        ("train_risk", pa.float64()),  # these four: relative to the model without rules
        ("test_risk", pa.float64()),  # null for a method that gives no probabilities
        ("train_error", pa.float64()),  # null for regression
        ("test_error", pa.float64()),
        ("seconds", pa.float64()),  # time to learn this model, without the inner folds
        ("iterations", pa.float64()),  # of the search for a sparse separator of `step` columns
        ("doublings", pa.float64()),  # of the penalty before these, in a bisection
        ("model", pa.string()),  # first repetition only: rules as JSON, other models as text
        ("failure", pa.string()),  # why the unit has no result; then this is its only row
    ]
)
Row = Mapping[str, Any]

MOST_SECONDS = 1e9  # thirty years
LONGEST_NAME = 200  # characters; file systems allow 255
_DASH = re.compile("^-|-(?=-|$)")


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    """One method on one split of one dataset."""

    repetition: int
    dataset: str
    method: str

    @property
    def file_name(self) -> str:
        """The name of the unit's own file, which no other unit has."""
        name = f"{_quote(self.dataset)}--{_quote(self.method)}--{self.repetition:02}"
        if len(name) > LONGEST_NAME:
            digest = hashlib.sha256(name.encode()).hexdigest()
            name = f"{name[: LONGEST_NAME - len(digest) - 2]}--{digest}"
        return f"{name}.parquet"


def _quote(name: str) -> str:
    """Write a name such that it neither ends nor begins with a dash, nor has two in a row."""
    return _DASH.sub("%2D", quote(name, safe=" +="))


@dataclass(frozen=True, slots=True)
class Results:
    """The folder of a run."""

    folder: Path

    def write(self, unit: Unit, rows: Sequence[Row]) -> None:
        """Write the rows of a unit atomically: its file is either complete or absent."""
        table = pa.Table.from_pylist([_complete(unit, row) for row in rows], SCHEMA)
        _write(self.folder / "units" / unit.file_name, [table])

    def write_facts(self, facts: Mapping[str, Any]) -> None:
        """Write what the run consists of, and how and where it was made."""
        _replace(
            self.folder / "run.json",
            (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode(),
        )

    def facts(self) -> dict[str, Any]:
        """Read what `write_facts` wrote; empty if there is nothing yet."""
        path = self.folder / "run.json"
        return read_facts(path) if path.exists() else {}

    def done(self) -> dict[Unit, str | None]:
        """List the finished units, each with the reason if it failed, else None."""
        columns = [*_UNIT_COLUMNS, "failure"]
        return {_unit(table): table["failure"][0].as_py() for table in self._units(columns)}

    def merge(self) -> Path:
        """Move all units into one file, one row group each."""
        path = self.folder / "results.parquet"
        own = list((self.folder / "units").glob("*.parquet"))
        _write(path, sorted(self._units(), key=_unit))
        for file in own:
            file.unlink()
        return path

    def table(self) -> pd.DataFrame:
        """Read all rows of all units, failed ones included."""
        tables = list(self._units())
        if not tables:
            raise FileNotFoundError(
                f"there are no results in {self.folder}: make some with 'sorb lab run'"
            )
        return pa.concat_tables(tables).to_pandas()

    def _units(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """Read unit by unit; of a unit that was done again, only the latest.

        A file that vanishes has been merged, so the file of all units is read last.
        """
        own: dict[Unit, pa.Table] = {}
        for path in sorted((self.folder / "units").glob("*.parquet")):
            with suppress(FileNotFoundError):
                own.update((_unit(table), table) for table in _read_units(path, columns))
        merged = self.folder / "results.parquet"
        if merged.exists():
            for table in _read_units(merged, columns):
                if _unit(table) not in own:
                    yield table
        yield from own.values()


_UNIT_COLUMNS = ["repetition", "dataset", "method"]


def _read_units(path: Path, columns: list[str] | None) -> Iterator[pa.Table]:
    """Read the units in a file, a row group each."""
    try:
        sizes, whole = _read_row_groups(path, columns)
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damage_error(path, " ".join(str(error).split())) from None
    _check_rows(path, sizes, whole)
    start = 0
    for size in sizes:
        yield whole.slice(start, size)
        start += size


def _read_row_groups(path: Path, columns: list[str] | None) -> tuple[list[int], pa.Table]:
    """Read all row groups in one go, which is much faster, and their sizes to split them again."""
    require_regular(path)
    with pq.ParquetFile(path) as file:
        if not file.schema_arrow.equals(SCHEMA):
            raise ValueError("its columns are not those of results")
        sizes = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
        whole = file.read(columns).combine_chunks()
    whole.validate(full=True)
    return sizes, whole


def _check_rows(path: Path, sizes: Sequence[int], table: pa.Table) -> None:
    if not sizes or min(sizes) < 1 or sum(sizes) != len(table):
        raise damage_error(path, "a unit has no rows")
    for name in _UNIT_COLUMNS:
        if table[name].null_count:
            raise damage_error(path, f"a row has no {name}")
    if "step" in table.column_names:
        unfinished = pc.and_(table["failure"].is_null(), table["step"].is_null())
        if pc.any(unfinished).as_py():
            raise damage_error(path, "a row has neither a step nor a failure")
    if "seconds" in table.column_names:
        for seconds in table["seconds"].drop_null().to_numpy():
            if not 0 <= seconds <= MOST_SECONDS:
                raise damage_error(path, f"a model took {seconds} seconds")


def _unit(table: pa.Table) -> Unit:
    return Unit(*(table[name][0].as_py() for name in _UNIT_COLUMNS))


def _complete(unit: Unit, row: Row) -> dict[str, Any]:
    columns = {"dataset": unit.dataset, "method": unit.method, "repetition": unit.repetition}
    return {**dict.fromkeys(SCHEMA.names), **row, **columns}


def _write(path: Path, tables: Sequence[pa.Table]) -> None:
    sink = pa.BufferOutputStream()
    # Numbers hardly repeat, and row groups are too small for statistics to help.
    texts = [column.name for column in SCHEMA if column.type == pa.string()]
    small = {"compression": "zstd", "use_dictionary": texts, "write_statistics": False}
    with pq.ParquetWriter(sink, SCHEMA, compression_level=15, **small) as writer:
        for table in tables:
            writer.write_table(table)
    _replace(path, sink.getvalue().to_pybytes())


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content)
