"""``sorb lab datasets``: list the datasets, or save one as a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from sorb.cli.arguments import JsonOption, examples

__all__ = ["EXAMPLES", "datasets"]

EXAMPLES = examples(
    "sorb lab datasets",
    "sorb lab datasets --json",
    "sorb lab datasets --save nhanes_standin --out nhanes_like.csv",
)


def datasets(
    as_json: JsonOption = False,
    save: Annotated[
        str | None, typer.Option(metavar="NAME", help="Write the table of this dataset as CSV.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to write it to; NAME.csv if not given.")
    ] = None,
) -> None:
    """List the datasets, or save one as a table.

    The list says which of them have their files on this machine.
    """
    from sorb.cli.lab.grid import print_grid
    from sorb.cli.printing import print_json
    from sorb.lab.datasets import catalogue, is_available

    if save is not None:
        _save(save, out or Path(f"{save}.csv"))
        return
    entries = [
        {
            "name": entry.name,
            "task": entry.task,
            "rows": entry.size[0] if entry.size else None,
            "columns": entry.size[1] if entry.size else None,
            "source": entry.source,
            "licence": entry.licence,
            "at_hand": is_available(entry.name),
        }
        for entry in catalogue()
    ]
    if as_json:
        print_json(entries)
        return
    columns = ["name", "task", "size", "files", "source and licence"]
    print_grid(columns, map(_line, entries), breakable="source and licence")


def _save(name: str, path: Path) -> None:
    import pandas as pd

    from sorb.cli.printing import print_text
    from sorb.lab.datasets import load
    from sorb.rules.atomic_files import replace_file

    data = load(name)
    description = data.description
    target = description.target if description else "target"
    others = {target: data.y}
    if description and data.exposure is not None:
        others[description.exposure] = data.exposure
    table = pd.DataFrame(data.X, columns=list(data.columns)).assign(**others)
    replace_file(path, table.to_csv(index=False, lineterminator="\n").encode())
    print_text(f"{path}: {len(table)} rows, {table.shape[1]} columns, the target is {target}")


def _line(entry: Mapping[str, Any]) -> list[str]:
    size = f"{entry['rows']} × {entry['columns']}" if entry["rows"] else "–"
    files = "at hand" if entry["at_hand"] else "to download"
    source = f"{entry['source']}. Licence: {entry['licence']}."
    return [entry["name"], entry["task"] or "–", size, files, source]
