"""Kernels answer or refuse whatever arguments they are given.

They must never read beyond an array: `make sanitize` and `make attack` see it if they do.
"""

import enum
import os
import subprocess
import sys

from attacks.kernel_calls import CALLS, call

from sorb import _kernels

N_CALLS = int(os.environ.get("SORB_KERNEL_CALLS", "9000"))

# Three rows on which the search of the weights goes round in circles.
SEARCH = """
import numpy as np
from sorb._kernels import Objective, ObjectiveKind, Steps, oblique_levels

Z = np.array([[2.0, -2.0], [-2.0, -1.0], [-2.0, 2.0]], order="F")
gradient = np.array([2.0, 0.0, -2.0])
objective = Objective(ObjectiveKind.second_order, 0.1, gradient, np.ones(3))
for limit in (150, 2**31 - 1):
    chains = oblique_levels(Z, objective, None, gradient, limit, Steps.refine, 1)
    print([len(chain) for chain in chains])
"""


def test_random_calls_are_answered_or_refused():
    outcomes = {call(seed) for seed in range(N_CALLS)}
    ways = ("unspoilt and answered", "answered", "refused")
    assert outcomes >= {(name, how) for name in CALLS for how in ways}


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


def test_a_search_ends_whatever_its_limit():
    """Parts that were learned again without getting larger went on for two billion steps.

    In a process of its own, which can be stopped.
    """
    command = [sys.executable, "-c", SEARCH]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split("\n")[:2] == ["[150, 150]", "[200, 200]"]
