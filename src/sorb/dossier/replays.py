"""Run the exports of a bundle on its rows, each in a process or an engine of its own.

What is run is what sorb itself has just written from the model; the file of the bundle was compared
with it before.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sorb._extras import install_command
from sorb.dossier.replay_rows import ReplayRows
from sorb.export import Output
from sorb.export.column_types import column_types
from sorb.export.program import compile_ensemble
from sorb.rules import RuleEnsemble

__all__ = ["REPLAYS", "Replay", "ReplayError"]

LONGEST = 600  # seconds that a program may take
COMPILERS = ("cc", "gcc", "clang")

PYTHON = """
import json, sys
given = json.load(sys.stdin)
module = {}
exec(compile(given["source"], "model.py", "exec"), module)
rows = (dict(zip(given["columns"], row)) for row in given["rows"])
json.dump([module["predict"](row) for row in rows], sys.stdout)
"""

# Text, as JSON has no infinity.
JAVASCRIPT = """
(() => {
  const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const answers = given.rows.map((cells) => {
    const row = Object.create(null);
    given.columns.forEach((name, j) => { row[name] = cells[j]; });
    const answer = predict(row);
    return Array.isArray(answer) ? answer.map(String) : String(answer);
  });
  process.stdout.write(JSON.stringify(answers));
})();
"""

C = """
#include <stdio.h>
#include <stdlib.h>

static char *read_text(void) {{
  int length;
  char *text = 0;
  if (fread(&length, sizeof length, 1, stdin) != 1) exit(1);
  if (length < 0) return 0;
  text = malloc((size_t)length + 1);
  if (!text || fread(text, 1, (size_t)length, stdin) != (size_t)length) exit(1);
  text[length] = 0;
  return text;
}}

