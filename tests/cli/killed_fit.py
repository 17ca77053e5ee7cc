"""A fit by the command line that is killed."""

import os
import signal
import subprocess
import sys
import time

import pytest

from sorb.rules import RuleEnsemble

SORB = [sys.executable, "-c", "from sorb.cli import main; main()"]
LONGEST = 120  # seconds until a fit has its first rule


def kill_soon(arguments, partial, wait=0.0):
    """Start a fit, wait for its next rule and some seconds more, and kill it.

    `partial` is the file with its rules so far. Tells whether the fit had not ended before.
    """
    before = partial.stat().st_mtime_ns if partial.exists() else 0
    command = [*SORB, "fit", *arguments, "--out", str(partial.with_suffix(""))]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    end = time.monotonic() + LONGEST
    while process.poll() is None and time.monotonic() < end:
        if partial.exists() and partial.stat().st_mtime_ns > before:
            break
        time.sleep(0.005)
    time.sleep(wait)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def same_model(one, other):
    """Whether two files hold the same rules, with the same votes but for the order of sums."""
    models = [RuleEnsemble.from_json(path.read_text(encoding="utf-8")) for path in (one, other)]
    conditions = [[rule.condition for rule in model] for model in models]
    votes = [[*model.offsets, *(rule.vote for rule in model)] for model in models]
    return conditions[0] == conditions[1] and votes[0] == pytest.approx(votes[1], rel=1e-12)
