"""Dask's workers, watched while they answer: none of them may be able to, for ever.

Workers pause if they run out of memory, die, or are never started; Dask then waits for others.
"""

from __future__ import annotations

import time
from typing import Any

import narwhals as nw

__all__ = ["collect_watched"]

# How often the workers are looked at, and when a question is given up, in seconds.
_STEP = 5.0
_PATIENCE = 40.0


def collect_watched(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Bring the rows of a frame of Dask to memory, as long as any worker is at work."""
    client = _client()
    if client is None:
        return frame.collect()
    future = client.compute(nw.to_native(frame))
    try:
        _wait(client, future)
        return nw.from_native(future.result(), eager_only=True)
    finally:
        future.release()


def _client() -> Any:
    """The client whose workers would compute, if there is one."""
    from dask.base import get_scheduler

    get = get_scheduler()  # type: ignore[no-untyped-call]
    owner = getattr(get, "__self__", None)
    return owner if hasattr(owner, "scheduler_info") else None


def _wait(client: Any, future: Any) -> None:
    from distributed import TimeoutError as StepIsOver
    from distributed import wait

    workers = _Workers()
    while True:
        try:
            wait(future, timeout=_STEP)  # type: ignore[no-untyped-call]
            return
        except StepIsOver:
            workers.look(client)


class _Workers:
    """When any worker was last seen to be at work."""

    def __init__(self) -> None:
        self._worked = time.monotonic()
        # When each worker last reported: by the scheduler's clock, and by ours.
        self._reports: dict[str, tuple[float, float]] = {}
        self._tasks: dict[str, list[Any]] = {}

    def look(self, client: Any) -> None:
        """Refuse to wait any longer if no worker has been at work for too long."""
        now = time.monotonic()
        scheduler = client.scheduler
        found = client.sync(scheduler.identity, n_workers=-1, callback_timeout=_PATIENCE)["workers"]
        tasks = client.sync(scheduler.processing, workers=None, callback_timeout=_PATIENCE)
        # A worker may also try in vain to get what other ones hold: its tasks stay the same then.
        if tasks != self._tasks or any(self._is_at_work(name, found[name], now) for name in found):
            self._worked = now
        elif now - self._worked > _PATIENCE:
            raise TimeoutError(_describe(found))
        self._tasks = tasks

    def _is_at_work(self, name: str, worker: dict[str, Any], now: float) -> bool:
        """Whether a worker runs, has reported lately, and computes."""
        reported, since = self._reports.get(name, (None, now))
        if worker["last_seen"] != reported:
            since = now
            self._reports[name] = (worker["last_seen"], now)
        computes = worker["metrics"].get("task_counts", {}).get("executing", 0)
        return worker["status"] == "running" and now - since < _PATIENCE and bool(computes)


def _describe(workers: dict[str, Any]) -> str:
    paused = sum(worker["status"] == "paused" for worker in workers.values())
    reason = "there are no workers" if not workers else f"{paused} of {len(workers)} are paused"
    return (
        f"for {_PATIENCE:.0f} seconds no worker has been at work: {reason}; start workers, with "
        "more memory if they were paused or killed"
    )
