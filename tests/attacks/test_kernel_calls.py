"""Kernels answer or refuse whatever arguments they are given.

They must never read beyond an array: `make sanitize` and `make attack` see it if they do.
"""

import enum
import os

import pytest
from attacks.kernel_calls import CALLS, call

from sorb import _kernels

N_CALLS = int(os.environ.get("SORB_KERNEL_CALLS", "3000"))


def test_random_calls_are_answered_or_refused():
    outcomes = {call(seed) for seed in range(N_CALLS)}
    assert outcomes == {(name, how) for name in CALLS for how in ("answered", "refused")}


def test_every_kernel_is_called():
    """Functions and methods; the types among the public names are structures and enumerations."""
    public = {name: value for name, value in vars(_kernels).items() if not name.startswith("_")}
    types = {name: value for name, value in public.items() if isinstance(value, type)}
    functions = set(public) - set(types)
    methods = {
        f"{name}.{method}"
        for name, value in types.items()
        if not issubclass(value, enum.Enum)
        for method in vars(value)
        if not method.startswith("_") and callable(getattr(value, method))
    }
    assert functions | methods <= set(CALLS)


@pytest.mark.parametrize("case", [727212, 853201])
def test_a_search_ends_whatever_its_limit(case):
    """Parts that were learned again without getting larger went on for two billion steps."""
    assert call(case) == ("oblique_levels", "answered")
