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
path, *models = sys.argv[1:]
models = [RuleEnsemble.load(model) for model in models]
print("ready", flush=True)
while True:
    for model in models:
        model.save(path)
"""
# Saves a model, then another one until the system ends the process because a file gets too long.
CUT_SAVER = """
import resource, signal, sys
from sorb import RuleEnsemble
path, longest, *models = sys.argv[1:]
one, two = map(RuleEnsemble.load, models)
one.save(path)
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which Python ignores
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(longest), int(longest)))
two.save(path)
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
    """End a process that saves a model, or one that does a run; say what it was doing."""
    random = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        if seed % 4 == 3:  # which takes fifty times as long
            kill_run(random, Path(folder))
            return "while running"
        kill = kill_save if seed % 4 == 2 else cut_save
        return kill(random, Path(folder))


def kill_save(random, folder):
    """Kill a process that saves small models, at any moment: the file is one of them."""
    models, files = _saved(folder, sizes=(3, 5))
    path = _new_home(folder) / "model.json"
    with _start("-c", SAVER, path, *files, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(random.exponential(0.02))
        _kill(process)
    assert not path.exists() or RuleEnsemble.load(path) in models
    return clean_up(path)


def cut_save(random, folder):
    """End a process after some bytes of a large model: the file is still the model before it."""
    models, files = _saved(folder, sizes=(3, 2000))
    path = _new_home(folder) / "model.json"
    longest = random.integers(files[1].stat().st_size)
    with _start("-c", CUT_SAVER, path, longest, *files) as process:
        assert process.wait() == -signal.SIGXFSZ
    assert RuleEnsemble.load(path) == models[0]
    return clean_up(path)


def clean_up(path):
    """Require that the next save removes what the last one left; say whether it left anything."""
    left = set(os.listdir(path.parent)) - {path.name}
    model = _model(1)
    model.save(path)
    assert os.listdir(path.parent) == [path.name]
    assert RuleEnsemble.load(path) == model
    return "while writing" if left else "between writes"


def _saved(folder, sizes):
    """Models with so many rules, and their files."""
    models = [_model(rules) for rules in sizes]
    files = [folder / f"{rules}.json" for rules in sizes]
    for model, file in zip(models, files, strict=True):
        model.save(file)
    return models, files


def _new_home(folder):
    home = folder / "home"
    home.mkdir()
    return home


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
    assert not list(out.rglob(".sorb-*"))


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
    return {key: rows.to_csv(index=False) for key, rows in groups}


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
