"""Compare the speed of two versions of sorb on the training rows of the first splits.

Each version is a checkout whose kernels are built beside its Python files. Both run in processes
of their own that take turns, so that a busy machine slows down both; the CPU time of a fit on one
thread is compared, and the median of the ratios is reported.
"""

import argparse
import gc
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from rich.progress import track

SETTINGS = ("paper", "default", "axis")
DATASETS = ("iris", "diabetes", "friedman1", "housing", "magic")


def main():
    options = _parser().parse_args()
    if options.serve:
        return _serve()
    before, after = (_start(checkout) for checkout in (options.before, options.after))
    ratios = []
    for name in track(options.datasets, description="Timing", transient=True):
        found = [_ratio(before, after, f"{name} {setting}", options.fits) for setting in SETTINGS]
        ratios += found
        print(
            f"{name:12s}", *(f"{s} {r:.3f} " for s, r in zip(SETTINGS, found, strict=True)), sep=" "
        )
    print(f"{'median':12s} {statistics.median(ratios):.3f} (time after / time before)")
    return None


def _parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, nargs="?", help="the checkout to compare with")
    parser.add_argument(
        "after", type=Path, nargs="?", default=Path(__file__).parents[1], help="default: this one"
    )
    parser.add_argument("--datasets", nargs="+", default=DATASETS, metavar="NAME")
    parser.add_argument("--fits", type=int, default=15, help="fits of each (default: 15)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser


def _start(checkout):
    return subprocess.Popen(
        [sys.executable, __file__, "--serve"],
        env={**os.environ, "PYTHONPATH": str(checkout.resolve() / "src"), "OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _ratio(before, after, job, fits):
    """The median of the ratios of pairs; each version is the first one of every second pair."""
    ratios = []
    for turn in range(fits):
        pair = (before, after) if turn % 2 else (after, before)
        seconds = {id(process): _ask(process, job) for process in pair}
        ratios.append(seconds[id(after)] / seconds[id(before)])
    return statistics.median(ratios)


def _ask(process, job):
    process.stdin.write(f"{job}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def _serve():
    """Time one fit for each line of the input."""
    gc.disable()
    ready = {}
    for line in sys.stdin:
        job = line.strip()
        if job not in ready:
            ready[job] = _prepared(*job.split())
            ready[job]()  # the first fit warms up the caches
        gc.collect()
        start = time.process_time()
        ready[job]()
        print(time.process_time() - start, flush=True)


def _prepared(name, setting):
    import sorb
    from sorb.lab.datasets import load
    from sorb.lab.protocol import splits

    data = load(name)
    drawn = splits(len(data.X), 1)[0].drawn
    classes = {
        "classification": sorb.LLTBoostClassifier,
        "regression": sorb.LLTBoostRegressor,
    }
    make = classes[data.task].paper if setting == "paper" else classes[data.task]
    estimator = make(n_jobs=1, **({"search": "axis"} if setting == "axis" else {}))
    return lambda: estimator.fit(data.X[drawn], data.y[drawn])


if __name__ == "__main__":
    main()
