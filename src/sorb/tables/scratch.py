"""A folder for large temporary files, which is removed even if its process is killed.

The folder holds a file that its process keeps locked: where the lock is free, the process is dead,
and the next one that needs such a folder removes it. The file is empty until it is locked, so that
nobody takes a folder for a leftover that has just been made.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sorb._file_lock import try_lock

__all__ = ["scratch_folder"]

_START, _LOCK, _LOCKED = "sorb-scratch-", "lock", b"locked"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder in the system's folder for temporary files (``TMPDIR``), and remove it.

    Examples
    --------
    >>> with scratch_folder() as folder:
    ...     _ = (folder / "rows.parquet").write_bytes(b"many")
    >>> folder.exists()
    False
    """
    _remove_leftovers(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=_START))
    try:
        with (folder / _LOCK).open("xb", buffering=0) as lock:
            with suppress(OSError):  # a file system without locks: then leftovers stay
                if try_lock(lock):
                    lock.write(_LOCKED)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers(parent: Path) -> None:
    for lock in parent.glob(f"{_START}*/{_LOCK}"):
        with suppress(OSError):
            if not lock.stat().st_size:
                continue
            with lock.open("r+b") as file:
                is_leftover = try_lock(file)
            if is_leftover:
                shutil.rmtree(lock.parent, ignore_errors=True)
