"""How long it takes to import sorb, beyond what scikit-learn takes anyway."""

import argparse
import statistics
import subprocess
import sys

import tables
from rich.progress import track

SKLEARN = "from sklearn.linear_model import LogisticRegression"
SORB = "from sorb import LLTBoostClassifier, LLTBoostRegressor"
CASES = {  # what is imported: what was imported before
    "scikit-learn's linear models": ("pass", SKLEARN),
    "sorb": ("pass", SORB),
    "sorb, after scikit-learn's linear models": (SKLEARN, SORB),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9, help="processes per case (default: 9)")
    options = parser.parse_args()
    rows = [
        {"import of": what, "median, ms": f"{1000 * _median(*case, options.repeats):.0f}"}
        for what, case in track(CASES.items(), description="Importing", transient=True)
    ]
    path = tables.RESULTS / "import_time.md"
    notes = [
        f"Median of {options.repeats} new processes each, after one that warms the disk cache.",
        "",
        f"Machine: {tables.machine()}.",
    ]
    tables.write_markdown(path, "Import time", rows, notes)
    print(path.read_text())


def _median(before, statement, repeats):
    _seconds(before, statement)
    return statistics.median(_seconds(before, statement) for _ in range(repeats))


def _seconds(before, statement):
    program = (
        f"import time\n{before}\nstart = time.perf_counter()\n{statement}\n"
        "print(time.perf_counter() - start)"
    )
    command = [sys.executable, "-c", program]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    main()
