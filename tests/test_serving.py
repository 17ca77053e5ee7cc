"""The service in docs/serving.md: started as it stands there, and asked over HTTP."""

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from sorb import Condition, Membership, Proposition, Rule, RuleEnsemble
from sorb.explanation import Explanation
from sorb.rules import ColumnExperience

PAGE = Path(__file__).parents[1] / "docs" / "serving.md"
SERVICE = re.compile(r"<!-- service.py -->\n```py\n(.*?)```", re.DOTALL)
ANSWER = re.compile(r"<!-- the answer -->\n```json\n(.*?)```", re.DOTALL)
ROWS = [{"age": 52, "blood_group": "A", "id": 7}, {"age": None, "blood_group": "O"}]


@pytest.fixture(scope="module")
def model():
    old = Condition((Proposition(("age",), (1.0,), 40.0),))
    group = Condition((Membership("blood_group", ("A", "AB")),))
    rules = (Rule(old, 1.5), Rule(group, 1.0))
    columns = ("age", "blood_group", "postcode")
    seen = {
        "age": ColumnExperience(missing=True, range=(18, 84)),
        "blood_group": ColumnExperience(missing=False, categories=("A", "AB", "B", "O")),
    }
    return RuleEnsemble(-2.0, rules, columns, "logistic", ("well", "ill"), experience=seen)


@pytest.fixture(scope="module")
def address(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    (folder / "service.py").write_text(SERVICE.search(PAGE.read_text("utf-8"))[1], "utf-8")
    model.save(folder / "model.json")
    command = [sys.executable, "service.py", "model.json", "0"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as service:
        yield service.stdout.readline().split()[-1]
        service.kill()


def ask(url, body=None):
    """Send a request, and give the status and the answer."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data), timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_many_rows_get_what_the_model_predicts(address, model):
    status, found = ask(f"{address}/predict", ROWS)
    assert status == 200
    assert [row["prediction"] for row in found] == model.predict(ROWS).tolist()
    shares = [[row["probabilities"][name] for name in ("well", "ill")] for row in found]
    assert shares == model.predict_proba(ROWS).tolist()
    explanation = Explanation.of(model, ROWS)
    assert [row["because"] for row in found] == [explanation.in_words(k) for k in range(2)]


def test_what_is_unlike_the_training_is_named(address):
    rows = [*ROWS, {"age": 7, "blood_group": "Oh"}]
    _, found = ask(f"{address}/predict", rows)
    assert [row["outside_training"] for row in found] == [[], [], ["age", "blood_group"]]


def test_one_row_gets_the_answer_that_the_page_shows(address):
    row = {"age": 52, "blood_group": "A"}
    assert ask(f"{address}/predict", row) == (200, json.loads(ANSWER.search(PAGE.read_text())[1]))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"age=52", "Expecting value"),
        ([{"age": 52}], "missing columns: 'blood_group' in row 0"),
        ({"age": "52", "blood_group": "A"}, "column 'age' must hold numbers, found '52' in row 0"),
        (5, "found builtins.int"),
    ],
)
def test_bad_requests_are_told_what_is_wrong(address, body, reason):
    status, found = ask(f"{address}/predict", body)
    assert status == 422
    assert reason in found["error"]


def test_other_addresses(address):
    assert ask(f"{address}/health") == (200, {"status": "ok", "columns": ["age", "blood_group"]})
    assert ask(f"{address}/model")[0] == 404
    assert ask(f"{address}/predict", b"")[0] == 413
