"""Files that are replaced in one step, so that nobody ever sees half of one.

The new content is written to a *draft* beside the file, which is then renamed. A process that is
killed leaves its draft behind. Next to each draft is a file that its writer keeps locked: where the
lock is free, the writer is dead, and the next process that replaces a file in this folder removes
both.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from sorb._file_lock import try_lock

__all__ = ["new_draft", "open_replacement", "replace_file"]

START, LOCK, DRAFT = ".sorb-", ".lock", ".draft"


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, or replace it in one step; it then keeps its permissions.

    A device or a pipe cannot be replaced, so it is written to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "model.json")
    ...     replace_file(path, b"old")
    ...     replace_file(path, b"new")
    ...     path.read_bytes(), os.listdir(folder)
    (b'new', ['model.json'])
    """
    with open_replacement(path) as file:
        file.write(content)


@contextmanager
def open_replacement(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Give a file to write to that takes the place of another in the end, if nothing goes wrong.

    A device or a pipe cannot be replaced, so it is written to.
    """
    if Path(path).exists() and not Path(path).is_file():
        with errors_name(path), Path(path).open("wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))  # where a circle of links ends at one of them
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} for {target.name}")
    with errors_name(path), new_draft(target.parent) as draft:
        permissions = _permissions(target)
        with _open(draft, permissions) as file:
            yield file
        if permissions is not None:
            draft.chmod(permissions)
        os.replace(draft, target)


@contextmanager
def errors_name(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of the system name a file, not its draft or lock, which mean nothing to a user."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _permissions(target: Path) -> int | None:
    """Give the permissions of a file; None if there is none yet."""
    if not target.exists():
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return stat.S_IMODE(target.stat().st_mode)


def _open(draft: Path, permissions: int | None) -> IO[bytes]:
    # Nobody may read in the draft what they could not read in the file.
    mode = 0o666 if permissions is None else 0o600
    return open(draft, "xb", opener=lambda path, flags: os.open(path, flags, mode))


@contextmanager
def new_draft(folder: Path) -> Iterator[Path]:
    """Give the path of a draft, which no other process removes while this one lives.

    What dead processes left in the folder is removed.
    """
    _remove_leftovers(folder)
    lock, file = _new_lock(folder)
    draft = lock.with_suffix(DRAFT)
    with file:
        try:
            yield draft
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
                _remove_lock(lock, file)


def _new_lock(folder: Path) -> tuple[Path, IO[bytes]]:
    while True:
        lock = folder / f"{START}{os.urandom(8).hex()}{LOCK}"
        file = lock.open("xb")
        # Before it was locked, another process may have removed it as a leftover.
        if _is_locked(file) and lock.exists():
            return lock, file
        file.close()


def _is_locked(file: IO[bytes]) -> bool:
    try:
        return try_lock(file)
    except OSError:  # this file system has no locks, so nobody finds leftovers either
        return True


def _remove_leftovers(folder: Path) -> None:
    for lock in folder.glob(f"{START}*{LOCK}"):
        with suppress(OSError), lock.open("r+b") as file:
            if try_lock(file):
                lock.with_suffix(DRAFT).unlink(missing_ok=True)
                _remove_lock(lock, file)


def _remove_lock(lock: Path, file: IO[bytes]) -> None:
    if os.name == "nt":  # where a file that is open cannot be removed
        file.close()
    lock.unlink()
