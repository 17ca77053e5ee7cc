"""``sorb verify``: whether a dossier is as it was written, and everything in it can be repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sorb.cli.arguments import JsonOption, examples

__all__ = ["EXAMPLES", "verify"]

EXAMPLES = examples(
    "sorb verify dossier",
    "sorb verify dossier --fingerprint $(cat kept-elsewhere.txt)",
    "sorb verify dossier --json | jq '.checks[] | select(.outcome == \"disagrees\")'",
)


def verify(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A folder that 'sorb dossier' wrote.")
    ],
    fingerprint: Annotated[
        str | None,
        typer.Option(
            metavar="HEX",
            help="What 'sorb dossier' printed, kept elsewhere: without it, whoever changed a file "
            "could have changed the manifest, too.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether a dossier is as it was written, and compute everything in it again.

    Every file is compared with the manifest. The model predicts the rows again, to the last digit;
    so does each export that can be run with what is installed here, and the measures are computed
    again. Exports are run only if they are, byte by byte, what sorb itself writes for the model.
    The exit code is 1 if something disagrees.
    """
    from sorb.cli.printing import print_json, print_text
    from sorb.dossier.verify import verify as verify_folder

    found = verify_folder(folder, fingerprint)
    print_json(found.to_dict()) if as_json else print_text(str(found))
    if not found.agrees:
        raise typer.Exit(1)
