"""Edits on a page, from sums of rows, against those of Python, from the rows themselves."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from report.javascript_core import needs_node, run_core
from report.page_sizes import COLUMNS, N_FOLDS, cuts_of, model, rows, size_document

from sorb import RuleEnsemble
from sorb.editing import ChangeCondition, DropRule, EditLog, EditLogError, ForbidRule, PinVote, edit
from sorb.editing.log_file import change_document
from sorb.editing.vote_refit import FittingRows
from sorb.losses import LOSSES
from sorb.rules import Condition, Membership

pytestmark = needs_node

TIME = "2026-01-02T03:04:05Z"
PENALTIES = (0.0, 0.05, 3.0)
EDITS = """({ size, changes, pinned }) => {
  let state = edits_.startEditing(size);
  for (const change of changes) state = edits_.applyChange(state, change);
  const draft = edits_.currentDraft(state);
  return {
    log: edits_.editLog(state, null, []),
    model: edits_.editedModel(state),
    validated: drafts_.crossValidate(size, draft),
    undone: drafts_.draftModel(size, edits_.undoChange(state).drafts.at(-1)),
    redone: edits_.editedModel(edits_.redoChange(edits_.undoChange(state))),
    replayed: edits_.editedModel(edits_.replayLog(size, edits_.editLog(state, null, []))),
  };
}"""


class Case:
    """A model with rows, and random changes of it."""

    def __init__(self, seed, loss, reg_lambda):
        rng = np.random.default_rng(seed)
        self.reg_lambda = reg_lambda
        self.X, self.y, self.weight = rows(rng, loss)
        self.model = model(rng, loss)
        self.fold = rng.integers(0, N_FOLDS, len(self.y))
        self.changes = list(self._draw(rng))

    def _draw(self, rng):
        dropped, pinned, *moved = rng.permutation(len(self.model))[:4].tolist()
        yield (DropRule if rng.integers(2) else ForbidRule)(dropped, reason="not any more")
        for number in moved:
            condition = self._moved(rng, self.model[number].condition)
            if condition is not None:
                yield ChangeCondition(
                    number, condition, author="C. Ode", time="2026-01-02T03:04:05Z"
                )
        yield PinVote(pinned, round(float(rng.normal()), 2))

    def _moved(self, rng, condition):
        """The same with other thresholds of those that the page offers, if any row is left."""
        parts = list(condition.propositions)
        for k, part in enumerate(parts):
            if not isinstance(part, Membership):
                parts[k] = replace(part, threshold=float(rng.choice(cuts_of(part, self.X))))
        try:
            found = Condition(tuple(parts))
        except ValueError:
            return None
        return found if found(self.X, COLUMNS).any() else None

    @property
    def document(self):
        size = size_document(self.model, self.X, self.y, self.weight, self.reg_lambda, self.fold)
        return {"size": size, "changes": [change_document(c) for c in self.changes]}

    def fitting(self, rows=slice(None)):
        X, y, weight = self.X[rows], self.y[rows], self.weight[rows]
        return FittingRows.of(self.model, COLUMNS, X, y, weight, None)

    def stays(self):
        """For each rule that is left, whether its vote is pinned."""
        gone = {c.rule for c in self.changes if isinstance(c, (DropRule, ForbidRule))}
        pinned = {c.rule for c in self.changes if isinstance(c, PinVote)}
        return [k in pinned for k in range(len(self.model)) if k not in gone]

    def edited(self):
        return edit(
            self.model, self.changes, self.X, self.y, self.weight, reg_lambda=self.reg_lambda
        )


@cache
def found():
    """Cases of each loss and penalty, with what the page makes of them."""
    cases = [
        Case(seed, loss, penalty) for loss in LOSSES for penalty in PENALTIES for seed in range(4)
    ]
    return list(zip(cases, run_core(EDITS, [case.document for case in cases]), strict=True))


def votes(document):
    offset = document["offset"]
    offsets = offset if isinstance(offset, list) else [offset]
    return np.array([*offsets, *(rule["weight"] for rule in document["rules"])])


def polished(case, ensemble, pinned):
    """Newton's method row by row, from the votes of a model, which are nearly the best."""
    fitting = case.fitting()
    K, n = len(ensemble.offsets), len(case.y)
    # Which row has which number in which of its scores.
    design = np.zeros((K + len(ensemble), n, K))
    for k in range(K):
        design[k, :, k] = 1
    for number, rule in enumerate(ensemble, K):
        design[number, :, rule.output] = rule.condition(case.X, COLUMNS)
    free = np.flatnonzero([True] * K + [not stays for stays in pinned])
    theta = np.array(ensemble.offsets_and_votes)
    penalty = np.r_[np.zeros(K), np.full(len(ensemble), 2 * case.reg_lambda)]
    for _ in range(3):
        slope, curvature = derivatives(fitting, np.tensordot(theta, design, 1))
        gradient = (np.einsum("ink,nk->i", design, slope) + penalty * theta)[free]
        hessian = np.einsum("ink,nkl,jnl->ij", design, curvature, design) + np.diag(penalty)
        theta[free] -= np.linalg.lstsq(hessian[np.ix_(free, free)], gradient, rcond=1e-12)[0]
    return theta


