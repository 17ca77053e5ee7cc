"""What every export computes, independent of the target language.

A program starts with one score for each output, adds the votes of the rules that cover the row, in
order, and turns the scores into the answer. Each target only has to write this down: it has one
function for each kind of proposition.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from sorb import losses
from sorb._types import assert_never
from sorb.rules import AnyProposition, Label, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.rules.ensemble import require_ensemble
from sorb.rules.prediction import class_labels
from sorb.rules.propositions import LARGEST_PLAIN_POWER

__all__ = [
    "OPPOSITE",
    "Answer",
    "CategoryTest",
    "Comparison",
    "CompiledProposition",
    "CompiledRule",
    "Factor",
    "Output",
    "ProductComparison",
    "Program",
    "SumComparison",
    "Term",
    "compile_ensemble",
]

Output: TypeAlias = Literal["score", "prediction", "probability"]
Answer: TypeAlias = Literal["scores", "exponential", "sigmoid", "softmax", "label"]
# What a target computes from the scores for a prediction, and for probabilities.
PREDICTIONS: dict[losses.Readout, Answer] = {
    losses.Readout.IDENTITY: "scores",
    losses.Readout.EXPONENTIAL: "exponential",
    losses.Readout.SIGMOID: "label",
    losses.Readout.SOFTMAX: "label",
}
PROBABILITIES: dict[losses.Readout, Answer] = {
    losses.Readout.SIGMOID: "sigmoid",
    losses.Readout.SOFTMAX: "softmax",
}
Relation: TypeAlias = Literal[">=", "<="]

# The relation that is true exactly where the other is false.
OPPOSITE = {">=": "<", "<=": ">"}


@dataclass(frozen=True, slots=True)
class Term:
    """A column times a factor."""

    factor: float
    column: str


@dataclass(frozen=True, slots=True)
class SumComparison:
    """The sum of the terms, from left to right, is on one side of a threshold.

    Each product is rounded to float64 before it is added. `missing` is the result if a value is
    missing or the sum is not a number.
    """

    terms: tuple[Term, ...]
    relation: Relation
    threshold: float
    missing: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the sum."""
        return tuple(term.column for term in self.terms)

    def mirror(self) -> SumComparison:
        """Give the same comparison with all signs changed, which float64 does without rounding."""
        terms = tuple(Term(-term.factor, term.column) for term in self.terms)
        relation: Relation = "<=" if self.relation == ">=" else ">="
        # Plus zero, because a threshold of −0.0 would only puzzle readers.
        return SumComparison(terms, relation, -self.threshold + 0.0, self.missing)


@dataclass(frozen=True, slots=True)
class Factor:
    """A positive power of a column, by which a product is multiplied or divided."""

    column: str
    power: float
    divides: bool

    @property
    def repetitions(self) -> int | None:
        """How many copies of the column are multiplied; None if the power needs `pow`."""
        plain = self.power.is_integer() and self.power <= LARGEST_PLAIN_POWER
        return int(self.power) if plain else None


@dataclass(frozen=True, slots=True)
class ProductComparison:
    """The product of the factors, from left to right, is on one side of a threshold.

    If the first factor divides, it divides 1. `missing` is the result if a value is missing or not
    positive, or the product is not a number.
    """

    factors: tuple[Factor, ...]
    relation: Relation
    threshold: float
    missing: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the product."""
        return tuple(factor.column for factor in self.factors)


@dataclass(frozen=True, slots=True)
class CategoryTest:
    """The value of a column is one of the categories, or none of them if `negated`.

    Numbers and booleans are equal as in Python: True is 1 and 1.0. `missing` is the result if the
    value is missing.
    """

    column: str
    categories: tuple[Label, ...]
    negated: bool
    missing: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)


Comparison: TypeAlias = SumComparison | ProductComparison
CompiledProposition: TypeAlias = Comparison | CategoryTest


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """Add a vote to one of the scores if all propositions are true."""

    propositions: tuple[CompiledProposition, ...]
    output: int
    vote: float


@dataclass(frozen=True, slots=True)
class Program:
    """Offsets, rules that add to them, and how the scores become the answer.

    `columns` are all columns of the table, in order; `names` are the names of the answer's values;
    `labels` are the labels of the classes, at least two of them, if the answer is a class.
    """

    columns: tuple[str, ...]
    offsets: tuple[float, ...]
    rules: tuple[CompiledRule, ...]
    answer: Answer
    names: tuple[str, ...]
    labels: tuple[Label, ...] = ()

    @property
    def several(self) -> bool:
        """Whether the answer has more than one value."""
        return len(self.names) > 1

    @property
    def propositions(self) -> tuple[CompiledProposition, ...]:
        """The propositions of all rules."""
        return tuple(part for rule in self.rules for part in rule.propositions)

    @property
    def used(self) -> tuple[str, ...]:
        """The columns that a proposition uses."""
        return self._columns_of(self.propositions)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that a proposition calculates with."""
        return self._columns_of(p for p in self.propositions if not isinstance(p, CategoryTest))

    @property
    def positives(self) -> tuple[str, ...]:
        """The columns that appear in a product."""
        return self._columns_of(p for p in self.propositions if isinstance(p, ProductComparison))

    def _columns_of(self, propositions: Iterable[CompiledProposition]) -> tuple[str, ...]:
        found = {column for proposition in propositions for column in proposition.columns}
        return tuple(column for column in self.columns if column in found)

    def rules_of(self, output: int) -> tuple[CompiledRule, ...]:
        """Give the rules that add to one of the scores, in order."""
        return tuple(rule for rule in self.rules if rule.output == output)

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the scores, which are the answer if the output is the score."""
        return _number_names("score", len(self.offsets))

    @property
    def contributions(self) -> tuple[str, ...]:
        """The names of the rules' contributions."""
        return tuple(f"rule_{i}" for i in range(len(self.rules)))


