"""How much memory a fit needs beyond its table, as a multiple of the table's size.

Each fit runs in a process of its own. Measured is the growth of the resident memory, including
native allocations, as Linux reports it in /proc/self/status.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import tables
from rich.progress import track

import sorb

CASES = [
    (dtype, task) for dtype in ("float64", "float32") for task in ("classification", "regression")
]
RULES = 5
STATUS = Path("/proc/self/status")


def main():
    options = _parser().parse_args()
    if options.measure:
        print(json.dumps(_measure(*options.measure, options.rows, options.columns)))
        return
    rows = [
        _in_new_process(dtype, task, options.rows, options.columns)
        for dtype, task in track(CASES, description="Measuring", transient=True)
    ]
    path = tables.RESULTS / "memory.md"
    tables.write_markdown(path, "Peak memory of a fit beyond its table", rows, _notes())
    print(path.read_text())


def _parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument(
        "--measure", nargs=2, metavar=("DTYPE", "TASK"), help="measure one case in this process"
    )
    return parser


def _in_new_process(dtype, task, n, d):
    sizes = ["--rows", str(n), "--columns", str(d)]
    command = [sys.executable, __file__, "--measure", dtype, task, *sizes]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output)


def _measure(dtype, task, n, d):
    _fit(*_problem(dtype, task, 200, d), task)  # imports and first allocations do not count
    X, y = _problem(dtype, task, n, d)
    _forget_peak()
    before = _kilobytes("VmRSS")
    _fit(X, y, task)
    extra = 1024 * (_kilobytes("VmHWM") - before)
    return {
        "X": f"{n} × {d}",
        "dtype": dtype,
        "task": task,
        "size of X, MB": f"{X.nbytes / 1e6:.0f}",
        "peak beyond X, MB": f"{extra / 1e6:.0f}",
        "peak beyond X / size of X": f"{extra / X.nbytes:.2f}",
    }


def _problem(dtype, task, n, d):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=dtype)
    y = X[:, 0] + 2 * (X[:, 1] > X[:, 2]) + rng.standard_normal(n)
    return X, (y > 1).astype(int) if task == "classification" else y


def _fit(X, y, task):
    kind = sorb.LLTBoostClassifier if task == "classification" else sorb.LLTBoostRegressor
    kind(max_rules=RULES).fit(X, y)


def _forget_peak():
    Path("/proc/self/clear_refs").write_text("5")


def _kilobytes(field):
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def _notes():
    return [
        f"Ordinary defaults with max_rules={RULES}. The peak is that of the resident memory "
        "during the fit, less the resident memory just before it.",
        "",
        f"Machine: {tables.machine()}.",
    ]


if __name__ == "__main__":
    main()
