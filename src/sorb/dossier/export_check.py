"""Whether an export of a bundle is what sorb writes for its model, and gives the same answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.dossier.exports import EXPORTS, Export
from sorb.dossier.replay_rows import ReplayRows
from sorb.dossier.replays import REPLAYS, ReplayError
from sorb.dossier.verification import Check, Outcome
from sorb.losses import Readout
from sorb.rules import RuleEnsemble
from sorb.rules.prediction import predicted_labels

__all__ = ["check_export"]

# Libraries round the exponential function differently.
ROUNDING = 1e-14
SAME = "it is what sorb writes for this model"


def check_export(
    name: str,
    files: Mapping[str, bytes],
    written_with: Mapping[str, str] | None,
    ensemble: RuleEnsemble,
    rows: ReplayRows | None,
    scores: Float | None,
) -> Check:
    """Write the model again, compare the file, and only then run what was written.

    `scores` are the recorded ones of the rows, one column for each output.
    """
    if name not in EXPORTS:
        return Check(name, Outcome.not_run, "this sorb knows no such export")
    export = EXPORTS[name]
    if export.file not in files:
        return Check(name, Outcome.disagrees, f"there is no {export.file}")
    try:
        content = export.content(ensemble)
    except ImportError as error:
        return Check(name, Outcome.not_run, str(error))
    if content != files[export.file]:
        return _changed(name, export, written_with)
    if rows is None or scores is None:
        return Check(name, Outcome.not_run, f"there are no rows to run it on; {SAME}")
    if name not in REPLAYS:
        return Check(name, Outcome.not_run, f"no such database is run here; {SAME}")
    replay = REPLAYS[name]
    missing = replay.missing()
    if missing is not None:
        return Check(name, Outcome.not_run, f"{missing}; {SAME}")
    output = export.output(ensemble)
    try:
        found = replay.run(ensemble, content, output, rows)
    except ReplayError as error:
        return Check(name, Outcome.disagrees, f"{error}; {SAME}")
    difference = _difference(found, ensemble, output, scores)
    return Check.of(name, difference, f"ran on {rows.n_rows} rows, the same answers; {SAME}")


def _changed(name: str, export: Export, written_with: Mapping[str, str] | None) -> Check:
    """Say why a file is not run that is not what is written now."""
    if written_with is not None and dict(written_with) != export.written_with:
        known = " and ".join(f"{package} {text}" for package, text in written_with.items())
        detail = f"{export.file} was written by {known}, so it cannot be compared, and is not run"
        return Check(name, Outcome.not_run, detail)
    detail = f"{export.file} is not what sorb writes for this model, so it was not run"
    return Check(name, Outcome.disagrees, detail)


def _difference(found: Any, ensemble: RuleEnsemble, output: str, scores: Float) -> str | None:
    """Say in how many rows answers differ from those that follow from the recorded scores."""
    loss = ensemble.loss
    scores = scores if loss.score_per_class else scores[:, 0]
    if loss.has_classes and output == "prediction":
        known = predicted_labels(ensemble.classes, scores).tolist()
        if len(known) != len(found):
            return _other_number(len(found), len(known))
        wrong = np.array([one != other for one, other in zip(found, known, strict=True)])
    else:
        expected = np.asarray(loss.mean(scores))
        answers = np.asarray(found, dtype=np.float64)
        if answers.shape != expected.shape:
            return _other_number(len(answers), len(expected))
        exact = loss.readout is Readout.IDENTITY
        same = np.isclose(answers, expected, rtol=0 if exact else ROUNDING, atol=0)
        wrong = np.asarray(~np.reshape(same, (len(expected), -1)).all(axis=1))
    if not wrong.any():
        return None
    first = int(np.flatnonzero(wrong)[0])
    count = f"{int(wrong.sum())} of {len(wrong)} rows"
    return f"its answers differ in {count}, the first in line {first + 2} of the file of rows"


def _other_number(found: int, expected: int) -> str:
    return f"it gives {found} answers, expected {expected}"
