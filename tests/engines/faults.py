"""Cause faults at random moments of fits: each must end with the same model or with a clear error.

    PYTHONPATH=tests python -m engines.faults --times 20

Each trial is kept in benchmarks/results/faults.jsonl, so that an interrupted campaign goes on where
it was; the table is benchmarks/results/faults.md.
"""

import argparse
import faulthandler
import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from itertools import count
from pathlib import Path

import numpy as np

from engines.fault_engines import CHANGES, ENGINES

RESULTS = Path("benchmarks/results")
RAW, REPORT = RESULTS / "faults.jsonl", RESULTS / "faults.md"
# An error must be raised within so many seconds of a fault.
LIMIT = 60.0
# What is given up: a trial that does not end at all, with all that it takes to start the engine.
PATIENCE = 300.0
READY = "an undisturbed fit takes"
NO_FAULT = ("empty partition", "unequal partitions")


def fit(frame):
    from sorb import LLTBoostClassifier

    model = LLTBoostClassifier(max_rules=2, search_rows=400, random_state=0).fit(frame, "ill")
    ensemble = model.ensemble_
    return [repr(rule.condition) for rule in ensemble], [
        ensemble.offset,
        *(r.vote for r in ensemble),
    ]


def is_same(one, other):
    return one[0] == other[0] and np.allclose(one[1], other[1], rtol=1e-9, atol=1e-9)


def one_trial(engine, fault, seed, expected, duration):
    """Fit, and cause a fault meanwhile; give what happened, and how long a fit takes."""
    from sorb.tables.changes import TableChangedError
    from sorb.tables.engine import EngineError

    rng = np.random.default_rng(seed)
    change = CHANGES[seed % len(CHANGES)]
    engine.start()
    engine.prepare(fault, rng)
    delay = rng.random() * duration
    begun, caused, failures = [], [], []

    def cause():
        begun.append(time.monotonic())
        try:
            engine.cause(fault, rng, change)
        except Exception as error:
            failures.append(error)
        caused.append(time.monotonic())

    timer = threading.Timer(delay, cause)
    frame = engine.frame()
    if fault not in NO_FAULT:
        timer.start()
    message, started = "", time.monotonic()
    try:
        found = fit(frame)
        known = (
            [expected[None], expected[change]] if fault == "changing table" else [expected[None]]
        )
        outcome = "same model" if any(is_same(found, model) for model in known) else "wrong model"
    except (EngineError, TableChangedError) as error:
        outcome, message = "clear error", f"{type(error).__name__}: {error}"
    except Exception as error:
        outcome, message = "other error", f"{type(error).__name__}: {error}"
    ended = time.monotonic()
    if timer.ident is not None:
        timer.join()
    if failures:
        raise RuntimeError(f"{fault} could not be caused") from failures[0]
    seconds = ended - begun[0] if begun else 0.0
    if message and seconds <= 0:
        outcome = "error without fault"
    engine.restore(fault)
    return {
        "outcome": "late error" if message and seconds > LIMIT else outcome,
        "after": round(delay / duration, 3),
        # An error may come before all of a fault is caused.
        "during": seconds > 0 and (bool(message) or caused[0] < ended),
        "fit": round(ended - started, 2),
        "seconds": round(max(seconds, 0.0), 2),
        "message": message[:500],
    }


def is_hit(trial):
    """Whether a fault came before the fit had ended."""
    return trial["fault"] in NO_FAULT or trial.get("during", True)


