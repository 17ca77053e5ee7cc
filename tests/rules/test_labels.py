import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.rules import labels
from sorb.rules.labels import Labels

TEXTS = st.sampled_from(["A", "b", "", "é", "a\x00b", "\ud800", np.str_("A")])
MISSING = st.sampled_from([None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT")])
OTHERS = st.sampled_from([b"A", 1, 1.0, True, "1", ["A"], (1,), pd.Timestamp("2020-01-01")])


@settings(max_examples=300, derandomize=True)
@given(
    st.one_of(*(st.lists(kinds) for kinds in (TEXTS, TEXTS | MISSING, TEXTS | MISSING | OTHERS)))
)
def test_many_labels_are_told_apart_as_few_are(values):
    """Many are numbered by pyarrow, if all of them are texts."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    few = Labels.of(array)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labels, "_MANY", 0)
        many = Labels.of(array)
    assert many.values == few.values
    assert np.array_equal(many.codes, few.codes)


def test_many_texts_are_numbered_by_pyarrow():
    array = np.array(["A", None, "B"], dtype=object)
    assert labels._texts(array) is not None
    assert labels._texts(np.array(["A", 1], dtype=object)) is None
