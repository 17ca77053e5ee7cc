"""The model after each round of boosting, and the scores of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sorb._types import Bool, Float
from sorb.rules import Condition, RuleEnsemble
from sorb.rules.columns import ColumnSource
from sorb.rules.scores import sum_votes


@dataclass(frozen=True, slots=True)
class Stage:
    """The model after one round.

    Attributes
    ----------
    ensemble : the model.
    train_risk : mean loss over the training rows, without the penalty.
    validation_risk : mean loss over the validation rows that chose the newest rule, with votes
        fitted to the training rows of the bag; NaN for the model without rules.
    seconds : since training began.
    """

    ensemble: RuleEnsemble
    train_risk: float
    validation_risk: float
    seconds: float


def staged_scores(ensembles: Iterable[RuleEnsemble], source: ColumnSource) -> Iterator[Float]:
    """Give the scores of each ensemble; a condition that several share is evaluated once."""
    known: dict[Condition, Bool] = {}
    for ensemble in ensembles:
        for rule in ensemble:
            if rule.condition not in known:
                known[rule.condition] = rule.condition.covers(source)
        covered = (known[rule.condition] for rule in ensemble)
        yield sum_votes(ensemble.offset, ensemble.rules, covered, source.n_rows)
