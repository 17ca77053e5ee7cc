import pytest


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("no model", "model.json is not a model"),
        ('{"format": "sorb.rule-ensemble", "version": 99}', "version"),
    ],
)
def test_a_file_that_is_not_a_model_is_refused(content, words, said, folder, table):
    (folder / "model.json").write_text(content)
    code, _, errors = said("predict", "model.json", table)
    assert code == 1
    assert words in errors


def test_a_missing_model_is_named(said, table):
    assert said("predict", "nowhere.json", table)[::2] == (
        1,
        "sorb: nowhere.json: No such file or directory\n",
    )
