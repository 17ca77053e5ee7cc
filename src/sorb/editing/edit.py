"""Changes of a model, one after the other, with all other votes fitted to the rows again."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.editing.changes import (
    AddRule,
    Change,
    ChangeCondition,
    DropRule,
    ForbidRule,
    PinVote,
)
from sorb.editing.edited import MOST_ROWS, Edited, Effect
from sorb.editing.log_file import EditLog, EditLogError
from sorb.editing.vote_refit import FittingRows
from sorb.measures.stage_risks import recorded_class_weights
from sorb.rules import Condition, Rule, RuleEnsemble, notation
from sorb.rules.columns import TableLike
from sorb.rules.ensemble import require_ensemble
from sorb.rules.prediction import count_classes, predicted_indices
from sorb.tables.column_kinds import tell_kinds
from sorb.tables.targets import Outcomes

__all__ = ["apply_changes", "edit"]


def edit(
    ensemble: RuleEnsemble,
    changes: Iterable[Change] | EditLog,
    X: TableLike | None = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    reg_lambda: float | None = None,
) -> Edited:
    """Change a model by hand, fit the other votes again, and tell what changed for whom.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    changes : iterable of DropRule, ForbidRule, ChangeCondition, PinVote or AddRule, or an EditLog
        What to change, in this order. Rules keep the numbers that they have in `ensemble`. A log
        is replayed: its penalty and class weights are used, and its votes, which must be those that
        the rows give but for rounding. To make the same changes with other rows, pass
        `log.changes`.
    X : 2-D NumPy array, or DataFrame of pandas, polars or pyarrow, optional
        The rows to fit the votes to, as the model takes them: usually those that the model was
        learned from. Classes are weighed as the model notes it, unless it was recalibrated.
        Without rows, all votes stay as they are, unless they are pinned, or those of
        a log.
    y : sequence, optional
        The outcomes of the rows: numbers, or labels of classes.
    sample_weight : sequence of float, optional
        Weights of the rows, finite and non-negative. A row of weight 0 does not count.
    exposure : sequence of float, optional
        What the outcomes accumulated over, such as years, for a model of rates.
    reg_lambda : float, optional
        The L2 penalty on the votes, ≥ 0. By default the one that explains the votes of `ensemble`
        best, which on the rows that it was learned from is the one that it was learned with: so
        without a change, no vote changes.

    Raises
    ------
    EditLogError
        If the votes of a log are not those that the rows give.

    Returns
    -------
    Edited
        The model, and the log of what each change did.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> from sorb.editing import DropRule, edit
    >>> old, heavy = (Condition((Proposition((c,), (1.0,), 40.0),)) for c in ("age", "bmi"))
    >>> rules = (Rule(old, 1.8), Rule(heavy, 0.9))
    >>> model = RuleEnsemble(-3.0, rules, ("age", "bmi"), "logistic", ("well", "ill"))
    >>> print(edit(model, [DropRule(1)]).ensemble)
    −3    always
    +1.8  if  age ≥ 40
    """
    return apply_changes(
        ensemble, changes, X, y, sample_weight, exposure=exposure, reg_lambda=reg_lambda
    )


def apply_changes(
    ensemble: RuleEnsemble,
    changes: Iterable[Change] | EditLog,
    X: TableLike | None = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    reg_lambda: float | None = None,
) -> Edited:
    """Do what `edit` does; to be called by what the user calls, at which its warnings point."""
    require_ensemble(ensemble)
    if (X is None) != (y is None):
        raise ValueError("votes are fitted to rows and their outcomes: pass both X and y, or none")
    log = changes if isinstance(changes, EditLog) else EditLog(tuple(changes))
    wanted = log.changes
    if reg_lambda is None:
        reg_lambda = log.reg_lambda
    columns = _columns(ensemble, wanted)
    rows, weights = None, log.class_weights
    if X is not None:
        rows = FittingRows.of(ensemble, columns, X, y, sample_weight, exposure)
        if weights is None and log.offsets_and_votes is None:
            weights = recorded_class_weights(ensemble, rows.outcomes, rows.scores)
        if weights is not None:
            rows = replace(rows, outcomes=_weigh_classes(rows.outcomes, ensemble, weights))
    elif sample_weight is not None or exposure is not None:
        raise ValueError("sample_weight and exposure need X and y")
    penalty = None if rows is None else rows.penalty(ensemble, reg_lambda)
    draft = _Draft.of(ensemble)
    effects = []
    for change in wanted:
        before = draft
        draft = before.after(change)
        if rows is not None and penalty is not None:
            draft = draft.refitted(rows, penalty)
            effects.append(_effect(before, draft, rows))
    edited = draft.ensemble
    if log.offsets_and_votes is not None:
        logged = _with_votes(log.offsets_and_votes, edited)
        if rows is not None and penalty is not None:
            _require_agreement(rows, draft, logged, penalty)
        edited = logged
    if rows is not None:
        _warn_of_rules_without_division(draft, rows)
        edited = _with_experience(edited, rows)
    return Edited(ensemble, edited, wanted, tuple(effects), penalty, weights)


def _weigh_classes(
    outcomes: Outcomes, ensemble: RuleEnsemble, weights: tuple[float, ...]
) -> Outcomes:
    """Weigh classes, each of which must have a weight."""
    known = count_classes(ensemble.loss, ensemble.classes)
    if len(weights) != known:
        raise EditLogError(
            f"the log has {notation.count(len(weights), 'class weight')}, but the model has "
            f"{known or 'no'} classes"
        )
    return outcomes.weigh_classes(weights)


def _warn_of_rules_without_division(draft: _Draft, rows: FittingRows) -> None:
    """Warn whoever called `edit` or `RuleEnsemble.edited` of rules whose votes no row tells."""
    for number in draft.present:
        rule = draft.rules[number]
        if rule is None or number in draft.pinned:
            continue
        covered = rows.covered(rule.condition)
        if covered.all() or not covered.any():
            how = (
                "covers all rows, so its vote cannot be told from the offset"
                if covered.any()
                else "covers no row, so no vote can be fitted"
            )
            warnings.warn(
                f"rule {number + 1}, {rule.condition}, {how}: drop it, or pin its vote",
                stacklevel=4,
            )


def _with_experience(edited: RuleEnsemble, rows: FittingRows) -> RuleEnsemble:
    """Remember what columns that changes brought in hold in the rows, if the model remembers."""
    known = dict(edited.experience)
    if not known:
        return edited
    new = [name for name in edited.used_columns if name not in known]
    for name, of_categories in tell_kinds(new, [edited], [rows.source]):
        known[name] = rows.experience(name, of_categories)
    return replace(edited, experience=tuple(known.items()))


def _with_votes(values: tuple[float, ...], edited: RuleEnsemble) -> RuleEnsemble:
    """Give the rules that are left the votes of a log."""
    k = len(edited.offsets)
    if len(values) != k + len(edited):
        raise EditLogError(
            f"the log has {notation.count(len(values) - k, 'vote')}, but its changes leave "
            f"{notation.count(len(edited), 'rule')}"
        )
    return edited.with_votes(values[:k] if k > 1 else values[0], values[k:])


def _require_agreement(
    rows: FittingRows, draft: _Draft, logged: RuleEnsemble, penalty: float
) -> None:
    fitted = draft.ensemble
    if rows.confirms(fitted, logged, draft.stays, penalty):
        return
    ours, theirs = fitted.offsets_and_votes, logged.offsets_and_votes
    worst = int(np.abs(np.subtract(ours, theirs)).argmax())
    k = len(fitted.offsets)
    what = "the offset" if worst < k else f"the vote of rule {worst - k + 1} of the edited model"
    raise EditLogError(
        f"the log does not agree with these rows: {what} is "
        f"{notation.signed(theirs[worst], 6)} in the log and {notation.signed(ours[worst], 6)} "
        "here. Are they the rows that it was made with, read with the same options (such as "
        "--weight, --group and --missing), the same weights and the same penalty? To make the "
        'same changes with other rows, delete "offset" and "votes" in the file of the log; in '
        "Python, pass log.changes"
    )


def _columns(ensemble: RuleEnsemble, changes: Iterable[Change]) -> tuple[str, ...]:
    """The columns of the rules, and of those that the changes bring in."""
    used = set(ensemble.used_columns)
    for change in changes:
        if isinstance(change, ChangeCondition):
            used |= set(change.condition.columns)
        elif isinstance(change, AddRule):
            used |= set(change.rule.condition.columns)
    return tuple(name for name in ensemble.columns if name in used)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A model that is being edited.

    Attributes
    ----------
    model : the model that is edited, with its present offset.
    rules : the rule of each number, None where it was dropped.
    pinned : the numbers of the rules whose votes stay.
    forbidden : the conditions that may not come back, each with its output.
    """

    model: RuleEnsemble
    rules: tuple[Rule | None, ...]
    pinned: frozenset[int] = frozenset()
    forbidden: frozenset[tuple[Condition, int]] = frozenset()

    @classmethod
    def of(cls, ensemble: RuleEnsemble) -> _Draft:
        return cls(ensemble, ensemble.rules)

    @property
    def present(self) -> list[int]:
        """The numbers of the rules that were not dropped."""
        return [k for k, rule in enumerate(self.rules) if rule is not None]

    @property
    def stays(self) -> list[bool]:
        """For each rule that is left, whether its vote is pinned."""
        return [number in self.pinned for number in self.present]

    @property
    def ensemble(self) -> RuleEnsemble:
        rules = tuple(rule for rule in self.rules if rule is not None)
        return replace(self.model, rules=rules)

    def after(self, change: Change) -> _Draft:
        """Apply a change."""
        if isinstance(change, AddRule):
            self._refuse_forbidden(change, change.rule)
            added = replace(self, rules=(*self.rules, change.rule))
            _ = added.ensemble  # refuses columns and outputs that the model does not have
            return added
        rule = self.rules[change.rule] if change.rule < len(self.rules) else None
        if rule is None:
            known = ", ".join(str(number + 1) for number in self.present) or "none"
            raise ValueError(f"cannot {change}: there is no such rule, only {known}")
        match change:
            case DropRule():
                return self._with(change.rule, None)
            case ForbidRule():
                forbidden = self.forbidden | {(rule.condition, rule.output)}
                return replace(self._with(change.rule, None), forbidden=forbidden)
            case ChangeCondition():
                other = replace(rule, condition=change.condition)
                self._refuse_forbidden(change, other)
                changed = self._with(change.rule, other)
                _ = changed.ensemble
                return changed
            case PinVote():
                pinned = self._with(change.rule, replace(rule, vote=change.vote))
                return replace(pinned, pinned=self.pinned | {change.rule})

    def _refuse_forbidden(self, change: Change, rule: Rule) -> None:
        if (rule.condition, rule.output) in self.forbidden:
            raise ValueError(f"cannot {change}: this condition was forbidden")

    def _with(self, number: int, rule: Rule | None) -> _Draft:
        return replace(self, rules=(*self.rules[:number], rule, *self.rules[number + 1 :]))

    def refitted(self, rows: FittingRows, penalty: float) -> _Draft:
        """Fit the votes that are not pinned."""
        fitted = rows.refit(self.ensemble, self.stays, penalty)
        rules: list[Rule | None] = [None] * len(self.rules)
        for number, rule in zip(self.present, fitted.rules, strict=True):
            rules[number] = rule
        return replace(self, model=replace(self.model, offset=fitted.offset), rules=tuple(rules))


def _effect(before: _Draft, after: _Draft, rows: FittingRows) -> Effect:
    old, new = rows.scores(before.ensemble), rows.scores(after.ensemble)
    change = np.abs(rows.loss.mean(new) - rows.loss.mean(old))
    size: Float = change.max(axis=1) if change.ndim == 2 else change
    moved = np.array([size.argmax()])
    reclassified = None
    if rows.loss.has_classes:
        classes = before.model.classes
        moved = np.flatnonzero(predicted_indices(classes, old) != predicted_indices(classes, new))
        reclassified = len(moved)
    votes = []
    for number in after.present:
        was = before.rules[number] if number < len(before.rules) else None
        now = after.rules[number]
        if now is not None and (was is None or was.vote != now.vote):
            votes.append((number, 0.0 if was is None else was.vote, now.vote))
    return Effect(
        n_rows=len(size),
        reclassified=reclassified,
        first_rows=tuple(rows.numbers[moved[:MOST_ROWS]].tolist()),
        largest_change=float(size.max()),
        mean_change=float(np.average(size, weights=rows.outcomes.weight)),
        risk_before=rows.outcomes.risk(old),
        risk_after=rows.outcomes.risk(new),
        votes=tuple(votes),
    )
