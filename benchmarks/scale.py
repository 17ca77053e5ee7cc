"""How time and memory of a fit grow with the table, as ratios against things run beside it.

Each part runs in a process of its own, on one thread; times are CPU time. Parts:

read       10⁶ × 30: a fit of up to ten rules against one read of X, and against LightGBM
growth     the exponent of time from 10⁴ to 10⁷ rows, and the time in the system's kernel
memory64   peak beyond X at 10⁶ × 30, float64
memory32   the same for float32
parquet    10⁷ × 10 in a file: memory, and time against DuckDB's sum of all columns
huge       10⁸ × 10 in files, within 2 GB (--huge; needs 8 GB of disk and half an hour)
small      3,000 × 10, against `paper()`
limits     how long fits take that have little time, from 10³ to 10⁶ rows × 30
interrupts how long it takes until a fit ends after Ctrl-C, from 10³ to 3·10⁶ rows × 30

Each part is kept when it is measured: if a run is interrupted, name the other `--parts` next time.
Predictions are measured by `predict_speed.py`, categories and missing values by
`mixed_columns.py`. LightGBM is not a dependency of sorb; without it its line is left out.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PARTS = (
    "read",
    "growth",
    "memory64",
    "memory32",
    "parquet",
    "small",
    "limits",
    "interrupts",
)
STATUS = Path("/proc/self/status")


def main():
    options = _parser().parse_args()
    if options.part:
        print(json.dumps(list(MEASURES[options.part]())))
        return
    import tables
    from rich.progress import track

    wanted = [*options.parts, *(["huge"] if options.huge else [])]
    for part in track(wanted, description="Measuring", transient=True):
        _keep(tables, part, _in_new_process(part))
    print((tables.RESULTS / "scale.md").read_text())


def _keep(tables, part, rows):
    """Add what was measured to what is known, and write it all."""
    path = tables.RESULTS / "scale.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known[part] = rows
    path.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")
    rows = [row for name in [*PARTS, "huge"] for row in known.get(name, ())]
    tables.write_markdown(tables.RESULTS / "scale.md", "Large tables", rows, _notes(tables))


def _parser():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--huge", action="store_true", help="also 10⁸ rows")
    parser.add_argument("--part", choices=[*PARTS, "huge"], help="measure one in this process")
    return parser


def _in_new_process(part):
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    command = [sys.executable, __file__, "--part", part]
    found = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return json.loads(found.stdout)


def _notes(tables):
    return [
        "Ratios are between CPU times on one thread, measured beside each other. `growth` means",
        '`effort="low", selection=None`: rules are neither revisited nor chosen among, as in the',
        "first version. A bar is what we want to reach.",
        "",
        f"`python benchmarks/scale.py`, {tables.machine()}",
    ]


def _row(what, bar, value):
    return {"what": what, "bar": bar, "measured": value}


def _problem(n, d, dtype="float64"):
    """Classes that depend on many columns, so that there are more than ten rules to learn."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=dtype)
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + np.abs(X[:, 3]) - 0.3 * X[:, 4] ** 2
    return X, (score + rng.logistic(size=n) > 0.5).astype(int)


