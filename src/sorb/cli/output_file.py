"""The file that a command writes, checked before any work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["check_output"]


def check_output(out: Path | None, read: Iterable[str | Path] = (), option: str = "--out") -> None:
    """Refuse a file that could not be written, or that is one of those that are read.

    Examples
    --------
    >>> check_output(Path("nowhere/model.json"))
    Traceback (most recent call last):
    ...
    FileNotFoundError: there is no folder nowhere for model.json
    """
    if out is None:
        return
    if out.is_dir():
        raise IsADirectoryError(f"{out} is a folder: name a file to write")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {out.parent} for {out.name}")
    if out.exists() and not out.is_file():  # a device or a pipe
        return
    if any(_are_same(out, other) for other in read):
        raise ValueError(f"{option} {out} would overwrite a file that is read: name another file")
    _require_permission(out)


def _are_same(out: Path, other: str | Path) -> bool:
    with suppress(OSError):  # one of them does not exist
        return out.samefile(other)
    return False


def _require_permission(out: Path) -> None:
    target = Path(os.path.realpath(out))
    for path in (target.parent, target):
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(
                f"{out} cannot be written: there is no permission to change {path}"
            )
