import json

import pytest
from cli.patients import hand_made

from sorb import render
from sorb.losses import Tweedie


def test_text_is_what_the_model_says_of_itself(said, model):
    assert said("show", model) == (0, hand_made().describe() + "\n", "")


@pytest.mark.parametrize("name", ["latex", "html", "markdown"])
def test_tables_for_documents_are_those_of_render(name, said, model):
    code, printed, errors = said("show", model, "--format", name, "--digits", "2")
    assert (code, errors) == (0, "")
    assert printed == getattr(render, f"to_{name}")(hand_made(), 2).rstrip("\n") + "\n"


def test_all_digits_can_be_asked_for(said, folder):
    hand_made(offset=-2.0 - 1e-9).save(folder / "model.json")
    assert "−2.000000001 " in said("show", "model.json", "--digits", "0")[1]
    assert "−2.000000001 " not in said("show", "model.json")[1]


@pytest.mark.parametrize("name", ["text", "latex", "html", "markdown"])
def test_short_numbers_are_shown_whole(name, said, folder):
    hand_made(offset=-2.3456).save(folder / "model.json")
    assert ".3456" in said("show", "model.json", "--format", name)[1]
    assert ".3456" not in said("show", "model.json", "--format", name, "--digits", "3")[1]


def test_json_has_documented_keys(said, model):
    found = json.loads(said("show", model, "--format", "json")[1])
    assert list(found) == [
        "loss", "classes", "columns", "used_columns", "units", "per_exposure", "complexity",
        "offset", "rules",
    ]  # fmt: skip
    assert found["used_columns"] == ["age", "weight", "height", "group"]
    assert found["units"] == {"weight": "kg", "height": "m"}
    assert found["rules"][1] == {
        "vote": -0.25,
        "output": 0,
        "condition": "group in {A, AB}",
        "complexity": 4,
    }


def test_json_has_the_power_of_tweedie(said, folder):
    hand_made(loss=Tweedie(1.25), classes=None).save(folder / "model.json")
    found = json.loads(said("show", "model.json", "--format", "json")[1])
    assert (found["loss"], found["power"]) == ("tweedie", 1.25)


@pytest.mark.parametrize(
    "arguments", [("--format", "word"), ("--digits", "-1"), ("--digits", "9" * 20)]
)
def test_errors(arguments, said, model):
    assert said("show", model, *arguments)[0] == 2
