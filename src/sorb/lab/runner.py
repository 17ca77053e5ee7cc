"""Do the units of a run in parallel, save each as soon as it is done, and resume later."""

from __future__ import annotations

import json
import os
import platform
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

import joblib
from threadpoolctl import threadpool_limits

from sorb.checks import TableWarning
from sorb.lab.configuration import Configuration, ConfigurationError
from sorb.lab.datasets import load
from sorb.lab.folder_lock import locked
from sorb.lab.iterations import COUNTERS
from sorb.lab.methods import Method
from sorb.lab.protocol import Protocol
from sorb.lab.protocol import run as run_protocol
from sorb.lab.results import Results, Unit

LIBRARIES = ("sorb", "numpy", "scipy", "scikit-learn", "interpret-core", "obliquetree", "imodels")
UnitProgress = Callable[[int, int, Unit | None, str | None], None]


def run(
    configuration: Configuration,
    folder: str | Path,
    jobs: int = 1,
    backend: str | None = None,
    retry_failed: bool = False,
    progress: UnitProgress = lambda done, total, unit, failure: None,
) -> Results:
    """Do the units of a run that are not done yet.

    Parameters
    ----------
    configuration : Configuration
        The run.
    folder : path
        Where its results are kept. An interrupted run resumes here. Only one process at a time
        may run on it.
    jobs : int, default=1
        The number of units done at the same time.
    backend : str or None, default=None
        joblib's backend, such as "loky", "threading", or "dask" for a cluster that this process
        is connected to. None lets joblib choose.
    retry_failed : bool, default=False
        Whether to try units again that failed before.
    progress : callable, default does nothing
        Called with the number of units done, the number of all units, the unit just done, and
        the reason if it failed.

    Returns
    -------
    results : Results
        All units, including those done before.

    Raises
    ------
    ConfigurationError
        If the folder holds results with other settings.
    FolderInUse
        If another process is running on the folder.
    """
    results = Results(Path(folder))
    with locked(results.folder):
        _require_same_settings(results, configuration)
        units = configuration.units()
        done = results.done()
        todo = [unit for unit in units if unit not in done or (retry_failed and done[unit])]
        progress(len(units) - len(todo), len(units), None, None)
        with nullcontext() if backend is None else joblib.parallel_config(backend):
            finished = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(
                joblib.delayed(_attempt)(
                    unit,
                    configuration.location_of(unit.dataset),
                    configuration.method_of(unit.method),
                    configuration.protocol_of(unit.method),
                )
                for unit in todo
            )
            if todo:
                results.write_facts(_facts(results.facts(), configuration, jobs))
            for count, (unit, rows) in enumerate(finished, len(units) - len(todo) + 1):
                results.write(unit, rows)
                progress(count, len(units), unit, rows[0].get("failure"))
        results.merge()
    return results


def _attempt(
    unit: Unit, location: str, method: Method | None, protocol: Protocol
) -> tuple[Unit, list[dict[str, Any]]]:
    """Do one unit; a failure is recorded as its result."""
    try:
        with threadpool_limits(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore", TableWarning)  # the tables are known
            return unit, _rows(unit, location, method, protocol)
    except Exception as error:
        return unit, [{"failure": f"{type(error).__name__}: {error}"}]


def _rows(
    unit: Unit, location: str, method: Method | None, protocol: Protocol
) -> list[dict[str, Any]]:
    dataset = load(location)
    if method is None:
        return COUNTERS[unit.method](dataset, unit.repetition)
    return run_protocol(dataset, method, unit.repetition, protocol)


def _require_same_settings(results: Results, configuration: Configuration) -> None:
    facts, now = results.facts(), configuration.settings()
    before = facts.get("settings", now)
    changed = [key for key in now if before.get(key) != now[key]]
    methods = facts.get("methods", {})
    changed += [
        name
        for name, method in _own_methods(configuration).items()
        if methods.get(name, method) != method
    ]
    if changed:
        raise ConfigurationError(
            f"{results.folder} holds results with other settings ({', '.join(changed)}): "
            "choose another folder, or remove that one"
        )


def _own_methods(configuration: Configuration) -> dict[str, Any]:
    """Return the user's own methods as they are read again from JSON."""
    facts = {name: method.facts() for name, method in configuration.methods.items()}
    return dict(json.loads(json.dumps(facts, default=str)))


def _facts(before: Mapping[str, Any], configuration: Configuration, jobs: int) -> dict[str, Any]:
    """Return what the run consists of, and the commands that made it, this one included."""
    return {
        "configuration": configuration.name,
        "settings": configuration.settings(),
        "parts": [asdict(part) for part in configuration.parts],
        "methods": {**before.get("methods", {}), **_own_methods(configuration)},
        "sources": {name: source.location for name, source in configuration.sources.items()},
        "commands": [*before.get("commands", []), _command(jobs)],
    }


def _command(jobs: int) -> dict[str, Any]:
    return {
        "command": " ".join(["sorb", *sys.argv[1:]]),
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "jobs": jobs,
        "machine": f"{_processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in LIBRARIES},
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
