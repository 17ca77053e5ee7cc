"""The votes of models that were learned on a sample, fitted to all rows of the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sorb._kernels import Patterns
from sorb.learning.boosting import first_model
from sorb.learning.fitted_rules import FittedRules, Problem, Term
from sorb.learning.stages import Frontier, TimedModel
from sorb.learning.whole_table import WholeTable
from sorb.rules import Condition
from sorb.tables.column_constraints import ANY_VOTE


def fit_to_all(models: Sequence[TimedModel], table: WholeTable) -> list[TimedModel]:
    """Fit the votes of models for growing budgets to all rows, and keep those that are better.

    Each is better than all smaller ones on the sample, but it may not be on all rows. A condition
    that all groups or none of them fulfil has no vote there.
    """
    best: Frontier[TimedModel] = Frontier()
    for part, conditions in _parts(models, table.most_groups):
        before = part[0].model.problem
        sums = table.sums(conditions, before.outcomes.shift)
        total = float(sums.weight.sum())
        problem = replace(before, outcomes=sums, total_weight=total, constant=sums.constant)
        divides = {c for c, covered in sums.covered.items() if 0 < covered.sum() < len(covered)}
        for timed in part:
            if not divides.issuperset(term.condition for term in timed.model.terms):
                continue
            model = timed.model.fit_to(problem, sums.covered)
            if best.improves(model.complexity, model.objective):
                best.add(TimedModel(model, timed.seconds))
    return best.models


def fit_constant(table: WholeTable, reg_lambda: float, seconds: float) -> TimedModel:
    """The model to start from, fitted to all rows, when there was no time to learn a rule."""
    data = table.data
    sums = table.sums(list(dict.fromkeys(rule.condition for rule in data.given)), 0.0)
    total = float(sums.weight.sum())
    problem = Problem(
        sums, data.loss, reg_lambda, total, sums.constant, constraints=data.constraints
    )
    terms = tuple(
        Term(
            rule.condition,
            rule.output,
            sums.covered[rule.condition],
            None,
            rule.complexity,
            data.constraints.vote_range(rule.condition) or ANY_VOTE,
        )
        for rule in data.given
    )
    n_outputs = len(first_model(data).offsets)
    return TimedModel(FittedRules.with_terms(problem, terms, n_outputs), seconds)


def _parts(
    models: Sequence[TimedModel], most_groups: int
) -> Iterator[tuple[list[TimedModel], list[Condition]]]:
    """Divide the models so that the conditions of each part do not form too many groups."""
    n_rows = len(models[0].model.problem.outcomes.y)
    part: list[TimedModel] = []
    conditions: dict[Condition, None] = {}
    patterns = nothing = Patterns.without_rules(n_rows, 1)
    for timed in models:
        new = {t.condition: t for t in timed.model.terms if t.condition not in conditions}
        divided = patterns
        for term in new.values():
            divided = divided.split(term.covered, 0)
        if part and len(divided.table) > most_groups:
            yield part, list(conditions)
            part, conditions, divided = [], {}, nothing
            new = {term.condition: term for term in timed.model.terms}
            for term in new.values():
                divided = divided.split(term.covered, 0)
        part.append(timed)
        conditions.update(dict.fromkeys(new))
        patterns = divided
    yield part, list(conditions)
