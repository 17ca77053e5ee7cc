"""The rules so far of a fit that is not finished, in a file beside that of the model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sorb.cli.printing import print_message
from sorb.learning.boosting import GrownModels
from sorb.learning.checkpoint import grown_from_document, grown_to_document
from sorb.rules.atomic_files import replace_file

__all__ = ["PartialFit", "partial_path"]

FORMAT, VERSION = "sorb partial fit", 1
UNFINISHED = (
    "Rules of a fit that is not finished: the size is not chosen, and the votes are fitted to a "
    "sample. Run the same command again to go on."
)


def partial_path(out: Path | None) -> Path | None:
    """Name the file beside that of the model; None if there is none, or if it is a device."""
    if out is None or (out.exists() and not out.is_file()):
        return None
    return out.with_name(f"{out.name}.partial")


@dataclass(frozen=True, slots=True)
class PartialFit:
    """Keeps the rules so far, as `sorb.learning.checkpoint.Checkpoint` describes.

    Attributes
    ----------
    path : the file.
    table : what tells whether the table is the same: its rows, its columns, and sums over them.
    parameters : what the rules depend on besides the table.
    """

    path: Path
    table: dict[str, Any]
    parameters: dict[str, Any]

    @classmethod
    def of(cls, path: Path, table: dict[str, Any], parameters: dict[str, Any]) -> PartialFit:
        """Keep the rules in a file, with what JSON can hold of the others."""
        return cls(path, *json.loads(json.dumps([table, parameters], default=repr)))

    def read(self) -> GrownModels | None:
        """Read the rules of a fit that was killed; say so if they are of no use."""
        if not self.path.exists():
            return None
        try:
            document = json.loads(self.path.read_text("utf-8"))
            reason = self._why_another(document)
            grown = None if reason else grown_from_document(document["grown"])
        except (ValueError, KeyError, TypeError, AttributeError):
            grown, reason = None, "it is damaged"
        if grown is None:
            print_message(f"{self.path} is not used, as {reason}: starting anew")
            return None
        rules = f"{len(grown.last)} rule{'' if len(grown.last) == 1 else 's'}"
        print_message(f"going on from the {rules} in {self.path}")
        return grown

    def write(self, grown: GrownModels) -> None:
        """Keep the rules so far."""
        document = {
            "format": FORMAT,
            "version": VERSION,
            "unfinished": UNFINISHED,
            "table": self.table,
            "parameters": self.parameters,
            "grown": grown_to_document(grown),
        }
        replace_file(self.path, f"{json.dumps(document, indent=1)}\n".encode())

    def remove(self) -> None:
        """Remove the file, as the fit is finished."""
        self.path.unlink(missing_ok=True)

    def _why_another(self, document: dict[str, Any]) -> str | None:
        if (document["format"], document["version"]) != (FORMAT, VERSION):
            return "it has another format"
        # The seed is among them, and it draws other test rows.
        if document["parameters"] != self.parameters:
            return "the options differ"
        return None if document["table"] == self.table else "the table has changed"
