import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.learning.group_hashes import hash_groups

# Some rows, each of a group, by the numbers of their contents.
HELD = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=30)


def entries(held):
    """The different rows of each group, in the order of their hashes, with their weights."""
    counts = {pair: held.count(pair) for pair in held}
    pairs = sorted(counts)
    groups = np.unique([group for _, group in pairs], return_inverse=True)[1]
    hashes = np.array([1_000_003 * content for content, _ in pairs], dtype=np.uint64)
    return hashes, np.array([float(counts[pair]) for pair in pairs]), groups


def held_by(held):
    """What each group holds, in the order of the groups."""
    groups = sorted({group for _, group in held})
    return [sorted(content for content, other in held if other == group) for group in groups]


@settings(derandomize=True, max_examples=60)
@given(held=HELD, permutation=st.permutations(range(5)))
def test_hashes_and_ranks_depend_on_what_groups_hold_not_on_their_labels(held, permutation):
    hashes, ranks = hash_groups(*entries(held))
    renamed = [(content, permutation[group]) for content, group in held]
    others, other_ranks = hash_groups(*entries(renamed))

    def of_contents(values, held):
        return sorted(zip(held_by(held), values.tolist(), strict=True))

    assert of_contents(hashes, held) == of_contents(others, renamed)
    assert of_contents(ranks, held) == of_contents(other_ranks, renamed)


@settings(derandomize=True, max_examples=60)
@given(held=HELD)
def test_each_group_has_a_hash_and_a_rank_of_its_own(held):
    hashes, ranks = hash_groups(*entries(held))
    assert len(set(hashes.tolist())) == len(hashes)
    assert sorted(ranks.tolist()) == list(range(len(ranks)))


def test_the_hash_of_a_group_does_not_depend_on_its_weights():
    hashes, groups = np.array([3, 8, 9], dtype=np.uint64), np.array([0, 0, 1])
    light, heavy = (hash_groups(hashes, np.full(3, w), groups)[0] for w in (1.0, 7.0))
    assert np.array_equal(light, heavy)
