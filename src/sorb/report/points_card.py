"""A model of two classes as whole points to add up by hand."""

from __future__ import annotations

import warnings
from typing import Any

from sorb.report.rows import ReportRows
from sorb.rules import RuleEnsemble
from sorb.rules.notation import join_tokens
from sorb.rules.prediction import class_labels
from sorb.simplify.card_text import total_cells

__all__ = ["points_card"]

MOST_LINES = 20  # nobody adds up more


def points_card(ensemble: RuleEnsemble, rows: ReportRows, least: int = 1) -> dict[str, Any] | None:
    """Give the `Card` of the page; None for models that have no points.

    With more than one row as the `least`, it does not say how many change sides.
    """
    labels = class_labels(ensemble.classes)
    if not ensemble.loss.has_classes or ensemble.loss.score_per_class or len(labels) != 2:
        return None
    if not 0 < len(ensemble) <= MOST_LINES or len(set(rows.y.tolist())) < 2:
        return None
    y = [labels[int(k)] for k in rows.y.tolist()]
    open_rows: Any = rows.source  # what is open already is taken as it is
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rules that it leaves out, as its notes say
        try:
            card = ensemble.scorecard(open_rows, y, rows.weight)
        except ValueError:  # the rows contradict the model
            return None
    units = dict(card.model.units)
    untold = card.certificate.sides() if least > 1 and card.certificate is not None else None
    start = [[str(card.start), "always"]] if card.start else []
    _, *totals = total_cells(card)
    return {
        "title": card.caption(),
        "head": ["points", "if"],
        "rules": start + [[str(c.points), join_tokens(c.tokens(units))] for c in card.lines],
        "totals": [list(row[:2]) for row in totals],
        "notes": [note for note in card.notes() if note != untold],
    }
