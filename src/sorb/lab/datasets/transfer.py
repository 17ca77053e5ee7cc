"""One file over HTTP, within limits of size and time: complete under its name, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from threading import TIMEOUT_MAX, Event, Thread
from typing import IO

from sorb.rules.atomic_files import new_draft

TIMEOUT = 30  # seconds without a sign of life from the server
_CHUNK = 2**16  # bytes


class LimitExceeded(Exception):  # noqa: N818
    """A download is larger, or takes longer, than is allowed."""

    def __init__(self, key: str, excess: str) -> None:
        super().__init__(excess)
        self.key = key  # the entry of a description that sets the limit


@dataclass(frozen=True, slots=True)
class Limits:
    """The most to download, and the longest time that it may take."""

    megabytes: float
    minutes: float

    def require_bytes(self, count: int) -> None:
        """Refuse more than the most to download."""
        if count > self.megabytes * 1e6:
            raise LimitExceeded("max_megabytes", f"is larger than {self.megabytes:g} MB")


def transfer(url: str, path: Path, limits: Limits, check: Callable[[Path], None]) -> None:
    """Download to a draft, which gets its name once it is complete and checked.

    Several processes may do this at a time.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_draft(path.parent) as draft:
        with draft.open("xb") as file:
            _receive(url, file, limits)
        check(draft)
        os.replace(draft, path)  # a link is replaced, too, not followed


def _receive(url: str, file: IO[bytes], limits: Limits) -> None:
    """Write what a server sends to a file.

    This is done in a thread, since a server that sends a byte now and then, be it of its headers,
    would never time out. A thread that is too late is left alone, and ends with its connection.
    """
    received: Future[None] = Future()
    too_late = Event()

    def receive() -> None:
        try:
            _write_answer(url, file, limits, too_late)
        except BaseException as error:
            received.set_exception(error)
        else:
            received.set_result(None)

    Thread(target=receive, daemon=True).start()
    try:
        done, _ = wait([received], min(limits.minutes * 60, TIMEOUT_MAX))
    finally:
        too_late.set()
    if not done:
        raise LimitExceeded("max_minutes", f"takes more than {limits.minutes:g} minutes")
    received.result()


def _write_answer(url: str, file: IO[bytes], limits: Limits, too_late: Event) -> None:
    import requests

    # A packed answer could be small on the way, and huge when it is unpacked.
    headers = {"Accept-Encoding": "identity"}
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
        answer.raise_for_status()
        limits.require_bytes(answer.raw.length_remaining or 0)
        count = 0
        for chunk in answer.iter_content(_CHUNK):
            if too_late.is_set():
                return
            count += len(chunk)
            limits.require_bytes(count)
            file.write(chunk)
