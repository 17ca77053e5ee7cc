"""Where a model comes from."""

import json
from dataclasses import replace

import pytest

from sorb import ModelFormatError, RuleEnsemble
from sorb.rules.training_record import TrainingRecord

RECORD = TrainingRecord(
    "LLTBoostClassifier", {"max_rules": "3"}, {"sorb": "0.1.0"}, 300, 3.0, "ill", "30 % of the rows"
)
MODEL = RuleEnsemble(0.5, (), ("age",), "squared", record=RECORD)


def test_a_record_survives_a_model_file(tmp_path):
    MODEL.save(tmp_path / "model.json")
    assert RuleEnsemble.load(tmp_path / "model.json").record == RECORD
    plain = replace(MODEL, record=None)
    assert "record" not in json.loads(plain.to_json())
    assert RuleEnsemble.from_json(plain.to_json()).record is None


def test_models_with_other_records_are_equal():
    other = replace(MODEL, record=None)
    assert (other == MODEL, hash(MODEL) == hash(other)) == (True, True)


def test_what_is_made_of_a_model_keeps_its_record():
    assert MODEL.with_votes(1.0, []).record == MODEL[:0].record == RECORD


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    [
        ({"estimator": 3}, "record.estimator", "expected a string, found 3"),
        ({"settings": {"max_rules": 3}}, "record.settings.max_rules", "expected a string"),
        ({"versions": []}, "record.versions", "expected an object"),
        ({"n_rows": -1}, "record", "n_rows"),
        ({"reg_lambda": "3"}, "record.reg_lambda", "expected"),
        ({"n_rows": 1.5}, "record.n_rows", "expected"),
        ({"date": "today"}, "record", 'the key "date" is not known'),
    ],
)
def test_what_is_no_record_is_refused(change, place, problem):
    document = json.loads(MODEL.to_json())
    document["record"] |= change
    with pytest.raises(ModelFormatError, match=problem) as found:
        RuleEnsemble.from_json(json.dumps(document))
    assert found.value.place == place


@pytest.mark.parametrize(
    "fields", [{"estimator": None}, {"settings": {"a": 1}}, {"versions": {1: "a"}}, {"target": 1}]
)
def test_fields_are_texts(fields):
    with pytest.raises(TypeError, match="must be a text"):
        replace(RECORD, **fields)


@pytest.mark.parametrize("text", ["-" * 100_000 + "1", "1+" * 50_000 + "1j", "{[]: 1}", "f()"])
def test_settings_that_are_no_values_are_not_read(text):
    record = TrainingRecord("LLTBoostClassifier", {"units": text, "cv": "5"}, {}, 300)
    assert record.readable_settings == {"cv": 5}
