"""What was changed in a dossier is found, and nothing of it is run that sorb would not write."""

import datetime
import json
import os
import re
import shutil

import numpy as np
import pytest
from dossier.dossiers import named_model, rate_model, written
from hostile_names import NAMES
from report.models import fitted

from sorb import Condition, Proposition
from sorb.dossier import DossierError, Outcome, verify, write_dossier
from sorb.dossier.documents import write_documents
from sorb.dossier.manifest import sha256
from sorb.dossier.replays import REPLAYS
from sorb.editing import ChangeCondition, PinVote
from sorb.editing.log_file import fingerprint

RUNNABLE = [name for name, replay in REPLAYS.items() if replay.missing() is None]
FILES = [
    *("facts.json", "model.json", "rows.csv", "predictions.csv", "model.py", "model.sqlite.sql"),
    *("model_card.md", "tripod_ai.md", "eu_ai_act_annex_iv.md", "model_risk_inventory.md"),
]


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A dossier that is never changed."""
    folder = tmp_path_factory.mktemp("dossiers") / "sealed"
    written(fitted("binary"), folder, exports=["python", "sqlite"])
    return folder


@pytest.fixture
def copy(sealed, tmp_path):
    return shutil.copytree(sealed, tmp_path / "copy")


def outcome(found, what):
    [check] = [check for check in found if check.what == what]
    return check.outcome


def disagreeing(found):
    return {check.what for check in found.of(Outcome.disagrees)}


def forge(folder, name, change):
    """Change a file, and the manifest with it."""
    path, manifest = folder / name, folder / "manifest.json"
    content = change(path.read_bytes())
    assert content != path.read_bytes()
    path.write_bytes(content)
    listed = json.loads(manifest.read_bytes())
    listed["sha256"][name] = sha256(content)
    manifest.write_text(json.dumps(listed))


def with_facts(change):
    """A change of the facts as a change of their file."""

    def changed(content):
        facts = json.loads(content)
        change(facts)
        return json.dumps(facts).encode()

    return changed


@pytest.mark.parametrize("kind", ["binary", "classes", "squared", "tweedie"])
def test_a_dossier_agrees_in_all_that_can_be_run(kind, folder):
    found = written(fitted(kind), folder, exports=RUNNABLE, rows=True)
    checked = verify(folder, found.fingerprint)
    assert checked.agrees, str(checked)
    assert {*RUNNABLE, "rows", "predictions", "measures", "documents", "model"} <= {
        check.what for check in checked.of(Outcome.agrees)
    }
    assert not checked.of(Outcome.not_run)


def test_weights_exposures_and_groups_agree(folder):
    model, X, y, exposure = rate_model()
    weight = np.arange(120) % 3 + 0.5
    groups = [f"p{k // 3}" for k in range(120)]
    write_dossier(model, X, y, folder, weight, exposure=exposure, groups=groups)
    assert verify(folder).agrees


@pytest.mark.parametrize("costs", [None, (10.0, 1.0)])
def test_choices_agree(binary, folder, costs):
    written(binary, folder, costs=costs, min_rows=9, exports=[])
    assert verify(folder).agrees


def test_subgroups_by_other_columns_agree(binary, folder):
    X, y = binary.test
    X = X.assign(sex=["f", "m", None] * 20, site=np.arange(60) % 3, insured=np.arange(60) % 2 == 0)
    by = ["sex", "site", "insured", "age"]
    found = write_dossier(binary.estimator, X, y, folder, by=by, exports=["python", "sqlite"])
    parts = [(group["column"], group["part"], group["rows"]) for group in found.facts["subgroups"]]
    assert len(parts) == len(set(parts))
    assert ("sex", "missing", 20) in parts
    assert {("site", str(k), 20) for k in range(3)} <= set(parts)
    assert {("insured", "True", 30), ("insured", "False", 30)} <= set(parts)
    checked = verify(folder)
    assert checked.agrees, str(checked)
    forge(folder, "rows.csv", lambda content: content.replace(b",f,", b",m,", 1))
    assert disagreeing(verify(folder)) == {"rows", "facts", "measures"}


@pytest.mark.parametrize("name", FILES)
def test_a_change_of_any_file_is_found(copy, name):
    path = copy / name
    path.write_bytes(path.read_bytes() + b" ")
    assert name in disagreeing(verify(copy))


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_is_found(copy, name):
    (copy / name).unlink()
    assert name in disagreeing(verify(copy))


def test_a_file_that_was_added_is_told(copy):
    (copy / "notes.txt").touch()
    found = verify(copy)
    assert found.agrees
    assert outcome(found, "notes.txt") is Outcome.not_run


def test_a_forged_manifest_is_found_by_its_own_hash(copy):
    known = sha256((copy / "manifest.json").read_bytes())
    assert verify(copy, known.upper()).agrees
    forge(copy, "model_card.md", lambda content: content + b"We like it.")
    assert disagreeing(verify(copy, known)) == {"manifest.json", "documents"}


def another_vote(content):
    return re.sub(rb'"weight": (-?)0', rb'"weight": \g<1>1', content, count=1)


def test_another_model_is_found(copy):
    forge(copy, "model.json", another_vote)
    found = disagreeing(verify(copy))
    assert found == {"model", "facts", "predictions", "measures", "python", "sqlite"}


def test_another_row_is_found(copy):
    forge(copy, "rows.csv", lambda content: content.replace(b"1.7", b"1.2", 1))
    assert "rows" in disagreeing(verify(copy))


def test_another_outcome_is_found(copy):
    forge(copy, "rows.csv", lambda content: content.replace(b",ill\r\n", b",well\r\n", 1))
    assert {"rows", "measures"} <= disagreeing(verify(copy))


def test_another_prediction_is_found_to_the_last_digit(copy):
    def change(content):
        head, first, rest = content.split(b"\r\n", 2)
        row, score, answer = first.split(b",")
        score = repr(float(np.nextafter(float(score), 9.0))).encode()
        return b"\r\n".join([head, b",".join([row, score, answer]), rest])

    forge(copy, "predictions.csv", change)
    found = verify(copy)
    assert disagreeing(found) == {"predictions"}  # exponential functions differ by as much
    assert "1 of 60 rows differ, the first is row 0" in str(found)


def test_better_measures_are_found(copy):
    def change(facts):
        facts["performance"]["measures"]["sorb"]["auc"]["value"] += 1e-6

    forge(copy, "facts.json", with_facts(change))
    found = verify(copy)
    assert disagreeing(found) == {"measures"}
    assert "they differ in performance.measures.sorb.auc.value" in str(found)


def forge_facts(folder, change):
    """Change the facts, and fill the documents from them."""
    forge(folder, "facts.json", with_facts(change))
    facts = json.loads((folder / "facts.json").read_bytes())
    for name, content in write_documents(facts).items():
        if content != (folder / name).read_bytes():
            forge(folder, name, lambda _, content=content: content)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("model.rules.0.if", "age ≥ 1"),
        ("model.rules.0.share_of_rows", 0.5),
        ("model.n_rules", 4),
        ("training.n_rows", 18_000),
        ("training.settings.random_state", "1"),
        ("data.rows", 600),
        ("data.columns.0.range.1", 120.0),
        ("data.outcomes.classes.0.rows", 30),
        ("oddities.findings", []),
        ("limits.known_in_training.age.range.1", 120.0),
        ("limits.rows_without_experience", 7),
        ("bundle.rows.file", "patients.csv"),
        ("bundle.exports.python", "risk.py"),
    ],
)
def test_facts_that_follow_from_model_and_rows_are_found(copy, place, value):
    *path, last = (int(part) if part.isdecimal() else part for part in place.split("."))

    def change(facts):
        for part in path:
            facts = facts[part]
        facts[last] = value

    forge_facts(copy, change)
    found = verify(copy)
    assert disagreeing(found) == {"facts"}
    [check] = found.of(Outcome.disagrees)
    assert check.detail.startswith(f"computed again, they differ in {place.split('.')[0]}.")


def test_without_rows_the_facts_of_the_model_are_computed_again(binary, folder):
    written(binary, folder, rows=False, exports=[])
    forge_facts(folder, lambda facts: facts["training"].update(n_rows=18_000))
    assert disagreeing(verify(folder)) == {"facts"}


def test_another_version_may_use_other_words(copy):
    def change(facts):
        facts["versions"]["sorb"] = "0.0.9"
        facts["limits"]["cannot_know"] = ["It knows little."]
        facts["performance"]["explanations"][0] = "The AUC, as we told it then."

    forge(copy, "facts.json", with_facts(change))
    found = verify(copy)
    assert found.agrees, str(found)
    assert "but for texts, which were not compared" in str(found)
    forge(copy, "facts.json", with_facts(lambda facts: facts["data"].update(rows=61)))
    assert disagreeing(verify(copy)) == {"facts"}


def test_what_cannot_be_read_is_said_once(copy):
    forge(copy, "rows.csv", lambda content: content.replace(b",", b"", 1))
    found = verify(copy)
    assert disagreeing(found) == {"rows"}
    assert "holds no rows" not in str(found)
    assert "there are no rows" not in str(found)


def test_long_values_are_not_printed_in_full(copy):
    forge(copy, "predictions.csv", lambda content: content.replace(b"0.", b"9" * 5000, 1))
    [check] = verify(copy).of(Outcome.disagrees)
    assert check.what == "predictions"
    assert len(check.detail) < 400


@pytest.mark.parametrize("name", ["rows.csv", "model.py"])
def test_other_line_ends_are_told(copy, name):
    path = copy / name
    old, new = (b"\r\n", b"\n") if name == "rows.csv" else (b"\n", b"\r\n")
    path.write_bytes(path.read_bytes().replace(old, new))
    found = [check for check in verify(copy) if check.what == name]
    assert [check.detail.partition(" than")[0] for check in found] == ["has other ends of lines"]


@pytest.mark.parametrize("name", ["rows.csv", "facts.json", "manifest.json"])
def test_links_are_no_files_of_the_folder(copy, tmp_path, name):
    shutil.move(copy / name, tmp_path / name)
    (copy / name).symlink_to(tmp_path / name)
    if name == "manifest.json":
        with pytest.raises(DossierError, match="it has no manifest"):
            verify(copy)
    else:
        [check] = (check for check in verify(copy) if check.what == name)
        assert (check.outcome, check.detail) == (
            Outcome.disagrees,
            "is no plain file of at most 2 GB",
        )


@pytest.mark.parametrize("name", ["rows.csv", "manifest.json"])
def test_files_that_would_fill_the_memory_are_not_read(copy, name):
    os.truncate(copy / name, 40 << 30)
    if name == "manifest.json":
        with pytest.raises(DossierError, match="is no manifest: it is larger than"):
            verify(copy)
    else:
        assert disagreeing(verify(copy)) == {name, "rows"}


def test_dates_divide_the_rows(binary, folder):
    X, y = binary.test
    days = [datetime.date(2020, 1, 1 + k % 2) for k in range(60)]
    X = X.assign(day=days)
    found = write_dossier(binary.estimator, X, y, folder, by=["day"], exports=[])
    assert [g["rows"] for g in found.facts["subgroups"] if g["column"] == "day"] == [30, 30]
    checked = verify(folder)
    assert checked.agrees, str(checked)


def test_names_of_files_are_printed_on_one_line(copy):
    (copy / "x\nagrees   rows.csv").touch()
    assert "\nagrees   rows.csv" not in str(verify(copy)).replace("\nagrees   rows.csv  ", "")


def test_a_changed_document_is_found(copy):
    forge(copy, "tripod_ai.md", lambda content: content.replace(b"For a human", b"Done", 1))
    found = verify(copy)
    assert disagreeing(found) == {"documents"}
    assert "tripod_ai.md would be filled otherwise" in str(found)


def test_foreign_code_is_not_run(copy, tmp_path):
    trace = tmp_path / "trace"
    code = f"open({str(trace)!r}, 'w').close()\n".encode()
    forge(copy, "model.py", lambda content: code + content)
    found = verify(copy)
    assert disagreeing(found) == {"python"}
    assert "model.py is not what sorb writes for this model, so it was not run" in str(found)
    assert not trace.exists()


def test_code_of_another_version_is_not_run(copy):
    def change(facts):
        facts["bundle"]["written_with"]["sqlite"]["sqlglot"] = "1.0"

    forge(copy, "facts.json", with_facts(change))
    forge(copy, "model.sqlite.sql", lambda content: b"-- by another sqlglot\n" + content)
    found = verify(copy)
    assert found.agrees
    assert outcome(found, "sqlite") is Outcome.not_run
    assert "was written by sorb" in str(found)


def test_what_is_not_installed_is_not_run(binary, folder, monkeypatch):
    written(binary, folder, exports=["javascript", "r", "c", "postgres"])
    monkeypatch.setenv("PATH", "")
    found = verify(folder)
    assert found.agrees
    for name in ("javascript", "r", "c", "postgres"):
        assert outcome(found, name) is Outcome.not_run
    assert "node is not installed; it is what sorb writes for this model" in str(found)


def test_without_rows_the_rest_is_verified(binary, folder):
    written(binary, folder, rows=False, exports=["python"])
    found = verify(folder)
    assert found.agrees
    not_run = {check.what for check in found.of(Outcome.not_run)}
    assert not_run == {"rows", "predictions", "measures", "python"}


def test_certificates_are_of_this_model(binary, folder):
    X, _ = binary.test
    ensemble = binary.estimator.ensemble_
    simplified = ensemble.simplify(X)
    y = binary.test[1]
    certificate = simplified.certificate
    write_dossier(simplified.ensemble, X, y, folder, certificate=certificate, exports=[])
    assert outcome(verify(folder), "certificate") is Outcome.agrees
    other = folder.parent / "other"
    write_dossier(ensemble, X, y, other, certificate=certificate, exports=[])
    assert disagreeing(verify(other)) == {"certificate"}


def test_changes_end_in_this_model(binary, folder):
    X, y = binary.test
    ensemble = binary.estimator.ensemble_
    edited = ensemble.edited([PinVote(0, 0.5, reason="agreed on")])
    found = write_dossier(edited.ensemble, X, y, folder, log=edited, exports=[])
    assert found.facts["changes"]["original_model"] == fingerprint(ensemble)
    assert outcome(verify(folder), "changes") is Outcome.agrees
    forge(folder, "changes.json", lambda content: content.replace(b"agreed on", b"guessed"))
    assert disagreeing(verify(folder)) == {"changes"}
    forge(folder, "changes.json", lambda _: b"[" * 100_000)
    assert disagreeing(verify(folder)) == {"changes"}
    (folder / "changes.json").unlink()
    assert disagreeing(verify(folder)) == {"changes.json", "changes"}
    with pytest.raises(DossierError, match="does not end in this model"):
        write_dossier(ensemble, X, y, folder.parent / "other", log=edited, exports=[])
    with pytest.raises(DossierError, match="log of changes cannot be read: a log is an object"):
        write_dossier(ensemble, X, y, folder.parent / "other", log={}, exports=[])


def test_the_log_of_a_page_does_not_name_the_edited_model(binary, folder):
    X, y = binary.test
    ensemble = binary.estimator.ensemble_
    elsewhere = Condition((Proposition(("age",), (1.0,), 33.5),))
    edited = ensemble.edited([ChangeCondition(0, elsewhere), PinVote(0, 0.5)])
    log = {key: value for key, value in edited.to_dict().items() if key != "edited_model"}
    write_dossier(edited.ensemble, X, y, folder, log=log, exports=[])
    assert outcome(verify(folder), "changes") is Outcome.agrees
    unmoved = ensemble.edited([PinVote(0, 0.5)]).ensemble
    others = [
        (unmoved, log),
        (edited.ensemble, log | {"votes": [0.6, *log["votes"][1:]]}),
        (edited.ensemble, {"changes": log["changes"]}),
    ]
    for model, other in others:
        with pytest.raises(DossierError, match="does not end in this model"):
            write_dossier(model, X, y, folder.parent / "other", log=other, exports=[])


def test_without_rows_neither_log_nor_certificate_tells_of_rows(binary, folder):
    X, y = binary.test
    edited = binary.estimator.ensemble_.edited([PinVote(0, 0.5)], X, y)
    write_dossier(edited.ensemble, X, y, folder, log=edited, rows=False, exports=[])
    assert "first_rows" not in (folder / "changes.json").read_text()
    simplified = binary.estimator.ensemble_.simplify(X)
    other, certificate = folder.parent / "other", simplified.certificate
    write_dossier(simplified.ensemble, X, y, other, certificate=certificate, rows=False, exports=[])
    margins = re.findall(r'margin": (\S+)', (other / "certificate.json").read_text())
    assert set(margins) == {"null,"}
    assert verify(folder).agrees
    assert verify(other).agrees


@pytest.mark.parametrize(
    "name",
    ["row", "__proto__", '"; DROP TABLE t; --', "line\nbreak", "it's", "\u2028", "*/ x /*"],
    ids=ascii,
)
def test_hostile_names_agree(name, folder):
    assert name == "row" or name in [*NAMES, "__proto__"]
    model, X, y = named_model(name, name, f"{name}.")
    exports = [each for each in ("python", "javascript", "c", "sqlite") if each in RUNNABLE]
    write_dossier(model, X, y, folder, exports=exports)
    found = verify(folder)
    assert found.agrees, str(found)
    assert not found.of(Outcome.not_run)


def test_other_folders_are_refused(tmp_path, copy):
    with pytest.raises(DossierError, match="there is no folder"):
        verify(tmp_path / "nowhere")
    with pytest.raises(DossierError, match="is no dossier of sorb: it has no"):
        verify(tmp_path)
    for content, message in [
        ("{", "it is no JSON"),
        ("[]", "its format is not"),
        ('{"format": "sorb.dossier", "version": 2}', "a newer sorb may read it"),
        ('{"format": "sorb.dossier", "version": 1, "sha256": []}', "expected the SHA-256"),
        ('{"format": "sorb.dossier", "version": 1, "sha256": {"../x": ""}}', "of this folder"),
        ('{"format": "sorb.dossier", "version": 1, "sha256": {"/x": ""}}', "of this folder"),
        (f'{{"format": "sorb.dossier", "version": 1, "sha256": {{"{"x" * 300}": ""}}}}', "folder"),
        ('{"format": "sorb.dossier", "version": 1, "sha256": {"a\\nb": ""}}', "of this folder"),
    ]:
        (copy / "manifest.json").write_text(content)
        with pytest.raises(DossierError, match=message):
            verify(copy)


@pytest.mark.parametrize("value", [None, 7, [], {}, "x"], ids=repr)
def test_any_facts_can_be_verified(sealed, tmp_path, value):
    facts = json.loads((sealed / "facts.json").read_bytes())
    for key in facts:
        copy = shutil.copytree(sealed, tmp_path / key)
        for name in ("model.py", "model.sqlite.sql"):
            (copy / name).unlink()
        if facts[key] != value:
            forge(copy, "facts.json", lambda _, key=key: json.dumps(facts | {key: value}).encode())
        assert not verify(copy).agrees
