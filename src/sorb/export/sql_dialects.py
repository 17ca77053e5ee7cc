"""How databases write names and float64, and how they treat NaN.

Every name and every literal is a node of sqlglot, which quotes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from sqlglot import exp
from sqlglot.dialects import SQLite
from sqlglot.generator import Generator

from sorb.export.column_types import is_exact, label_type
from sorb.rules import Label

__all__ = ["DIALECTS", "INT64", "Dialect", "Node", "double", "identifier", "label_literals"]

Node: TypeAlias = exp.Expression

INT64 = range(-(2**63), 2**63)
EXACT = 2**52  # a power of two that is short enough for SQLite to read without rounding
PLAIN_DECIMALS = 3
POSTGRES_NAME = 63  # bytes


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a database treats names, numbers and texts.

    `notation` is sqlglot's dialect; `positive` writes a positive number, `text` a text. `nan` says
    how NaN compares: larger than all numbers, unordered as in IEEE 754, or not at all because the
    database has none. `collation` is one that tells all texts apart, if the default does not.
    `fold_name` maps two names to the same one if the database does not tell them apart, as is
    often so for upper and lower case. `replaces` says whether a view can replace an older one.
    """

    notation: str | type[SQLite]
    positive: Callable[[float], Node]
    nan: Literal["largest", "unordered", "none"]
    text: Callable[[str], Node] = exp.Literal.string
    collation: str | None = None
    fold_name: Callable[[str], str] = str.casefold
    replaces: bool = True

    def number(self, value: float) -> Node:
        """Write a float64 so that the database reads back the same one."""
        return exp.Neg(this=self.positive(-value)) if value < 0 else self.positive(value)

    def quote(self, text: str) -> Node:
        """Write a text."""
        _check_text(text)
        return self.text(text)

    def require_distinct(self, columns: Iterable[str]) -> None:
        """Raise an error if the database cannot tell two columns apart."""
        known: dict[str, str] = {}
        for column in columns:
            first = known.setdefault(self.fold_name(column), column)
            if first != column:
                raise ValueError(
                    f"{first!r} and {column!r} are the same column for the database: rename one"
                )


class BacktickedSQLite(SQLite):  # type: ignore[misc]
    """SQLite with names in backticks: in double quotes, an unknown name would become a text."""

    class Tokenizer(SQLite.Tokenizer):  # type: ignore[misc]
        """How names are quoted."""

        IDENTIFIERS = ("`",)
        IDENTIFIER_ESCAPES = ("`",)


def double(node: Node) -> Node:
    """Cast a value to float64."""
    return exp.Cast(this=node, to=exp.DataType(this=exp.DataType.Type.DOUBLE))


def _plain(value: float) -> Node:
    return exp.Literal.number(repr(value))


def _with_exponent(value: float) -> Node:
    # Without an exponent it would be a decimal.
    text = repr(value)
    return exp.Literal.number(text if "e" in text else f"{text}e0")


def _cast_number(value: float) -> Node:
    return double(_plain(value))


def _cast_text(value: float) -> Node:
    return double(exp.Literal.string(repr(value)))


def _fraction(value: float) -> Node:
    """Write a number for SQLite, which does not always round decimals to the nearest float64.

    A whole number divided by a power of two is exact. So is a number with at most three decimals:
    it is too far from the midpoint of two float64 to be rounded wrongly, even if SQLite rounds it
    twice, to a wider format first.
    """
    if _is_short(repr(value)):
        return _plain(value)
    whole, power = value.as_integer_ratio()
    node = _scale(_whole(whole), partial(exp.Div, typed=True), power)
    node.add_comments([f" {value!r} "])
    return exp.Paren(this=node)


def _is_short(text: str) -> bool:
    digits, _, decimals = text.partition(".")
    return (
        "e" not in text and len(decimals) <= PLAIN_DECIMALS and int(digits + decimals) <= 2 * EXACT
    )


def _whole(value: int) -> Node:
    # A float64 beyond 2⁵³ is a multiple of a power of two.
    excess = max(0, value.bit_length() - 53)
    return _scale(_plain(float(value >> excess)), exp.Mul, 1 << excess)


def _scale(node: Node, operation: Callable[..., Node], power: int) -> Node:
    """Multiply or divide by a power of two, in steps that SQLite reads exactly."""
    while power > 1:
        part = min(power, EXACT)
        factor = _plain(float(part))
        node, power = operation(this=node, expression=factor), power // part
    return node


def _truncate(name: str) -> str:
    return name.encode("utf-8")[:POSTGRES_NAME].decode("utf-8", errors="ignore")


DIALECTS = {
    "postgres": Dialect("postgres", _cast_number, "largest", fold_name=_truncate),
    "sqlite": Dialect(BacktickedSQLite, _fraction, "none", replaces=False),
    "duckdb": Dialect("duckdb", _with_exponent, "largest"),
    "bigquery": Dialect("bigquery", _plain, "unordered"),
    "snowflake": Dialect("snowflake", _cast_text, "largest", fold_name=str),
    "spark": Dialect("spark", _with_exponent, "largest"),
    "tsql": Dialect(
        "tsql",
        _with_exponent,
        "none",
        lambda text: exp.National(this=text),
        "Latin1_General_100_BIN2",
    ),
}


def identifier(name: str) -> exp.Identifier:
    """Quote a name, whatever characters it contains.

    Examples
    --------
    >>> identifier('a"; DROP TABLE patients; --').sql("postgres")
    '"a""; DROP TABLE patients; --"'
    """
    _check_text(name)
    return exp.Identifier(this=name, quoted=True)


def label_literals(labels: Sequence[Label], dialect: Dialect) -> list[Node]:
    """Write class labels as literals of one type.

    Examples
    --------
    >>> [label.sql("postgres") for label in label_literals(["no", "it's"], DIALECTS["postgres"])]
    ["'no'", "'it''s'"]
    """
    types = set(map(label_type, labels))
    if types == {"text"}:
        return [dialect.quote(str(label)) for label in labels]
    if types not in ({"boolean"}, {"whole"}, {"float"}, {"whole", "float"}):
        raise ValueError(
            f"the classes must have one type, like a column of a database, found {tuple(labels)}"
        )
    # Not every database has a type for booleans, but all have whole numbers.
    if "float" not in types and all(label in INT64 for label in labels):
        return [exp.Literal.number(int(label)) for label in labels]
    return [dialect.number(_exact_label(label)) for label in labels]


def _exact_label(label: Label) -> float:
    if isinstance(label, str) or not is_exact(label):
        raise ValueError(f"the class {label} is not a float64: make the classes texts")
    return float(label)


def _check_text(text: str) -> None:
    if "\0" in text:
        raise ValueError(f"databases do not accept the character NUL, found in {text!r}")
    if Generator.SENTINEL_LINE_BREAK in text:
        raise ValueError(
            f"sqlglot replaces {Generator.SENTINEL_LINE_BREAK} by a line break: rename {text!r}"
        )
