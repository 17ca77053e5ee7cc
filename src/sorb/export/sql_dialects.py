"""How databases write names and float64, and what they make of NaN.

Every name and every literal is a node of sqlglot, which quotes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlglot import exp
from sqlglot.dialects import SQLite
from sqlglot.generator import Generator

from sorb.rules import Label

__all__ = ["DIALECTS", "INT64", "Dialect", "Node", "double", "identifier", "label_literals"]

Node: TypeAlias = exp.Expression

INT64 = range(-(2**63), 2**63)
EXACT = 2**52  # this power of two is short enough for SQLite to read without rounding
PLAIN_DECIMALS = 3
POSTGRES_NAME = 63  # bytes


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a database makes of names, numbers and texts.

    `notation` is how sqlglot writes for it; `positive` writes a number, `text` a text. `nan` says
    where the database puts NaN: above all numbers, in no order with them as IEEE 754 has it, or
    nowhere because it has none. `collation` is one that tells all texts apart, where the usual one
    does not. `same_name` gives the same for two names that are one to the database; capital letters
    often make no difference. `replaces` says whether a new view can take the place of an older one.
    """

    notation: str | type[SQLite]
    positive: Callable[[float], Node]
    nan: Literal["largest", "unordered", "none"]
    text: Callable[[str], Node] = exp.Literal.string
    collation: str | None = None
    same_name: Callable[[str], str] = str.casefold
    replaces: bool = True

    def number(self, value: float) -> Node:
        """Write a float64 so that the database reads the same one."""
        return exp.Neg(this=self.positive(-value)) if value < 0 else self.positive(value)

    def quoted(self, text: str) -> Node:
        """Write a text."""
        _refuse(text)
        return self.text(text)

    def require_distinct(self, columns: Iterable[str]) -> None:
        """Refuse columns that the database would take for one."""
        known: dict[str, str] = {}
        for column in columns:
            first = known.setdefault(self.same_name(column), column)
            if first != column:
                raise ValueError(
                    f"the database takes {first!r} and {column!r} for the same column: rename one"
                )


class BacktickedSQLite(SQLite):  # type: ignore[misc]
    """SQLite with names in backticks: one in double quotes it takes for a text if unknown."""

    class Tokenizer(SQLite.Tokenizer):  # type: ignore[misc]
        """How names are quoted."""

        IDENTIFIERS = ("`",)
        IDENTIFIER_ESCAPES = ("`",)


def double(node: Node) -> Node:
    """Make a value a float64."""
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

    A whole number over a power of two is exact, and so is one with at most three decimals: even
    if it is rounded twice, to a wider format first, it is too far from the middle of two float64.
    """
    if _is_short(repr(value)):
        return _plain(value)
    whole, power = value.as_integer_ratio()
    node = _whole(whole)
    while power > 1:
        part = min(power, EXACT)
        node, power = exp.Div(this=node, expression=_plain(float(part)), typed=True), power // part
    node.add_comments([f" {value!r} "])
    return exp.Paren(this=node)


def _is_short(text: str) -> bool:
    digits, _, decimals = text.partition(".")
    return (
        "e" not in text and len(decimals) <= PLAIN_DECIMALS and int(digits + decimals) <= 2 * EXACT
    )


def _whole(value: int) -> Node:
    factors = 0
    while value > 2 * EXACT:
        # A float64 beyond 2⁵³ is a multiple of a power of two; take it out step by step.
        value, factors = value // 2, factors + 1
    node = _plain(float(value))
    while factors:
        part = min(factors, 52)
        node, factors = exp.Mul(this=node, expression=_plain(2.0**part)), factors - part
    return node


def _cut(name: str) -> str:
    return name.encode("utf-8")[:POSTGRES_NAME].decode("utf-8", errors="ignore")


DIALECTS = {
    "postgres": Dialect("postgres", _cast_number, "largest", same_name=_cut),
    "sqlite": Dialect(BacktickedSQLite, _fraction, "none", replaces=False),
    "duckdb": Dialect("duckdb", _with_exponent, "largest"),
    "bigquery": Dialect("bigquery", _plain, "unordered"),
    "snowflake": Dialect("snowflake", _cast_text, "largest", same_name=str),
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
    """Quote a name, whatever it holds.

    Examples
    --------
    >>> identifier('a"; DROP TABLE patients; --').sql("postgres")
    '"a""; DROP TABLE patients; --"'
    """
    _refuse(name)
    return exp.Identifier(this=name, quoted=True)


def label_literals(labels: Sequence[Label], dialect: Dialect) -> list[Node]:
    """Write the classes as literals of one type.

    Examples
    --------
    >>> [label.sql("postgres") for label in label_literals(["no", "it's"], DIALECTS["postgres"])]
    ["'no'", "'it''s'"]
    """
    if all(isinstance(label, str) for label in labels):
        return [dialect.quoted(str(label)) for label in labels]
    if all(isinstance(label, bool) for label in labels):
        # Not every database has a type for truth values, but every one has numbers.
        return [exp.Literal.number(int(label)) for label in labels]
    if any(isinstance(label, (str, bool)) for label in labels):
        raise ValueError(f"a column of a database has one type, the classes have several: {labels}")
    if all(isinstance(label, int) and label in INT64 for label in labels):
        return [exp.Literal.number(int(label)) for label in labels]
    return [dialect.number(float(label)) for label in labels]


def _refuse(text: str) -> None:
    if "\0" in text:
        raise ValueError(f"no database takes the character NUL, found in {text!r}")
    if Generator.SENTINEL_LINE_BREAK in text:
        raise ValueError(
            f"sqlglot writes {Generator.SENTINEL_LINE_BREAK} as the end of a line: rename {text!r}"
        )
