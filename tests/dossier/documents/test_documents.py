"""The documents: all items are there, each is filled with evidence or left for a human."""

import re

import pytest
from dossier.dossiers import named_model, rate_model, written
from hostile_names import HTML, LINES, MARKDOWN

from sorb.dossier import write_dossier
from sorb.dossier.documents import DOCUMENTS, write_documents
from sorb.dossier.documents.annex_iv import ANNEX_IV
from sorb.dossier.documents.answers import ANSWERS
from sorb.dossier.documents.markdown import FOR_A_HUMAN
from sorb.dossier.documents.tripod_ai import TRIPOD_AI

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


def test_all_evidence_is_in_the_facts(example, folder):
    facts = written(example, folder).facts
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
