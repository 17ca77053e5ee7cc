"""Fitting an estimator to the tables of several sites."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, TypeVar

from sorb.estimators.base import BaseLLTBoost
from sorb.federated.remote_source import AnsweringSite, RemoteSource
from sorb.federated.site import Site
from sorb.learning.federation import Federation, same_kind
from sorb.learning.lazy_table import LazyTable
from sorb.learning.source import Description
from sorb.learning.whole_table import WholeTable
from sorb.rules import RuleEnsemble
from sorb.tables.exposure import require_rates

E = TypeVar("E", bound=BaseLLTBoost)

# If a larger share of the rows is hidden in groups that are not their own, a fit warns.
_MOST_HIDDEN = 0.01


def fit(estimator: E, sites: Sequence[AnsweringSite], *, search_table: Any = None) -> E:
    """Fit an estimator to the rows of all sites, without pooling them.

    Rules are searched in a sample of the rows of those sites that share some, and their votes are
    fitted to sums over the rows of all sites. If all of them share rows and tell all sums, the
    model is that of the pooled table.

    Parameters
    ----------
    estimator : LLTBoostClassifier, LLTBoostRegressor, LLTBoostClassifierCV or LLTBoostRegressorCV
        The estimator to fit.
    sites : sequence of Site
        The sites, or objects with a `name` and a method `answer` that ask them.
    search_table : lazy frame, DataFrame or None, default=None
        Rows with the same columns, public or simulated, in which rules are searched instead; no
        row is read from any site then.

    Returns
    -------
    estimator : object
        The same estimator, fitted.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sorb import LLTBoostClassifier
    >>> from sorb.federated import Site, fit
    >>> age = np.arange(300) % 90
    >>> table = pd.DataFrame({"age": age, "ill": (age > 50) | (age % 11 == 0)})
    >>> north, south = table[:200], table[200:]
    >>> sites = [Site(north, "ill", name="north"), Site(south, "ill", name="south")]
    >>> model = fit(LLTBoostClassifier(max_rules=1), sites)
    >>> print(model.ensemble_[0].condition)
    age ≤ 50.5
    """
    if not isinstance(estimator, BaseLLTBoost):
        raise TypeError(f"expected an estimator of sorb, found {type(estimator).__name__}")

    tables: list[LazyTable] = []

    # Whoever calls this function is as far from `_fit` as whoever calls the method `fit`.
    def read(reset: bool = True) -> WholeTable:
        tables.append(estimator._lazy_table(_open(estimator, sites, search_table), reset))
        return tables[-1]

    estimator._fit(read)
    _warn_of_hidden_rows(tables[-1], estimator.ensemble_)
    return estimator


def _warn_of_hidden_rows(table: LazyTable, ensemble: RuleEnsemble) -> None:
    # If small groups are hidden, each model is asked for by itself.
    conditions = frozenset(rule.condition for rule in ensemble)
    share = table.hidden.get(conditions, 0) / table.n_rows
    if share > _MOST_HIDDEN:
        warnings.warn(
            f"min_rows hides {100 * share:.0f} % of the rows: in the votes they count like the "
            "rows of larger groups, or not at all, so that rare rules and small sites have less "
            "of a say; let sites tell smaller groups, or join small sites",
            stacklevel=3,
        )


def _open(estimator: BaseLLTBoost, sites: Sequence[AnsweringSite], search_table: Any) -> Federation:
    """Open all tables, and check that they fit together."""
    names = [site.name for site in sites]
    if not names:
        raise ValueError("expected at least one site")
    if len(set(names)) < len(names):
        raise ValueError(f"each site needs a name of its own, found {names}")
    loss, categorical = estimator._loss_of_numbers(), _plain(estimator.categorical_features)
    opened = [RemoteSource.open(site, f"site {site.name!r}", categorical, loss) for site in sites]
    known = opened[0].description
    if known.exposure is not None:
        if loss is None:
            raise ValueError("an exposure is for regressors, found a classifier")
        require_rates(loss)
    searched = None
    if search_table is not None:
        name, weight, exposure = "search_table", known.weight, known.exposure
        table = Site(search_table, known.y, name=name, sample_weight=weight, exposure=exposure)
        searched = RemoteSource.open(table, "search_table", categorical, loss)
    elif not any(source.description.shares_rows for source in opened):
        raise ValueError(
            "no site shares rows, so there are none to search rules in: let a site share some "
            "(rows=True), or give a search_table with the same columns, of public or simulated rows"
        )
    tables = [*opened, *([] if searched is None else [searched])]
    for source in tables[1:]:
        _require_same_columns(opened[0].name, known, source.name, source.description)
    joint = Federation(opened, searched).description
    opened = [source.agreeing_with(joint) for source in opened]
    return Federation(opened, None if searched is None else searched.agreeing_with(joint))


def _require_same_columns(first: str, known: Description, other: str, found: Description) -> None:
    for what in ("y", "weight", "exposure"):
        mine, others = getattr(known, what), getattr(found, what)
        if mine != others:
            parameter = "sample_weight" if what == "weight" else what
            raise ValueError(f"{parameter} is {mine!r} at {first}, but {others!r} at {other}")
    for one, has, two, lacks in ((first, known, other, found), (other, found, first, known)):
        missing = [name for name in has.features if name not in lacks.features]
        if missing:
            raise ValueError(f"{two} has no column {missing[0]!r}, which {one} has")
    for name, kind in known.kinds.items():
        if not same_kind(kind, found.kinds[name]):
            raise ValueError(
                f"column {name!r} holds {_WORDS[kind]} at {first}, but "
                f"{_WORDS[found.kinds[name]]} at {other}"
            )


_WORDS = {
    "number": "numbers",
    "text": "texts",
    "category": "categories",
    "boolean": "truth values",
    "integer": "whole numbers",
    "float": "numbers",
}


def _plain(parameter: Any) -> Any:
    """A list of names, positions or truth values, as JSON can hold it."""
    if parameter is None or isinstance(parameter, str):
        return parameter
    return [item.item() if hasattr(item, "item") else item for item in parameter]
