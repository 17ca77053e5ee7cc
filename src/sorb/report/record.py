"""What a model was made from and with: rows, settings, versions, and what identifies them."""

from __future__ import annotations

import datetime
import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.editing.log_file import fingerprint
from sorb.estimators.training_record import library_versions
from sorb.report.columns import plain_label
from sorb.report.rows import ReportRows
from sorb.rules import RuleEnsemble, notation
from sorb.rules.labels import Labels
from sorb.rules.training_record import TrainingRecord

__all__ = ["data_fingerprint", "record_view"]

LONGEST = 80  # of a setting as it is printed


def record_view(
    ensemble: RuleEnsemble,
    target: str,
    columns: Sequence[tuple[str, bool]],
    training: ReportRows,
    test: ReportRows | None,
    date: datetime.date,
) -> list[dict[str, Any]]:
    """Give the record of the page: groups of lines."""
    parts = {"training": training} if test is None else {"training": training, "test": test}
    data = [("target", target), ("columns", str(len(ensemble.columns)))]
    for split, rows in parts.items():
        data.append((f"{split} rows", _rows(rows)))
        if ensemble.loss.has_classes:
            data.append((f"classes of the {split} rows", _shares(ensemble, rows)))
        data.append((f"SHA-256 of the {split} rows", data_fingerprint(rows, columns)))
    about = [
        ("loss", str(ensemble.loss)),
        ("rules", str(len(ensemble))),
        ("complexity", str(ensemble.complexity)),
        ("columns used", ", ".join(map(notation.name, ensemble.used_columns)) or "none"),
        ("SHA-256 of the model", fingerprint(ensemble)),
    ]
    groups = [("Data", data), ("Model", about)]
    if ensemble.record is not None:
        groups.append(("Training", _origin(ensemble.record)))
    versions = {**library_versions(), "python": platform.python_version()}
    learned_with = None if ensemble.record is None else dict(ensemble.record.versions)
    software = "what it was learned with" if versions == learned_with else _listed(versions)
    groups.append(("This page", [("made on", date.isoformat()), ("made with", software)]))
    return [{"title": title, "lines": lines} for title, lines in groups]


def data_fingerprint(rows: ReportRows, columns: Sequence[tuple[str, bool]]) -> str:
    """Give the SHA-256 of some columns with outcomes and weights, as float64 and as JSON.

    It depends on what the rows hold and on their order, not on how a file or a library writes them.
    """
    digest = hashlib.sha256()
    for name, categorical in sorted(columns):
        digest.update(name.encode(errors="replace") + b"\0")
        if categorical:
            digest.update(_label_bytes(Labels.of(rows.source.labels(name))))
        else:
            digest.update(_number_bytes(rows.source.take(name)))
    for values in (rows.y, rows.weight):
        digest.update(_number_bytes(values))
    return digest.hexdigest()


def _number_bytes(values: Float) -> bytes:
    plain = np.where(np.isnan(values), np.nan, values + 0.0)  # one NaN, and no minus zero
    return np.ascontiguousarray(plain, dtype="<f8").tobytes()


def _label_bytes(found: Labels) -> bytes:
    """The distinct labels in an order of their own, then the place of that of each row."""
    texts = [json.dumps(_whole(plain_label(value))) for value in found.values]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.full(len(texts) + 1, -1)
    place[order] = np.arange(len(texts))
    return json.dumps(sorted(texts)).encode() + place[found.codes].astype("<i8").tobytes()


def _whole(value: Any) -> Any:
    """Write 1.0 as 1: which of them a column holds depends on whether values are missing."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _rows(rows: ReportRows) -> str:
    total = float(rows.weight.sum())
    weighted = "" if total == len(rows) else f", of total weight {notation.number(total, 6)}"
    groups = "" if rows.group is None else f", in {len(np.unique(rows.group))} groups"
    return f"{len(rows)}{groups}{weighted}"


def _shares(ensemble: RuleEnsemble, rows: ReportRows) -> str:
    labels = ensemble.classes or (0, 1)
    counts = np.bincount(rows.y.astype(np.intp), minlength=len(labels))[-len(labels) :].tolist()
    return ", ".join(
        f"{notation.label(label)} {count}" for label, count in zip(labels, counts, strict=True)
    )


def _origin(record: TrainingRecord) -> list[tuple[str, str]]:
    """What the model notes of its training, which may have been elsewhere and long ago."""
    quoted = {k: v for k, v in record.readable_settings.items() if isinstance(v, str)}
    found = [
        ("estimator", record.estimator),
        ("training rows", str(record.n_rows)),
        ("learned with", _listed(dict(record.versions))),
        *((name, _shortened(quoted.get(name, text))) for name, text in record.settings),
    ]
    if record.reg_lambda is not None:
        found.append(("penalty on votes", notation.number(record.reg_lambda, 4)))
    return [*found, ("test rows", record.test_rows)] if record.test_rows else found


def _listed(versions: Mapping[str, str]) -> str:
    shown = {"Python" if name == "python" else name: text for name, text in versions.items()}
    return ", ".join(f"{name} {text}" for name, text in shown.items())


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
