"""A dossier holds what the software knows, in a folder of its own."""

import hashlib
import json

import numpy as np
import pytest
from dossier.dossiers import facts_of, rate_model, written

from sorb import RuleEnsemble
from sorb.dossier import DossierError, verify, write_dossier


def test_the_manifest_names_every_file_with_its_hash(binary, folder):
    found = written(binary, folder)
    listed = json.loads((folder / "manifest.json").read_text())["sha256"]
    assert {path.name for path in folder.iterdir()} == {"manifest.json", *listed}
    for name, known in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == known
    manifest = (folder / "manifest.json").read_bytes()
    assert found.fingerprint == hashlib.sha256(manifest).hexdigest()


def test_the_facts_say_what_is_known(example, folder):
    facts = written(example, folder, title="Who is ill?").facts
    assert facts == facts_of(folder)
    ensemble = example.estimator.ensemble_
    assert facts["title"] == "Who is ill?"
    assert facts["data"]["split"] == "test"
    assert facts["data"]["rows"] == facts["performance"]["rows"] == 60
    assert facts["training"]["n_rows"] == 180
    assert [rule["vote"] for rule in facts["model"]["rules"]] == [r.vote for r in ensemble]
    assert RuleEnsemble.load(folder / "model.json") == ensemble


def test_a_model_by_hand_has_no_record(folder):
    model, X, y, exposure = rate_model()
    facts = write_dossier(model, X, y, folder, exposure=exposure).facts
    assert facts["training"] is None
    assert facts["data"]["split"] == "not known"
    assert facts["model"]["per_exposure"]


def test_stability_is_on_request(binary, folder, monkeypatch):
    seen = []

    def learn_again(model, X, y, **options):
        from sorb.resampling import stability

        seen.append(model)
        return stability(model, X, y, n_resamples=2, n_jobs=1, **options)

    monkeypatch.setattr("sorb.dossier.facts.stability", learn_again)
    assert written(binary, folder).facts["stability"] is None
    found = written(binary, folder.parent / "again", stability=True).facts["stability"]
    assert seen == [binary.estimator]
    assert (found["n_resamples"], found["learned_from"]) == (2, "test")


def test_nothing_is_mixed_with_other_files(binary, folder):
    folder.mkdir()
    (folder / "notes.txt").touch()
    with pytest.raises(DossierError, match="is not empty: name a new folder"):
        written(binary, folder)
    with pytest.raises(DossierError, match="is a file"):
        written(binary, folder / "notes.txt")
    with pytest.raises(DossierError, match="there is no folder"):
        written(binary, folder / "a" / "b")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"exports": ["cobol"]}, "there is no export 'cobol'; there are python"),
        ({"exports": ["sql"]}, "name the database, such as sqlite"),
        ({"min_rows": 1}, "min_rows must be a whole number ≥ 2"),
        ({"cutoff": 1.5}, "between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    binary, folder, options, message
):
    with pytest.raises(ValueError, match=message):
        written(binary, folder, **options)
    assert not folder.exists()


def test_a_split_is_one_of_two(binary, folder):
    with pytest.raises(ValueError, match="split must be 'test', 'training' or None"):
        write_dossier(binary.estimator, *binary.test, folder, split="validation")


def fractions(document):
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        return [value for part in document for value in fractions(part)]
    return [document] if isinstance(document, float) else []


def test_without_rows_no_sum_tells_its_last_row(binary, folder):
    """Of a mean all digits together tell what the one row adds that a reader does not know."""
    written(binary, folder, rows=False, exports=[])
    facts = facts_of(folder)
    for name in ("data", "performance", "calibration", "subgroups"):
        assert [v for v in fractions(facts[name]) if v != float(f"{v:.3g}")] == [], name
    shares = [rule["share_of_rows"] for rule in facts["model"]["rules"]]
    assert [s for s in shares if s is not None and round(s * 60) % 5] == []


def test_without_rows_the_model_remembers_none(binary, folder):
    X, y = binary.training
    written(binary, folder, rows=False, exports=["python"])
    assert RuleEnsemble.load(folder / "model.json").experience == ()
    facts = facts_of(folder)
    assert facts["limits"]["known_in_training"] == {}
    assert facts["limits"]["outside_training"] == []
    assert verify(folder).agrees
    with pytest.raises(DossierError, match="needs at least 5 of them, found 4 rows"):
        write_dossier(binary.estimator, X[:4], y[:4], folder.parent / "few", rows=False)


def test_without_rows_no_value_of_a_single_row_is_told(binary, folder):
    X, y = binary.test
    X = X.assign(height=X.height + np.linspace(0.0011, 0.0087, len(X)).round(5))
    facts = write_dossier(binary.estimator, X, y, folder, rows=False).facts
    assert facts["bundle"]["rows"] is None
    assert not (folder / "rows.csv").exists()
    assert not (folder / "predictions.csv").exists()
    text = "".join(path.read_text("utf-8") for path in folder.iterdir())
    assert [value for value in X.height.tolist() if repr(value) in text] == []