def _cpu(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def _median(work, turns=5):
    return sorted(_cpu(work) for _ in range(turns))[turns // 2]


def _fit(X, y, **parameters):
    from sorb import LLTBoostClassifier

    return LLTBoostClassifier(max_rules=10, **parameters).fit(X, y)


def _measure_read():
    X, y = _problem(10**6, 30)
    read = _median(lambda: X.sum())
    full = _median(lambda: _fit(X, y), 3)
    growth = _median(lambda: _fit(X, y, effort="low", selection=None), 3)
    yield _row("10⁶ × 30, ten rules, against one read of X", "≤ 250", f"{full / read:.0f}")
    yield _row("… growth", "", f"{growth / read:.0f}")
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        return
    rival = _cpu(lambda: LGBMClassifier(n_jobs=1, verbose=-1).fit(X, y))
    yield _row("… against LightGBM's defaults", "≤ 0.4", f"{full / rival:.2f}")
    yield _row("… growth", "", f"{growth / rival:.2f}")


def _measure_growth():
    import numpy as np

    X, y = _problem(10**7, 10, "float32")
    sizes = 10 ** np.arange(4, 8)
    for name, parameters in {"": {}, ", growth": {"effort": "low", "selection": None}}.items():
        fits = [partial(_fit, X[:n], y[:n], **parameters) for n in sizes]
        times = [_median(fit, 3) for fit in fits]
        exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        each = ", ".join(f"{seconds:.2f}" for seconds in times)
        what = f"exponent of time, 10⁴ to 10⁷ rows × 10{name}"
        yield _row(what, "≤ 0.9", f"{exponent:.2f} ({each} s)")
    half = 5 * 10**6
    before = os.times()
    _fit(X[:half], y[:half])
    after = os.times()
    share = (after.system - before.system) / (
        after.system - before.system + after.user - before.user
    )
    yield _row("time in the system's kernel, 5·10⁶ × 10", "≤ 10 %", f"{100 * share:.0f} %")


def _measure_memory(dtype):
    _fit(*_problem(2000, 30, dtype))  # imports and first allocations do not count
    X, y = _problem(10**6, 30, dtype)
    before = _forget_peak()
    _fit(X, y)
    beyond = 1024 * (_kilobytes("VmHWM") - before) / X.nbytes
    yield _row(f"peak beyond X, 10⁶ × 30, {dtype}", "≤ 0.5 × X", f"{beyond:.2f} × X")


def _measure_parquet():
    yield from _from_files(10**7, "≤ 300 MB", "≤ 3")


def _measure_huge():
    yield from _from_files(10**8, "≤ 2 GB", "")


def _from_files(n, memory_bar, time_bar):
    import duckdb

    block = 10**6
    with tempfile.TemporaryDirectory() as folder:
        for k in range(n // block):
            command = [sys.executable, __file__, "--write", folder, str(k), str(block)]
            subprocess.run(command, check=True)
        duckdb.sql("SET threads = 1")
        duckdb.sql("SET memory_limit = '200MB'")
        table = duckdb.read_parquet(f"{folder}/*.parquet")
        sums = ", ".join(f"sum(x{j})" for j in range(10))
        query = duckdb.query
        _fit_file(duckdb.query(f"SELECT * FROM '{folder}/0.parquet' LIMIT 3000"))
        total = _cpu(lambda: query(f"SELECT {sums} FROM '{folder}/*.parquet'").fetchall())
        before = _forget_peak()
        models = []
        seconds = _cpu(lambda: models.append(_fit_file(table)))
        beyond = _kilobytes("VmHWM") - before
    n_rules = max(1, len(models[0].stages_[-1].ensemble))
    power = len(str(n)) - 1
    yield _row(
        f"10^{power} × 10 from Parquet, memory beyond the start",
        memory_bar,
        f"{beyond / 1000:.0f} MB",
    )
    yield _row(
        "… time for a rule, against DuckDB's sum of all columns",
        time_bar,
        f"{seconds / total / n_rules:.1f} ({seconds:.0f} s, {n_rules} rules)",
    )


def _fit_file(table):
    from sorb import LLTBoostClassifier

    return LLTBoostClassifier(max_rules=10).fit(table, "y")


def _write(folder, k, n):
    """Write one of the files; called in a process of its own, whose memory does not count."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(k)
    X = rng.standard_normal((n, 10), dtype="float32")
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + np.abs(X[:, 3]) - 0.3 * X[:, 4] ** 2
    y = score + rng.logistic(size=n) > 0.5
    columns = {**{f"x{j}": X[:, j] for j in range(10)}, "y": y.astype("int8")}
    pq.write_table(pa.table(columns), Path(folder) / f"{k}.parquet")


def _measure_small():
    from sorb import LLTBoostClassifier

    X, y = _problem(3000, 10)
    paper = _median(lambda: LLTBoostClassifier.paper().fit(X, y), 15)
    growth = _median(lambda: _fit(X, y, selection=None), 15)
    yield _row("3,000 × 10, default growth against paper()", "", f"{growth / paper:.1f}")


def _measure_limits():
    from sorb import LLTBoostClassifier, LLTBoostClassifierCV

    for limit in (0.001, 0.5, 2.0):
        times = []
        for n in (10**3, 10**5, 10**6):
            X, y = _problem(n, 30)
            for estimator in (LLTBoostClassifier, LLTBoostClassifierCV):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    start = time.perf_counter()
                    estimator(max_seconds=limit).fit(X, y)
                    times.append(time.perf_counter() - start)
        yield _row(
            f"max_seconds={limit}, 10³ to 10⁶ rows, with CV: the longest of {len(times)}",
            f"≤ {max(1.1 * limit, limit + 0.1):.3g} s",
            f"{max(times):.2f} s",
        )


INTERRUPTED = """
import sys, time, warnings
sys.path.insert(0, {folder!r})
from scale import _problem
from sorb import LLTBoostClassifier
n, search_rows, n_jobs = {case!r}
model = LLTBoostClassifier(search_rows=search_rows, n_jobs=n_jobs)
model.fit(*_problem(500, 30))
X, y = _problem(n, 30)
warnings.simplefilter("ignore")
print("ready", flush=True)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    pass
print("done", time.time(), flush=True)
"""


def _measure_interrupts(turns=4):
    """Interrupt each kind of fit at random moments."""
    import random

    for n in (10**3, 10**5, 10**6, 3 * 10**6):
        delays = []
        for search_rows, n_jobs in ((20_000, 1), (None, 1), (20_000, 2)):
            case = (n, search_rows, n_jobs)
            code = INTERRUPTED.format(folder=str(Path(__file__).parent), case=case)
            for turn in range(turns):
                delays.append(_delay(code, random.Random(turn).uniform(0, 2.5)))
        text = f"{max(delays):.2f} s (median {sorted(delays)[len(delays) // 2]:.2f})"
        yield _row(f"Ctrl-C, {n} × 30: the longest of {len(delays)}", "≤ 0.5 s", text)


def _delay(code, after):
    """Run a fit, interrupt it after so many seconds, and measure how long it goes on."""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        time.sleep(after)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        done = process.stdout.readline().split()
        return max(0.0, float(done[1]) - sent) if done else float("inf")


def _forget_peak():
    Path("/proc/self/clear_refs").write_text("5")
    return _kilobytes("VmRSS")


def _kilobytes(field):
    lines = STATUS.read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(f"{field}:")))


MEASURES = {
    "read": _measure_read,
    "growth": _measure_growth,
    "memory64": partial(_measure_memory, "float64"),
    "memory32": partial(_measure_memory, "float32"),
    "parquet": _measure_parquet,
    "huge": _measure_huge,
    "small": _measure_small,
    "limits": _measure_limits,
    "interrupts": _measure_interrupts,
}

if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        _write(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
