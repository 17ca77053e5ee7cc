from collections import Counter

import numpy as np
import pandas as pd
import pytest

from sorb import LLTBoostClassifier
from sorb.rules import columns


@pytest.mark.parametrize("ask", ["predict", "transform", "explain"])
def test_a_prediction_reads_each_column_once(ask, monkeypatch):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "unused"])
    y = (table["a"] > 0) & (table["b"] > 0)
    model = LLTBoostClassifier(max_rules=4, selection=None).fit(table[["a", "b", "unused"]], y)
    used, read = model.ensemble_.used_columns, Counter()
    numbers = columns.frame_numbers

    def counted(column):
        read[column.name] += 1
        return numbers(column)

    monkeypatch.setattr(columns, "frame_numbers", counted)
    getattr(model, ask)(table)
    assert len(used) >= 2
    assert read == dict.fromkeys(used, 1)
