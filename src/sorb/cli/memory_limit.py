"""How much memory a command may use, and how it is shared out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import typer

__all__ = ["MemoryPlan", "parse_memory", "plan_memory", "require_memory"]

UNITS = {
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip
SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?b)\s*", re.IGNORECASE)
MB = 10**6
MOST = 10**18  # bytes

# What was measured by `make test-memory`, rounded up: what libraries and DuckDB take beside
# the limit that DuckDB is given, in all and for each thread; the least limit that it works with;
# and how many times the rows of a sample are held in memory.
BESIDE, BESIDE_THREAD, LEAST_ENGINE = 110 * MB, 15 * MB, 60 * MB
COPIES, CELL = 8, 8
# Rules are learned from so many times the rows that a search looks at.
ROWS_PER_SEARCH = 5
# What libraries take, where the system does not tell.
USUAL_LIBRARIES = 220 * MB
BESIDE_PIECES, PIECE_ROWS = 60 * MB, 1 << 16
LEAST_ROWS, USUAL_ROWS = 2_000, 20_000


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The bytes for the engine, and the rows that a search may look at; None for no limit."""

    engine: int | None
    search_rows: int | None


def parse_memory(text: str) -> int:
    """Read a size such as 2GB, 500MB or 1.5 GiB, in bytes.

    Examples
    --------
    >>> parse_memory("2GB"), parse_memory("0.5 MiB")
    (2000000000, 524288)
    """
    found = SIZE.fullmatch(text)
    if found is None:
        raise typer.BadParameter(
            f"--memory needs a size such as 500MB, 2GB or 2GiB, found {text!r}"
        )
    size = float(found[1]) * UNITS[found[2].lower()]
    if size > MOST:
        raise typer.BadParameter(f"--memory {text} is more than any machine has")
    return int(size)


def plan_memory(
    limit: int | None, n_columns: int, threads: int, search_rows: int | None
) -> MemoryPlan:
    """Share out the memory that is left beside what is in use; refuse too little.

    Parameters
    ----------
    limit : int or None
        The bytes that this process may use in all.
    n_columns : int
        The number of columns to learn from.
    threads : int
        The threads of the engine.
    search_rows : int or None
        The rows that a search should look at, if the user says so.
    """
    if limit is None:
        return MemoryPlan(None, search_rows)
    row = CELL * (n_columns + 3) * COPIES * ROWS_PER_SEARCH
    beside = used_memory() + BESIDE + BESIDE_THREAD * threads
    least = beside + LEAST_ENGINE + row * (search_rows or LEAST_ROWS)
    if limit < least:
        raise _too_little(limit, least)
    left = limit - beside
    rows = search_rows or max(LEAST_ROWS, min(USUAL_ROWS, (left - LEAST_ENGINE) // (2 * row)))
    return MemoryPlan(left - row * rows, rows)


def require_memory(limit: int | None, n_columns: int) -> int | None:
    """Refuse too little memory for reading a table in pieces; give the bytes for the engine."""
    if limit is None:
        return None
    beside = used_memory() + BESIDE_PIECES + COPIES * CELL * n_columns * PIECE_ROWS
    if limit < beside + LEAST_ENGINE:
        raise _too_little(limit, beside + LEAST_ENGINE)
    return limit - beside


def _too_little(limit: int, least: int) -> typer.BadParameter:
    return typer.BadParameter(
        f"--memory {limit / MB:.0f}MB is too little: {least / MB:.0f}MB are needed at least, of "
        f"which {used_memory() / MB:.0f}MB are for the libraries"
    )


def used_memory() -> int:
    """Give the most bytes that this process has used so far, or the usual number."""
    try:
        status = Path("/proc/self/status").read_text("ascii", "replace")
    except OSError:  # not on Linux
        return USUAL_LIBRARIES
    found = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
    return USUAL_LIBRARIES if found is None else int(found[1]) * 1024
