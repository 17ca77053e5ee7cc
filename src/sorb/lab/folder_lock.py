"""A lock that lets one process at a time work on a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sorb._file_lock import try_lock


class FolderInUse(OSError):  # noqa: N818
    """Another process is working on a folder."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder for this process; it is created if it does not exist.

    The operating system releases the lock when the process ends, however it ends. The file
    ``.lock`` stays, and means nothing by itself.

    Raises
    ------
    FolderInUse
        If another process has locked it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sorb.lab.folder_lock import locked
    >>> with tempfile.TemporaryDirectory() as name, locked(Path(name)), locked(Path(name)):
    ...     pass
    Traceback (most recent call last):
    sorb.lab.folder_lock.FolderInUse: another process is working on this folder: ...
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("ab") as file:
        if not try_lock(file):
            raise FolderInUse(f"another process is working on this folder: {folder}")
        yield