int main(void) {{
  static double x[{width}], answer[{outputs}];
  static char *t[{width}];
  while (fread(x, sizeof(double), {width}, stdin) == {width}) {{
    {read}
    {call}
    fwrite(answer, sizeof(double), {outputs}, stdout);
    {free}
  }}
  return 0;
}}
"""

# Numbers and texts travel in files of bytes, so that nothing is rounded or read as something else.
R = """
folder <- commandArgs(trailingOnly = TRUE)[1]
read_numbers <- function(name, n) readBin(file.path(folder, name), "double", n)
read_texts <- function(name, n) {
  bytes <- file(file.path(folder, name), "rb")
  on.exit(close(bytes))
  vapply(seq_len(n), function(i) {
    length <- readBin(bytes, "integer", 1L)
    if (length < 0L) return(NA_character_)
    text <- rawToChar(readBin(bytes, "raw", length))
    Encoding(text) <- "UTF-8"
    text
  }, "")
}
size <- read_numbers("size", 2)
names <- read_texts("names", size[2])
kinds <- read_texts("kinds", size[2])
data <- data.frame(row.names = seq_len(size[1]))
for (j in seq_len(size[2])) {
  name <- paste0("column", j)
  data[[names[j]]] <- if (kinds[j] == "text") read_texts(name, size[1])
    else if (kinds[j] == "truth") as.logical(read_numbers(name, size[1]))
    else read_numbers(name, size[1])
}
writeBin(as.double(t(predict_rows(data))), file.path(folder, "answers"))
"""


class ReplayError(Exception):
    """An export could not be run."""


@dataclass(frozen=True, slots=True)
class Replay:
    """How an export is run.

    Attributes
    ----------
    missing : says what is not installed; None if everything is.
    run : gives the answers for all rows.
    """

    missing: Callable[[], str | None]
    run: Callable[[RuleEnsemble, bytes, Output, ReplayRows], Any]


def _nothing() -> None:
    return None


def _program(*names: str) -> Callable[[], str | None]:
    found = " or ".join(names)
    return lambda: None if any(map(shutil.which, names)) else f"{found} is not installed"


def _package(name: str, how: str) -> Callable[[], str | None]:
    return lambda: None if importlib.util.find_spec(name) else f"{name} is not installed: {how}"


def _output(command: list[str], content: bytes) -> bytes:
    try:
        done = subprocess.run(
            command, input=content, capture_output=True, check=True, timeout=LONGEST
        )
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        # Node.js and R say first, Python last, what is wrong.
        told = next((line for line in reversed(lines) if "Error" in line), lines[-1])
        raise ReplayError(f"{command[0]} failed: {told}") from error
    except subprocess.TimeoutExpired as error:
        raise ReplayError(f"{command[0]} took more than {LONGEST} seconds") from error
    return done.stdout


def _given(rows: ReplayRows, **more: str) -> bytes:
    return json.dumps({"columns": list(rows.values), "rows": rows.lists, **more}).encode()


def _python(ensemble: RuleEnsemble, code: bytes, output: Output, rows: ReplayRows) -> Any:
    source = code.decode("utf-8", errors="surrogatepass")
    command = [sys.executable, "-I", "-c", PYTHON]
    return json.loads(_output(command, _given(rows, source=source)))


def _javascript(ensemble: RuleEnsemble, code: bytes, output: Output, rows: ReplayRows) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "model.cjs")
        script.write_bytes(code + JAVASCRIPT.encode())
        return np.array(json.loads(_output(["node", str(script)], _given(rows))), dtype=np.float64)


def _c(ensemble: RuleEnsemble, code: bytes, output: Output, rows: ReplayRows) -> Any:
    columns = ensemble.columns
    types = column_types(compile_ensemble(ensemble, output))
    texts = [j for j, name in enumerate(columns) if types.get(name) == "text"]
    several = ensemble.loss.score_per_class
    outputs = len(ensemble.offsets)
    inputs = "x, (const char *const *)t" if texts else "x"
    main = C.format(
        width=max(len(columns), 1),
        outputs=outputs,
        read=" ".join(f"t[{j}] = read_text();" for j in texts),
        call=f"predict({inputs}, answer);" if several else f"answer[0] = predict({inputs});",
        free=" ".join(f"free(t[{j}]);" for j in texts),
    )
    compiler = next(name for name in COMPILERS if shutil.which(name))
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "model.c"), Path(folder, "model")
        source.write_bytes(code + main.encode())
        _output([compiler, "-std=c99", str(source), "-o", str(program), "-lm"], b"")
        found = _output([str(program)], _c_input(rows, columns, texts))
    answers = np.frombuffer(found, dtype=np.float64)
    return answers.reshape(-1, outputs) if several else answers


def _c_input(rows: ReplayRows, columns: tuple[str, ...], texts: list[int]) -> bytes:
    """Write the numbers of each row, then its texts."""
    matrix = rows.matrix(columns) if columns else np.zeros((rows.n_rows, 1))
    if not texts:
        return matrix.tobytes()
    found = [rows.texts(columns[j], None).tolist() for j in texts]
    pieces = []
    for numbers, *words in zip(matrix, *found, strict=True):
        pieces.append(numbers.tobytes())
        pieces += map(_sized, words)
    return b"".join(pieces)


def _r(ensemble: RuleEnsemble, code: bytes, output: Output, rows: ReplayRows) -> Any:
    with tempfile.TemporaryDirectory() as name:
        folder, names = Path(name), list(rows.values)
        Path(folder, "model.R").write_bytes(code + R.encode())
        Path(folder, "size").write_bytes(np.array([rows.n_rows, len(names)], float).tobytes())
        Path(folder, "names").write_bytes(b"".join(map(_sized, names)))
        Path(folder, "kinds").write_bytes(b"".join(map(_sized, rows.holds.values())))
        for j, column in enumerate(names, start=1):
            content = (
                b"".join(map(_sized, rows.texts(column, None).tolist()))
                if rows.holds[column] == "text"
                else rows.matrix([column]).tobytes()
            )
            Path(folder, f"column{j}").write_bytes(content)
        _output(["Rscript", "--vanilla", str(folder / "model.R"), name], b"")
        answers = np.frombuffer(Path(folder, "answers").read_bytes(), dtype=np.float64)
    several = ensemble.loss.score_per_class
    return answers.reshape(-1, len(ensemble.offsets)) if several else answers


def _sized(text: str | None) -> bytes:
    """Write a text behind its length, which is −1 if it is missing."""
    if text is None:
        return np.int32(-1).tobytes()
    written = text.encode("utf-8", errors="surrogatepass")
    return np.int32(len(written)).tobytes() + written


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _query(code: bytes, rows: ReplayRows) -> tuple[str, str]:
    """Write a query of the expression, row by row, and the name of the column that counts rows."""
    known = {name.casefold() for name in rows.values}
    key = "row"
    while key in known:
        key += "_"
    expression = code.decode("utf-8", errors="surrogatepass")
    return f'SELECT (\n{expression}) FROM "rows" ORDER BY {_quoted(key)}', key


SQL_TYPES = {"number": "DOUBLE PRECISION", "text": "TEXT", "truth": "BOOLEAN"}


def _sqlite(ensemble: RuleEnsemble, code: bytes, output: Output, rows: ReplayRows) -> Any:
    query, key = _query(code, rows)
    columns = [f"{_quoted(name)} {SQL_TYPES[rows.holds[name]]}" for name in rows.values]
    marks = ", ".join("?" * (1 + len(columns)))
    base = sqlite3.connect(":memory:")
    try:
        base.execute(f'CREATE TABLE "rows" ({", ".join([f"{_quoted(key)} INTEGER", *columns])})')
        numbered = ([k, *row] for k, row in enumerate(rows.lists))
        base.executemany(f'INSERT INTO "rows" VALUES ({marks})', numbered)
        return [answer for (answer,) in base.execute(query)]
    except sqlite3.Error as error:
        raise ReplayError(f"SQLite failed: {error}") from error
    finally:
        base.close()


def _duckdb(ensemble: RuleEnsemble, code: bytes, output: Output, rows: ReplayRows) -> Any:
    import duckdb
    import pyarrow as pa

    types = {"number": pa.float64(), "text": pa.string(), "truth": pa.bool_()}
    query, key = _query(code, rows)
    columns = {key: pa.array(range(rows.n_rows), pa.int64())}
    for name, values in rows.values.items():
        columns[name] = pa.array(values, types[rows.holds[name]])
    base = duckdb.connect(config={"threads": 1, "enable_external_access": False})
    try:
        base.register("rows", pa.table(columns))
        return [answer for (answer,) in base.execute(query).fetchall()]
    except duckdb.Error as error:
        raise ReplayError(f"DuckDB failed: {error}") from error
    finally:
        base.close()


def _onnx(ensemble: RuleEnsemble, code: bytes, output: Output, rows: ReplayRows) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(code, options, providers=["CPUExecutionProvider"])
    names = {given.name for given in session.get_inputs()} - {"X"}
    feed: dict[str, Any] = {name: rows.texts(name, "") for name in names}
    return session.run([output], {"X": rows.matrix(ensemble.columns), **feed})[0]


REPLAYS: dict[str, Replay] = {
    "python": Replay(_nothing, _python),
    "javascript": Replay(_program("node"), _javascript),
    "r": Replay(_program("Rscript"), _r),
    "c": Replay(_program(*COMPILERS), _c),
    "sqlite": Replay(_nothing, _sqlite),
    "duckdb": Replay(_package("duckdb", install_command("databases")), _duckdb),
    "onnx": Replay(_package("onnxruntime", "pip install onnxruntime"), _onnx),
}
