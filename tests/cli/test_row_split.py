from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.cli.row_split import split_rows

LABELS = st.lists(st.sampled_from("aaaabbc"), min_size=1, max_size=60)


@settings(derandomize=True, max_examples=40)
@given(y=LABELS, share=st.floats(0, 0.9), seed=st.integers(0, 5), stratify=st.booleans())
def test_rows_are_divided_in_the_share_that_was_asked_for(y, share, seed, stratify):
    training, test = split_rows(y, share, seed, stratify)
    assert sorted([*training, *test]) == list(range(len(y)))
    # What a class cannot give, because one of its rows is a training row, the others give.
    assert abs(len(test) - share * len(y)) <= len(set(y)) + 1


@settings(derandomize=True, max_examples=40)
@given(y=LABELS, share=st.floats(0, 0.9), seed=st.integers(0, 5))
def test_each_class_has_its_share_of_training_and_test_rows(y, share, seed):
    training, test = split_rows(y, share, seed, stratify=True)
    assert {y[row] for row in training} == set(y)
    kept = Counter(y[row] for row in test)
    for label, count in Counter(y).items():
        assert abs(kept[label] - share * count) <= len(set(y)) + 1


def test_the_seed_decides():
    y = list(range(100))
    draws = [split_rows(y, 0.25, seed, stratify=False)[1] for seed in (0, 0, 1)]
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
