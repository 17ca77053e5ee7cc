"""The most memory that a command uses."""

import os
import subprocess
import sys

from sorb.cli.memory_limit import MB, parse_memory

# How many rows the tables have; `make test-memory` has more.
ROWS = int(os.environ.get("SORB_MEMORY_ROWS", "50_000"))
# Reports the most memory that it has used, as the system counts it.
MEASURED = """
import sys
from sorb.cli import run
from sorb.cli.memory_limit import used_memory
code = run(sys.argv[1:])
print("peak", used_memory(), file=sys.stderr)
sys.exit(code)
"""


def peak_memory(*arguments):
    """Run a command in a process of its own, and give its peak of memory in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return int(done.stderr.split("peak ")[1])


def obeys_limit(table, limit, folder):
    """Whether a fit on a table, as the command line names it, and a prediction obey a limit."""
    model = folder / "m.json"
    options = ("--target", "ill", "--max-rules", 2, "--selection", "none", "--memory", limit)
    fit = peak_memory("fit", *table, *options, "--out", model)
    predict = peak_memory("predict", model, *table, "--memory", limit, "--out", folder / "o.csv")
    print(f"{table[0]}, {ROWS} rows, {limit}: {fit / MB:.0f} MB, {predict / MB:.0f} MB")
    return max(fit, predict) <= parse_memory(limit)
