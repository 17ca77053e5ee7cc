"""Models of one size: how their rules read, whom they cover, and the sums behind them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sorb._types import Bool, Float, Int
from sorb.editing.log_file import fingerprint
from sorb.report.bins import bin_ends
from sorb.report.cells import (
    Budget,
    SizeCells,
    covered_cells,
    plain_numbers,
    row_sums,
    size_cells,
    truth_in_cells,
)
from sorb.report.cuts import UNKNOWN, CutProposition
from sorb.report.rows import ReportRows
from sorb.report.subgroups import Subgroup, subgroup_sums
from sorb.report.words import condition_words, proposition_words, quantity_words
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.rules.prediction import count_classes
from sorb.rules.rule_documents import condition_document
from sorb.rules.scores import sum_votes

__all__ = ["Audience", "SizedModel", "size_view"]

N_BINS = 24
_DRAWN = 5  # digits of sums that are only drawn
TAIL = 0.005  # the share of values on either side that the first and the last bin take in


@dataclass(frozen=True, slots=True)
class SizedModel:
    """A model of one size.

    Attributes
    ----------
    ensemble : the model.
    complexity : with what its columns cost.
    reg_lambda : the penalty of its votes, for weights as the rows have them.
    """

    ensemble: RuleEnsemble
    complexity: int
    reg_lambda: float


@dataclass(frozen=True, slots=True, eq=False)
class Audience:
    """The rows that all sizes of a page are about.

    Attributes
    ----------
    training, test : the rows that votes are fitted to, and others if there are any.
    fold : the fold of each training row.
    subgroups : of the test rows, or of the training rows if there are no others.
    """

    training: ReportRows
    test: ReportRows | None
    fold: Int
    subgroups: tuple[Subgroup, ...]

    @property
    def measured(self) -> ReportRows:
        """The rows that a model is measured on."""
        return self.training if self.test is None else self.test


def size_view(
    model: SizedModel, rows: Audience, budget: Budget
) -> tuple[dict[str, Any], SizeCells]:
    """Give the `Size` of the page, and the cells of all rows."""
    ensemble = model.ensemble
    n_classes = count_classes(ensemble.loss, ensemble.classes)
    cells = size_cells(ensemble, rows.training, rows.test, rows.fold, budget)
    private = budget.least > 1
    # Without rows, nothing may tell more than the cells do.
    truth = {
        cut.proposition: truth_in_cells(cut, cells.levels[:, j])[cells.training]
        if private
        else cut.proposition.covers(rows.training.source)
        for j, cut in enumerate(cells.propositions)
    }
    covered = [_covered(rule, truth, len(rows.training)) for rule in ensemble]
    scores = sum_votes(ensemble.offset, ensemble.rules, covered, len(rows.training))
    measured, test_risk = scores, None
    if rows.test is not None:
        measured = (
            _scores_of_cells(ensemble, cells)[cells.test] if private else ensemble(rows.test.source)
        )
        test_risk = rows.test.outcomes.risk(measured)
    places = {cut.proposition: place for place, cut in enumerate(cells.propositions)}
    digits, units = ensemble.shown_digits(), dict(ensemble.units)
    fold = rows.fold if cells.n_folds > 1 else None
    # What columns held may be values of single rows.
    shown = replace(ensemble, experience=()) if private else ensemble
    view = {
        "model": json.loads(shown.to_json(None)),
        "fingerprint": fingerprint(ensemble),
        "complexity": model.complexity,
        "n_rules": len(ensemble),
        "reg_lambda": model.reg_lambda,
        "class_weights": rows.training.class_weights,
        "training_risk": rows.training.outcomes.risk(scores),
        "test_risk": test_risk,
        "rules": [
            {
                "propositions": [places[p] for p in rule.condition.propositions],
                "tokens": rule.condition.tokens(digits, units),
                "words": condition_words(rule.condition, digits, units),
                **_whom(rows.training, covers, n_classes),
                "found_again": None,
            }
            for rule, covers in zip(ensemble, covered, strict=True)
        ],
        "propositions": [
            proposition_view(
                cut, truth[cut.proposition], rows.training, cells.shift, n_classes, digits, units
            )
            | (_told_by_cells(rows.training, cells, j) if private else {})
            for j, cut in enumerate(cells.propositions)
        ],
        "cells": {
            "n_cells": len(cells.levels),
            "levels": cells.signs,
            "shift": cells.shift,
            "n_folds": cells.n_folds,
            "training": row_sums(rows.training, cells.training, cells.shift, n_classes, fold),
            "test": None
            if rows.test is None or cells.test is None
            else row_sums(rows.test, cells.test, cells.shift, n_classes),
            "subgroups": subgroup_sums(
                rows.subgroups,
                rows.measured,
                measured,
                cells.training if cells.test is None else cells.test,
                cells.shift,
                n_classes,
                budget.subgroup_entries,
                budget.least,
            ),
        },
    }
    return view, cells


def _told_by_cells(rows: ReportRows, cells: SizeCells, place: int) -> dict[str, Any]:
    """What a page without rows tells otherwise: no picture, and the share of unknown values."""
    unknown = cells.levels[cells.training, place] == UNKNOWN
    return {"projection": None, "unknown": float(rows.weight[unknown].sum() / rows.weight.sum())}


def _scores_of_cells(ensemble: RuleEnsemble, cells: SizeCells) -> Float:
    covered = covered_cells(ensemble, cells.propositions, cells.levels)
    return sum_votes(ensemble.offset, ensemble.rules, list(covered.T), len(covered))


def _covered(rule: Rule, truth: Mapping[Any, Bool], n_rows: int) -> Bool:
    covered = np.ones(n_rows, dtype=np.bool_)
    for proposition in rule.condition.propositions:
        covered &= truth[proposition]
    return covered


def _whom(rows: ReportRows, covered: Bool, n_classes: int) -> dict[str, Any]:
    """What outcomes the covered rows have."""
    weight, total = rows.weight[covered], float(rows.weight.sum())
    found: dict[str, Any] = {
        "coverage": float(weight.sum()) / total,
        "n": int(covered.sum()),
        "mean": 0.0,
        "purity": None,
    }
    if not len(weight):
        return found | ({"mean": [0.0] * n_classes} if n_classes > 2 else {})
    y = rows.y[covered]
    if n_classes > 2:
        shares = np.bincount(y.astype(np.intp), weight, n_classes) / weight.sum()
        return found | {"mean": shares.tolist(), "purity": float(shares.max())}
    mean = float(np.average(y, weights=weight))
    return found | {"mean": mean, "purity": max(mean, 1 - mean) if n_classes else None}


def proposition_view(
    cut: CutProposition,
    true: Bool,
    rows: ReportRows,
    shift: float,
    n_classes: int,
    digits: int | None,
    units: Mapping[str, str],
) -> dict[str, Any]:
    """Give the `PropositionView` of the page."""
    proposition, total = cut.proposition, float(rows.weight.sum())
    (document,) = condition_document(Condition((proposition,)))
    found: dict[str, Any] = {
        "document": document,
        "tokens": proposition.tokens(digits, units),
        "words": proposition_words(proposition, digits, units),
        "share": float(rows.weight[true].sum()) / total,
        "unknown": 0.0,
        "cuts": None,
        "own": None,
        "cut_texts": None,
        "projection": None,
    }
    if isinstance(proposition, Membership):
        missing = np.array([label is None for label in rows.source.labels(proposition.column)])
        return found | {"unknown": float(rows.weight[missing].sum()) / total}
    quantity = proposition.quantity(rows.source)
    return found | {
        "unknown": float(rows.weight[np.isnan(quantity)].sum()) / total,
        "cuts": cut.cuts.tolist(),
        "own": cut.own,
        "cut_texts": [cut.at(value).format(digits, units) for value in cut.cuts.tolist()],
        "projection": _projection(proposition, quantity, rows, shift, n_classes, digits),
    }


def _projection(
    proposition: Proposition | Product,
    quantity: Float,
    rows: ReportRows,
    shift: float,
    n_classes: int,
    digits: int | None,
) -> dict[str, Any] | None:
    """Sum up the rows by what is compared with the threshold, on the scale that is printed."""
    known = np.isfinite(quantity)
    if not known.any():
        return None
    unit = proposition.printed_unit
    values, weight, y = quantity[known] / unit, rows.weight[known], rows.y[known]
    own = proposition.threshold / unit
    low, high = np.quantile(values, [TAIL, 1 - TAIL]).tolist()
    low, high = bin_ends(min(low, own), max(high, own))
    bins = np.clip(((values - low) / (high - low) * N_BINS).astype(np.intp), 0, N_BINS - 1)
    found: dict[str, Any] = {
        "label": quantity_words(proposition, digits),
        "scale": 1 / unit,
        "from": low,
        "to": high,
        "w": plain_numbers(np.bincount(bins, weight, N_BINS), _DRAWN),
    }
    if n_classes > 2:
        by_class = [np.bincount(bins, weight * (y == k), N_BINS) for k in range(n_classes)]
        return found | {"by_class": [plain_numbers(sums, _DRAWN) for sums in by_class]}
    wy = np.bincount(bins, weight * (y - shift), N_BINS)
    return found | {"wy": plain_numbers(wy, _DRAWN)}
