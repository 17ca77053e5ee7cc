"""What simplicity costs: other methods on the same rows, and other models not clearly worse."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone
from threadpoolctl import threadpool_limits

from sorb._types import Float
from sorb.measures.boosted_rivals import learn_hgb
from sorb.measures.measures import Measures
from sorb.measures.rivals import (
    LEAVES,
    Rival,
    learn_regression,
    learn_tree,
    learn_tree_of,
    reason_without_rivals,
    rival_columns,
    rival_rows,
)
from sorb.measures.stage_risks import is_recalibrated
from sorb.measures.table import measure_lines
from sorb.report.equal_models import EqualModels
from sorb.report.given_rows import GivenRows
from sorb.report.rows import ReportRows
from sorb.rules import RuleEnsemble, notation

__all__ = ["comparison_view"]

OBLIQUE = "sorb", "the method of this model"
AXIS = "one column at a time", "the same method, where each condition compares a single column"


@dataclass(frozen=True, slots=True)
class _Method:
    """A method with its models of some sizes: complexity, size in words, scores of the test rows.

    `chosen` is the place of the model that is measured.
    """

    name: str
    what: str
    points: list[tuple[int | None, str, float]]
    scores: Float


def comparison_view(
    estimator: Any,
    given: GivenRows,
    given_test: GivenRows,
    test: ReportRows,
    show: Callable[[str], None],
    least: int = 1,
) -> dict[str, Any]:
    """Give the `Comparison` of the page; other methods learn from the same rows.

    With more than one row as the `least`, shares are those of rounded numbers of rows, and models
    do not remember what their columns held.
    """
    ensemble: RuleEnsemble = estimator.ensemble_
    notes: list[str] = []

    # Other models may use columns that this one does not, and that were not opened for it.
    def score(other: RuleEnsemble) -> Float:
        return other(given_test.X)[test.places]

    methods = [_sorb(estimator, score, test, *OBLIQUE)]
    if estimator.search != "axis":
        show(AXIS[0])
        other = fit_like(estimator, clone(estimator).set_params(search="axis"), given)
        methods.append(_sorb(other, score, test, *AXIS))
    with threadpool_limits(1):  # as in `sorb compare`; more wait for each other on a busy machine
        methods += _rivals(estimator, given, given_test, test, notes, show)
    found = [Measures.of(ensemble, m.scores, test.outcomes, None, test.group) for m in methods]
    lines = measure_lines(found, ensemble.loss)
    equal = EqualModels.learn(estimator, given, score, test, fit_like, show)
    return {
        "methods": [
            {
                "name": method.name,
                "what": method.what,
                "points": [
                    {"complexity": complexity, "size": size, "risk": risk}
                    for complexity, size, risk in method.points
                ],
                "measures": [line[place + 1] for line in lines],
            }
            for place, method in enumerate(methods)
        ],
        "measure_names": [line[0] for line in lines],
        **equal.view(least),
        "notes": [
            "All methods learned from the same training rows, and are measured on the same "
            f"{notation.count(len(test), 'test row')}.",
            *notes,
            *equal.notes,
        ],
    }


def fit_like(model: Any, estimator: Any, given: GivenRows) -> Any:
    """Fit, and recalibrate if a model was, without progress or warnings: the user has seen its."""
    if hasattr(estimator, "verbose"):
        estimator.set_params(verbose=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = estimator.fit(given.X, given.y, **given.options)
        if is_recalibrated(model):
            fitted = fitted.recalibrate(given.X, given.y, given.sample_weight)
        return fitted


def _sorb(
    estimator: Any, score: Callable[[RuleEnsemble], Float], test: ReportRows, name: str, what: str
) -> _Method:
    """An estimator of sorb with its models of all sizes."""
    points: list[tuple[int | None, str, float]] = [
        (
            stage.complexity,
            notation.count(len(stage.ensemble), "rule"),
            test.outcomes.risk(score(stage.ensemble)),
        )
        for stage in estimator.stages_
    ]
    return _Method(name, what, points, score(estimator.ensemble_))


def _rivals(
    estimator: Any,
    given: GivenRows,
    given_test: GivenRows,
    test: ReportRows,
    notes: list[str],
    show: Callable[[str], None],
) -> Iterator[_Method]:
    if reason := reason_without_rivals(estimator, len(given.y)):
        notes.append(f"Regression, trees and gradient boosting are left out, as {reason}.")
        return
    rows = rival_rows(estimator, *given.learned_from)
    matrix = rival_columns(estimator).read(given_test.X)[test.places]

    def measured(rival: Rival, *others: Rival) -> _Method:
        points: list[tuple[int | None, str, float]] = [
            (one.complexity, one.size, test.outcomes.risk(one.scores(matrix)))
            for one in others or (rival,)
        ]
        name = "gradient boosting" if rival.name == "hgb" else rival.name
        return _Method(name, rival.what, points, rival.scores(matrix))

    show("regression")
    yield measured(learn_regression(rows))
    show("trees")
    yield measured(learn_tree(rows), *(learn_tree_of(rows, n) for n in LEAVES))
    show("gradient boosting")
    yield measured(learn_hgb(rows))
