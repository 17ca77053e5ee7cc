"""What every export computes, in a form that knows no target language.

A program starts with one score for each output, adds the vote of each step whose tests all
pass, in order, and reads the answer off the scores. The targets only spell this out: each of them
has one function for each kind of test.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from sorb.rules import AnyProposition, Label, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.rules.ensemble import require_ensemble
from sorb.rules.propositions import LARGEST_PLAIN_POWER

__all__ = [
    "OPPOSITE",
    "Factor",
    "Output",
    "ProductTest",
    "Program",
    "Readout",
    "SetTest",
    "Step",
    "SumTest",
    "Term",
    "Test",
    "compile_ensemble",
]

Output: TypeAlias = Literal["decision", "prediction", "probability"]
Readout: TypeAlias = Literal["scores", "exponential", "sigmoid", "softmax", "label"]
Relation: TypeAlias = Literal[">=", "<="]

# What is true of two numbers exactly where a relation is not.
OPPOSITE = {">=": "<", "<=": ">"}


@dataclass(frozen=True, slots=True)
class Term:
    """A column times a factor."""

    factor: float
    column: str


@dataclass(frozen=True, slots=True)
class SumTest:
    """The sum of the terms, from left to right, is on one side of a threshold.

    Each product is rounded to float64 before it is added. If a value is missing, or the sum is
    not a number, the test passes only if `missing`.
    """

    terms: tuple[Term, ...]
    relation: Relation
    threshold: float
    missing: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the sum."""
        return tuple(term.column for term in self.terms)

    def mirrored(self) -> SumTest:
        """Give the same test with all signs changed, which float64 does without rounding."""
        terms = tuple(Term(-term.factor, term.column) for term in self.terms)
        relation: Relation = "<=" if self.relation == ">=" else ">="
        # Plus zero, because a threshold of −0.0 would only puzzle its reader.
        return SumTest(terms, relation, -self.threshold + 0.0, self.missing)


@dataclass(frozen=True, slots=True)
class Factor:
    """A positive power of a column, by which a product is multiplied or divided."""

    column: str
    power: float
    divides: bool

    @property
    def repetitions(self) -> int | None:
        """How often the column is multiplied by itself; None if that takes a function `pow`."""
        plain = self.power.is_integer() and self.power <= LARGEST_PLAIN_POWER
        return int(self.power) if plain else None


