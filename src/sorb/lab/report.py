"""All tables and figures of a run in one self-contained HTML page."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from sorb._extras import install_command
from sorb.lab.curves import MissingResults, failures
from sorb.lab.figures import FIGURES, Picture
from sorb.lab.results import Results
from sorb.lab.tables import TABLES
from sorb.rules.atomic_files import replace_file

LARGEST_SVG = 1_000_000  # bytes; a larger picture is embedded as PNG
T = TypeVar("T")
Progress = Callable[[int, int], None]


def write_report(
    results: Results, path: Path, progress: Progress = lambda done, total: None
) -> Path:
    """Write the report of a run.

    Parameters
    ----------
    results : Results
        The run.
    path : Path
        The file to write.
    progress : callable, default does nothing
        Called with the number of tables and figures made so far, and that of all.

    Returns
    -------
    Path
        The file.
    """
    content = page(results.table(), results.facts(), progress)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content.encode())
    return path


def page(
    rows: pd.DataFrame, facts: Mapping[str, Any], progress: Progress = lambda done, total: None
) -> str:
    """Make the page from the rows of a run and the facts about it."""
    total = len(TABLES) + len(FIGURES)
    tables, no_tables = _make_all(TABLES, rows, lambda done: progress(done, total))
    drawings = {name: _with_content(draw) for name, draw in FIGURES.items()}
    pictures, no_pictures = _make_all(
        drawings, rows, lambda done: progress(len(TABLES) + done, total)
    )
    return str(
        _template().render(
            facts=dict(_flatten(facts)),
            size=_size(rows),
            tables=tables,
            pictures=pictures,
            failures=failures(rows),
            missing=[*no_tables, *no_pictures],
        )
    )


def _template() -> Any:
    try:
        import jinja2
    except ImportError:
        raise ImportError(f"the report needs jinja2: {install_command('lab')}") from None
    text = files("sorb.lab").joinpath("report.html.jinja").read_text(encoding="utf-8")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(text)


def _make_all(
    makers: Mapping[str, Callable[[pd.DataFrame], T]],
    rows: pd.DataFrame,
    progress: Callable[[int], None],
) -> tuple[list[T], list[str]]:
    """Make what can be made, and list the reasons why the rest cannot."""
    made, missing = [], []
    for count, make in enumerate(makers.values(), start=1):
        try:
            made.append(make(rows))
        except MissingResults as reason:
            missing.append(str(reason))
        progress(count)
    return made, missing


def _flatten(facts: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in facts.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{before}{key}: ")
        elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            for number, item in enumerate(value, start=1):
                yield from _flatten(item, f"{before}{key} {number}: ")
        elif isinstance(value, (list, tuple)):
            yield f"{before}{key}", ", ".join(map(str, value))
        else:
            yield f"{before}{key}", str(value)


def _size(rows: pd.DataFrame) -> dict[str, int]:
    return {
        "units": len(rows.drop_duplicates(["dataset", "method", "repetition"])),
        "methods": rows["method"].nunique(),
        "datasets": rows["dataset"].nunique(),
        "repetitions": rows["repetition"].nunique(),
    }


def _with_content(
    draw: Callable[[pd.DataFrame], Picture],
) -> Callable[[pd.DataFrame], tuple[Picture, str]]:
    def drawn(rows: pd.DataFrame) -> tuple[Picture, str]:
        picture = draw(rows)
        return picture, _embed(picture)

    return drawn


def _embed(picture: Picture) -> str:
    content, kind = picture.content("svg"), "image/svg+xml"
    if len(content) > LARGEST_SVG:
        content, kind = picture.content("png"), "image/png"
    return f"data:{kind};base64,{b64encode(content).decode()}"
