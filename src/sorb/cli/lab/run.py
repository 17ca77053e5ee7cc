"""``sorb lab run``: run the units of work that are not done yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from sorb.cli.arguments import MOST_JOBS, examples, split_names
from sorb.cli.lab.results import RESULTS

__all__ = ["EXAMPLES", "run"]

EXAMPLES = examples(
    "sorb lab run smoke",
    "sorb lab run paper --jobs 8 --out results/paper",
    "sorb lab run paper --datasets iris,housing --methods LLTB,TGB --repetitions 3",
    "sorb lab run smoke --methods sorb,my_rivals:SmallTree",
    "sorb lab run paper --scheduler tcp://10.0.0.1:8786",
)


def run(
    config: Annotated[
        str, typer.Argument(help="A TOML or YAML file, or the name of a run that comes with sorb.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the results; results/NAME if not given. A run that was "
                     "interrupted continues here."),
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=1, max=MOST_JOBS, help="The number of units run at a time.")
    ] = 1,
    backend: Annotated[
        str | None, typer.Option(help="Backend of joblib: loky, threading, …")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Scheduler of a Dask cluster, which runs as many "
                     "units at a time as it has threads."),
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option("--as-published", help="Follow the authors' code, including its mistakes."),
    ] = False,
    datasets: Annotated[
        list[str] | None,
        typer.Option(help="Only these datasets, separated by commas, named as in the tables or "
                     "in CONFIG."),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(help="Only these methods, separated by commas. A class of your own, written "
                     "package.module:Class, is added to the run."),
    ] = None,
    repetitions: Annotated[
        int | None, typer.Option(min=1, help="Only this many repetitions.")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run units again that failed before.")
    ] = False,
) -> None:  # fmt: skip
    """Run an evaluation, or what of it is not done yet.

    A unit of work is one method on one split of one dataset; what is done is never run again.
    """
    from sorb.cli.lab.progress import show_progress
    from sorb.cli.printing import print_message, print_text
    from sorb.lab import runner
    from sorb.lab.configuration import ConfigurationError
    from sorb.lab.run_file import load_configuration

    try:
        configuration = load_configuration(config).narrow(
            datasets=split_names(datasets),
            methods=split_names(methods),
            repetitions=repetitions,
            as_published=as_published,
        )
    except ConfigurationError as error:
        raise typer.BadParameter(str(error)) from None
    _check_cluster(scheduler, backend)
    folder = out or RESULTS / (configuration.name + "-as-published" * as_published)
    with show_progress("units") as progress, _cluster(scheduler) as dask:
        results = runner.run(configuration, folder, jobs, dask or backend, retry_failed, progress)
    failed = sum(map(bool, results.done().values()))
    print_text(f"The results are in {folder}.")
    if failed:
        units = "1 unit" if failed == 1 else f"{failed} units"
        print_message(f"{units} failed; see 'sorb lab status {folder}'")
        raise typer.Exit(1)


def _check_cluster(scheduler: str | None, backend: str | None) -> None:
    if scheduler is None and backend == "dask":
        raise typer.BadParameter("name the Dask cluster with --scheduler ADDRESS")
    if scheduler is not None and backend not in (None, "dask"):
        raise typer.BadParameter(f"--scheduler hands units to Dask, not to {backend}")


@contextmanager
def _cluster(scheduler: str | None) -> Iterator[str | None]:
    """Connect this process to a Dask cluster, and name the backend that hands units to it."""
    if scheduler is None:
        yield None
        return
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise ImportError("a Dask cluster needs distributed: pip install distributed") from None
    with distributed.Client(scheduler):
        yield "dask"
