"""``sorb lab``: run the paper's evaluation, and make tables, figures and a report from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType
    from rich.table import Table as RichTable

    from sorb.lab.results import Results, Unit
    from sorb.lab.tables import ResultTable

RESULTS = Path("results")
Made = TypeVar("Made")
Progress = Callable[..., None]  # how many parts are done, of how many; which unit failed, and why


class _Laboratory(TyperGroup):
    """The commands, which progress how to get a package that they lack."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            raise ImportError(
                f'the laboratory needs {error.name}: pip install "sorb[lab]"'
            ) from error


app = typer.Typer(
    cls=_Laboratory,
    help="Run the paper's evaluation, and make tables, figures and a report from the results.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Format(str, Enum):
    """How tables are written."""

    terminal = "terminal"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


Folder = Annotated[
    Path | None,
    typer.Argument(metavar="DIR", help="Folder of a run; the newest in results/ if not given."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON in place of a table.")]


def _examples(*lines: str) -> str:
    return "\n\n".join(["Examples:", *(f"  {line}" for line in lines)])


@app.command(
    epilog=_examples(
        "sorb lab datasets",
        "sorb lab datasets --json",
        "sorb lab datasets --save nhanes_standin --out nhanes_like.csv",
    )
)
def datasets(
    as_json: JsonOption = False,
    save: Annotated[
        str | None, typer.Option(metavar="NAME", help="Write the table of this dataset as CSV.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to write it to; NAME.csv if not given.")
    ] = None,
) -> None:
    """List the datasets, and whether they are at hand, or save one as a table."""
    from sorb.lab.datasets import catalogue, is_available

    if save is not None:
        _save_dataset(save, out or Path(f"{save}.csv"))
        return
    entries = [
        {
            "name": entry.name,
            "task": entry.task,
            "rows": entry.size[0] if entry.size else None,
            "columns": entry.size[1] if entry.size else None,
            "source": entry.source,
            "licence": entry.licence,
            "at_hand": is_available(entry.name),
        }
        for entry in catalogue()
    ]
    if as_json:
        typer.echo(json.dumps(entries, indent=2, ensure_ascii=False))
        return
    columns = {"name": False, "task": False, "size": False, "files": False}
    _print(_grid({**columns, "source and licence": True}, map(_dataset_line, entries)))


def _save_dataset(name: str, path: Path) -> None:
    import pandas as pd

    from sorb.lab.datasets import load

    data = load(name)
    target = data.description.target if data.description else "target"
    table = pd.DataFrame(data.X, columns=list(data.columns)).assign(**{target: data.y})
    table.to_csv(path, index=False)
    typer.echo(f"{path}: {len(table)} rows, {table.shape[1]} columns, the target is {target}")


def _dataset_line(entry: Mapping[str, Any]) -> list[str]:
    size = f"{entry['rows']} × {entry['columns']}" if entry["rows"] else "–"
    at_hand = "at hand" if entry["at_hand"] else "to download"
    source = f"{entry['source']}. Licence: {entry['licence']}."
    return [entry["name"], entry["task"] or "–", size, at_hand, source]


@app.command(
    epilog=_examples(
        "sorb lab run smoke",
        "sorb lab run paper --jobs 8 --out results/paper",
        "sorb lab run paper --datasets iris,housing --methods LLTB,TGB --repetitions 3",
        "sorb lab run paper --scheduler tcp://10.0.0.1:8786",
    )
)
def run(
    config: Annotated[
        str, typer.Argument(help="A TOML or YAML file, or the name of a run that comes with sorb.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the results; results/NAME if not given. A run that was "
                     "interrupted goes on here."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many units are done at a time.")] = 1,
    backend: Annotated[
        str | None, typer.Option(help="Backend of joblib: loky, threading, …")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Scheduler of a Dask cluster, which does as many "
                     "units at a time as it has threads."),
    ] = None,
    as_published: Annotated[
        bool, typer.Option("--as-published", help="Follow the authors also in their lapses.")
    ] = False,
    datasets: Annotated[
        list[str] | None,
        typer.Option(help="Only these datasets, separated by commas, as the tables or CONFIG "
                     "name them."),
    ] = None,
    methods: Annotated[
        list[str] | None, typer.Option(help="Only these methods, separated by commas.")
    ] = None,
    repetitions: Annotated[
        int | None, typer.Option(min=1, help="Only the first so many repetitions.")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try units again that failed before.")
    ] = False,
) -> None:  # fmt: skip
    """Do what is still to be done of a run."""
    from sorb.lab import runner
    from sorb.lab.configuration import ConfigurationError
    from sorb.lab.run_file import load_configuration

    try:
        configuration = load_configuration(config).narrow(
            datasets=_names(datasets),
            methods=_names(methods),
            repetitions=repetitions,
            as_published=as_published,
        )
    except ConfigurationError as error:
        raise typer.BadParameter(str(error)) from None
    if scheduler is None and backend == "dask":
        raise typer.BadParameter("a Dask cluster is named by --scheduler ADDRESS")
    if scheduler is not None and backend not in (None, "dask"):
        raise typer.BadParameter(f"--scheduler hands units to Dask, and not to {backend}")
    folder = out or RESULTS / (configuration.name + "-as-published" * as_published)
    with _progress("units") as progress, _cluster(scheduler) as given:
        results = runner.run(configuration, folder, jobs, given or backend, retry_failed, progress)
    failed = sum(map(bool, results.done().values()))
    typer.echo(f"The results are in {folder}.")
    if failed:
        units = "1 unit" if failed == 1 else f"{failed} units"
        typer.echo(f"sorb: {units} failed; see 'sorb lab status {folder}'", err=True)
        raise typer.Exit(1)


@contextmanager
def _cluster(scheduler: str | None) -> Iterator[str | None]:
    """Connect this process to a Dask cluster, and name the backend that hands units to it."""
    if scheduler is None:
        yield None
        return
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise ImportError("a Dask cluster is reached by: pip install distributed") from None
    with distributed.Client(scheduler):
        yield "dask"


@contextmanager
def _progress(what: str) -> Iterator[Progress]:
    """Show on stderr how far the work is, and which units fail."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)

        def progress(
            done: int, total: int, unit: Unit | None = None, failure: str | None = None
        ) -> None:
            bar.update(task, completed=done, total=total)
            if unit and failure:
                where = f"{unit.method} on {unit.dataset}, repetition {unit.repetition}"
                console.print(f"{where} failed: {failure}", markup=False, highlight=False)

        yield progress


def _names(values: Sequence[str] | None) -> list[str]:
    return [name.strip() for value in values or () for name in value.split(",") if name.strip()]


@app.command(epilog=_examples("sorb lab status", "sorb lab status results/paper --json"))
def status(folder: Folder = None, as_json: JsonOption = False) -> None:
    """Tell which units of a run are done, failed or missing, and how long they took."""
    from sorb.cli.run_state import run_state
    from sorb.lab.statistics import failures

    results = _results(folder)
    rows = results.table()
    entries = run_state(results.done(), results.facts(), rows)
    if as_json:
        typer.echo(json.dumps(entries, indent=2, ensure_ascii=False))
        return
    total = {key: sum(entry[key] for entry in entries) for key in ("done", "failed", "missing")}
    typer.echo(f"{results.folder}: " + ", ".join(f"{n} {key}" for key, n in total.items()))
    lines = [[_written(value) for value in entry.values()] for entry in entries]
    _print(_grid({key: key == "dataset" for key in entries[0]}, lines))
    for failure in failures(rows):
        typer.echo(
            f"{failure.method} on {failure.dataset}, repetition {failure.repetition} "
            f"failed: {failure.reason}"
        )


def _written(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


@app.command(
    epilog=_examples(
        "sorb lab tables",
        "sorb lab tables results/paper --table complexity_cv --format markdown",
        "sorb lab tables --format latex --out paper/tables",
    )
)
def tables(
    folder: Folder = None,
    table: Annotated[
        list[str] | None, typer.Option(help="Only these tables, separated by commas.")
    ] = None,
    format: Annotated[Format, typer.Option(help="How they are written.")] = Format.terminal,  # noqa: A002
    out: Annotated[
        Path | None, typer.Option(help="Folder for a file of each table; else they are printed.")
    ] = None,
) -> None:
    """Make tables: those of the paper with its numbers beside ours, and a few more."""
    from sorb.lab.tables import TABLES

    chosen = _chosen(TABLES, _names(table), "table")
    if out and format is Format.terminal:
        raise typer.BadParameter("tables for the terminal are not kept in files: choose --format")
    for made in _made(chosen, _results(folder).table(), required=bool(table)):
        _write_table(made, format, out)


def _write_table(table: ResultTable, format: Format, out: Path | None) -> None:  # noqa: A002
    from sorb.lab.tables.latex import latex
    from sorb.lab.tables.render import long_csv, markdown, terminal

    if format is Format.terminal:
        from rich.console import Console

        _print(*terminal(table, Console().width))
        return
    ways: dict[Format, tuple[Callable[[ResultTable], str], str]] = {
        Format.markdown: (markdown, "md"),
        Format.latex: (latex, "tex"),
        Format.csv: (long_csv, "csv"),
    }
    write, suffix = ways[format]
    if out is None:
        typer.echo(write(table))
        return
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{table.name}.{suffix}"
    path.write_text(write(table), encoding="utf-8")
    typer.echo(str(path))


@app.command(
    epilog=_examples("sorb lab figures", "sorb lab figures results/paper --out paper/figures")
)
def figures(
    folder: Folder = None,
    figure: Annotated[
        list[str] | None, typer.Option(help="Only these figures, separated by commas.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the files; DIR/figures if not given.")
    ] = None,
) -> None:
    """Draw figures, each as a PNG, an SVG and a PDF file."""
    from sorb.lab.figures import FIGURES

    chosen = _chosen(FIGURES, _names(figure), "figure")
    results = _results(folder)
    paths: list[Path] = []
    with _progress("figures") as progress:
        for done, picture in enumerate(_made(chosen, results.table(), bool(figure)), start=1):
            paths += picture.save(out or results.folder / "figures")
            progress(done, len(chosen))
    for path in paths:
        typer.echo(str(path))


@app.command(epilog=_examples("sorb lab report", "sorb lab report results/paper --out paper.html"))
def report(
    folder: Folder = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to write; DIR/report.html if not given.")
    ] = None,
) -> None:
    """Put all tables and figures into one HTML page that needs nothing else."""
    from sorb.lab.report import write_report

    results = _results(folder)
    with _progress("tables and figures") as progress:
        path = write_report(results, out or results.folder / "report.html", progress)
    typer.echo(str(path))


def _results(folder: Path | None) -> Results:
    from sorb.lab.results import Results

    return Results(folder or _newest_run())


def _newest_run() -> Path:
    runs = [path.parent for path in RESULTS.glob("*/run.json")]
    if not runs:
        raise FileNotFoundError(
            f"there is no run in {RESULTS}/: name its folder, or make one with 'sorb lab run'"
        )
    return max(runs, key=lambda run: (run / "run.json").stat().st_mtime)


def _chosen(known: Mapping[str, Made], names: Sequence[str], what: str) -> dict[str, Made]:
    for name in names:
        if name not in known:
            raise typer.BadParameter(
                f"there is no {what} {name!r}; choose from {', '.join(known)}."
            )
    return {name: make for name, make in known.items() if not names or name in names}


def _made(
    makers: Mapping[str, Callable[[pd.DataFrame], Made]], rows: pd.DataFrame, required: bool
) -> Iterator[Made]:
    """Make what was chosen; what was not asked for by name may be missing."""
    from sorb.lab.statistics import MissingResults

    for make in makers.values():
        try:
            made = make(rows)
        except MissingResults as reason:
            if required:
                raise
            typer.echo(f"sorb: left out, for {reason}", err=True)
            continue
        yield made


def _grid(columns: Mapping[str, bool], lines: Iterable[Sequence[str]]) -> RichTable:
    """Make a table; the mapping tells which columns may break their lines."""
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table as RichTable

    grid = RichTable(box=SIMPLE_HEAD)
    for column, may_break in columns.items():
        grid.add_column(column, no_wrap=not may_break, overflow="fold")
    for line in lines:
        grid.add_row(*map(escape, line))
    return grid


def _print(*shown: RenderableType) -> None:
    from rich.console import Console

    console = Console()
    for thing in shown:
        console.print(thing)
