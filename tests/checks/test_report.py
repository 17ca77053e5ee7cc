import json

import numpy as np
from checks.seen import ROWS, classes, plain

import sorb
from sorb.checks import Severity


def report():
    X = plain().assign(site=3, id=np.arange(ROWS))
    return sorb.check(X, classes())


def test_serious_findings_come_first():
    assert [finding.severity for finding in report()] == [Severity.serious, Severity.look]
    assert [finding.kind for finding in report().serious] == ["row-number"]
    assert len(report()) == 2


def test_the_text_says_what_is_odd_what_it_does_and_how_to_act():
    text = str(report())
    for finding in report():
        for part in (finding.what, finding.effect[1:], finding.advice[1:]):
            assert " ".join(part.split()) in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 90


def test_a_plain_table_is_said_to_be_plain():
    text = str(sorb.check(plain(), classes()))
    assert text == "Nothing looks odd about this table (300 rows, 3 columns)."
    assert sorb.check(plain(), classes()).brief() == text


def test_numbers_are_not_parted_from_their_percent_signs():
    y = classes()
    odd = sorb.check(plain().assign(late=np.where(y == "ill", 1.0, np.nan)), y)
    assert "100 % of" in odd.brief(400)
    for width in range(40, 90):
        assert not any(line.strip().startswith("%") for line in odd.brief(width).splitlines())


def test_many_findings_of_a_kind_are_counted():
    X = plain().assign(**{f"n{k}": np.arange(ROWS) * (k + 1) for k in range(8)})
    text = str(sorb.check(X, classes()))
    assert text.count("numbers the rows") == 5
    assert "The same holds for 3 more columns: n5, n6 and n7." in text


def test_a_mark_that_columns_share_is_named_once_for_all():
    marked = np.where(np.arange(ROWS) < 20, ".", np.arange(ROWS) % 50)
    text = str(sorb.check(plain().assign(**{f"n{k}": marked for k in range(8)})))
    assert "3 more columns: n5, n6 and n7. --missing . speaks of all columns." in text


def test_the_dictionary_is_json():
    document = json.loads(json.dumps(report().to_dict()))
    assert document["rows"] == ROWS
    assert [finding["kind"] for finding in document["findings"]] == ["row-number", "constant"]
    assert document["findings"][0]["severity"] == "serious"
    assert document["findings"][0]["columns"] == ["id"]
