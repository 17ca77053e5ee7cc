"""A lock that lets one process at a time work on a folder."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


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
        try:
            _lock(file)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise FolderInUse(f"another process is working on this folder: {folder}") from None
            raise
        yield
