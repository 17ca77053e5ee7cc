"""Whether the columns of a model hold numbers or categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real

from sorb.rules import Membership, RuleEnsemble
from sorb.rules.columns import ColumnSource
from sorb.rules.labels import Labels

__all__ = ["holds_labels", "tell_kinds"]


def tell_kinds(
    names: Iterable[str], ensembles: Sequence[RuleEnsemble], sources: Sequence[ColumnSource]
) -> list[tuple[str, bool]]:
    """Give the columns of models, each with whether it holds categories.

    Where rules only ask whether a value is missing, the values themselves tell.
    """
    weighed = {name for ensemble in ensembles for name in ensemble.weighed_columns}
    categorical = {
        part.column
        for ensemble in ensembles
        for rule in ensemble
        for part in rule.condition.propositions
        if isinstance(part, Membership) and part.categories
    }
    return [
        (
            name,
            name not in weighed
            and (name in categorical or any(holds_labels(each, name) for each in sources)),
        )
        for name in names
    ]


def holds_labels(source: ColumnSource, name: str) -> bool:
    """Whether a column holds anything but numbers: truth values are categories, too."""
    return any(
        isinstance(value, bool) or not isinstance(value, Real)
        for value in Labels.of(source.labels(name)).values
    )
