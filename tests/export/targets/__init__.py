"""What runs an export: its `write` exports a case, `usable` says whether it has a place for its
values, and `check` runs cases and compares the answers with those of the model."""

import atexit
import shutil
from contextlib import ExitStack
from functools import cache

from export.postgres_server import missing_part, running_server
from export.targets import (
    c_function,
    excel_sheet,
    javascript_function,
    onnx_model,
    python_function,
    r_function,
)
from export.targets.databases import DuckDB, Postgres, SQLite

PROGRAMS = {"C": "gcc", "JavaScript": "node", "R": "Rscript"}


@cache
def every_target():
    """All targets that can be run on this machine, by name."""
    targets = {
        "SQLite": SQLite(),
        "DuckDB": DuckDB(),
        "Python": python_function,
        "R": r_function,
        "C": c_function,
        "JavaScript": javascript_function,
        "Excel": excel_sheet,
        "ONNX": onnx_model,
    }
    if missing_part() is None:
        server = ExitStack()
        atexit.register(server.close)
        targets["PostgreSQL"] = Postgres(server.enter_context(running_server()))
    return {
        name: target
        for name, target in targets.items()
        if name not in PROGRAMS or shutil.which(PROGRAMS[name])
    }
