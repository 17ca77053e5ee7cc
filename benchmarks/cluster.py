"""What a fit on a cluster costs: a model of its time, checked on Dask with 1, 2 and 4 workers.

A fit asks the cluster a few questions, one after the other, and learns rules in between. The time
of a question is taken to be

    latency + partitions · overhead + rows · work / busy cores + bytes · transfer

The first three are measured with one worker, on tables of two sizes and two numbers of partitions;
transfer is that of the network, and nothing on one machine. A part of the overhead is that of the
workers, who share it; how much, their CPU time tells beside that of the process with the scheduler.
The model then predicts other sizes and numbers of workers, which are measured, and clusters that
are not here.
"""

import argparse
import os
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import tables

COLUMNS = 10
# Rows and partitions of the tables that the model is made from: it needs both to vary.
MEASURED = ((500_000, 4), (500_000, 32), (2_000_000, 4), (2_000_000, 32))
# Workers, rows and partitions of the fits that check it.
CHECKED = ((1, 4_000_000, 16), (2, 2_000_000, 16), (2, 4_000_000, 16), (4, 4_000_000, 16))
# A cluster elsewhere: workers with one core each, rows, rows of a partition, bytes per second.
WORKERS, ROWS, PARTITION, NETWORK = (10, 100), 10**9, 10**6, 1.25e8


@dataclass(frozen=True)
class Question:
    """A question that was asked: how long it took, and how large the answer was."""

    name: str
    seconds: float
    n_bytes: int


@dataclass(frozen=True)
class Fit:
    """What was measured of a fit: its questions, the seconds in between, and CPU time."""

    asked: list
    rest: float
    scheduler: float
    workers: float


@dataclass(frozen=True)
class Cost:
    """What a question costs, in seconds: once, for each partition, and for each row.

    The workers share a part of what partitions cost.
    """

    latency: float
    overhead: float
    work: float
    n_bytes: float
    shared: float

    def seconds(self, workers, rows, partitions, bandwidth=None):
        """Predict the time of the question; without a bandwidth, nothing crosses a network."""
        moved = 0.0 if bandwidth is None else self.n_bytes / bandwidth
        overhead = self.overhead * (1 - self.shared + self.shared / workers)
        return self.latency + partitions * overhead + rows * self.work / workers + moved


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of rows")
    parser.add_argument("--repeats", type=int, default=3, help="fits of each table")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = {}
        for workers, rows, partitions in [*((1, *size) for size in MEASURED), *CHECKED]:
            n = int(rows * options.scale)
            path = _table(Path(folder), n, partitions)
            runs[workers, n, partitions] = _fits(path, workers, options.repeats)
            print(f"{workers} workers, {n} rows, {partitions} partitions: done", flush=True)
    costs, learning = _model({key: runs[key] for key in list(runs)[: len(MEASURED)]})
    checks = [_check(key, runs[key], costs, learning) for key in list(runs)[len(MEASURED) :]]
    _write(costs, learning, checks, options)


def _table(folder, rows, partitions):
    """Write a table into as many files as it shall have partitions."""
    import pandas as pd

    path = folder / f"{rows}_{partitions}"
    if path.exists():
        return path
    path.mkdir()
    rng = np.random.default_rng(0)
    for k, n in enumerate(np.diff(np.linspace(0, rows, partitions + 1).astype(int))):
        X = rng.standard_normal((n, COLUMNS), dtype="float32")
        score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + np.abs(X[:, 3]) - 0.3 * X[:, 4] ** 2
        table = pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)])
        table["y"] = (score + rng.logistic(size=n) > 0.5).astype("int8")
        table.to_parquet(path / f"{k:04}.parquet", index=False)
    return path


