"""The documents: all items are there, each is filled with evidence or left for a human."""

import re

import numpy as np
import pytest
from dossier.dossiers import doctored, named_model, rate_model, written
from hostile_names import HTML, LINES, MARKDOWN
from report.models import fitted

from sorb import RuleEnsemble
from sorb.dossier import verify, write_dossier
from sorb.dossier.documents import DOCUMENTS, write_documents
from sorb.dossier.documents.annex_iv import ANNEX_IV
from sorb.dossier.documents.answers import ANSWERS
from sorb.dossier.documents.markdown import FOR_A_HUMAN
from sorb.dossier.documents.model_card import MODEL_CARD
from sorb.dossier.documents.tripod_ai import TRIPOD_AI
from sorb.editing import PinVote

EVIDENCE = re.compile(r"^Evidence: facts\.json, (.*)\.$", re.MULTILINE)


def has_key(facts, key):
    for part in key.split("."):
        if not isinstance(facts, dict) or part not in facts:
            return False
        facts = facts[part]
    return True


def headings(text):
    return re.findall(r"^#+ (.*)$", text, re.MULTILINE)


def cells(line):
    return len(re.split(r"(?<!\\)\|", line))


def test_the_checklist_has_all_items():
    numbers = [item.number for item in TRIPOD_AI.items]
    assert sorted({int(re.match(r"\d+", number)[0]) for number in numbers}) == list(range(1, 28))
    assert len(numbers) == len(set(numbers)) == 52


def test_the_annex_has_all_points():
    parts = [f"1({letter})" for letter in "abcdefgh"] + [f"2({letter})" for letter in "abcdefgh"]
    assert [item.number for item in ANNEX_IV.items] == [*parts, *"3456789"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.file)
def test_each_item_is_filled_or_asks_a_human(document):
    for item in document.items:
        assert item.filled or item.question, item.title
        assert set(item.filled) <= set(ANSWERS)


def test_every_answer_is_used():
    used = {name for document in DOCUMENTS for item in document.items for name in item.filled}
    assert used == set(ANSWERS)


def test_the_model_card_has_all_sections():
    assert len(MODEL_CARD.sections) == 9


def kinds_of_dossiers(folder):
    """Facts about models of many histories."""
    example = fitted("binary")
    X, y = example.test
    model = example.estimator.ensemble_
    rates, table, counts, exposure = rate_model()
    groups = [f"p{k // 3}" for k in range(60)]
    edited = model.edited([PinVote(0, 0.5, reason="agreed on")])
    simplified = model.simplify(X)
    settings = {"class_weight": "'balanced'", "monotonic_cst": "{'age': 1}", "selection": "'best'"}
    asked = {
        "no record": (rates, table, counts, {"exposure": exposure}),
        "weights": (model, X, y, {"sample_weight": np.arange(60) % 3, "groups": groups}),
        "edited": (edited.ensemble, X, y, {"log": edited}),
        "simplified": (simplified.ensemble, X, y, {"certificate": simplified.certificate}),
        "constrained": (doctored(example.estimator, settings), X, y, {}),
        "no rules": (RuleEnsemble(0.5, (), (), "squared"), X, np.arange(60.0), {}),
        "no rows": (model, X, y, {"rows": False}),
    }
    for kind, (ensemble, rows, outcomes, options) in asked.items():
        yield kind, write_dossier(ensemble, rows, outcomes, folder / kind, exports=[], **options)


def test_evidence_is_there_whatever_became_of_a_model(tmp_path):
    for kind, found in kinds_of_dossiers(tmp_path):
        check_evidence(found.facts)
        assert verify(found.folder).agrees, (kind, str(verify(found.folder)))


def test_all_evidence_is_in_the_facts(example, folder):
    check_evidence(written(example, folder).facts)


def check_evidence(facts):
    for name, content in write_documents(facts).items():
        found = EVIDENCE.findall(content.decode())
        assert found, name
        for keys in found:
            for key in keys.replace("`", "").split(", "):
                assert has_key(facts, key), key


def test_documents_are_in_the_folder_and_promise_nothing(binary, folder):
    written(binary, folder)
    for document in DOCUMENTS:
        text = (folder / document.file).read_text("utf-8")
        assert "This is no legal advice" in text.partition("## ")[0]
        told = int(re.search(r"left for a human: (\d+)\.", text)[1])
        assert told == text.count(FOR_A_HUMAN) > 0


