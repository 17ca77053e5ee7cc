"""A saved model, learned again from its rows, so that models of other sizes are known, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import typer

from sorb.cli.fitted_model import fit_catching
from sorb.cli.labelled_rows import LabelledRows
from sorb.rules import RuleEnsemble

__all__ = ["relearn"]

_ESTIMATORS = {f"LLTBoost{kind}{cv}" for kind in ("Classifier", "Regressor") for cv in ("", "CV")}


def relearn(ensemble: RuleEnsemble, rows: LabelledRows) -> Any:
    """Fit the estimator that a model notes; refuses if that gives another model.

    The table of the rows must hold the columns that the model was learned from, and no others.
    """
    import sorb

    record = ensemble.record
    if record is None or record.estimator not in _ESTIMATORS:
        raise typer.BadParameter("--relearn needs a model that notes what learned it")
    estimator, settings = getattr(sorb, record.estimator)(), record.readable_settings
    unknown = settings.keys() - estimator.get_params().keys()
    if unknown:
        raise typer.BadParameter(
            f"--relearn knows no setting {min(unknown)!r}, with which the model was learned by "
            f"sorb {dict(record.versions).get('sorb', 'of an unknown version')}"
        )
    estimator.set_params(**settings)
    exposure: dict[str, Any] = {} if rows.exposure is None else {"exposure": rows.exposure}
    table = rows.table, np.array(rows.y), rows.weight
    # A warning was for whoever fitted it first.
    estimator, _ = fit_catching(estimator, table, groups=rows.group, **exposure)
    if estimator.ensemble_ != ensemble and settings.get("class_weight") is not None:
        estimator = estimator.recalibrate(*table)
    if estimator.ensemble_ != ensemble:
        raise typer.BadParameter(
            "--relearn gave another model: the rows, options such as --weight and --group, or the "
            "versions are not those of its fit, or it was changed since"
        )
    estimator.ensemble_ = ensemble  # whose record names test rows, too
    return estimator