@dataclass(frozen=True, slots=True)
class ProductTest:
    """The product of the factors, from left to right, is on one side of a threshold.

    A product that starts with a divisor starts with 1 before it. If a value is missing or not
    positive, or the product is not a number, the test passes only if `missing`.
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
class SetTest:
    """The value of a column is one of some categories, or none of them if `negated`.

    Numbers and truth values are equal as in Python: True is 1 and 1.0. If the value is missing,
    the test passes only if `missing`.
    """

    column: str
    categories: tuple[Label, ...]
    negated: bool
    missing: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)


Test: TypeAlias = SumTest | ProductTest | SetTest


@dataclass(frozen=True, slots=True)
class Step:
    """Add a vote to one of the scores if all tests pass."""

    tests: tuple[Test, ...]
    output: int
    vote: float


@dataclass(frozen=True, slots=True)
class Program:
    """Scores to start with, steps that add to them, and how the answer is read off.

    `columns` are all columns of the table, in order; `names` are those of the values of an
    answer; `labels` those of the classes, at least two of them, if the answer is a class.
    """

    columns: tuple[str, ...]
    offsets: tuple[float, ...]
    steps: tuple[Step, ...]
    readout: Readout
    names: tuple[str, ...]
    labels: tuple[Label, ...] = ()

    @property
    def several(self) -> bool:
        """Whether an answer has more than one value."""
        return len(self.names) > 1

    @property
    def tests(self) -> tuple[Test, ...]:
        """The tests of all steps."""
        return tuple(test for step in self.steps for test in step.tests)

    @property
    def used(self) -> tuple[str, ...]:
        """The columns that a test looks at."""
        return self._columns_of(self.tests)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that a test computes with."""
        return self._columns_of(t for t in self.tests if not isinstance(t, SetTest))

    @property
    def positives(self) -> tuple[str, ...]:
        """The columns of which a test takes a power."""
        return self._columns_of(t for t in self.tests if isinstance(t, ProductTest))

    def _columns_of(self, tests: Iterable[Test]) -> tuple[str, ...]:
        found = {column for test in tests for column in test.columns}
        return tuple(column for column in self.columns if column in found)

    def steps_of(self, output: int) -> tuple[Step, ...]:
        """Give the steps that add to one of the scores, in order."""
        return tuple(step for step in self.steps if step.output == output)

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the scores, which are the answer if the decision is asked for."""
        return _numbered("decision", len(self.offsets))

    @property
    def contributions(self) -> tuple[str, ...]:
        """The names for what each step contributes."""
        return tuple(f"rule_{i}" for i in range(len(self.steps)))


def compile_ensemble(ensemble: RuleEnsemble, output: Output) -> Program:
    """Say what must be computed to answer like an ensemble.

    Examples
    --------
    >>> from sorb.rules import Condition
    >>> young = Condition((Proposition(("age",), (-1.0,), -40.0),))
    >>> ensemble = RuleEnsemble(0.5, (Rule(young, 2.0),), ("age",), "poisson")
    >>> program = compile_ensemble(ensemble, "prediction")
    >>> program.readout, program.names
    ('exponential', ('prediction',))
    >>> program.tests
    (SumTest(terms=(Term(factor=1.0, column='age'),), relation='<=', threshold=40.0,
    missing=False),)
    """
    require_ensemble(ensemble)
    if output not in get_args(Output):
        raise ValueError(f"output must be one of {', '.join(get_args(Output))}, found {output!r}")
    offsets = ensemble.offset if isinstance(ensemble.offset, tuple) else (ensemble.offset,)
    readout = _readout(ensemble, output)
    return Program(
        columns=ensemble.columns,
        offsets=offsets,
        steps=tuple(map(_step, ensemble.rules)),
        readout=readout,
        names=_numbered(output, 1 if readout == "label" else len(offsets)),
        labels=_labels(ensemble) if readout == "label" else (),
    )


def _numbered(name: str, count: int) -> tuple[str, ...]:
    return (name,) if count == 1 else tuple(f"{name}_{k}" for k in range(count))


def _readout(ensemble: RuleEnsemble, output: Output) -> Readout:
    if output == "decision":
        return "scores"
    if output == "prediction":
        readouts: dict[str, Readout] = {"squared": "scores", "poisson": "exponential"}
        return readouts.get(ensemble.loss, "label")
    if ensemble.loss not in ("logistic", "softmax"):
        raise ValueError(
            f'an ensemble with the loss "{ensemble.loss}" has no probabilities: '
            'ask for output="prediction"'
        )
    if ensemble.classes is not None and len(ensemble.classes) == 1:
        raise ValueError("the only class there is has the probability 1: there is nothing to write")
    return "sigmoid" if ensemble.loss == "logistic" else "softmax"


def _labels(ensemble: RuleEnsemble) -> tuple[Label, ...]:
    classes = ensemble.classes or (0, 1)
    # The only class there is wins whatever the score.
    return classes * 2 if len(classes) == 1 else classes


def _step(rule: Rule) -> Step:
    return Step(tuple(map(_test, rule.condition.propositions)), rule.output, rule.vote)


def _test(proposition: AnyProposition) -> Test:
    if isinstance(proposition, Proposition):
        return _sum_test(proposition)
    if isinstance(proposition, Product):
        return _product_test(proposition)
    return _set_test(proposition)


def _sum_test(proposition: Proposition) -> SumTest:
    pairs = zip(proposition.weights, proposition.columns, strict=True)
    terms = tuple(Term(weight, name) for weight, name in pairs)
    test = SumTest(terms, ">=", proposition.threshold, proposition.missing)
    # Read aloud, "age ≤ 40" is better than "−age ≥ −40".
    return test.mirrored() if terms[0].factor < 0 else test


def _product_test(product: Product) -> ProductTest:
    pairs = zip(product.columns, product.powers, strict=True)
    factors = tuple(Factor(name, abs(power), power < 0) for name, power in pairs)
    relation: Relation = "<=" if product.at_most else ">="
    return ProductTest(factors, relation, product.threshold, product.missing)


def _set_test(membership: Membership) -> SetTest:
    return SetTest(membership.column, membership.categories, membership.negated, membership.missing)
