"""What an ensemble was trained on: for each column, the values that its rules have seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from sorb.rules.field_checks import (
    Label,
    check_flag,
    check_items,
    check_labels,
    check_number,
    check_types,
    set_fields,
)

__all__ = ["ColumnExperience", "Experience", "check_experience"]


@dataclass(frozen=True, slots=True)
class ColumnExperience:
    """What a column held in the rows that a model was trained on.

    Parameters
    ----------
    missing : bool
        Whether a value was ever missing.
    range : two float, or None, default=None
        The least and the largest number; None if it holds no numbers, or nobody knows.
    categories : sequence of str, int, float or bool, or None, default=None
        The different categories; None if it holds no categories, or nobody knows.

    Examples
    --------
    >>> ColumnExperience(missing=False, range=(18, 84))
    ColumnExperience(missing=False, range=(18.0, 84.0), categories=None)
    """

    missing: bool
    range: tuple[float, float] | None = None
    categories: tuple[Label, ...] | None = None

    @property
    def knows_values(self) -> bool:
        """Whether more is known than whether a value was ever missing."""
        return self.range is not None or self.categories is not None

    def __post_init__(self) -> None:
        if self.range is not None and self.categories is not None:
            raise ValueError("a column has a range or categories, not both")
        set_fields(
            self,
            missing=check_flag(self.missing, "missing"),
            range=None if self.range is None else _check_range(self.range),
            categories=None
            if self.categories is None
            else check_labels(self.categories, "categories"),
        )


# The experience with each column, in the order of the columns.
Experience: TypeAlias = "tuple[tuple[str, ColumnExperience], ...]"


def check_experience(experience: Any, columns: Iterable[str], used: Iterable[str]) -> Experience:
    """Return the experience with the columns that are used, in their order."""
    pairs = experience.items() if isinstance(experience, Mapping) else experience
    given = dict(check_items(pairs, "experience", "pairs of a column and its experience"))
    if not given:
        return ()
    check_types(tuple(given.values()), ColumnExperience, "experience")
    known = set(columns)
    for name in given:
        if name not in known:
            raise ValueError(f"experience names {name!r}, which is not in columns")
    return tuple((name, given[name]) for name in used if name in given)


def _check_range(values: Any) -> tuple[float, float]:
    ends = [check_number(v, "range") for v in check_items(values, "range", "two numbers")]
    if len(ends) != 2 or ends[0] > ends[1]:
        raise ValueError(f"range must hold two numbers, the smaller one first, found {values}")
    return ends[0], ends[1]
