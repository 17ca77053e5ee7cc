"""What could be added to a model: candidates that a search finds on a bag, judged on others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sorb import _kernels
from sorb._types import Bool, Float
from sorb.learning.bags import Bag, all_rows
from sorb.learning.fitted_rules import FittedRules, Term
from sorb.learning.objectives import SearchInput
from sorb.learning.refit import validation_risks
from sorb.learning.rows import Rows
from sorb.learning.search import Candidate, Search
from sorb.losses import Loss
from sorb.tables.column_constraints import ANY_VOTE, NO_CONSTRAINTS, ColumnConstraints, VoteRange

# How much of the chance of a row to be searched in is in proportion to its gradient.
BY_GRADIENT = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A candidate, the output that it would vote for, and its term, if it is known already.

    Its vote would stay in the range `votes`, and `price` is that of the columns that the model has
    not paid for.
    """

    candidate: Candidate
    output: int
    votes: VoteRange = ANY_VOTE
    known: Term | None = None
    price: float = 0.0

    @property
    def covered(self) -> Bool:
        """The rows that it covers."""
        return self.candidate.covered

    @property
    def complexity(self) -> float:
        """What it would add to the complexity of the model, prices included."""
        return self.candidate.complexity + self.price

    @property
    def key(self) -> tuple[int, int]:
        """The same for proposals that divide the rows alike and vote for the same output."""
        return self.output, self.candidate.division

    @property
    def key_with_votes(self) -> tuple[int, int, VoteRange]:
        """The same for proposals that a refit cannot tell apart."""
        lower, upper = self.votes
        # A condition and its complement are the same, as the offset is free, with opposite votes.
        votes = self.votes if self.covered[0] else (-upper, -lower)
        return *self.key, votes

    def term(self, rows: Rows) -> Term | None:
        """The term in the user's units; None if, after rounding, it does not divide the rows."""
        return self.known or _term(self.candidate, self.output, self.votes, rows)


@dataclass(frozen=True, slots=True)
class Proposer:
    """Searches the rows for what could be added to a model.

    Proposals have at most `max_weights` weights and `max_complexity`. If a bag has more than
    `max_rows` rows to train on, a sample of them is searched. With `from_zero`, the first rule is
    searched for as if there were no offset yet. At the `deadline` of the performance counter, a
    search raises `OutOfTimeError`. All proposals obey the `constraints`.
    """

    rows: Rows
    search: Search
    max_weights: int
    max_complexity: float
    n_threads: int = 1
    from_zero: bool = False
    max_rows: int | None = None
    deadline: float = math.inf
    constraints: ColumnConstraints = NO_CONSTRAINTS

    def __call__(self, model: FittedRules, bag: Bag) -> list[Proposal]:
        """Search for each output; of conditions that divide the rows alike, keep the simplest.

        A condition that divides them like an existing term for the same output is useless.
        """
        known = {term.key for term in model.terms}
        paid = self._paid(model)
        distinct: dict[tuple[int, int, VoteRange], Proposal] = {}
        for output, search_input in enumerate(self._search_inputs(model, bag)):
            for proposal in self._propose(search_input, output, bag, paid):
                if proposal.complexity > self.max_complexity or proposal.key in known:
                    continue
                key = proposal.key_with_votes
                rival = distinct.get(key)
                if rival is None or proposal.complexity < rival.complexity:
                    distinct[key] = proposal
        return list(distinct.values())

    def _propose(
        self, search_input: SearchInput, output: int, bag: Bag, paid: set[str]
    ) -> Iterator[Proposal]:
        sample = sample_rows(search_input, self.max_rows, bag.salt)
        for candidate in self._search(sample, paid):
            votes = candidate.votes(self.rows, self.constraints)
            price = self._price(candidate, paid)
            if sample is search_input:
                yield Proposal(candidate, output, votes, price=price)
                continue
            # What it covers besides the sample has to be found out.
            term = _term(candidate, output, votes, self.rows)
            if term is not None and term.division is not None:
                wide = replace(candidate, covered=term.covered, division=term.division)
                yield Proposal(wide, output, votes, term, price)

    def _search(self, sample: SearchInput, paid: set[str]) -> Iterator[Candidate]:
        for constraints in self.constraints.searches(self.rows.columns, paid):
            narrower = replace(sample, constraints=constraints)
            yield from self.search(narrower, self.max_weights, self.n_threads)

    def _paid(self, model: FittedRules) -> set[str]:
        """The columns that the model has paid for, if any have a price."""
        return model.columns if self.constraints.prices else set()

    def _price(self, candidate: Candidate, paid: set[str]) -> float:
        prices = self.constraints.prices
        return self.constraints.price(candidate.columns(self.rows), paid) if prices else 0.0

    def best(self, model: FittedRules) -> Proposal | None:
        """The condition with the best objective on all rows, over all outputs."""
        known, paid = {term.key for term in model.terms}, self._paid(model)
        best: tuple[float, Proposal] | None = None
        inputs = self._search_inputs(model, all_rows(self.rows))
        for output, search_input in enumerate(inputs):
            for constraints in self.constraints.searches(self.rows.columns, paid):
                found = self.search.best(
                    replace(search_input, constraints=constraints),
                    self.max_weights,
                    self.max_complexity,
                    self.n_threads,
                )
                if found is None:
                    continue
                value, candidate = found
                votes = candidate.votes(self.rows, self.constraints)
                price = self._price(candidate, paid)
                proposal = Proposal(candidate, output, votes, price=price)
                if proposal.complexity > self.max_complexity or proposal.key in known:
                    continue
                if best is None or value > best[0]:
                    best = (value, proposal)
        return best[1] if best else None

    def _search_inputs(self, model: FittedRules, bag: Bag) -> Iterator[SearchInput]:
        rows, loss = self.rows, model.problem.loss
        blank = self.from_zero and not model.terms
        # Scores count from the shift of the outcomes: without an offset a row's score is zero.
        theta = np.full_like(model.theta, -rows.shift) if blank else model.theta
        scores, index = model.patterns.scores(theta), model.patterns.index
        gradients = loss.gradients_by_output(scores, index, rows.y)
        for output, weighted_gradient in enumerate(gradients):
            weighted_gradient *= bag.training
            yield SearchInput(
                rows,
                bag.training,
                weighted_gradient,
                index,
                model.patterns.table,
                partial(_curvature, loss, scores, output),
                model.problem.penalty,
                rows.mean_weight,
                self.deadline,
                self.constraints,
            )


