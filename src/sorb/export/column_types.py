"""What a column holds, as far as the rules tell: for the targets whose columns have types."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sorb.export.program import CategoryTest, CompiledProposition, Program
from sorb.rules import Label

__all__ = ["ColumnType", "column_types", "exact_float"]

ColumnType: TypeAlias = Literal["number", "boolean", "text", "any"]


def column_types(program: Program) -> dict[str, ColumnType]:
    """Give what each column holds that a test looks at.

    "any" is a column of which the tests only ask whether it is missing.

    Examples
    --------
    >>> from sorb.export.program import compile_ensemble
    >>> from sorb.rules import Condition, Membership, Rule, RuleEnsemble
    >>> group = Condition((Membership("group", ("A", "AB")), Membership("bmi", (), missing=True)))
    >>> ensemble = RuleEnsemble(0.0, (Rule(group, 1.0),), ("bmi", "group"), "squared")
    >>> column_types(compile_ensemble(ensemble, "score"))
    {'bmi': 'any', 'group': 'text'}
    """
    return {column: _column_type(column, program.propositions) for column in program.used}


def _column_type(column: str, tests: tuple[CompiledProposition, ...]) -> ColumnType:
    found: set[ColumnType] = set()
    for test in tests:
        if column in test.columns:
            found |= _types_in(test)
    if "text" in found and len(found) > 1:
        raise ValueError(
            f"the rules take column {column!r} for texts and for numbers, but here a column has "
            "one type: split it into two columns"
        )
    if "number" in found:
        return "number"
    return found.pop() if found else "any"


def _types_in(test: CompiledProposition) -> set[ColumnType]:
    return set(map(_label_type, test.categories)) if isinstance(test, CategoryTest) else {"number"}


def _label_type(label: Label) -> ColumnType:
    if isinstance(label, str):
        return "text"
    return "boolean" if isinstance(label, bool) else "number"


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
