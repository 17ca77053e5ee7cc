"""A folder for one process at a time."""

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
    """Another process works on a folder."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Work on a folder that no other process works on; it is made if it is not there.

    The lock belongs to the process, so that it vanishes with it, however it ends. The file
    ``.lock``, on which it is taken, stays and means nothing by itself.

    Raises
    ------
    FolderInUse
        If another one works on it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sorb.lab.folder_lock import locked
    >>> with tempfile.TemporaryDirectory() as name, locked(Path(name)), locked(Path(name)):
    ...     pass
    Traceback (most recent call last):
    sorb.lab.folder_lock.FolderInUse: another process works on this folder: ...
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("ab") as file:
        try:
            _lock(file)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise FolderInUse(f"another process works on this folder: {folder}") from None
            raise
        yield