def serve(name, fault, first, wanted):
    """Run trials in this process until enough faults came in time; print a line for each trial."""
    faulthandler.dump_traceback_later(PATIENCE - 10, repeat=True)
    with tempfile.TemporaryDirectory(prefix="sorb-faults-") as folder:
        engine = ENGINES[name](folder)
        tables = {None: engine.table} | {c: engine.changed_table(c) for c in CHANGES}
        expected = {key: fit(table.drop("row").lazy()) for key, table in tables.items()}
        engine.start()
        engine.prepare("", np.random.default_rng(0))
        fit(engine.frame())  # the first fit of a process takes longer
        started = time.monotonic()
        assert is_same(fit(engine.frame()), expected[None])
        duration = time.monotonic() - started
        engine.restore("")
        print(f"{READY} {duration:.1f} s", flush=True)
        for seed in count(first):
            answer = one_trial(engine, fault, seed, expected, duration)
            trial = {"engine": name, "fault": fault, "seed": seed, **answer}
            print(json.dumps(trial), flush=True)
            wanted -= is_hit(trial)
            if not answer["during"]:
                duration = min(duration, answer["fit"])
            if wanted == 0:
                break
        engine.stop()


def run(name, fault, first, wanted):
    """Run trials in another process, until enough faults came in time or one of them hangs."""
    command = [
        sys.executable,
        "-m",
        "engines.faults",
        "--serve",
        name,
        fault,
        str(first),
        str(wanted),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines = queue.Queue()
    reader = threading.Thread(target=_read, args=(process.stdout, lines), daemon=True)
    reader.start()
    seed, is_ready = first, False
    try:
        while (line := lines.get(timeout=PATIENCE)) is not None:
            if line.startswith("{"):
                trial = json.loads(line)
                keep(trial)
                seed, wanted = seed + 1, wanted - is_hit(trial)
            else:
                is_ready = is_ready or line.startswith(READY)
                print(line, end="", flush=True)
    except queue.Empty:
        if is_ready:  # or else no fault was caused
            hung = {"outcome": "hung", "seconds": PATIENCE}
            keep({"engine": name, "fault": fault, "seed": seed, **hung})
    process.kill()
    if process.wait() and wanted:
        print(f"{name}, {fault}: the process ended early, at trial {seed}")


def _read(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put(None)


def keep(trial):
    print(trial, flush=True)
    with RAW.open("a") as file:
        file.write(json.dumps(trial) + "\n")


def kept():
    return [json.loads(line) for line in RAW.read_text().splitlines()] if RAW.exists() else []


OUTCOMES = (
    "same model",
    "clear error",
    "wrong model",
    "other error",
    "late error",
    "error without fault",
    "hung",
)


def report():
    found = defaultdict(list)
    for trial in kept():
        found[trial["engine"], trial["fault"]].append(trial)
    lines = [
        "# Faults while a lazy frame is learned from",
        "",
        "Each trial fits a model to 100,000 rows, and causes a fault at a random moment. "
        "It must end with the same model, or with one clear error within 60 seconds of the fault. "
        "*During* counts the trials whose fault came before the fit had ended: 20 are wanted, "
        "and what is less has not been reached yet. "
        "`make faults` runs them (again, if `faults.jsonl` is removed).",
        "",
        f"| engine | fault | trials | during | {' | '.join(OUTCOMES)} | longest, s |",
        f"| --- | --- | {'--: | ' * (len(OUTCOMES) + 3)}".rstrip(),
    ]
    for engine, fault in ((e, f) for e in ENGINES for f in ENGINES[e].faults):
        trials = found[engine, fault]
        counts = Counter(trial["outcome"] for trial in trials)
        during = sum(map(is_hit, trials))
        cells = [len(trials), during, *(counts[outcome] for outcome in OUTCOMES)]
        longest = max((trial["seconds"] for trial in trials), default=0.0)
        lines.append(f"| {engine} | {fault} | {' | '.join(map(str, cells))} | {longest:.1f} |")
    REPORT.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--engines", nargs="*", default=list(ENGINES))
    parser.add_argument("--serve", nargs=4)
    options = parser.parse_args()
    if options.serve:
        name, fault, first, wanted = options.serve
        serve(name, fault, int(first), int(wanted))
        return
    for name in options.engines:
        for fault in ENGINES[name].faults:
            done = [t for t in kept() if t["engine"] == name and t["fault"] == fault]
            wanted = options.times - sum(map(is_hit, done))
            if wanted > 0:
                run(name, fault, len(done), wanted)
            report()


if __name__ == "__main__":
    main()