def item_of(folder, file, start, end="\n### "):
    text = (folder / file).read_text("utf-8")
    return text[text.index(start) :].partition(end)[0]


def test_settings_are_told_in_words(folder):
    example = fitted("binary")
    settings = {
        "class_weight": "'balanced'", "recalibrate": "True", "monotonic_cst": "{'age': 1}",
        "selection": "'one_se'",
    }  # fmt: skip
    write_dossier(doctored(example.estimator, settings), *example.test, folder, exports=[])
    told = item_of(folder, "tripod_ai.md", "### 13.")
    assert "Classes were weighted in training: 'balanced'." in told
    assert "Afterwards it was recalibrated" in told
    told = item_of(folder, "tripod_ai.md", "### 12c.")
    assert "within one standard error" in told
    assert "max_complexity=24" in told
    assert "The penalty on the squared votes is 3." in told
    assert "only rise (1) or fall (-1): {'age': 1}" in told


def test_classes_are_named_where_there_are_several(folder):
    written(fitted("classes"), folder, exports=[])
    told = item_of(folder, "model_card.md", "### What it is", "### Where")
    assert "predicts the probability of each class; " in told
    assert re.search(r"Start with \S+ for high, \S+ for low, \S+ for middle\.", told)


def test_what_was_not_set_is_told_too(binary, folder):
    written(binary, folder, exports=[])
    assert "Classes were not weighted" in item_of(folder, "tripod_ai.md", "### 13.")
    assert "no cross-validation chose it" in item_of(folder, "tripod_ai.md", "### 12c.")
    assert "No directions, groups or prices" in item_of(folder, "tripod_ai.md", "### 12b.")


def test_changes_by_hand_are_told(binary, folder):
    X, y = binary.test
    edited = binary.estimator.ensemble_.edited(
        [PinVote(0, 0.5, reason="agreed on", author="C. Ode", time="2026-05-01")]
    )
    write_dossier(edited.ensemble, X, y, folder, log=edited, exports=[])
    for file, start in (("tripod_ai.md", "### 12f."), ("eu_ai_act_annex_iv.md", "### 6."),
                        ("model_risk_inventory.md", "### Changes")):  # fmt: skip
        told = item_of(folder, file, start)
        assert "C. Ode on 2026-05-01, pin the vote of rule 1 at +0.5: agreed on" in told


def test_what_nobody_said_of_the_rows_is_asked(binary, folder):
    write_dossier(binary.estimator, *binary.test, folder, exports=[])
    assert FOR_A_HUMAN in item_of(folder, "tripod_ai.md", "### 12a.")


def test_rows_of_the_dossier_are_not_taken_for_those_of_the_training(binary, folder):
    written(binary, folder, exports=[])
    told = item_of(folder, "tripod_ai.md", "### 21.")
    assert "Of the rows that the model was measured on: the column outcome is" in told
    assert f"{FOR_A_HUMAN} How many had the outcome in the training rows" in told


def test_what_is_not_recorded_is_asked(folder):
    model, X, y, exposure = rate_model()
    write_dossier(model, X, y, folder, exposure=exposure)
    text = (folder / "model_card.md").read_text("utf-8")
    assert f"{FOR_A_HUMAN} With which method and settings" in text
    assert f"{FOR_A_HUMAN} Which values may each column have?" in text
    assert f"{FOR_A_HUMAN} How are decisions made from predictions?" in text


@pytest.fixture(scope="module")
def usual_texts(tmp_path_factory):
    """The documents about columns with plain names."""
    folder = tmp_path_factory.mktemp("plain")
    write_dossier(*named_model("x", "x", "x."), folder, exports=[])
    return {d.file: (folder / d.file).read_text("utf-8") for d in DOCUMENTS}


@pytest.mark.parametrize("name", [*LINES, *HTML, *MARKDOWN], ids=ascii)
def test_hostile_names_are_no_markup(name, folder, usual_texts):
    model, X, y = named_model(name, name, f"{name}.")
    write_dossier(model, X, y, folder, target=name, title=name, exports=[])
    for file, usual in usual_texts.items():
        text = (folder / file).read_text("utf-8")
        assert headings(text)[1:] == headings(usual)[1:]
        assert not re.search(r"(?<!\\)<[a-z/!]", text)
        widths, usual_widths = (
            {cells(line) for line in each.splitlines() if line.startswith("|")}
            for each in (text, usual)
        )
        assert widths == usual_widths
