"""Write the models of all datasets as JSON, to compare what two versions of sorb learn.

To check that a change does not alter what is learned, run this before and after it, into two
folders, the second time with `--against` the first one.
"""

import argparse
import json
from pathlib import Path

from rich.progress import track

import sorb
from sorb.lab.datasets import NAMES, load
from sorb.lab.protocol import splits

SETTINGS = {
    "default": {},
    "axis": {"search": "axis"},
    "integer": {"weights": "integer"},
    "log": {"log_columns": "auto"},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the models are written")
    parser.add_argument("--datasets", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    parser.add_argument("--against", type=Path, help="a folder of models to compare with")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in track(options.datasets, description="Learning"):
        for setting, estimator in _estimators(load(name)):
            estimator.ensemble_.save(options.folder / f"{name}-{setting}.json")
    if options.against:
        _compare(options.against, options.folder)


def _estimators(data):
    """Learn from the training rows of the first split with each setting."""
    drawn = splits(len(data.X), repetitions=1)[0].drawn
    X, y = data.X[drawn], data.y[drawn]
    classes = {
        "classification": sorb.LLTBoostClassifier,
        "regression": sorb.LLTBoostRegressor,
    }
    estimator = classes[data.task]
    yield "paper", estimator.paper().fit(X, y)
    for setting, parameters in SETTINGS.items():
        yield setting, estimator(**parameters).fit(X, y)


def _compare(before, after):
    """Say how many models are the same, and how far the others are from each other."""
    names = sorted(path.name for path in after.glob("*.json") if (before / path.name).exists())
    texts = [[(folder / name).read_text() for folder in (before, after)] for name in names]
    same = [old == new for old, new in texts]
    leaves = [[dict(_leaves(json.loads(text))) for text in pair] for pair in texts]
    distances = [_distance(*pair) for pair in leaves]
    alike = [distance for distance in distances if distance is not None]
    print(f"{sum(same)} of {len(names)} models are identical")
    largest = max(alike, default=0.0)
    print(f"{len(alike)} have the same rules; relative differences are up to {largest:.1e}")
    for name, distance in zip(names, distances, strict=True):
        if distance is None:
            print(f"other rules: {name}")


def _leaves(document, path=()):
    """The values in a JSON document, with their places."""
    if isinstance(document, (dict, list)):
        items = document.items() if isinstance(document, dict) else enumerate(document)
        for key, value in items:
            yield from _leaves(value, (*path, key))
    else:
        yield path, document


def _distance(old, new):
    """The largest relative difference of two models' numbers, or None if more than these differ."""
    if old.keys() != new.keys():
        return None
    largest = 0.0
    for path, value in old.items():
        other = new[path]
        if isinstance(value, float) and isinstance(other, float):
            largest = max(largest, abs(value - other) / max(abs(value), abs(other), 1e-300))
        elif value != other:
            return None
    return largest


if __name__ == "__main__":
    main()
