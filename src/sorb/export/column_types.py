"""The types of labels, and of the columns that rules use, for targets that have types."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sorb._types import assert_never
from sorb.export.program import (
    CategoryTest,
    CompiledProposition,
    ProductComparison,
    Program,
    SumComparison,
)
from sorb.rules import Label

__all__ = ["ColumnType", "LabelType", "column_types", "exact_float", "is_exact", "label_type"]

LabelType: TypeAlias = Literal["boolean", "whole", "float", "text"]
ColumnType: TypeAlias = Literal["number", "boolean", "text", "any"]

COLUMN_TYPES: dict[LabelType, ColumnType] = {
    "boolean": "boolean",
    "whole": "number",
    "float": "number",
    "text": "text",
}


def column_types(program: Program) -> dict[str, ColumnType]:
    """Give the type of each column that a proposition uses.

    "any" is the type of a column that rules only test for missing values.

    Examples
    --------
    >>> from sorb.export.program import compile_ensemble
    >>> from sorb.rules import Condition, Membership, Rule, RuleEnsemble
    >>> group = Condition((Membership("group", ("A", "AB")), Membership("bmi", (), missing=True)))
    >>> ensemble = RuleEnsemble(0.0, (Rule(group, 1.0),), ("bmi", "group"), "squared")
    >>> column_types(compile_ensemble(ensemble, "score"))
    {'bmi': 'any', 'group': 'text'}
    """
    return {column: _column_type(column, program) for column in program.used}


def _column_type(column: str, program: Program) -> ColumnType:
    found: set[ColumnType] = set()
    for proposition in program.propositions:
        if column in proposition.columns:
            found |= _types_in(proposition)
    if not found:
        return "any"
    if (shared := _common_type(found)) is None:
        raise ValueError(
            f"rules use column {column!r} both as text and as numbers, but a column has one type "
            "here: split it into two columns"
        )
    return shared


def _types_in(proposition: CompiledProposition) -> set[ColumnType]:
    match proposition:
        case SumComparison() | ProductComparison():
            return {"number"}
        case CategoryTest():
            return {COLUMN_TYPES[label_type(category)] for category in proposition.categories}
        case _:
            return assert_never(proposition)


def _common_type(types: set[ColumnType]) -> ColumnType | None:
    if len(types) == 1:
        return next(iter(types))
    return None if "text" in types else "number"


def label_type(label: Label) -> LabelType:
    """Give the type of a category or of a class label.

    Examples
    --------
    >>> [label_type(label) for label in (True, 1, 1.0, "1")]
    ['boolean', 'whole', 'float', 'text']
    """
    match label:
        case bool():  # before int, because Python counts booleans among the integers
            return "boolean"
        case int():
            return "whole"
        case float():
            return "float"
        case str():
            return "text"
        case _:
            return assert_never(label)


def is_exact(number: float) -> bool:
    """Tell whether a number, perhaps a large integer, is equal to a float64.

    Examples
    --------
    >>> is_exact(2**53), is_exact(2**53 + 1)
    (True, False)
    """
    return float(number) == number


def exact_float(label: Label, column: str) -> float:
    """Give the float64 that is equal to a category that is not a text.

    Examples
    --------
    >>> exact_float(2**53 + 1, "key")
    Traceback (most recent call last):
    ...
    ValueError: the category 9007199254740993 of column 'key' is not a float64, but numbers are
    float64 here: make the column one of texts
    """
    if isinstance(label, str) or not is_exact(label):
        raise ValueError(
            f"the category {label} of column {column!r} is not a float64, but numbers are float64 "
            "here: make the column one of texts"
        )
    return float(label)