def _term(candidate: Candidate, output: int, votes: VoteRange, rows: Rows) -> Term | None:
    """A candidate as a term; None if, in the user's units, it does not divide the rows."""
    try:
        condition = candidate.condition(rows)
    except (ValueError, OverflowError):  # beyond the floats, or contradictory after rounding
        return None
    term = Term.of(condition, output, rows, votes)
    return None if term.division is None else term


def sample_rows(search_input: SearchInput, max_rows: int | None, salt: int) -> SearchInput:
    """Draw about so many of the rows to search in, if there are more.

    A part of the chance of a row is in proportion to its weight, the other part to its gradient.
    Weights and gradients are then divided by it, so that sums stay what they were on average.
    """
    weight, gradient = search_input.weight, search_input.weighted_gradient
    if max_rows is None or np.count_nonzero(weight) <= max_rows:
        return search_input
    size = np.abs(gradient)
    chance = weight / weight.sum()
    chance *= 1 - BY_GRADIENT
    if size.any():
        size /= size.sum()
        size *= BY_GRADIENT
        chance += size
    chance *= max_rows
    np.minimum(chance, 1.0, out=chance)
    draw = _kernels.scramble(search_input.rows.hashes, salt) * 2.0**-64
    chosen = np.flatnonzero(draw < chance)
    return replace(
        search_input,
        rows=search_input.rows.take(chosen),
        weight=weight[chosen] / chance[chosen],
        weighted_gradient=gradient[chosen] / chance[chosen],
        pattern=search_input.pattern[chosen],
    )


def _curvature(loss: Loss, scores: Float, output: int) -> Float:
    return loss.information(scores)[:, output]


def is_near_copy(term: Term, model: FittedRules, min_difference: float) -> bool:
    """Whether it divides all but less than this share of the rows like a term for its output."""
    if not (min_difference and model.terms):
        return False
    problem = model.problem
    weights = model.patterns.disagreements(term.covered, problem.outcomes.weight)
    shares = [weight / problem.total_weight for weight in weights]
    # The complement of a condition is the same to the refit.
    return any(
        known.output == term.output and min(share, 1 - share) < min_difference
        for known, share in zip(model.terms, shares, strict=True)
    )


def judge(model: FittedRules, bag: Bag, choices: Sequence[Proposal | Term]) -> tuple[float, Float]:
    """The validation risk of the model, and after adding each choice to it.

    All votes are refitted on the training rows of the bag, with and without it.
    """
    return validation_risks(
        model.problem.loss,
        model.patterns,
        model.problem.outcomes.y,
        bag.training,
        bag.validation,
        model.problem.penalty,
        model.theta,
        [(choice.covered, choice.output, choice.votes) for choice in choices],
        model.problem.n_threads,
    )
