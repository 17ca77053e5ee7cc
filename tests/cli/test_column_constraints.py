import json

import numpy as np
import pytest

from sorb import RuleEnsemble


@pytest.mark.parametrize("lazily", [False, True], ids=["in memory", "in pieces"])
def test_a_fit_obeys_the_options(fitted, folder, lazily):
    options = ("--monotone", "age=-,weight=+", "--together", "age;weight,height", "--out", "m.json")
    fitted("--ignore", "stay", *options, *(("--memory", "4GB") if lazily else ()))
    ensemble = RuleEnsemble.load(folder / "m.json")
    assert len(ensemble) > 0
    for rule in ensemble:
        columns = set(rule.condition.columns)
        assert columns <= {"age"} or columns <= {"weight", "height"} or columns <= {"group"}
        for part in rule.condition.propositions:
            for name, weight in zip(part.columns, getattr(part, "weights", ()), strict=False):
                assert weight * rule.vote * {"age": -1, "weight": 1}.get(name, 0) >= 0


def test_prices_are_told(fitted):
    found = fitted("--ignore", "stay", "--price", "age=4,weight=0.5,height=0.25")
    rules = RuleEnsemble.from_json(json.dumps(found["model"]))
    used = {name for rule in rules for name in rule.condition.columns}
    expected = sum({"age": 4, "weight": 0.5, "height": 0.25}.get(name, 0) for name in used)
    assert found["price"] == np.ceil(expected)


def test_prices_are_printed(said, table):
    code, printed, _ = said("fit", str(table), "--target", "ill", "--price", "age=4")
    assert code == 0
    assert "The columns that the model uses cost" in printed


def test_a_column_with_an_infinite_price_is_not_used(fitted):
    found = fitted("--ignore", "stay", "--price", "age=inf")
    assert "age" not in str(found["model"]["rules"])


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--monotone", "age=up"), 2, "such as age=+,weight=-"),
        (("--monotone", "size=+"), 1, "no column 'size' for --monotone"),
        (("--together", "age,size"), 1, "no column 'size' for --together"),
        (("--price", "age=much"), 2, "such as crp=5"),
        (("--price", "age=-1"), 1, "price of column 'age' must be from 0 to 1000"),
        (("--monotone", "group=+"), 1, "column 'group' holds categories"),
    ],
)
def test_bad_options_are_refused(said, table, options, code, message):
    found, _, problem = said("fit", str(table), "--target", "ill", "--ignore", "stay", *options)
    assert found == code
    assert message in " ".join(problem.split())