def compile_ensemble(ensemble: RuleEnsemble, output: Output) -> Program:
    """Work out what to compute to give the answers of an ensemble.

    Examples
    --------
    >>> from sorb.rules import Condition
    >>> young = Condition((Proposition(("age",), (-1.0,), -40.0),))
    >>> ensemble = RuleEnsemble(0.5, (Rule(young, 2.0),), ("age",), "poisson")
    >>> program = compile_ensemble(ensemble, "prediction")
    >>> program.answer, program.names
    ('exponential', ('prediction',))
    >>> program.propositions
    (SumComparison(terms=(Term(factor=1.0, column='age'),), relation='<=', threshold=40.0,
    missing=False),)
    """
    require_ensemble(ensemble)
    if output not in get_args(Output):
        raise ValueError(f"output must be one of {', '.join(get_args(Output))}, found {output!r}")
    answer = _answer(ensemble, output)
    return Program(
        columns=ensemble.columns,
        offsets=ensemble.offsets,
        rules=tuple(map(_compile_rule, ensemble.rules)),
        answer=answer,
        names=_number_names(output, 1 if answer == "label" else len(ensemble.offsets)),
        labels=_labels(ensemble) if answer == "label" else (),
    )


def _number_names(name: str, count: int) -> tuple[str, ...]:
    return (name,) if count == 1 else tuple(f"{name}_{k}" for k in range(count))


def _answer(ensemble: RuleEnsemble, output: Output) -> Answer:
    if output == "score":
        return "scores"
    if output == "prediction":
        return ensemble.loss.by_readout(PREDICTIONS, "exported")
    if not ensemble.loss.has_classes:
        raise ValueError(
            f'an ensemble with the loss "{ensemble.loss}" has no probabilities: '
            'ask for output="prediction"'
        )
    if ensemble.classes is not None and len(ensemble.classes) == 1:
        raise ValueError(
            "an ensemble with a single class gives it the probability 1: there is nothing to export"
        )
    return ensemble.loss.by_readout(PROBABILITIES, "exported")


def _labels(ensemble: RuleEnsemble) -> tuple[Label, ...]:
    classes = class_labels(ensemble.classes)
    # A single class is predicted whatever the score.
    return classes * 2 if len(classes) == 1 else classes


def _compile_rule(rule: Rule) -> CompiledRule:
    propositions = tuple(map(_compile_proposition, rule.condition.propositions))
    return CompiledRule(propositions, rule.output, rule.vote)


def _compile_proposition(proposition: AnyProposition) -> CompiledProposition:
    match proposition:
        case Proposition():
            return _sum_comparison(proposition)
        case Product():
            return _product_comparison(proposition)
        case Membership():
            return _category_test(proposition)
        case _:
            return assert_never(proposition)


def _sum_comparison(proposition: Proposition) -> SumComparison:
    pairs = zip(proposition.weights, proposition.columns, strict=True)
    terms = tuple(Term(weight, name) for weight, name in pairs)
    comparison = SumComparison(terms, ">=", proposition.threshold, proposition.missing)
    # "age ≤ 40" is easier to read than "−age ≥ −40".
    return comparison.mirror() if terms[0].factor < 0 else comparison


def _product_comparison(product: Product) -> ProductComparison:
    pairs = zip(product.columns, product.powers, strict=True)
    factors = tuple(Factor(name, abs(power), power < 0) for name, power in pairs)
    relation: Relation = "<=" if product.at_most else ">="
    return ProductComparison(factors, relation, product.threshold, product.missing)


def _category_test(proposition: Membership) -> CategoryTest:
    return CategoryTest(
        proposition.column, proposition.categories, proposition.negated, proposition.missing
    )
