"""Measures and curves on a page, from sums of rows, against those of scikit-learn from the rows."""

from functools import cache

import numpy as np
import pytest
from report.javascript_core import needs_node, run_core
from report.page_sizes import CLASSES, COLUMNS, N_FOLDS, model, rows, size_document
from sklearn import metrics

from sorb.editing.vote_refit import FittingRows
from sorb.losses import LOSSES
from sorb.measures.calibration import calibration_error
from sorb.rules.prediction import class_probabilities, predicted_indices

pytestmark = needs_node

CUTOFF = 0.45
THRESHOLDS = [0.1, 0.3, 0.5, 0.7]
MEASURES = """({ size }) => {
  const judged = drafts_.judgeDraft(size, drafts_.draftOf(size), size.cells.training);
  const ranked = curves_.rankGroups(judged);
  return {
    measures: measures_.measure(judged, 0.45),
    roc: curves_.rocCurve(ranked),
    precision: curves_.precisionRecallCurve(ranked),
    benefit: curves_.decisionCurve(ranked, [0.1, 0.3, 0.5, 0.7]),
    bins: curves_.calibrationBins(judged),
  };
}"""


class Case:
    def __init__(self, seed, loss):
        rng = np.random.default_rng(seed)
        self.X, y, self.weight = rows(rng, loss)
        self.model = model(rng, loss)
        fold = rng.integers(0, N_FOLDS, len(y))
        fitting = FittingRows.of(self.model, COLUMNS, self.X, y, self.weight, None)
        self.y, self.outcomes = fitting.outcomes.y, fitting.outcomes
        self.scores = fitting.scores(self.model)
        self.size = size_document(self.model, self.X, y, self.weight, 1.0, fold)
        self.expected = self.model.loss.mean(self.scores)

    @property
    def probabilities(self):
        return class_probabilities(self.model.loss, self.model.classes, self.scores)


@cache
def found(*losses):
    cases = [Case(seed, loss) for loss in losses for seed in range(5)]
    return list(
        zip(cases, run_core(MEASURES, [{"size": case.size} for case in cases]), strict=True)
    )


def test_the_risk_and_the_number_of_rows():
    for case, page in found(*LOSSES):
        measures = page["measures"]
        assert measures["n"] == len(case.y)
        assert measures["weight"] == case.weight.sum()
        assert measures["risk"] == pytest.approx(case.outcomes.risk(case.scores), rel=1e-12)


def test_calibration():
    for case, page in found(*LOSSES):
        y, expected = case.y[:, None], case.expected.reshape(len(case.y), -1)
        limits = (0.0, 1.0)
        if case.model.loss.score_per_class:
            y = (y == np.arange(3)).astype(float)
        elif not case.model.loss.has_classes:
            limits = (float(expected.min()), float(expected.max()))
        error = calibration_error(expected, y, case.weight, limits)
        assert page["measures"]["calibrationError"] == pytest.approx(error, rel=1e-9)
        total = sum(b["weight"] * (b["expected"] - b["occurred"]) for b in page["bins"])
        gap = case.weight @ (expected[:, 0] - y[:, 0])
        assert total == pytest.approx(gap, abs=1e-9)
        if not case.model.loss.score_per_class:
            wanted = gap / case.weight.sum()
            assert page["measures"]["calibrationGap"] == pytest.approx(wanted, abs=1e-12)


def test_errors_of_classes():
    for case, page in found(*CLASSES):
        hit = predicted_indices(case.model.classes, case.scores)
        options = {"sample_weight": case.weight}
        error = 1 - metrics.accuracy_score(case.y, hit, **options)
        assert page["measures"]["error"] == pytest.approx(error, abs=1e-12)
        if case.model.loss.score_per_class:
            balanced = metrics.balanced_accuracy_score(case.y, hit, **options)
            assert page["measures"]["balancedAccuracy"] == pytest.approx(balanced, abs=1e-12)


def test_the_area_under_the_curve():
    for case, page in found(*CLASSES):
        areas = [
            metrics.roc_auc_score(case.y == k, p, sample_weight=case.weight)
            for k, p in enumerate(case.probabilities.T)
        ]
        assert page["measures"]["auc"] == pytest.approx(np.mean(areas), abs=1e-12)


def test_decisions_at_the_cut_off():
    for case, page in found("logistic"):
        above, weight = case.expected > CUTOFF, case.weight
        (tn, fp), (fn, tp) = metrics.confusion_matrix(case.y, above, sample_weight=weight)
        shares = {"sensitivity": tp / (tp + fn), "specificity": tn / (tn + fp)}
        shares |= {"ppv": tp / (tp + fp) if tp + fp else None}
        shares |= {"npv": tn / (tn + fn) if tn + fn else None}
        for name, share in shares.items():
            wanted = None if share is None else pytest.approx(share, abs=1e-12)
            assert page["measures"][name] == wanted
        brier = metrics.brier_score_loss(case.y, case.expected, sample_weight=weight)
        assert page["measures"]["brier"] == pytest.approx(brier, abs=1e-12)


def test_roc_and_precision_recall_curves():
    for case, page in found("logistic"):
        options = {"sample_weight": case.weight}
        x, y, at = metrics.roc_curve(case.y, case.expected, drop_intermediate=False, **options)
        roc = [(p["x"], p["y"]) for p in page["roc"]]
        np.testing.assert_allclose(roc, np.column_stack([x, y]), atol=1e-12)
        np.testing.assert_allclose([p["at"] for p in page["roc"]], at, rtol=1e-12)
        y, x, _ = metrics.precision_recall_curve(case.y, case.expected, **options)
        points = [(p["x"], p["y"]) for p in page["precision"]]
        np.testing.assert_allclose(points, np.column_stack([x, y])[-2::-1], atol=1e-12)


def test_the_net_benefit():
    for case, page in found("logistic"):
        for threshold, point in zip(THRESHOLDS, page["benefit"], strict=True):
            odds = threshold / (1 - threshold)
            worth = np.where(case.y == 1, 1.0, -odds)
            everybody = np.average(worth, weights=case.weight)
            chosen = np.average(worth * (case.expected > threshold), weights=case.weight)
            assert point["model"] == pytest.approx(chosen, abs=1e-12)
            assert point["all"] == pytest.approx(everybody, abs=1e-12)


def test_squares_of_numbers():
    for case, page in found("squared"):
        options = {"sample_weight": case.weight}
        rmse = metrics.root_mean_squared_error(case.y, case.expected, **options)
        assert page["measures"]["rmse"] == pytest.approx(rmse, rel=1e-12)
        r2 = metrics.r2_score(case.y, case.expected, **options)
        assert page["measures"]["r2"] == pytest.approx(r2, rel=1e-10)
