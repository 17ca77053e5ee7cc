"""How long a fit on a sparse matrix takes beside logistic regression, and how much memory it needs.

The matrices are those of generated texts: word frequencies follow Zipf's law, and forty words are
more frequent in one of the two classes. Each case runs in a process of its own, on one thread.
Measured are CPU time, and the growth of the resident memory as Linux reports it.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import tables
from rich.progress import track
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression

import sorb

GROWTH = {"max_rules": 10, "effort": "low", "selection": None}
METHODS = {
    "logistic regression, lbfgs": LogisticRegression(),
    "logistic regression, liblinear": LogisticRegression(solver="liblinear"),
    "logistic regression, saga": LogisticRegression(solver="saga"),
    "sorb, growth of 10 rules": sorb.LLTBoostClassifier(**GROWTH),
    "sorb, growth of 10 rules, axis": sorb.LLTBoostClassifier(**GROWTH, search="axis"),
    "sorb, defaults": sorb.LLTBoostClassifier(),
}
YARDSTICK = "logistic regression, lbfgs"
GROWN = "sorb, growth of 10 rules"
SIZES = {"counts": (7_770, 8_315), "tf-idf": (7_770, 8_315), "square": (10_000, 10_000)}
CASES = [
    *((size, "sparse", method) for size in ("counts", "tf-idf") for method in METHODS),
    ("square", "sparse", YARDSTICK),
    ("square", "sparse", GROWN),
    ("square", "array", GROWN),
]
REPEATS = 3
STATUS = Path("/proc/self/status")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", nargs=3, help="measure one case in this process")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(_measure(*options.measure)))
        return
    found = {case: _in_new_process(case) for case in track(CASES, transient=True)}
    rows = [_row(case, found) for case in CASES]
    path = tables.RESULTS / "sparse.md"
    tables.write_markdown(path, "Sparse matrices", rows, _notes())
    print(path.read_text())


def documents(n, d, seed=0):
    """Word counts of texts in two classes, and their classes."""
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.5
    lengths, n_marks = rng.poisson(60, n) + 1, rng.poisson(1, n)
    frequency = np.arange(1, d + 1) ** -1.07
    words = rng.choice(d, lengths.sum(), p=frequency / frequency.sum())
    text_of_mark = np.repeat(np.arange(n), n_marks)
    marks = rng.choice(np.arange(20, 600), (2, 20), replace=False)
    marked = marks[label[text_of_mark].astype(int), rng.integers(0, 20, len(text_of_mark))]
    text = np.concatenate((np.repeat(np.arange(n), lengths), text_of_mark)).astype(np.int32)
    word = np.concatenate((words, marked)).astype(np.int32)
    X = sparse.coo_array((np.ones(len(text)), (text, word)), shape=(n, d)).tocsr()
    X.sum_duplicates()
    return X, (label ^ (rng.random(n) < 0.03)).astype(int)


def _in_new_process(case):
    command = [sys.executable, __file__, "--measure", *case]
    environment = {**os.environ, **ONE_THREAD}
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return json.loads(output.stdout)


def _measure(size, kind, method):
    model = METHODS[method]
    model.fit(*documents(300, 700))  # imports and first allocations do not count
    X, y = documents(*SIZES[size])
    X = TfidfTransformer().fit_transform(X) if size == "tf-idf" else X
    stored = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    X = X.toarray() if kind == "array" else X
    _forget_peak()
    before, seconds = _kilobytes("VmRSS"), []
    for _ in range(1 if kind == "array" else REPEATS):
        started = time.process_time()
        model.fit(X, y)
        seconds.append(time.process_time() - started)
    peak = 1024 * (_kilobytes("VmHWM") - before)
    return {"seconds": min(seconds), "peak": peak, "stored": stored, "accuracy": model.score(X, y)}


def _row(case, found):
    size, kind, method = case
    n, d = SIZES[size]
    own, yardstick = found[case], found[(size, "sparse", YARDSTICK)]
    return {
        "X": f"{n} × {d}",
        "values": "tf-idf" if size == "tf-idf" else "counts",
        "kind": kind,
        "method": method,
        "CPU time, s": f"{own['seconds']:.2f}",
        "/ lbfgs": f"{own['seconds'] / yardstick['seconds']:.1f}",
        "stored values, MB": f"{own['stored'] / 1e6:.1f}",
        "peak beyond X, MB": f"{own['peak'] / 1e6:.1f}",
        "peak / stored values": f"{own['peak'] / own['stored']:.1f}",
        "accuracy": f"{own['accuracy']:.3f}",
    }


def _forget_peak():
    Path("/proc/self/clear_refs").write_text("5")


def _kilobytes(field):
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def _notes():
    return [
        "`python benchmarks/sparse_matrices.py`. Generated texts of about 60 words; an array of "
        "10000 × 10000 has 800 MB. CPU time on one thread is the shortest of three fits (of one, "
        "for the array); the accuracy is that on the training rows. With lbfgs, logistic "
        "regression takes its 100 iterations on counts, and 9 on tf-idf. Growth: `"
        + ", ".join(f"{name}={value!r}" for name, value in GROWTH.items())
        + "`.",
        "",
        f"Machine: {tables.machine()}.",
    ]


if __name__ == "__main__":
    main()
