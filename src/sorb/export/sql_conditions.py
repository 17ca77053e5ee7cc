"""The conditions of rules as SQL, for rows with NULL and NaN too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sorb.export.column_types import ColumnType
from sorb.export.program import (
    CategoryTest,
    Comparison,
    CompiledProposition,
    CompiledRule,
    Factor,
    ProductComparison,
    SumComparison,
)
from sorb.export.sql_dialects import INT64, Dialect, Node, double, identifier
from sorb.rules import Label

__all__ = ["Conditions", "all_hold", "case", "divide", "field"]

RELATIONS: dict[str, type[Node]] = {">=": exp.GTE, "<=": exp.LTE}
OPPOSITES: dict[str, type[Node]] = {">=": exp.LT, "<=": exp.GT}


@dataclass(frozen=True, slots=True)
class Conditions:
    """Writes tests for a database; `types` say what its columns hold.

    A test of which the database says NULL counts as failed, as everywhere in SQL.
    """

    dialect: Dialect
    types: Mapping[str, ColumnType]

    def condition(self, rule: CompiledRule) -> Node:
        """Write what must hold for a step; it has at least one test."""
        return all_hold([self._test(test) for test in rule.propositions])

    def _test(self, test: CompiledProposition) -> Node:
        if isinstance(test, CategoryTest):
            return self._member(test)
        value = self._sum(test) if isinstance(test, SumComparison) else self._product(test)
        return self._comparison(test, value)

    def _comparison(self, test: Comparison, value: Node) -> Node:
        dialect = self.dialect
        threshold = dialect.number(test.threshold)
        if dialect.nan == "unordered" and test.missing:
            fails = OPPOSITES[test.relation](this=value, expression=threshold)
            return exp.Coalesce(this=exp.Not(this=fails), expressions=[exp.true()])
        # Where NaN is above all numbers, some comparisons take it for what it should be.
        if dialect.nan == "largest" and (test.relation == ">=") != test.missing:
            value = exp.Nullif(this=value, expression=_nan())
        if test.missing:
            value = exp.Coalesce(this=value, expressions=[threshold.copy()])
        return RELATIONS[test.relation](this=value, expression=threshold)

    def _sum(self, test: SumComparison) -> Node:
        first, *others = test.terms
        total = self._term(first.factor, first.column)
        for term in others:
            plus_or_minus = exp.Sub if term.factor < 0 else exp.Add
            total = plus_or_minus(this=total, expression=self._term(abs(term.factor), term.column))
        return total

    def _term(self, factor: float, name: str) -> Node:
        number = double(field(name))
        if abs(factor) == 1:
            return number if factor > 0 else exp.Neg(this=number)
        return exp.Mul(this=self.dialect.number(factor), expression=number)

    def _product(self, test: ProductComparison) -> Node:
        first, *others = test.factors
        total = self._power(first)
        if first.divides:
            total = divide(self.dialect.number(1.0), total)
        for factor in others:
            power = self._power(factor)
            if factor.divides:
                total = divide(total, power)
            else:
                total = exp.Mul(this=total, expression=_enclosed(power))
        zero = self.dialect.number(0.0)
        positive = [
            exp.GT(this=double(field(name)), expression=zero.copy()) for name in test.columns
        ]
        return case([(all_hold(positive), total)])

    def _power(self, factor: Factor) -> Node:
        number = double(field(factor.column))
        if factor.repetitions is None:
            return exp.Pow(this=number, expression=self.dialect.number(factor.power))
        power: Node = number
        for _ in range(factor.repetitions - 1):
            power = exp.Mul(this=power, expression=number.copy())
        return power

    def _member(self, test: CategoryTest) -> Node:
        column_type = self.types[test.column]
        if not test.categories:
            return (
                self._gap(test.column, column_type)
                if test.missing
                else self._known(test.column, column_type)
            )
        found: Node = exp.In(
            this=self._value(test.column, column_type),
            expressions=self._literals(test, column_type),
        )
        if test.negated:
            found = exp.Not(this=found)
        if not test.missing:
            # NaN is in no set.
            has_nan = test.negated and column_type == "number" and self.dialect.nan != "none"
            return all_hold([found, self._known(test.column, column_type)]) if has_nan else found
        gap = _is_null(test.column) if test.negated else self._gap(test.column, column_type)
        return exp.Paren(this=exp.Or(this=found, expression=gap))

    def _value(self, name: str, column_type: ColumnType) -> Node:
        if column_type == "text" and self.dialect.collation:
            return exp.Collate(this=field(name), expression=exp.Var(this=self.dialect.collation))
        return field(name)

    def _literals(self, test: CategoryTest, column_type: ColumnType) -> list[Node]:
        labels = test.categories
        if column_type == "text":
            return [self.dialect.quoted(str(label)) for label in labels]
        if column_type == "boolean":
            return [exp.Boolean(this=bool(label)) for label in labels]
        if any(isinstance(label, float) for label in labels):
            return [self.dialect.number(float(label)) for label in labels]
        return [_whole(label, test.column) for label in labels]

    def _gap(self, name: str, column_type: ColumnType) -> Node:
        """Ask whether a value is missing."""
        null = _is_null(name)
        if self.dialect.nan == "none" or column_type in ("text", "boolean"):
            return null
        if column_type == "any":
            nan: Node = exp.EQ(this=_lower_text(name), expression=exp.Literal.string("nan"))
        elif self.dialect.nan == "unordered":
            nan = exp.NEQ(this=field(name), expression=field(name))
        else:
            nan = exp.EQ(this=field(name), expression=_nan())
        return exp.Paren(this=exp.Or(this=null, expression=nan))

    def _known(self, name: str, column_type: ColumnType) -> Node:
        """Ask whether a value is there."""
        if self.dialect.nan == "none" or column_type in ("text", "boolean"):
            return exp.Not(this=_is_null(name))
        if column_type == "any":
            return exp.NEQ(this=_lower_text(name), expression=exp.Literal.string("nan"))
        if self.dialect.nan == "unordered":
            return exp.EQ(this=field(name), expression=field(name))
        return exp.NEQ(this=field(name), expression=_nan())


def _nan() -> Node:
    return double(exp.Literal.string("NaN"))


def _is_null(name: str) -> Node:
    return exp.Is(this=field(name), expression=exp.Null())


def _lower_text(name: str) -> Node:
    # Of a column that may hold anything, this is how to find a NaN without an error.
    return exp.Lower(this=exp.Cast(this=field(name), to=exp.DataType.build("text")))


def _whole(label: Label, column: str) -> Node:
    number = int(label)
    if number not in INT64:
        raise ValueError(
            f"no whole number of a database is the category {label} of column {column!r}: make "
            "the column one of texts"
        )
    return exp.Literal.number(number)


def field(name: str) -> Node:
    """Take a column as it is."""
    return exp.Column(this=identifier(name))


def all_hold(nodes: Sequence[Node]) -> Node:
    """Join tests that must all hold."""
    first, *others = nodes
    for node in others:
        first = exp.And(this=first, expression=node)
    return first


def case(branches: Sequence[tuple[Node, Node]], default: Node | None = None) -> Node:
    """Give the value of the first condition that holds."""
    ifs = [exp.If(this=condition, true=value) for condition, value in branches]
    return exp.Case(ifs=ifs, default=default)


def divide(top: Node, bottom: Node) -> Node:
    """Divide float64 numbers."""
    return exp.Div(this=top, expression=_enclosed(bottom), typed=True)


def _enclosed(node: Node) -> Node:
    return exp.Paren(this=node) if isinstance(node, (exp.Add, exp.Mul)) else node
