"""The options about what rules may do with columns, as parameters of the estimators."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import typer

from sorb.cli.arguments import require_names, split_names, split_pairs

__all__ = ["read_constraints"]

_DIRECTIONS = {"+": 1, "-": -1, "−": -1}
_WORDS = {"pairwise": "pairwise", "alone": "no_interactions"}


def read_constraints(
    where: str,
    columns: Collection[str],
    known: Collection[str],
    options: Mapping[str, Sequence[str] | None],
) -> dict[str, Any]:
    """Read ``--monotone``, ``--together`` and ``--price``; columns not to learn from do not matter.

    Examples
    --------
    >>> options = {"--monotone": ["age=+,weight=-"], "--together": ["age,weight"], "--price": None}
    >>> names = ("age", "weight", "id")
    >>> read_constraints("the table", ["age", "weight"], names, options)
    {'monotonic_cst': {'age': 1, 'weight': -1}, 'interaction_cst': [['age', 'weight']]}
    """
    directions = _directions(where, known, options.get("--monotone"))
    prices = _prices(where, known, options.get("--price"))
    groups = _groups(where, known, options.get("--together"))
    if not isinstance(groups, str):
        groups = [[name for name in group if name in columns] for group in groups]
    parameters = {
        "monotonic_cst": {name: sign for name, sign in directions.items() if name in columns},
        "interaction_cst": groups,
        "column_prices": {name: price for name, price in prices.items() if name in columns},
    }
    return {parameter: value for parameter, value in parameters.items() if value}


def _directions(where: str, known: Collection[str], values: Sequence[str] | None) -> dict[str, int]:
    signs = split_pairs(values, "--monotone", "age=+", known)
    require_names(signs, known, where, "--monotone")
    for name, sign in signs.items():
        if sign not in _DIRECTIONS:
            raise typer.BadParameter(
                f"--monotone needs + or - for each column, such as age=+,weight=-; found {sign!r} "
                f"for column {name!r}"
            )
    return {name: _DIRECTIONS[sign] for name, sign in signs.items()}


def _prices(where: str, known: Collection[str], values: Sequence[str] | None) -> dict[str, float]:
    prices = split_pairs(values, "--price", "crp=5", known)
    require_names(prices, known, where, "--price")
    found = {}
    for name, price in prices.items():
        try:
            found[name] = float(price)
        except ValueError:
            raise typer.BadParameter(
                f"--price needs a number for each column, such as crp=5; found {price!r} for "
                f"column {name!r}"
            ) from None
    return found


def _groups(
    where: str, known: Collection[str], values: Sequence[str] | None
) -> str | list[list[str]]:
    if values and len(values) == 1 and values[0] in _WORDS and values[0] not in known:
        return _WORDS[values[0]]
    parts = (part for value in values or () for part in value.split(";"))
    groups = [split_names([part], known) for part in parts]
    for group in groups:
        require_names(group, known, where, "--together")
    return [group for group in groups if group]