def _fits(path, workers, repeats):
    """Measure some fits."""
    import dask
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    from sorb import LLTBoostClassifier

    kept = {f"MALLOC_{name}_THRESHOLD_": 2**30 for name in ("TRIM", "MMAP")}
    settings = {f"distributed.nanny.pre-spawn-environ.{key}": kept[key] for key in kept}
    found = []
    with (
        dask.config.set(settings),
        LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        for _ in range(repeats + 1):
            asked, before = [], _cpu_times(client)
            with _recorded(asked):
                start = time.perf_counter()
                frame = dd.read_parquet(path, split_row_groups=False, aggregate_files=False)
                LLTBoostClassifier(max_rules=10, random_state=0).fit(frame, "y")
                total = time.perf_counter() - start
            rest = total - sum(question.seconds for question in asked)
            found.append(Fit(asked, rest, *np.subtract(_cpu_times(client), before)))
    return found[1:]  # the workers import their libraries in the first one


def _cpu_times(client):
    """The CPU time so far of the process with the scheduler, and of all workers."""
    return time.process_time(), sum(client.run(time.process_time).values())


@contextmanager
def _recorded(asked):
    """Record the questions that are asked meanwhile."""
    from sorb.learning import lazy_source
    from sorb.tables import engine, lazy

    def timed(frame, question, query, merge=None):
        start = time.perf_counter()
        answer = engine.collect(frame, question, query, merge)
        seconds = time.perf_counter() - start
        asked.append(Question(question, seconds, int(answer.estimated_size())))
        return answer

    with ExitStack() as stack:
        for module in (lazy, lazy_source):
            stack.enter_context(patch.object(module, "collect", timed))
        yield


def _model(runs):
    """The cost of each question by least squares, and the seconds of learning in between."""
    names = [question.name for question in next(iter(runs.values()))[0].asked]
    shapes = np.array([[1.0, partitions, rows] for _, rows, partitions in runs])
    shared = _share_of_workers(runs, shapes)
    costs = {}
    for place, name in enumerate(names):
        seconds = [min(fit.asked[place].seconds for fit in fits) for fits in runs.values()]
        parts = _non_negative(shapes, seconds)
        n_bytes = max(fit.asked[place].n_bytes for fits in runs.values() for fit in fits)
        costs[f"{place + 1}. {name}"] = Cost(*parts, n_bytes, shared)
    learning = np.median([fit.rest for fits in runs.values() for fit in fits])
    return costs, float(learning)


def _share_of_workers(runs, shapes):
    """The part of the CPU time for each partition that is the workers'."""
    per_partition = [
        _non_negative(shapes, [min(getattr(fit, who) for fit in fits) for fits in runs.values()])[1]
        for who in ("scheduler", "workers")
    ]
    return float(per_partition[1] / sum(per_partition))


def _non_negative(shapes, seconds):
    from scipy.optimize import nnls

    scale = shapes.max(axis=0)
    return nnls(shapes / scale, np.array(seconds))[0] / scale


def _check(key, fits, costs, learning):
    workers, rows, partitions = key
    busy = min(workers, os.cpu_count())
    asked = sum(cost.seconds(busy, rows, partitions) for cost in costs.values())
    measured = min(fit.rest + sum(q.seconds for q in fit.asked) for fit in fits)
    return {
        "workers": workers,
        "rows": f"{rows:,}",
        "partitions": partitions,
        "predicted": f"{asked + learning:.1f} s",
        "measured": f"{measured:.1f} s",
        "error": f"{100 * ((asked + learning) / measured - 1):+.0f} %",
    }


def _write(costs, learning, checks, options):
    rows = [_row(name, cost) for name, cost in costs.items()]
    shared = next(iter(costs.values())).shared
    rows.append(_last_row(rows[0], "learning, in between", lambda workers: learning))
    rows.append(_last_row(rows[0], "a fit", lambda workers: learning + _asked(costs, workers)))
    notes = [
        "Parquet files of ten columns, a fit of up to ten rules, Dask. Costs are measured with one",
        "worker; the times for 10⁹ rows follow from them, with partitions of",
        f"{PARTITION:,} rows, one core a worker, and {NETWORK / 1e6:.0f} MB/s to whoever fits.",
        f"Of what partitions cost, the workers share {100 * shared:.0f} %, by their CPU time; the",
        "rest is the scheduler's, and that of whoever fits.",
        "",
        f"## Predicted and measured, on {os.cpu_count()} cores",
        "",
        *tables.markdown_lines(checks),
        "",
        "More workers than cores are taken to be as fast as the cores.",
        "",
        f"`python benchmarks/cluster.py --scale {options.scale:g} --repeats {options.repeats}`, "
        f"{tables.machine()}",
    ]
    path = tables.RESULTS / "cluster.md"
    tables.write_markdown(path, "A fit on a cluster", rows, notes)
    print(path.read_text())


def _elsewhere(cost, workers):
    return cost.seconds(workers, ROWS, ROWS // PARTITION, NETWORK)


def _asked(costs, workers):
    return sum(_elsewhere(cost, workers) for cost in costs.values())


def _row(name, cost):
    return {
        "question": name,
        "latency": f"{1000 * cost.latency:.0f} ms",
        "a partition": f"{1000 * cost.overhead:.1f} ms",
        "a million rows": f"{1e9 * cost.work:.0f} ms",
        "answer": f"{cost.n_bytes / 1e6:.2f} MB",
        **{_column(w): f"{_elsewhere(cost, w):.1f} s" for w in WORKERS},
    }


def _last_row(first, name, seconds):
    """A row that has a name and, for each number of workers, some seconds."""
    known = {"question": name, **{_column(w): f"{seconds(w):.1f} s" for w in WORKERS}}
    return {column: known.get(column, "") for column in first}


def _column(workers):
    return f"10⁹ rows, {workers} workers"


if __name__ == "__main__":
    main()
