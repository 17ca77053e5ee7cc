"""Write the models of all datasets as JSON, to compare the bytes of two versions of sorb.

To check that a change does not alter what is learned, run this before and after it, into two
folders, and compare them with `diff -r`.
"""

import argparse
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
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in track(options.datasets, description="Learning"):
        for setting, estimator in _estimators(load(name)):
            estimator.ensemble_.save(options.folder / f"{name}-{setting}.json")


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


if __name__ == "__main__":
    main()
