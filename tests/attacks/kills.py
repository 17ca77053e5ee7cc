"""Processes killed at random moments: files are whole, and a run goes on to the same results."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np

from sorb import Condition, Proposition, Rule, RuleEnsemble

# Saves one of two models after the other, and says when it begins.
SAVER = """
import sys
from sorb import RuleEnsemble
models = [RuleEnsemble.load(path) for path in sys.argv[2:]]
print("ready", flush=True)
while True:
    for model in models:
        model.save(sys.argv[1])
"""
RUN = """
[[parts]]
datasets = ["iris", "diabetes"]
methods = ["TGB"]
repetitions = 6

[protocol]
reg_lambdas = [1.0]
"""
SORB = ["-c", "from sorb.cli import main; main()"]
LONGEST = 30  # seconds that a process may take to begin


def attack(seed):
    """Kill a process that saves a model, or one that does a run; say which."""
    random = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        if seed % 4 == 3:  # which takes fifty times as long
            kill_run(random, Path(folder))
            return "while running"
        kill_save(random, Path(folder))
        return "while saving"


def kill_save(random, folder):
    """Kill a process that saves: the file is one of the two models, and nothing else stays."""
    models = [_model(rules) for rules in (3, 2000)]
    for k, model in enumerate(models):
        model.save(folder / f"{k}.json")
    home = folder / "home"
    home.mkdir()
    path = home / "model.json"
    command = [SAVER, path, folder / "0.json", folder / "1.json"]
    with _start("-c", *command, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(random.exponential(0.02))
        _kill(process)
    if path.exists():
        assert RuleEnsemble.load(path) in models
    models[0].save(path)
    assert os.listdir(home) == ["model.json"]
    assert RuleEnsemble.load(path) == models[0]


def _model(rules):
    old = Condition((Proposition(("age", "height"), (1.0, -0.5), 2.0),))
    return RuleEnsemble(
        0.0, [Rule(old, float(k)) for k in range(rules)], ("age", "height"), "squared"
    )


def kill_run(random, folder):
    """Kill a run once or twice: what was done stays, and the rest gives the same results."""
    configuration, out = folder / "run.toml", folder / "out"
    configuration.write_text(RUN, encoding="utf-8")
    jobs = random.choice([1, 1, 1, 2])
    command = [*SORB, "lab", "run", configuration, "--out", out, "--jobs", jobs]
    kept = {}
    for _ in range(random.integers(1, 3)):
        with _start(*command) as process:
            _wait_for(out, random, process)
            _kill(process)
        kept |= _results(out)
    _finish(command)
    found = _results(out)
    assert found == reference()
    assert found == found | kept
    assert not list(out.rglob(".*.part")) + list(out.rglob(".sorb-*"))


def _wait_for(out, random, process):
    """Wait for some of the units, then for a moment within the next."""
    units, end = int(random.integers(0, 12)), time.monotonic() + LONGEST
    while len(_results(out)) < units and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(random.exponential(0.1))


def _results(out):
    """What is known about each unit, apart from the time it took."""
    from sorb.lab.results import Results

    if not out.exists():
        return {}
    results = Results(out)
    if not results.done():
        return {}
    table = results.table().drop(columns="seconds")
    groups = table.groupby(["dataset", "method", "repetition"])
    return {key: rows.drop(columns="model").to_csv(index=False) for key, rows in groups}


@cache
def reference():
    """The results of a run that nobody disturbs."""
    with tempfile.TemporaryDirectory() as folder:
        configuration, out = Path(folder, "run.toml"), Path(folder, "out")
        configuration.write_text(RUN, encoding="utf-8")
        _finish([*SORB, "lab", "run", configuration, "--out", out])
        return _results(out)


def _finish(arguments):
    with _start(*arguments) as process:
        assert process.wait() == 0


def _start(*arguments, **options):
    """Start Python in a group of processes of its own, which is killed as a whole."""
    command = [sys.executable, *map(str, arguments)]
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options}
    return subprocess.Popen(command, start_new_session=True, **options)


def _kill(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
