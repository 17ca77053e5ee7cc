"""Write a dossier: facts, documents that are filled from them, and a bundle to verify."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sorb.dossier.change_facts import History, changes_facts
from sorb.dossier.documents import write_documents
from sorb.dossier.errors import DossierError
from sorb.dossier.exports import DEFAULT_EXPORTS, chosen_exports
from sorb.dossier.facts import make_facts
from sorb.dossier.manifest import MANIFEST, Manifest, sha256, write_document
from sorb.dossier.prediction_file import Predictions
from sorb.dossier.row_file import RowFile
from sorb.dossier.subject import Settings, Split, Subject
from sorb.report.given_rows import GivenRows
from sorb.rules import notation
from sorb.rules.atomic_files import replace_file
from sorb.rules.ensemble import require_ensemble

__all__ = [
    "CERTIFICATE",
    "CHANGES",
    "FACTS",
    "MODEL",
    "PREDICTIONS",
    "ROWS",
    "Contents",
    "Dossier",
    "make_dossier",
    "write_dossier",
]

FACTS, MODEL, ROWS, PREDICTIONS = "facts.json", "model.json", "rows.csv", "predictions.csv"
CERTIFICATE, CHANGES = "certificate.json", "changes.json"


@dataclass(frozen=True, slots=True, eq=False)
class Dossier:
    """What was written.

    Attributes
    ----------
    folder : Path
        Where it is.
    facts : dict
        Everything that the software knows, as in ``facts.json``.
    files : mapping from str to str
        The files with their SHA-256.
    fingerprint : str
        The SHA-256 of the manifest: it identifies the whole folder.
    """

    folder: Path
    facts: dict[str, Any]
    files: Mapping[str, str]
    fingerprint: str

    def __str__(self) -> str:
        names = ", ".join([*self.files, MANIFEST])
        return (
            f"The dossier is in {self.folder}: {names}.\n"
            f"Its fingerprint (the SHA-256 of the manifest) is {self.fingerprint}.\n"
            "Keep it elsewhere: it tells whether any file was changed, even if the manifest was "
            "changed, too."
        )


@dataclass(frozen=True, slots=True)
class Contents:
    """What else is in a dossier.

    Attributes
    ----------
    title : what it is called.
    exports : the names of the exports.
    stability : whether the model is learned again from resamples.
    history : how the model was changed after it was learned.
    files : the names of the files that were read, with their SHA-256.
    """

    title: str | None = None
    exports: Sequence[str] = DEFAULT_EXPORTS
    stability: bool = False
    history: History = field(default_factory=History)
    files: Mapping[str, Any] = field(default_factory=dict)


def write_dossier(
    model: Any,
    X: Any,
    y: Any,
    folder: str | os.PathLike[str],
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    groups: Any = None,
    target: str | None = None,
    title: str | None = None,
    split: Split | None = None,
    cutoff: float | None = None,
    costs: tuple[float, float] | None = None,
    rows: bool = True,
    min_rows: int = 5,
    exports: Sequence[str] = DEFAULT_EXPORTS,
    by: Sequence[str] = (),
    stability: bool = False,
    certificate: Any = None,
    log: Any = None,
) -> Dossier:
    """Write all that is known about a model into a folder that can be handed in, and verified.

    The folder holds ``facts.json``; a model card, the TRIPOD+AI checklist, the technical
    documentation of Annex IV of the EU AI Act and an inventory entry for model risk, each filled
    from the facts or marked as for a human; and the model, the rows, their predictions and exports,
    from which `verify` computes everything again.

    Parameters
    ----------
    model : fitted estimator or RuleEnsemble
        The model.
    X : array or DataFrame
        The rows that it is measured on, preferably rows that it has not seen.
    y : array-like
        Their outcomes.
    folder : path
        A new or empty folder.
    sample_weight : array-like, optional
        Their weights.
    exposure : array-like, optional
        What the outcomes accumulated over, such as years, for a model of rates.
    groups : array-like, optional
        What group each row belongs to, such as a patient, if rows of a group may be alike.
    target : str, optional
        What the outcomes are called; by default the name of y, or what the model remembers.
    title : str, optional
        What the model is called.
    split : {"test", "training"}, optional
        What rows these are. Without it, the dossier says that it is not known.
    cutoff, costs : optional
        For two classes: the probability above which a row counts as positive, or what a missed
        positive row and a false alarm cost, as in `sorb.performance`.
    rows : bool, default=True
        Whether the dossier holds the rows. Without them, it tells no value of a single row, and
        less can be verified.
    min_rows : int, default=5
        The fewest rows that a subgroup is told of.
    exports : sequence of str, default=("python", "javascript", "r", "c")
        The exports: these, "onnx", or the name of a database, such as "sqlite".
    by : sequence of str, default=()
        Columns of X by which subgroups are told, besides those that the model uses: such as sex or
        ethnicity, to see for whom it is better or worse.
    stability : bool, default=False
        Whether the model is learned again from resamples of the rows, which takes a while.
    certificate : Certificate, optional
        That of the simplification which the model comes from.
    log : Edited, optional
        What `sorb.editing.edit` gave with this model, or its log as plain values.

    Returns
    -------
    Dossier
        What was written.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sorb import LLTBoostClassifier
    >>> from sorb.dossier import write_dossier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = LLTBoostClassifier(max_rules=2, selection=None).fit(X[:400], y[:400])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = write_dossier(model, X[400:], y[400:], folder, split="test", exports=[])
    >>> found.facts["data"]["rows"], "model_card.md" in found.files
    (169, True)
    """
    given = GivenRows(X, y, sample_weight, exposure, groups)
    settings = Settings(cutoff, costs, min_rows, split, rows, tuple(by))
    contents = Contents(title, tuple(exports), stability, History(_plain(log), _plain(certificate)))
    return make_dossier(model, given, target, settings, contents, Path(folder))


def _plain(document: Any) -> Mapping[str, Any] | None:
    known = document is None or isinstance(document, Mapping)
    found: Mapping[str, Any] | None = document if known else document.to_dict()
    return found


def make_dossier(
    model: Any,
    given: GivenRows,
    target: str | None,
    settings: Settings,
    contents: Contents,
    folder: Path,
) -> Dossier:
    """Write a dossier about rows that were read."""
    require_new(folder)
    ensemble = getattr(model, "ensemble_", model)
    require_ensemble(ensemble)
    name = given.outcome_name(target, ensemble)
    subject = Subject.of(ensemble, given, name, settings)
    exports = chosen_exports(contents.exports)
    history = contents.history
    if not settings.single_rows:
        if len(subject.rows) < settings.min_rows:
            raise DossierError(
                f"a dossier that holds no rows needs at least {settings.min_rows} of them, found "
                f"{notation.count(len(subject.rows), 'row')}"
            )
        changes_facts(history.log, ensemble)  # it is about the model as it is
        # The extremes and rare categories that a model remembers are those of single rows.
        ensemble = replace(ensemble, experience=())
        history = history.without_rows(ensemble)
        subject = Subject.of(ensemble, given, name, settings)
    files = {MODEL: f"{ensemble.to_json()}\n".encode()}
    row_file = RowFile.of(subject) if settings.single_rows else None
    if row_file is not None:
        files[ROWS] = row_file.text
        files[PREDICTIONS] = Predictions.of(subject).content
    for export in exports:
        try:
            files[export.file] = export.content(ensemble)
        except ValueError as error:
            raise DossierError(f"the model cannot be written in {export.name}: {error}") from error
    for file, document in ((CHANGES, history.log), (CERTIFICATE, history.certificate)):
        if document is not None:
            files[file] = write_document(dict(document))
    facts = make_facts(
        subject,
        contents.title or f"A model of {name}",
        {"model": None, "table": None, **contents.files},
        history,
        model if contents.stability else None,
    )
    facts["bundle"] = {
        "rows": None if row_file is None else {"file": ROWS, **row_file.to_dict()},
        "exports": {export.name: export.file for export in exports},
        "written_with": {export.name: export.written_with for export in exports},
    }
    files[FACTS] = write_document(facts)
    files.update(write_documents(json.loads(files[FACTS])))
    return _write(folder, files)


def require_new(folder: Path) -> None:
    """Refuse a folder that holds anything: files of two dossiers must not be mixed."""
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists():
        what = "is not empty" if folder.is_dir() else "is a file"
        raise DossierError(f"{folder} {what}: name a new folder for the dossier")
    if not folder.parent.is_dir():
        raise DossierError(f"there is no folder {folder.parent} for {folder.name}")


def _write(folder: Path, files: Mapping[str, bytes]) -> Dossier:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        replace_file(folder / name, content)
    manifest = Manifest({name: sha256(content) for name, content in sorted(files.items())})
    # Last of all, so that a folder with a manifest is complete.
    replace_file(folder / MANIFEST, manifest.content)
    return Dossier(folder, json.loads(files[FACTS]), manifest.files, sha256(manifest.content))
