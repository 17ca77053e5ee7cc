"""Other methods on the same rows."""

from itertools import islice

import numpy as np

from sorb import LLTBoostClassifier
from sorb.report import report
from sorb.report.comparison import _rivals
from sorb.report.given_rows import GivenRows
from sorb.report.rows import ReportRows


def test_rivals_choose_their_sizes_by_whole_groups():
    """Rows of a patient are alike, and say nothing of other patients."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(40), 4)
    X = rng.normal(size=(40, 3))[patient] + rng.normal(0, 0.01, (160, 3))
    y = rng.integers(0, 2, 40)[patient]
    model = LLTBoostClassifier(max_rules=1, selection=None, effort="low").fit(X, y, groups=patient)
    given = GivenRows(X, y, groups=patient)
    test = ReportRows.of(model.ensemble_, model._open(X, model.ensemble_).read(), given)
    _, tree = islice(_rivals(model, given, given, test, [], print), 2)
    assert len(np.unique(tree.scores)) == 2
    page = report(model, X, y, groups=patient, X_test=X, y_test=y, compare=False)
    notes = page.data["evidence"]["tables"][0]["notes"]
    assert "a small decision tree (2 leaves)" in " ".join(notes)


def test_it_says_why_there_are_no_rivals():
    X, y = np.arange(30.0)[:, None], ["ill"] * 30
    model = LLTBoostClassifier(selection=None).fit(X, y)
    data = report(model, X, y, X_test=X, y_test=y).data
    assert [method["name"] for method in data["comparison"]["methods"]][:1] == ["sorb"]
    assert "left out, as there is a single class" in " ".join(data["comparison"]["notes"])
