"""A search ends when its time is over, on all threads, and when it is interrupted."""

import os
import signal
import threading

import numpy as np
import pytest

from sorb import _kernels
from sorb._kernels import OutOfTimeError
from sorb.learning.objectives import Objective, ObjectiveKind


def search(kind, n, d, threads, seconds):
    """Search a table of noise for conditions of up to 50 weights."""
    rng = np.random.default_rng(0)
    Z = np.asfortranarray(rng.normal(size=(n, d)))
    gradient, weight = rng.normal(size=n), np.ones(n)
    objective = Objective(ObjectiveKind.gradient_boosting, 0.0, gradient, weight)
    if kind == "axis":
        return _kernels.axis_levels(Z, objective, weight, 50, threads, None, seconds)
    steps = _kernels.Steps.refine
    return _kernels.oblique_levels(Z, objective, None, gradient, 50, steps, threads, None, seconds)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", ["axis", "oblique"])
def test_a_search_without_time_is_given_up(kind, threads):
    with pytest.raises(OutOfTimeError, match="out of time"):
        search(kind, 100_000, 20, threads, 0.0)


@pytest.mark.parametrize("kind", ["axis", "oblique"])
def test_time_that_is_enough_changes_nothing(kind):
    one, other = (search(kind, 2000, 5, 1, seconds) for seconds in (np.inf, 1e6))
    for mine, others in zip(one, other, strict=True):
        assert [level.parts for level in mine] == [level.parts for level in others]


@pytest.fixture
def ctrl_c():
    """Let the signal interrupt this process, which may ignore it when tests run side by side."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def search_again_and_again(threads):
    for _ in range(100):
        search("oblique", 200_000, 30, threads, np.inf)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to the process")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_is_interrupted_by_a_signal(threads, ctrl_c):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search_again_and_again(threads)


def preparation(kernel, seconds):
    X = np.random.default_rng(0).normal(size=(1000, 3))
    y, rows = np.ones(1000), np.arange(1000)
    calls = {
        "canonical_table": lambda: _kernels.canonical_table(X, y, y, rows, seconds),
        "standardise": lambda: _kernels.standardise(X, rows, np.arange(3), y, seconds),
        "column_ranges": lambda: _kernels.column_ranges(X, None, seconds),
    }
    return calls[kernel]()


@pytest.mark.parametrize("kernel", ["canonical_table", "standardise", "column_ranges"])
def test_the_preparation_of_a_table_without_time_is_given_up(kernel):
    preparation(kernel, np.inf)
    with pytest.raises(OutOfTimeError):
        preparation(kernel, 0.0)


def hash_again_and_again():
    X, rows = np.zeros((500_000, 30)), np.arange(500_000)
    X[0] = 1.0
    for _ in range(100):
        _kernels.canonical_table(X, np.ones(len(X)), np.ones(len(X)), rows)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent to the process")
def test_hashing_is_interrupted_by_a_signal(ctrl_c):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        hash_again_and_again()
