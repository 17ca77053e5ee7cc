"""Locks on open files, which the operating system releases when a process ends, however it ends."""

from __future__ import annotations

import errno
import sys
from typing import IO

__all__ = ["try_lock"]

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def try_lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; False if it is locked already.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file, open(file.name, "rb") as same:
    ...     try_lock(file), try_lock(same)
    (True, False)
    """
    try:
        _lock(file)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True
