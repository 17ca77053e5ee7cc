"""What a column holds, as far as the rules tell: for the targets whose columns have types."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sorb.export.program import Program, SetTest, Test
from sorb.rules import Label

__all__ = ["Kind", "column_kinds", "exact_float"]

Kind: TypeAlias = Literal["number", "truth", "text", "any"]


def column_kinds(program: Program) -> dict[str, Kind]:
    """Give what each column holds that a test looks at.

    "any" is a column of which the tests only ask whether it is missing.

    Examples
    --------
    >>> from sorb.export.program import compile_ensemble
    >>> from sorb.rules import Condition, Membership, Rule, RuleEnsemble
    >>> group = Condition((Membership("group", ("A", "AB")), Membership("bmi", (), missing=True)))
    >>> ensemble = RuleEnsemble(0.0, (Rule(group, 1.0),), ("bmi", "group"), "squared")
    >>> column_kinds(compile_ensemble(ensemble, "decision"))
    {'bmi': 'any', 'group': 'text'}
    """
    return {column: _kind(column, program.tests) for column in program.used}


def _kind(column: str, tests: tuple[Test, ...]) -> Kind:
    found: set[Kind] = set()
    for test in tests:
        if column in test.columns:
            found |= _kinds(test)
    if "text" in found and len(found) > 1:
        raise ValueError(
            f"the rules take column {column!r} for texts and for numbers, but here a column has "
            "one type: split it into two columns"
        )
    if "number" in found:
        return "number"
    return found.pop() if found else "any"


def _kinds(test: Test) -> set[Kind]:
    return set(map(_label_kind, test.categories)) if isinstance(test, SetTest) else {"number"}


def _label_kind(label: Label) -> Kind:
    if isinstance(label, str):
        return "text"
    return "truth" if isinstance(label, bool) else "number"


def exact_float(label: Label, column: str) -> float:
    """Give a category that is no text as a float64 that is equal to it.

    Examples
    --------
    >>> exact_float(2**53 + 1, "key")
    Traceback (most recent call last):
    ...
    ValueError: the category 9007199254740993 of column 'key' is not a float64, and numbers are
    float64 here: make the column one of texts
    """
    try:
        number = float(label)
    except OverflowError:
        number = 0.0
    if number != label:
        raise ValueError(
            f"the category {label} of column {column!r} is not a float64, and numbers are float64 "
            "here: make the column one of texts"
        )
    return number
