"""Rows that are written are read back as they were."""

import math

import numpy as np
import pandas as pd
import pytest
from dossier.dossiers import named_model, rate_model
from hostile_names import NAMES
from hypothesis import given
from hypothesis import strategies as st

from sorb.dossier.errors import DossierError
from sorb.dossier.row_file import RowFile, number_of, read_rows
from sorb.dossier.subject import Settings, Subject
from sorb.report.given_rows import GivenRows
from sorb.rules import Condition, Membership, Rule, RuleEnsemble


def subject_of(model, X, y, *more, target="it"):
    return Subject.of(model, GivenRows(X, y, *more), target, Settings())


def read_again(subject):
    """Write the rows, read them, and open them as a subject."""
    found = RowFile.of(subject)
    again = read_rows(found.text, found.to_dict())
    return Subject.of(subject.ensemble, again.given, subject.target, subject.settings)


def assert_same(subject, again):
    assert (subject.ensemble(subject.rows.source) == again.ensemble(again.rows.source)).all()
    for name in ("y", "weight", "numbers"):
        assert (getattr(subject.rows, name) == getattr(again.rows, name)).all()


@pytest.mark.parametrize("name", [n for n in NAMES if "\0" not in n], ids=ascii)
def test_hostile_names_and_labels_come_back(name):
    subject = subject_of(*named_model(name, name, f"{name}."))
    assert_same(subject, read_again(subject))


def test_what_csv_cannot_hold_is_refused():
    with pytest.raises(DossierError, match="NUL character"):
        RowFile.of(subject_of(*named_model("a\0b")))
    mixed = pd.DataFrame({"x": pd.Series([1, "1", 2], dtype=object)})
    of_x = Rule(Condition((Membership("x", (1, "1")),)), 1.0)
    model = RuleEnsemble(0.0, (of_x,), ("x",), "squared")
    with pytest.raises(DossierError, match="'x' holds number and text values"):
        RowFile.of(subject_of(model, mixed, [1.0, 2.0, 3.0]))


def test_an_empty_text_is_not_a_missing_one():
    of_x = Rule(Condition((Membership("x", ("",)),)), 1.0)
    model = RuleEnsemble(0.0, (of_x,), ("x",), "squared")
    table = pd.DataFrame({"x": pd.Series(["", None, "NA", "a"], dtype=object)})
    subject = subject_of(model, table, [1.0, 2.0, 3.0, 4.0])
    assert RowFile.of(subject).missing == "missing"
    again = read_again(subject)
    assert list(again.rows.source.labels("x")) == ["", None, "NA", "a"]


def test_weights_exposures_and_groups_are_kept_and_rows_of_no_weight_left_out():
    model, X, y, exposure = rate_model()
    weight = np.arange(120) % 3
    subject = subject_of(model, X, y, weight, exposure, [f"p{k // 4}" for k in range(120)])
    again = read_again(subject)
    assert_same(subject, again)
    assert len(again.rows) == 80
    assert (np.unique(again.rows.group) == np.arange(30)).all()


@pytest.mark.parametrize("labels", [(False, True), (0, 1), (2, 3.5), (10**15, 10**15 + 1)])
def test_classes_of_all_kinds_come_back(labels):
    model, X, y = named_model("x")
    model = RuleEnsemble(model.offset, model.rules, model.columns, "logistic", labels)
    subject = subject_of(model, X, [labels[int(str(v).startswith("is"))] for v in y])
    assert_same(subject, read_again(subject))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back_to_the_last_digit(value):
    found = float(number_of(repr(value)))
    assert found == value
    assert math.copysign(1, found) == math.copysign(1, value)


@pytest.mark.parametrize("content", [b"", b"row\r\n", b"row,x\r\n1\r\n", b"\xff", b'row\r\n"1'])
def test_other_files_are_refused(content):
    told = {"missing": "", "columns": [{"name": "row", "role": "row", "holds": "number"}]}
    with pytest.raises(DossierError):
        read_rows(content, told)
