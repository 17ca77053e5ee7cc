"""Dask: a question is asked about each partition, and the workers are watched while they answer.

Workers pause if they run out of memory, die, are never started, or cannot hand on what they hold;
Dask then waits for others, or tries again, for ever.
"""

from __future__ import annotations

import asyncio
import math
import time
from concurrent.futures import TimeoutError as StepIsOver
from typing import Any

import narwhals as nw

from sorb.tables.engine import Query

__all__ = ["collect_dask"]

# How often the workers are looked at, and when a question is given up, in seconds.
_STEP = 5.0
_PATIENCE = 40.0
# How long a task may run, in seconds, and on how many workers it may be begun.
_LONGEST_TASK = 600.0
_MOST_WORKERS = 4
# After so many seconds without a report, nothing is known about a worker.
_SILENCE = 10.0
# How fast an answer must arrive, in bytes per second.
_LEAST_SPEED = 1e6


def collect_dask(frame: nw.LazyFrame[Any], query: Query, merge: Query | None) -> nw.DataFrame[Any]:
    """Bring the rows of a query on a frame of Dask to memory, as long as its workers get on."""
    if merge is None:
        answer = nw.to_native(query(frame))
    else:
        # Not as expressions of Dask: making tasks of them takes longer than the tasks themselves.
        native = nw.to_native(frame)
        answer = native.reduction(_Part(query), _Part(merge), meta=native._meta)
    client = _client()
    found = answer.compute() if client is None else _compute(client, answer)
    return nw.from_native(found, eager_only=True)


class _Part:
    """A query on a partition."""

    def __init__(self, query: Query) -> None:
        self.query = query

    def __call__(self, part: Any) -> Any:
        return nw.to_native(self.query(nw.from_native(part, eager_only=True).lazy()).collect())


def _client() -> Any:
    """The client whose workers would compute, if there is one."""
    from dask.base import get_scheduler

    get = get_scheduler()  # type: ignore[no-untyped-call]
    owner = getattr(get, "__self__", None)
    return owner if hasattr(owner, "scheduler_info") else None


def _compute(client: Any, answer: Any) -> Any:
    future = client.compute(answer)

    async def gather() -> Any:
        return await client.gather(future, asynchronous=True)

    # Bringing the answer here is watched, too: it may be lost on the way, again and again.
    arrival = asyncio.run_coroutine_threadsafe(gather(), client.loop.asyncio_loop)
    progress = _Progress()
    try:
        while True:
            try:
                return arrival.result(_STEP)
            except StepIsOver:
                if arrival.done():  # then it is an error of a task
                    raise
                progress.look(client, future.key)
    finally:
        arrival.cancel()
        future.release()


class _Progress:
    """When the tasks of a question were last seen to get on.

    That is when one of them is done for the first time, or while one runs that was never done: on
    each of a few workers, for a while. As there are only so many tasks, every question ends, also
    if workers do tasks again and again because what they found is lost.
    """

    def __init__(self) -> None:
        self._seen = time.monotonic()
        self._pending: set[str] = set()
        self._done: set[str] = set()
        # When each task was first seen to run on each worker.
        self._runs: dict[str, dict[str, float]] = {}

    def look(self, client: Any, key: str) -> None:
        """Refuse to wait any longer if the tasks behind a key have made no progress."""
        found = client.run_on_scheduler(_survey(), key, callback_timeout=_PATIENCE)
        now = time.monotonic()
        patience = _PATIENCE + found["n_bytes"] / _LEAST_SPEED
        if self._gets_on(found, now):
            self._seen = now
        elif now - self._seen > patience:
            raise TimeoutError(_describe(found["workers"], patience))

    def _gets_on(self, found: dict[str, Any], now: float) -> bool:
        pending = set(found["pending"])
        done = self._pending - pending
        is_new = not done <= self._done
        self._pending |= pending
        self._done |= done
        # All of them are looked at, to know since when each of them runs.
        running = [self._runs_on(key, name, now) for key, name in found["running"]]
        return is_new or any(running)

    def _runs_on(self, key: str, worker: str, now: float) -> bool:
        """Whether a task runs for the first time, as far as can be told, and not for too long."""
        runs = self._runs.setdefault(key, {})
        if len(runs) < _MOST_WORKERS:
            runs.setdefault(worker, now)
        since = runs.get(worker, -math.inf)
        return key not in self._done and now - since < _LONGEST_TASK


def _survey() -> Any:
    """A function for the scheduler, which need not have sorb: it is sent as it is, not by name."""

    def survey(key: str, dask_scheduler: Any = None) -> dict[str, Any]:
        tasks, root = set(), dask_scheduler.tasks.get(key)
        found = [] if root is None else [root]
        while found:
            task = found.pop()
            if task not in tasks:
                tasks.add(task)
                found.extend(task.dependencies)
        states = ("waiting", "no-worker", "queued", "processing")
        workers = dask_scheduler.workers.values()
        # A worker that no longer reports says nothing about what it does.
        reporting = [w for w in workers if time.time() - w.last_seen < _SILENCE]
        return {
            "pending": [str(task.key) for task in tasks if task.state in states],
            "running": [
                (str(task.key), worker.address)
                for worker in reporting
                for task in worker.executing
                if task in tasks
            ],
            "n_bytes": root.nbytes if root in tasks and root.state == "memory" else 0,
            "workers": [worker.status.name for worker in workers],
        }

    return survey


def _describe(workers: list[str], patience: float) -> str:
    paused = workers.count("paused")
    reason = "there are no workers" if not workers else f"{paused} of {len(workers)} are paused"
    return (
        f"the workers have made no progress for {patience:.0f} seconds: {reason}; start workers, "
        "with more memory if they were paused or killed"
    )
