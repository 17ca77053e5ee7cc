"""What every export computes, in a form that knows no target language.

A program starts with one score for each output, adds the weight of each step whose tests all
pass, in order, and reads the answer off the scores. The targets only spell this out. A new kind
of test (a set of categories, a logarithm, the way of a missing value) is a new class beside
`Comparison`, made in `_test`, and one function in each target that writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from sorb.rules import Label, Proposition, Rule, RuleEnsemble

__all__ = ["Comparison", "Output", "Program", "Readout", "Step", "Term", "compile_ensemble"]

Output: TypeAlias = Literal["decision", "prediction", "probability"]
Readout: TypeAlias = Literal["scores", "exponential", "sigmoid", "softmax", "label"]


@dataclass(frozen=True, slots=True)
class Term:
    """A column times a factor."""

    factor: float
    column: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The sum of the terms, from left to right, is on one side of a threshold.

    Each product is rounded to float64 before it is added; a sum that is not a number is on
    neither side.
    """

    terms: tuple[Term, ...]
    relation: Literal[">=", "<="]
    threshold: float

    def mirrored(self) -> Comparison:
        """Give the same test with all signs changed, which float64 does without rounding."""
        terms = tuple(Term(-term.factor, term.column) for term in self.terms)
        # Plus zero, because a threshold of −0.0 would only puzzle its reader.
        return Comparison(terms, "<=" if self.relation == ">=" else ">=", -self.threshold + 0.0)


@dataclass(frozen=True, slots=True)
class Step:
    """Add a weight to one of the scores if all tests pass."""

    tests: tuple[Comparison, ...]
    output: int
    weight: float

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the tests look at, each once, in the order of first use."""
        return tuple(dict.fromkeys(term.column for test in self.tests for term in test.terms))


@dataclass(frozen=True, slots=True)
class Program:
    """Scores to start with, steps that add to them, and how the answer is read off.

    `required` are the columns without which there is no answer: if one of their values is
    missing, so is the answer. `names` are those of the values of an answer; `labels` those of the
    classes, at least two of them, if the answer is a class.
    """

    columns: tuple[str, ...]
    required: tuple[str, ...]
    offsets: tuple[float, ...]
    steps: tuple[Step, ...]
    readout: Readout
    names: tuple[str, ...]
    labels: tuple[Label, ...] = ()

    @property
    def several(self) -> bool:
        """Whether an answer has more than one value."""
        return len(self.names) > 1

    def steps_of(self, output: int) -> tuple[Step, ...]:
        """Give the steps that add to one of the scores, in order."""
        return tuple(step for step in self.steps if step.output == output)

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
    >>> program.steps[0].tests[0]
    Comparison(terms=(Term(factor=1.0, column='age'),), relation='<=', threshold=40.0)
    """
    if output not in get_args(Output):
        raise ValueError(f"output must be one of {', '.join(get_args(Output))}, found {output!r}")
    offsets = ensemble.offset if isinstance(ensemble.offset, tuple) else (ensemble.offset,)
    readout = _readout(ensemble, output)
    several = len(offsets) > 1 and readout != "label"
    return Program(
        columns=ensemble.columns,
        required=ensemble.used_columns,
        offsets=offsets,
        steps=tuple(map(_step, ensemble.rules)),
        readout=readout,
        names=tuple(f"{output}_{k}" for k in range(len(offsets))) if several else (output,),
        labels=_labels(ensemble) if readout == "label" else (),
    )


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
    return Step(tuple(map(_test, rule.condition.propositions)), rule.output, rule.weight)


def _test(proposition: Proposition) -> Comparison:
    pairs = zip(proposition.weights, proposition.columns, strict=True)
    test = Comparison(tuple(Term(w, name) for w, name in pairs), ">=", proposition.threshold)
    # Read aloud, "age ≤ 40" is better than "−age ≥ −40".
    return test.mirrored() if test.terms[0].factor < 0 else test
