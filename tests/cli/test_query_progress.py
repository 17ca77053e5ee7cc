import sys

import narwhals as nw
import polars as pl
import pytest
from cli.terminal import Terminal

from sorb.cli.query_progress import QueryProgress, show_queries
from sorb.tables.engine import collect


@pytest.mark.parametrize("is_one", [True, False])
def test_questions_are_shown_on_a_terminal_only(is_one, monkeypatch):
    stderr = Terminal(is_one)
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    ages = nw.from_native(pl.LazyFrame({"age": [30, 50]}))
    with show_queries(QueryProgress(lambda: 1.0, 4_000)):
        collect(ages, "find the oldest", lambda rows: rows.select(nw.col("age").max()))
    shown = stderr.getvalue()
    if is_one:
        assert "find the oldest" in shown
        assert "4,000 rows" in shown
        assert "rows/s" in shown
    else:
        assert shown == ""


def test_what_is_unknown_is_not_shown():
    assert QueryProgress(lambda: -1.0).line(1.0) == ""
    assert QueryProgress(lambda: -1.0, 5_000).line(1.0) == "5,000 rows"
