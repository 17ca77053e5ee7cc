"""Rules with votes that are fitted to all rows: what grows, shrinks and changes while boosting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np

from sorb import _kernels
from sorb._types import Bool, Float
from sorb.learning.refit import Patterns, refit
from sorb.learning.rows import Rows
from sorb.losses import Loss
from sorb.rules import Condition, Rule, RuleEnsemble
from sorb.tables.column_constraints import ANY_VOTE, NO_CONSTRAINTS, ColumnConstraints, VoteRange

# A larger penalty on the scale of the weights leaves no vote that floats could tell from zero.
_LARGEST_PENALTY = 1e150


class Outcomes(Protocol):
    """The outcomes and weights of rows, or of groups of rows that are covered alike.

    The outcome of a group is the mean of its rows.
    """

    @property
    def y(self) -> Float:
        """The outcomes."""
        ...

    @property
    def weight(self) -> Float:
        """The weights."""
        ...

    @property
    def shift(self) -> float:
        """What was subtracted from all outcomes."""
        ...

    @property
    def weight_unit(self) -> float:
        """What a weight of one stands for."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class RowOutcomes:
    """The outcomes and weights of rows, without their values."""

    y: Float
    weight: Float
    shift: float
    weight_unit: float


@dataclass(frozen=True, slots=True)
class Problem:
    """What votes are fitted to: the outcomes of rows, the loss, and the penalty.

    `total_weight` is that of all rows, and `constant` the part of their mean loss that no vote can
    change. Fits that do not depend on each other may run on `n_threads`. The `constraints` say
    which conditions are allowed, and what columns cost.
    """

    outcomes: Outcomes
    loss: Loss
    reg_lambda: float
    total_weight: float
    constant: float
    n_threads: int = 1
    constraints: ColumnConstraints = NO_CONSTRAINTS

    @classmethod
    def of(
        cls,
        rows: Rows,
        loss: Loss,
        reg_lambda: float,
        n_threads: int = 1,
        constraints: ColumnConstraints = NO_CONSTRAINTS,
    ) -> Problem:
        """Add up over the rows, once for all fits."""
        constant = loss.mean_constant(rows.y, rows.weight)
        outcomes = RowOutcomes(rows.y, rows.weight, rows.shift, rows.weight_unit)
        total = float(rows.weight.sum())
        return cls(outcomes, loss, reg_lambda, total, constant, n_threads, constraints)

    @property
    def penalty(self) -> float:
        """The penalty in the unit of the weights."""
        return min(self.reg_lambda / self.outcomes.weight_unit, _LARGEST_PENALTY)


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A condition in the user's units, the output that it votes for, and the rows it covers.

    Conditions that divide the rows in the same way, complements included, have the same `division`;
    it is None if all rows are on one side. `complexity` is the share of the term in a model's. Its
    vote stays in the range `votes`.
    """

    condition: Condition
    output: int
    covered: Bool
    division: int | None
    complexity: int
    votes: VoteRange = ANY_VOTE

    @classmethod
    def of(cls, condition: Condition, output: int, rows: Rows, votes: VoteRange = ANY_VOTE) -> Term:
        """Evaluate a condition."""
        covered = rows.covered_by(condition)
        division = _kernels.division(covered)
        return cls(condition, output, covered, division, 1 + condition.complexity, votes)

    @property
    def key(self) -> tuple[int, int | None]:
        """The same for terms that a refit cannot tell apart."""
        return self.output, self.division


# By their conditions and outputs.
KnownTerms: TypeAlias = dict[tuple[Condition, int], Term]


@dataclass(frozen=True, slots=True, eq=False)
class FittedRules:
    """Terms whose votes are fitted to all rows.

    A term whose vote the fit puts to zero, at an end of its range, is dropped.

    Attributes
    ----------
    problem : what they are fitted to.
    terms : the terms.
    theta : the offsets, then the votes.
    risk : the mean loss of the rows, without the penalty.
    objective : the same with the penalty.
    complexity : that of the model, and the prices of the columns that it uses, rounded up.
    """

    problem: Problem
    terms: tuple[Term, ...]
    theta: Float
    risk: float
    objective: float
    complexity: int
    _patterns: Patterns | None = None

    @classmethod
    def with_terms(cls, problem: Problem, terms: tuple[Term, ...], n_outputs: int) -> FittedRules:
        """Fit the votes of some terms; without any, it is the best constant."""
        y, weight = problem.outcomes.y, problem.outcomes.weight
        offsets = problem.loss.best_constant(y, weight, n_outputs)
        start = np.append(offsets, np.zeros(len(terms)))
        return _fit(problem, terms, _patterns_of(terms, len(y), n_outputs), start)

    @classmethod
    def from_ensemble(
        cls,
        problem: Problem,
        rows: Rows,
        ensemble: RuleEnsemble,
        known: KnownTerms,
    ) -> FittedRules:
        """Refit the votes of a model, from what they are: if they fit already, they stay.

        Terms that are known are not evaluated again. Rules that the constraints rule out are left
        out.
        """
        offsets = np.array(ensemble.offsets)
        rules = []
        for rule in ensemble:
            votes = problem.constraints.vote_range(rule.condition)
            if votes is None:
                continue
            rules.append(rule)
            if (rule.condition, rule.output) not in known:
                term = Term.of(rule.condition, rule.output, rows, votes)
                known[rule.condition, rule.output] = term
        terms = tuple(known[rule.condition, rule.output] for rule in rules)
        if len(offsets) == 1:
            offsets -= rows.shift
        start = np.append(offsets, [rule.vote for rule in rules])
        return _fit(problem, terms, _patterns_of(terms, len(rows), len(offsets)), start)

    @property
    def n_outputs(self) -> int:
        """The number of scores that a row has."""
        return len(self.theta) - len(self.terms)

    @property
    def patterns(self) -> Patterns:
        """Which of the terms cover each row."""
        if self._patterns is not None:
            return self._patterns
        return _patterns_of(self.terms, len(self.problem.outcomes.y), self.n_outputs)

    def without_patterns(self) -> FittedRules:
        """The same model in less memory: its patterns are found again when they are needed."""
        return replace(self, _patterns=None)

    def add(self, term: Term) -> FittedRules:
        """Add a term and refit all votes."""
        patterns = self.patterns.split(term.covered, term.output, term.votes)
        return _fit(self.problem, (*self.terms, term), patterns, np.append(self.theta, 0.0))

    def objectives_with(self, rules: list[tuple[Bool, int, VoteRange]]) -> Float:
        """The objective after adding each rule alone and refitting all votes.

        A rule is given by the rows that it covers, its output, and the range of its vote.
        """
        problem, weight = self.problem, self.problem.outcomes.weight
        losses, squares = _kernels.validation_losses(
            problem.loss.kernel,
            self.patterns,
            problem.outcomes.y,
            weight,
            weight,
            problem.penalty,
            self.theta,
            rules,
            problem.n_threads,
        )
        penalised = np.array(losses[1:]) + problem.penalty * np.array(squares[1:])
        return penalised / problem.total_weight + problem.constant

    def drop(self, k: int) -> FittedRules:
        """Remove a term and refit the votes of the others."""
        terms = self.terms[:k] + self.terms[k + 1 :]
        place = self.n_outputs + k
        theta = np.concatenate((self.theta[:place], self.theta[place + 1 :]))
        return _fit(self.problem, terms, self.patterns.without(k), theta)

    def refit(self, problem: Problem) -> FittedRules:
        """Fit the votes to the same rows with another penalty."""
        return _fit(problem, self.terms, self.patterns, self.theta)

    def fit_to(self, problem: Problem, covered: Mapping[Condition, Bool]) -> FittedRules:
        """Fit the votes to other rows, or groups of rows, that the conditions cover."""
        terms = tuple(replace(term, covered=covered[term.condition]) for term in self.terms)
        patterns = _patterns_of(terms, len(problem.outcomes.y), self.n_outputs)
        return _fit(problem, terms, patterns, self.theta)

    def usefulness(self) -> Float:
        """How useful each term is for its complexity.

        That is about how much the penalised sum of losses would rise without it, over the root of
        its complexity.
        """
        y, weight = self.problem.outcomes.y, self.problem.outcomes.weight
        kernel, penalty = self.problem.loss.kernel, self.problem.penalty
        costs = _kernels.removal_costs(kernel, self.patterns, y, weight, penalty, self.theta)
        return np.array(costs) / np.sqrt([self._saved_without(term) for term in self.terms])

    def cost_of(self, term: Term) -> float:
        """What a term would add: its complexity, and the prices of columns that are not paid."""
        constraints = self.problem.constraints
        if not constraints.prices:
            return term.complexity
        return term.complexity + constraints.price(term.condition.columns, self.columns)

    @property
    def columns(self) -> set[str]:
        """The columns that the terms use."""
        return {name for term in self.terms for name in term.condition.columns}

    def _saved_without(self, term: Term) -> float:
        """By how much the complexity would fall without a term."""
        if not self.problem.constraints.prices:
            return term.complexity
        others = tuple(other for other in self.terms if other is not term)
        return replace(self, terms=others).cost_of(term)

    def scores(self, covered: Float) -> Float:
        """The scores of any rows, of which it is known which terms (columns) cover them."""
        k = self.n_outputs
        if k == 1:
            scores = covered @ self.theta[1:] + (self.theta[0] + self.problem.outcomes.shift)
            return np.asarray(scores)
        votes = np.zeros((len(self.terms), k))
        votes[np.arange(len(self.terms)), [term.output for term in self.terms]] = self.theta[k:]
        return np.asarray(covered @ votes + self.theta[:k])

    def ensemble(self, empty: RuleEnsemble) -> RuleEnsemble:
        """The model, with everything but offset and rules taken from an empty one."""
        k = self.n_outputs
        offset = tuple(self.theta[:k].tolist())
        rules = tuple(
            Rule(term.condition, vote, term.output)
            for term, vote in zip(self.terms, self.theta[k:].tolist(), strict=True)
        )
        single = float(self.theta[0]) + self.problem.outcomes.shift
        return replace(empty, offset=offset if k > 1 else single, rules=rules)


def _patterns_of(terms: tuple[Term, ...], n_rows: int, n_outputs: int) -> Patterns:
    patterns = Patterns.without_rules(n_rows, n_outputs)
    for term in terms:
        patterns = patterns.split(term.covered, term.output, term.votes)
    return patterns


def _fit(
    problem: Problem, terms: tuple[Term, ...], patterns: Patterns, start: Float
) -> FittedRules:
    y, weight = problem.outcomes.y, problem.outcomes.weight
    theta, losses = refit(problem.loss, patterns, y, weight, problem.penalty, start)
    for k in reversed(range(len(terms))):
        place = patterns.n_outputs + k
        if theta[place] == 0 and terms[k].votes != ANY_VOTE:
            terms, theta = terms[:k] + terms[k + 1 :], np.delete(theta, place)
            patterns = patterns.without(k)
    risk = losses / problem.total_weight + problem.constant
    votes = theta[patterns.n_outputs :]
    objective = risk + problem.penalty * float(votes @ votes) / problem.total_weight
    complexity = sum(term.complexity for term in terms)
    if problem.constraints.prices:
        columns = {name for term in terms for name in term.condition.columns}
        complexity += math.ceil(problem.constraints.price(columns))
    return FittedRules(problem, terms, theta, risk, objective, complexity, patterns)
