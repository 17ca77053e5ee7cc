"""Where sorb is best among the methods whose models are rules, and where a rival is ahead.

It reads the results of the laboratory, and compares them dataset by dataset: the area under the
curve of risk against complexity, the complexity at which 25, 50 and 75 % of the risk is gone, and
the risk and the error rate of the largest model within a complexity of 20 and of 50. Areas are
means over repetitions, the others medians, as in the tables of the laboratory. The difference from
the best rival is always a mean, ± one standard error, over the repetitions, which are paired.

`--before` compares the areas with those of older results, such as those of the version before
models were grown and chosen as they are now: the folder results/paper of the commit be949aa.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import tables

from sorb.lab.curves import trade_off_curves
from sorb.lab.results import Results
from sorb.lab.statistics import area, complexity_at, largest_within

OURS = ("sorb", "sorb-axis", "sorb-model")
# Their models are not rules, or have no complexity.
NO_RULES = ("NRE", "EBM", "Linear", "HGB")
# What is compared: a measure, a statistic of a curve, how repetitions are summarised, and how large
# a difference counts as level.
COMPARISONS = {
    "area": ("risk", area, np.mean, 0.005),
    **{
        f"{100 * share:.0f} % of the risk": (
            "risk",
            partial(complexity_at, reduction=share),
            np.median,
            0.0,
        )
        for share in (0.25, 0.5, 0.75)
    },
    **{
        f"{measure} within {most}": (
            measure,
            partial(largest_within, subset="test", complexity=most),
            np.median,
            0.01,
        )
        for measure in ("risk", "error")
        for most in (20, 50)
    },
}

OVERLAP = (
    "Differences are means over repetitions ± one standard error. The repetitions are bootstrap "
    "samples of the same rows, and the best of all rivals is compared: the errors are too small "
    "for a test of which method is better on other rows."
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, nargs="?", default=Path("results/paper"))
    parser.add_argument("--before", type=Path, help="a folder with results of an older version")
    options = parser.parse_args()
    results = Results(options.run).table()
    notes = [OVERLAP, ""]
    rows = []
    for name in COMPARISONS:
        rows.extend(_compare(name, results, notes))
    if options.before:
        notes += [_change(results, Results(options.before).table()), ""]
    before = f" --before {options.before}" if options.before else ""
    notes.append(f"Made by `python benchmarks/rivals.py {options.run}{before}`.")
    path = tables.RESULTS / "rivals.md"
    tables.write_markdown(path, "sorb beside the rivals whose models are rules", rows, notes)
    print(path.read_text())


def _compare(name, results, notes):
    measure, statistic, summarise, level = COMPARISONS[name]
    curves = trade_off_curves(results, "cv", measure)
    samples = {
        key: np.array([statistic(curve) for curve in repetitions])
        for key, repetitions in curves.items()
        # Datasets with one repetition are there for the figures alone.
        if key[1] not in NO_RULES and len(repetitions) > 1
        if all(curve.is_sized for curve in repetitions)
    }
    values = {key: float(summarise(sample)) for key, sample in samples.items()}
    places = []
    compared = [d for d in _datasets(values) if any(np.isfinite(_values_of(values, d)))]
    for dataset in compared:
        rival, best = _best_rival(values, dataset)
        ours = values[dataset, "sorb"]
        lead = best - ours
        places.append("ahead" if lead > level else "level" if lead >= -level else "behind")
        yield {
            "compared": name,
            "dataset": dataset,
            "sorb": _number(ours),
            "best rival": _number(best),
            "which": rival,
            "difference": _difference(samples[dataset, "sorb"], samples[dataset, rival]),
            "sorb is": places[-1],
        }
    level_is = f" (a difference of at most {level:g})" if level else ""
    notes += [
        f"{name}: of {len(compared)} datasets ahead on {places.count('ahead')}, level{level_is} "
        f"on {places.count('level')}, behind on {places.count('behind')}.",
        "",
    ]


def _datasets(values):
    return list(dict.fromkeys(dataset for dataset, method in values if method == "sorb"))


def _best_rival(values, dataset):
    rivals = {m: v for (d, m), v in values.items() if d == dataset and m not in OURS}
    return min(rivals.items(), key=lambda item: item[1])


def _values_of(values, dataset):
    return [value for (d, _), value in values.items() if d == dataset]


def _difference(ours, theirs):
    """The mean over repetitions of the paired difference ± its standard error."""
    if len(ours) != len(theirs) or not np.isfinite([ours, theirs]).all():
        return "–"
    paired = ours - theirs
    return f"{paired.mean():+.3f} ± {np.std(paired, ddof=1) / np.sqrt(len(paired)):.3f}"


def _number(value):
    return "∞" if np.isinf(value) else f"{value:.3f}" if value < 1 else f"{value:.0f}"


def _change(after, before):
    """The geometric mean of the areas, against those of an older version."""
    logs = [
        np.mean([np.log(area(curve)) for curve in now])
        - np.mean([np.log(area(curve)) for curve in then])
        for now, then in _pairs(trade_off_curves(after), trade_off_curves(before))
    ]
    ratio = np.exp(np.mean(logs))
    error = ratio * np.std(logs, ddof=1) / np.sqrt(len(logs))
    return (
        f"Area against the version before (`--before`): {100 * (ratio - 1):+.1f} ± "
        f"{100 * error:.1f} %, geometric mean over {len(logs)} datasets."
    )


def _pairs(after, before):
    keys = [key for key in after if key[1] == "sorb" and key in before]
    return [(after[key], before[key]) for key in keys if len(after[key]) > 1]


if __name__ == "__main__":
    main()
