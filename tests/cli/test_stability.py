"""Which rules are found again, on the command line."""

import json

import pandas as pd
import pytest
from joblib import parallel_config

from sorb import RuleEnsemble, stability


@pytest.fixture
def ask(said, table, model):
    """Ask how stable the model is, without starting processes."""

    def asked(*options):
        with parallel_config("threading"):
            return said("stability", model, table, "--target", "ill", *options)

    return asked


def test_rules_are_counted(ask):
    code, printed, errors = ask("--resamples", "3")
    assert (code, errors) == (0, "")
    assert "Learned again from 3 resamples of 300 rows" in printed
    assert "% of the rows get the same class" in printed


def test_the_outcome_is_not_learned_from(said, table, folder):
    fit = ("--max-rules", "1", "--test-size", "0", "--out", "fitted.json")
    said("fit", table, "--target", "ill", *fit)
    model = RuleEnsemble.load(folder / "fitted.json")
    frame = pd.read_csv(folder / table)
    expected = stability(model, frame[list(model.columns)], frame["ill"], n_resamples=3, n_jobs=1)
    with parallel_config("threading"):
        asked = ("stability", "fitted.json", table, "--target", "ill", "--resamples", "3", "--json")
        document = json.loads(said(*asked)[1])
    assert document["agreement"] == expected.agreement
    assert [r["found"] for r in document["rules"]] == [r.found for r in expected.rules]


def test_json_and_a_picture(ask, folder):
    code, printed, errors = ask("--resamples", "2", "--json", "--picture", "found.png")
    assert (code, errors) == (0, "")
    document = json.loads(printed)
    assert (document["n_resamples"], document["picture"]) == (2, "found.png")
    assert len(document["rules"]) == 2
    assert (folder / "found.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--resamples", "1"), "greater than or equal to 2"),
        (("--picture", "found.doc"), "a figure must be one of"),
        (("--group", "nobody"), "nobody"),
    ],
)
def test_what_cannot_be_done_is_refused(ask, options, message):
    code, printed, errors = ask(*options)
    assert (code != 0, printed) == (True, "")
    assert message in " ".join(errors.split())
