"""Compute everything in a dossier again, and say what no longer agrees."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import NoneType
from typing import Any

from sorb.dossier.certificate_check import certificate_difference
from sorb.dossier.change_facts import changes_facts, simplification_facts
from sorb.dossier.documents import write_documents
from sorb.dossier.errors import DossierError
from sorb.dossier.export_check import check_export
from sorb.dossier.exports import EXPORTS
from sorb.dossier.facts import DESCRIBED, FORMAT, VERSION, described_facts
from sorb.dossier.manifest import MANIFEST, Manifest, read_document, sha256
from sorb.dossier.measured_facts import MEASURED, measured_facts
from sorb.dossier.model_facts import model_facts, training_facts
from sorb.dossier.prediction_file import Predictions
from sorb.dossier.replay_rows import ReplayRows
from sorb.dossier.row_file import RowFile, read_rows
from sorb.dossier.subject import Settings, Subject
from sorb.dossier.verification import Check, Outcome, Verification
from sorb.dossier.write import CERTIFICATE, CHANGES, FACTS, MODEL, PREDICTIONS, ROWS
from sorb.editing.log_file import fingerprint as model_fingerprint
from sorb.report.record import data_fingerprint
from sorb.rules import RuleEnsemble

__all__ = ["verify"]

# Machines may add up in another order, and differ in the last digits.
ROUNDING = 1e-9
LARGEST = 2 << 30  # bytes of a file
LONGEST = 300  # characters of a message
NO_ROWS = "the dossier holds no rows"
UNREADABLE = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError
)  # fmt: skip


def verify(folder: str | os.PathLike[str], fingerprint: str | None = None) -> Verification:
    """Check whether a dossier is as it was written, and compute everything in it again.

    Every file is compared with the manifest. The model predicts the rows again, to the last digit;
    each export that can be run here predicts them, too; the measures are computed again. An export
    is run only if its file is, byte by byte, what sorb itself writes for the model.

    Parameters
    ----------
    folder : path
        What `write_dossier` or ``sorb dossier`` wrote.
    fingerprint : str, optional
        The SHA-256 of the manifest, if it was kept elsewhere. Without it, whoever changed a file
        could have changed the manifest, too.

    Returns
    -------
    Verification
        What was checked, what agrees, what does not, and what was not run.

    Raises
    ------
    DossierError
        If the folder is no dossier.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sorb import LLTBoostClassifier
    >>> from sorb.dossier import verify, write_dossier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = LLTBoostClassifier(max_rules=2, selection=None).fit(X[:400], y[:400])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = write_dossier(model, X[400:], y[400:], folder, exports=["python"])
    ...     found = verify(folder, written.fingerprint)
    >>> found.agrees
    True
    """
    place = Path(folder)
    manifest = Manifest.read(place)
    digest = sha256((place / MANIFEST).read_bytes())
    contents = {name: _content(place / name) for name in manifest.files}
    checks = [] if fingerprint is None else [_manifest_check(digest, fingerprint)]
    checks += _file_checks(place, manifest, contents)
    checks += _Folder({name: c for name, c in contents.items() if c is not None}).checks()
    return Verification(tuple(checks), digest)


def _content(path: Path) -> bytes | None:
    """Read a file of the folder; links may lead out of it, and others may fill the memory."""
    plain = path.is_file() and not path.is_symlink()
    return path.read_bytes() if plain and path.stat().st_size <= LARGEST else None


def _manifest_check(digest: str, expected: str) -> Check:
    same = digest == expected.strip().lower()
    difference = None if same else f"its SHA-256 is {digest}, not {expected}"
    return Check.of(MANIFEST, difference, "is the one that was expected")


def _file_checks(
    folder: Path, manifest: Manifest, contents: dict[str, bytes | None]
) -> Iterator[Check]:
    for name, known in manifest.files.items():
        content = contents[name]
        if content is None:
            there = os.path.lexists(folder / name)
            odd = f"is no plain file of at most {LARGEST >> 30} GB" if there else "is missing"
            yield Check(name, Outcome.disagrees, odd)
        else:
            yield Check.of(name, _change(content, known), "is as it was written")
    for path in sorted(folder.iterdir()):
        if path.name not in manifest.files and path.name != MANIFEST:
            yield Check(path.name, Outcome.not_run, "is not in the manifest, so nothing is known")


def _change(content: bytes, known: str) -> str | None:
    """Say what became of a file with a known SHA-256."""
    if sha256(content) == known:
        return None
    plain = content.replace(b"\r\n", b"\n")
    if known in (sha256(plain), sha256(plain.replace(b"\n", b"\r\n"))):
        return "has other ends of lines than when it was written: copy the folder byte by byte"
    return "was changed since it was written"


@dataclass(frozen=True, slots=True)
class _Folder:
    """The contents of the files that are there."""

    files: dict[str, bytes]

    def checks(self) -> Iterator[Check]:
        """Check everything that is computed."""
        facts, check = self._read("facts", FACTS, _facts)
        if facts is None:
            yield check
            return
        yield self._guarded("documents", lambda: self._documents(facts))
        ensemble, check = self._read("model", MODEL, _model)
        if ensemble is None:
            yield check
            return
        yield self._guarded("model", lambda: _compare_model(ensemble, facts))
        if CHANGES in self.files or facts["changes"] is not None:
            yield self._guarded("changes", lambda: self._changes(ensemble, facts))
        if CERTIFICATE in self.files or facts["simplification"] is not None:
            yield self._guarded("certificate", lambda: self._certificate(ensemble, facts))
        file = None
        if facts["bundle"]["rows"] is not None:
            file, check = self._read(
                "rows", ROWS, lambda content: read_rows(content, facts["bundle"]["rows"])
            )
            if file is None:
                yield check
                return
        yield from self._row_checks(facts, ensemble, file)
        yield from self._exports(facts, ensemble, file)

    def _read(self, what: str, name: str, read: Callable[[bytes], Any]) -> tuple[Any, Check]:
        """Read a file, or say why that is not possible."""
        if name not in self.files:
            return None, Check(what, Outcome.disagrees, f"there is no {name}")
        try:
            return read(self.files[name]), Check(what, Outcome.agrees)
        except UNREADABLE as error:
            return None, Check(what, Outcome.disagrees, f"{name} cannot be read: {_line(error)}")

    def _guarded(self, what: str, check: Callable[[], Check]) -> Check:
        """Check something; what cannot be made sense of does not agree."""
        try:
            return check()
        except UNREADABLE as error:
            return Check(what, Outcome.disagrees, f"cannot be checked: {_line(error)}")

    def _documents(self, facts: dict[str, Any]) -> Check:
        written, here = facts["versions"]["sorb"], version("sorb")
        if written != here:
            detail = f"they were written by sorb {written}, which may word them otherwise"
            return Check("documents", Outcome.not_run, detail)
        changed = [
            name
            for name, content in write_documents(facts).items()
            if self.files.get(name) != content
        ]
        difference = f"{', '.join(changed)} would be filled otherwise" if changed else None
        return Check.of("documents", difference, "say what the facts say")

    def _changes(self, ensemble: RuleEnsemble, facts: dict[str, Any]) -> Check:
        same = changes_facts(json.loads(self.files[CHANGES]), ensemble) == facts["changes"]
        difference = None if same else "are not those of the facts"
        return Check.of("changes", difference, "end in this model, and are those of the facts")

    def _certificate(self, ensemble: RuleEnsemble, facts: dict[str, Any]) -> Check:
        found = json.loads(self.files[CERTIFICATE])
        difference = certificate_difference(found, ensemble)
        if difference is None and simplification_facts(found) != facts["simplification"]:
            difference = "it is not the one of the facts"
        return Check.of("certificate", difference, "is about this model")

    def _row_checks(
        self, facts: dict[str, Any], ensemble: RuleEnsemble, file: RowFile | None
    ) -> Iterator[Check]:
        if file is None:
            yield self._guarded("facts", lambda: _compare_without_rows(ensemble, facts))
            for name in ("rows", "predictions", "measures"):
                yield Check(name, Outcome.not_run, NO_ROWS)
            return

        def subject() -> Subject:
            settings = Settings.from_dict(facts["settings"])
            return Subject.of(ensemble, file.given, facts["data"]["target"], settings)

        yield self._guarded("rows", lambda: _compare_rows(subject(), facts))
        yield self._guarded("predictions", lambda: self._predictions(subject()))
        yield self._guarded("facts", lambda: _compare_described(subject(), facts))
        yield self._guarded("measures", lambda: _compare_measures(subject(), facts))

    def _predictions(self, subject: Subject) -> Check:
        recorded, check = self._read("predictions", PREDICTIONS, Predictions.read)
        if recorded is None:
            return check
        difference = recorded.difference(Predictions.of(subject))
        detail = f"Python gives the same on {len(subject.rows)} rows, to the last digit"
        return Check.of("predictions", difference, detail)

    def _exports(
        self, facts: dict[str, Any], ensemble: RuleEnsemble, file: RowFile | None
    ) -> Iterator[Check]:
        rows = None if file is None else ReplayRows.of(file)
        recorded, _ = self._read("predictions", PREDICTIONS, Predictions.read)
        if recorded is None and rows is not None:
            return  # the check of the predictions says so
        scores = None if recorded is None else recorded.scores
        for name in facts["bundle"]["exports"]:
            written_with = facts["bundle"]["written_with"].get(name)
            yield self._guarded(
                name,
                lambda name=name, known=written_with: check_export(  # type: ignore[misc]
                    name, self.files, known, ensemble, rows, scores
                ),
            )


def _facts(content: bytes) -> dict[str, Any]:
    found = read_document(content, FORMAT, VERSION)
    bundle = found.get("bundle")
    if not isinstance(bundle, dict) or not all(
        isinstance(bundle.get(key), kind)
        for key, kind in (("rows", (dict, NoneType)), ("exports", dict), ("written_with", dict))
    ):
        raise DossierError("expected what the bundle holds: rows, exports and written_with")
    return found


def _model(content: bytes) -> RuleEnsemble:
    return RuleEnsemble.from_json(content.decode("utf-8"))


def _line(error: Exception) -> str:
    text = " ".join(str(error).split())
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return (
        text if isinstance(error, (DossierError, ValueError)) else f"{type(error).__name__} {text}"
    )


def _compare_model(ensemble: RuleEnsemble, facts: dict[str, Any]) -> Check:
    known = facts["model"]["sha256"]
    difference = None if model_fingerprint(ensemble) == known else "is not the one of the facts"
    return Check.of("model", difference, "is the one of the facts")


def _compare_rows(subject: Subject, facts: dict[str, Any]) -> Check:
    known = facts["data"]["sha256_of_contents"]
    same = data_fingerprint(subject.rows, subject.dividing_columns) == known
    return Check.of(
        "rows", None if same else "are not those of the facts", "are those of the facts"
    )


def _compare_described(subject: Subject, facts: dict[str, Any]) -> Check:
    found = {**described_facts(subject), "bundle": _bundle(facts)}
    return _compare("facts", (*DESCRIBED, "bundle"), found, facts)


def _compare_without_rows(ensemble: RuleEnsemble, facts: dict[str, Any]) -> Check:
    """Compare what follows from the model alone."""
    shares = [rule["share_of_rows"] for rule in facts["model"]["rules"]]
    found = {
        "model": model_facts(ensemble, shares),
        "training": training_facts(ensemble),
        "bundle": _bundle(facts),
    }
    return _compare("facts", tuple(found), found, facts)


def _bundle(facts: dict[str, Any]) -> dict[str, Any]:
    """What the facts must say of the folder: no other file is read, whatever they name."""
    told = facts["bundle"]
    files = {
        name: EXPORTS[name].file if name in EXPORTS else file
        for name, file in told["exports"].items()
    }
    rows = None if told["rows"] is None else {**told["rows"], "file": ROWS}
    return {**told, "rows": rows, "exports": files}


def _compare_measures(subject: Subject, facts: dict[str, Any]) -> Check:
    return _compare("measures", MEASURED, measured_facts(subject), facts)


def _compare(what: str, names: Sequence[str], found: Any, facts: dict[str, Any]) -> Check:
    """Compare facts that were computed again; another version of sorb may word them otherwise."""
    found, same_words = json.loads(json.dumps(found)), facts["versions"]["sorb"] == version("sorb")
    places = [
        place
        for name in names
        for place in _differences(facts[name], found[name], name, same_words)
    ]
    difference = None
    if places:
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        difference = f"computed again, they differ in {places[0]}{more}"
    but = "" if same_words else " but for texts, which were not compared"
    return Check.of(what, difference, f"{', '.join(names)}: computed again, the same{but}")


def _differences(known: Any, found: Any, place: str, texts: bool = True) -> Iterator[str]:
    """Give the places in which two documents differ by more than rounding."""
    if isinstance(known, dict) and isinstance(found, dict) and known.keys() == found.keys():
        for key in known:
            yield from _differences(known[key], found[key], f"{place}.{key}", texts)
    elif not texts and _is_text(known) and _is_text(found):
        return
    elif isinstance(known, list) and isinstance(found, list) and len(known) == len(found):
        for k, (one, other) in enumerate(zip(known, found, strict=True)):
            yield from _differences(one, other, f"{place}[{k}]", texts)
    elif isinstance(known, float) and isinstance(found, (int, float)):
        if not math.isclose(known, found, rel_tol=ROUNDING, abs_tol=ROUNDING):
            yield place
    elif known != found:
        yield place


def _is_text(value: Any) -> bool:
    """Whether it is a text, or holds texts only."""
    return all(map(_is_text, value)) if isinstance(value, list) else isinstance(value, str)
