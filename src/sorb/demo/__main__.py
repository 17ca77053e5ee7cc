"""Learn three small models, print them, draw them, and write a page about each."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from textwrap import TextWrapper
from typing import TYPE_CHECKING, TypeAlias

from sorb import __version__
from sorb._extras import install_command

if TYPE_CHECKING:
    from sorb.demo.examples import Example, ExampleSplit
    from sorb.demo.measures import Result
    from sorb.rules import RuleEnsemble

WIDTH = 96
SEED = 0
ALWAYS, IF = "always", "if  "
GLUE = "\N{NO-BREAK SPACE}"
AFTER_OPERATOR = re.compile(r"(?<=[0-9+−≥≤]) (?! )|(?<=  and)  ")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the demo."""
    out = _parser().parse_args(arguments).out
    _require("matplotlib", "pandas")
    from sorb.demo.examples import EXAMPLES

    started = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    print(f"sorb {__version__}: three small models, each learned from 70 % of the rows")
    pictures = [picture for example in EXAMPLES for picture in _show(example(), out)]
    print(_heading("Pictures and pages"))
    print("\n".join(f"{path}   {caption}" for path, caption in _align(pictures)))
    print(f"\nAll of this took {time.perf_counter() - started:.0f} seconds.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sorb.demo", description=__doc__)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("demo"),
        help="folder for the pictures and pages (default: demo)",
    )
    return parser


def _require(*modules: str) -> None:
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        sys.exit(
            f"The demo needs {' and '.join(missing)}. Install what it needs with: "
            + install_command("demo")
        )


def _show(example: Example, out: Path) -> list[tuple[Path, str]]:
    """Learn from one table, print, draw and report; return the files with captions."""
    from sorb.demo.measures import SEARCHES, SPLITS, curve, learn
    from sorb.demo.pictures import draw_curves, draw_regions

    splits = [example.split(seed) for seed in range(SEED, SEED + SPLITS)]
    print(_heading(example.title))
    print(_introduction(example, splits[0]))
    results = {search: [learn(example, split, search) for split in splits] for search in SEARCHES}
    shown = {search: found[0] for search, found in results.items()}
    print(printed_rules(shown["oblique"].ensemble), end="\n\n")
    print(_comparison(example, results))
    curves = {search: curve(example, search) for search in SEARCHES}
    path = out / f"{example.name}_risk.png"
    draw_curves(path, example, curves)
    pictures = [(path, f"{example.title}: loss against complexity")]
    if example.name == "diagonal":
        path = out / "diagonal_regions.png"
        draw_regions(path, splits[0], shown)
        pictures.append((path, f"{example.title}: the regions of both models"))
    path = out / f"{example.name}.html"
    split = splits[0]
    page = shown["oblique"].model.report(
        *(split.X, split.y),
        X_test=split.X_test,
        y_test=split.y_test,
        title=example.title,
        target=example.target,
    )
    page.save(path)
    pictures.append((path, f"{example.title}: a page to open in a browser"))
    return pictures


def _heading(title: str) -> str:
    return f"\n── {title} ".ljust(WIDTH + 1, "─")


def _introduction(example: Example, split: ExampleSplit) -> str:
    return (
        f"{example.question}\n{len(split.X)} training rows, {len(split.X_test)} test rows, "
        f"{split.X.shape[1]} columns.\n"
    )


def printed_rules(ensemble: RuleEnsemble) -> str:
    """Print the rules, breaking long lines before an operator."""
    caption, *lines = ensemble.describe().splitlines()
    indent = " " * (len(lines[0]) - len(ALWAYS) + len(IF))
    wrapper = TextWrapper(
        WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    broken: list[str] = []
    for line in lines:
        broken += wrapper.wrap(AFTER_OPERATOR.sub(lambda gap: GLUE * len(gap[0]), line))
    return "\n".join([caption, *broken]).replace(GLUE, " ")


def _comparison(example: Example, results: Mapping[str, Sequence[Result]]) -> str:
    from sorb.demo.measures import SEARCHES

    score = "accuracy" if example.classes else "R²"
    measure = "log loss" if example.classes else "mean squared error"
    first = {search: found[:1] for search, found in results.items()}
    splits = len(results["oblique"])
    lines: list[tuple[str, Mapping[str, Sequence[Result]], Measure, str]] = [
        (f"{score} on test rows", first, _score, ".3f"),
        (f"{measure} on test rows", first, _measured, ".4g"),
        ("the same as a share of the baseline", first, _share, ".3f"),
        ("complexity", first, _complexity, ".0f"),
        ("seconds, including the choice of size", first, _seconds, ".2f"),
        (f"{score}, mean of {splits} splits", results, _score, ".3f"),
        (f"share of the baseline, mean of {splits}", results, _share, ".3f"),
        (f"complexity, mean of {splits}", results, _complexity, ".1f"),
    ]
    table = [("", [f"{name} rules" for name in SEARCHES.values()])]
    table += [(label, _means(found, measure, form)) for label, found, measure, form in lines]
    return "\n".join(
        f"{label:42}" + "".join(f"{value:>22}" for value in values) for label, values in table
    )


Measure: TypeAlias = Callable[["Result"], float]
_score: Measure = attrgetter("score")
_share: Measure = attrgetter("share")
_seconds: Measure = attrgetter("seconds")
_complexity: Measure = attrgetter("ensemble.complexity")


def _measured(result: Result) -> float:
    return result.ensemble.loss.measured(result.risk)


def _means(results: Mapping[str, Sequence[Result]], measure: Measure, form: str) -> list[str]:
    return [format(fmean(map(measure, found)), form) for found in results.values()]


def _align(pictures: Sequence[tuple[Path, str]]) -> list[tuple[str, str]]:
    width = max(len(str(path)) for path, _ in pictures)
    return [(str(path).ljust(width), caption) for path, caption in pictures]


if __name__ == "__main__":
    main()
