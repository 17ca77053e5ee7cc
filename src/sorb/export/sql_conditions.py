"""The conditions of rules as SQL, also for rows with NULL and NaN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sorb._types import assert_never
from sorb.export.column_types import ColumnType, exact_float, label_type
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

__all__ = ["Conditions", "case", "conjunction", "divide", "field"]

RELATIONS: dict[str, type[Node]] = {">=": exp.GTE, "<=": exp.LTE}
OPPOSITES: dict[str, type[Node]] = {">=": exp.LT, "<=": exp.GT}


@dataclass(frozen=True, slots=True)
class Conditions:
    """Writes conditions for a database; `types` are those of its columns.

    A condition that is NULL counts as false, as everywhere in SQL.
    """

    dialect: Dialect
    types: Mapping[str, ColumnType]

    def condition(self, rule: CompiledRule) -> Node:
        """Write the condition of a rule that has at least one proposition."""
        return conjunction([self._proposition(part) for part in rule.propositions])

    def _proposition(self, proposition: CompiledProposition) -> Node:
        match proposition:
            case SumComparison():
                return self._comparison(proposition, self._sum(proposition))
            case ProductComparison():
                return self._comparison(proposition, self._product(proposition))
            case CategoryTest():
                return self._category_test(proposition)
            case _:
                return assert_never(proposition)

    def _comparison(self, comparison: Comparison, value: Node) -> Node:
        dialect, relation, missing = self.dialect, comparison.relation, comparison.missing
        threshold = dialect.number(comparison.threshold)
        if dialect.nan == "unordered" and missing:
            opposite = OPPOSITES[relation](this=value, expression=threshold)
            return exp.Coalesce(this=exp.Not(this=opposite), expressions=[exp.true()])
        # Where NaN is above all numbers, some comparisons give the right result for it.
        if dialect.nan == "largest" and (relation == ">=") != missing:
            value = exp.Nullif(this=value, expression=_nan())
        if missing:
            value = exp.Coalesce(this=value, expressions=[threshold.copy()])
        return RELATIONS[relation](this=value, expression=threshold)

    def _sum(self, comparison: SumComparison) -> Node:
        first, *others = comparison.terms
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

    def _product(self, comparison: ProductComparison) -> Node:
        first, *others = comparison.factors
        total = self._power(first)
        if first.divides:
            total = divide(self.dialect.number(1.0), total)
        for factor in others:
            power = self._power(factor)
            if factor.divides:
                total = divide(total, power)
            else:
                total = exp.Mul(this=total, expression=_in_brackets(power))
        zero = self.dialect.number(0.0)
        positive = [
            exp.GT(this=double(field(name)), expression=zero.copy()) for name in comparison.columns
        ]
        return case([(conjunction(positive), total)])

    def _power(self, factor: Factor) -> Node:
        number = double(field(factor.column))
        if factor.repetitions is None:
            return exp.Pow(this=number, expression=self.dialect.number(factor.power))
        power: Node = number
        for _ in range(factor.repetitions - 1):
            power = exp.Mul(this=power, expression=number.copy())
        return power

    def _category_test(self, test: CategoryTest) -> Node:
        column = test.column
        if not test.categories:
            return self._is_missing(column) if test.missing else self._is_known(column)
        found: Node = exp.In(this=self._value(column), expressions=self._literals(test))
        if test.negated:
            found = exp.Not(this=found)
        if test.missing:
            # NaN is in no set, so where the test is negated it is found already.
            unknown = _is_null(column) if test.negated else self._is_missing(column)
            return exp.Paren(this=exp.Or(this=found, expression=unknown))
        if test.negated and self.types[column] == "number" and self.dialect.nan != "none":
            return conjunction([found, self._is_known(column)])
        return found

    def _value(self, name: str) -> Node:
        if self.types[name] == "text" and self.dialect.collation:
            return exp.Collate(this=field(name), expression=exp.Var(this=self.dialect.collation))
        return field(name)

    def _literals(self, test: CategoryTest) -> list[Node]:
        labels = test.categories
        match self.types[test.column]:
            case "text":
                return [self.dialect.quote(str(label)) for label in labels]
            case "boolean":
                return [exp.Boolean(this=bool(label)) for label in labels]
            case "number":
                return self._numbers(test)
            case "any":
                raise AssertionError(f"no category of column {test.column!r} has a type")
            case column_type:
                return assert_never(column_type)

    def _numbers(self, test: CategoryTest) -> list[Node]:
        if "float" not in map(label_type, test.categories):
            return [_whole(label, test.column) for label in test.categories]
        numbers = [exact_float(label, test.column) for label in test.categories]
        return [self.dialect.number(number) for number in numbers]

    def _nan_test(self, name: str) -> tuple[type[Node], Node, Node] | None:
        """Give the comparison that is true of NaN, if the column can hold it."""
        if self.dialect.nan == "none":
            return None
        match self.types[name]:
            case "text" | "boolean":
                return None
            case "any":
                return exp.EQ, _lower_text(name), exp.Literal.string("nan")
            case "number":
                if self.dialect.nan == "unordered":
                    return exp.NEQ, field(name), field(name)
                return exp.EQ, field(name), _nan()
            case column_type:
                return assert_never(column_type)

    def _is_missing(self, name: str) -> Node:
        """Ask whether a value is missing."""
        null = _is_null(name)
        if (nan := self._nan_test(name)) is None:
            return null
        relation, left, right = nan
        is_nan = relation(this=left, expression=right)
        return exp.Paren(this=exp.Or(this=null, expression=is_nan))

    def _is_known(self, name: str) -> Node:
        """Ask whether a value is there."""
        if (nan := self._nan_test(name)) is None:
            return exp.Not(this=_is_null(name))
        relation, left, right = nan
        # Of NULL, neither comparison is true.
        opposite = exp.NEQ if relation is exp.EQ else exp.EQ
        return opposite(this=left, expression=right)


def _nan() -> Node:
    return double(exp.Literal.string("NaN"))


def _is_null(name: str) -> Node:
    return exp.Is(this=field(name), expression=exp.Null())


def _lower_text(name: str) -> Node:
    # This finds NaN in a column of any type without an error.
    return exp.Lower(this=exp.Cast(this=field(name), to=exp.DataType.build("text")))


def _whole(label: Label, column: str) -> Node:
    number = int(label)
    if number not in INT64:
        raise ValueError(
            f"the category {label} of column {column!r} is not a 64-bit whole number, as databases "
            "have them: make the column one of texts"
        )
    return exp.Literal.number(number)


def field(name: str) -> Node:
    """Name a column."""
    return exp.Column(this=identifier(name))


def conjunction(nodes: Sequence[Node]) -> Node:
    """Join conditions by AND."""
    first, *others = nodes
    for node in others:
        first = exp.And(this=first, expression=node)
    return first


def case(branches: Sequence[tuple[Node, Node]], default: Node | None = None) -> Node:
    """Give the value of the first condition that is true."""
    ifs = [exp.If(this=condition, true=value) for condition, value in branches]
    return exp.Case(ifs=ifs, default=default)


def divide(top: Node, bottom: Node) -> Node:
    """Divide float64 numbers."""
    return exp.Div(this=top, expression=_in_brackets(bottom), typed=True)


def _in_brackets(node: Node) -> Node:
    return exp.Paren(this=node) if isinstance(node, (exp.Add, exp.Mul)) else node