def derivatives(fitting, scores):
    """Those of each row's weighted loss in its scores, of first and second order."""
    loss, y, weight = fitting.loss, fitting.outcomes.y, fitting.outcomes.weight
    if not loss.score_per_class:
        f = scores[:, 0]
        first, second = loss.gradient(y, f), loss.curvature(y, f)
        return (weight * first)[:, None], (weight * second)[:, None, None]
    p = loss.mean(scores)
    second = p[:, :, None] * np.eye(p.shape[1]) - p[:, :, None] * p[:, None, :]
    return weight[:, None] * loss.gradient(y, scores), weight[:, None, None] * second


def levelled(votes, n_offsets):
    """Offsets of classes, which may be raised together, from their mean."""
    shift = votes[:n_offsets].mean() if n_offsets > 1 else 0.0
    return np.r_[votes[:n_offsets] - shift, votes[n_offsets:]]


def test_votes_are_refitted_as_in_python():
    for case, page in found():
        edited, K = case.edited(), len(case.model.offsets)
        ours, theirs = np.array(edited.ensemble.offsets_and_votes), votes(page["model"])
        exact = polished(case, edited.ensemble, case.stays())
        # Python stops as soon as the objective cannot tell any more.
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(levelled(exact, K), levelled(theirs, K), rtol=1e-9, atol=1e-9)


def test_python_replays_the_log_and_adopts_its_votes():
    for case, page in found():
        log = EditLog.from_json(json.dumps(page["log"]))
        weighted = (case.X, case.y, case.weight)
        replayed = edit(case.model, log, *weighted).ensemble
        assert replayed == RuleEnsemble.from_json(json.dumps(page["model"]))
        assert log.changes == tuple(case.changes)


def test_a_log_of_other_rows_is_refused():
    case, page = found()[12]
    log = EditLog.from_json(json.dumps(page["log"]))
    with pytest.raises(EditLogError, match="does not agree with these rows"):
        edit(case.model, log, case.X[1:], case.y[1:], case.weight[1:])


def test_effects_of_changes_are_those_of_python():
    names = ("largest_change", "mean_change", "risk_before", "risk_after")
    for case, page in found():
        for ours, change in zip(case.edited().effects, page["log"]["changes"], strict=True):
            effect = change["effect"]
            assert effect["n_rows"] == ours.n_rows
            assert effect["reclassified"] == ours.reclassified
            for name in names:
                assert effect[name] == pytest.approx(getattr(ours, name), rel=1e-5, abs=1e-6)
            theirs = {number: after for number, _, after in effect["votes"]}
            for number, _, after in ours.votes:
                assert theirs.get(number, after) == pytest.approx(after, rel=1e-5, abs=1e-5)


def test_the_risk_is_cross_validated_with_votes_of_the_other_folds():
    for case, page in found():
        if case.reg_lambda == 0:
            continue  # then votes of a fold without some class of rows are infinite
        model, stays, total = case.edited().ensemble, case.stays(), 0.0
        for fold in range(N_FOLDS):
            fitted = case.fitting(case.fold != fold).refit(model, stays, case.reg_lambda)
            left = case.fitting(case.fold == fold)
            weight = float(left.outcomes.weight.sum())
            total += left.outcomes.risk(left.scores(fitted)) * weight
        assert page["validated"]["risk"] == pytest.approx(total / case.weight.sum(), rel=1e-6)


def test_changes_are_undone_redone_and_replayed():
    for case, page in found():
        fewer = case.changes[:-1]
        undone = edit(
            case.model, fewer, case.X, case.y, case.weight, reg_lambda=case.reg_lambda
        ).ensemble
        np.testing.assert_allclose(
            votes(page["undone"]), undone.offsets_and_votes, rtol=1e-6, atol=1e-6
        )
        assert page["redone"] == page["model"]
        assert page["replayed"] == page["model"]
