"""``sorb lab status``: which units of a run are done, failed or missing."""

from __future__ import annotations

from typing import Any

from sorb.cli.arguments import JsonOption, examples
from sorb.cli.lab.results import RunFolder, open_results

__all__ = ["EXAMPLES", "status"]

EXAMPLES = examples("sorb lab status", "sorb lab status results/paper --json")


def status(folder: RunFolder = None, as_json: JsonOption = False) -> None:
    """Show what of a run is done, failed or missing.

    A unit of work is one method on one split of one dataset. Also says how long they took.
    """
    from sorb.cli.lab.grid import print_grid
    from sorb.cli.lab.run_state import run_state
    from sorb.cli.printing import print_json, print_text
    from sorb.lab.curves import failures

    results = open_results(folder)
    rows = results.table()
    entries = run_state(results.done(), results.facts(), rows)
    if as_json:
        print_json(entries)
        return
    total = {key: sum(entry[key] for entry in entries) for key in ("done", "failed", "missing")}
    print_text(f"{results.folder}: " + ", ".join(f"{n} {key}" for key, n in total.items()))
    lines = [[_format(value) for value in entry.values()] for entry in entries]
    print_grid(list(entries[0]), lines, breakable="dataset")
    for failure in failures(rows):
        print_text(
            f"{failure.method} on {failure.dataset}, repetition {failure.repetition} "
            f"failed: {failure.reason}"
        )


def _format(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
