"""The description of a dataset, as written in its file.

A description file is a TOML file. These are its keys; only ``target`` and one of ``file``,
``files`` and ``generator`` are needed.

=============== ==================================================================================
``name``        its name in runs, tables and figures; that of the file if not given
``title``       its name for people
``task``        ``"classification"`` or ``"regression"``; inferred from the target if not given
``target``      the column to predict
``positive``    the value of the target that counts as 1, all others being 0
``loss``        the loss of a regression that is minimised and reported, such as ``"poisson"``;
                squared if not given
``power``       the power of the Tweedie loss
``exposure``    the column with the exposure over which the target accumulates; see `fit`
``outcome``     in words: what is predicted, or when the target counts as 1
``size``        rows and columns of the table of numbers
``columns``     the columns to learn from; all with a name if not given
``ignored``     columns to leave out
``categories``  columns that become one 0/1 column per value although they look like numbers
``log``         columns of positive numbers whose logarithms are worth learning from
``units``       a table: the unit of a column
``source``      who made it, and where it comes from
``licence``     its terms of use
``note``        anything else worth knowing
``file``        a CSV file in the folder of the description, with ``url`` and ``sha256`` if known
``files``       instead of ``file``: a list of tables with ``file``, ``url`` and ``sha256`` each
``reader``      how the files are read: ``"csv"`` or ``"nhanes"``
``generator``   instead of files: a function that makes the table, with a table ``arguments``
``header``      a table: the name of a column for a name in the header of the file
``values``      a table of tables, one for a column: the name of a category for a value in the file
=============== ==================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from sorb.lab.config_files import read_config
from sorb.losses import LOSSES, PARAMETERS, loss_by_name

Task = Literal["regression", "classification"]

NAMES = (
    "iris",
    "liver",
    "diabetes",
    "breast_cancer",
    "banknote",
    "red_wine",
    "car_price",
    "friedman1",
    "friedman2",
    "friedman3",
    "magic",
    "adult",
    "voice",
    "housing",
)
"""The names of the benchmark datasets, as `load` takes them, in the order of the paper."""

_FOLDER = Path(__file__).with_name("descriptions")


@dataclass(frozen=True, slots=True)
class File:
    """A file of a dataset: its name, where it can be downloaded, and its checksum."""

    name: str
    url: str = ""
    sha256: str = ""  # empty if not pinned


@dataclass(frozen=True, slots=True)
class Description:
    """What is known about a dataset: the keys of its description file.

    Keys that are parameters of the loss are in `loss_parameters`. `folder` is where its files are;
    None stands for the folder that ``SORB_DATA`` names, or the cache.
    """

    name: str
    target: str
    title: str = ""
    task: Task | None = None
    positive: str = ""
    loss: str = ""
    loss_parameters: Mapping[str, float] = field(default_factory=dict)
    exposure: str = ""
    outcome: str = ""
    size: tuple[int, int] | None = None
    columns: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    licence: str = ""
    note: str = ""
    files: tuple[File, ...] = ()
    reader: str = "csv"
    generator: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    header: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    folder: Path | None = None

    def logarithms(self) -> Description:
        """Describe the same dataset with logarithms of the columns under ``log``.

        Examples
        --------
        >>> from sorb.lab.datasets import describe
        >>> describe("nhanes_standin").logarithms().columns
        ('log(age)', 'log(weight)', 'log(height)')
        """
        if not self.log:
            raise ValueError(
                f"The description of the dataset {self.name!r} lists no columns under log."
            )
        return replace(
            self,
            name=f"{self.name}+log",
            columns=tuple(f"log({c})" if c in self.log else c for c in self.columns),
            units={key: unit for key, unit in self.units.items() if key not in self.log},
            log=(),
        )


def catalogue() -> list[Description]:
    """Return the descriptions of all datasets that come with sorb, those of the paper first.

    Examples
    --------
    >>> from sorb.lab.datasets import catalogue
    >>> [description.title for description in catalogue()][:3]
    ['Iris', 'Liver', 'Diabetes']
    """
    others = sorted({path.stem for path in _FOLDER.glob("*.toml")} - set(NAMES))
    return [built_in(name) for name in (*NAMES, *others)]


@cache
def built_in(name: str) -> Description:
    """Read the description of a dataset that comes with sorb."""
    path = _FOLDER / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(description.name for description in catalogue())
        raise ValueError(
            f"There is no dataset {name!r}; choose one of {known}, "
            "or give the path of a .csv file or of a description in a .toml file."
        )
    return parse_description(path, read_config(path), None)


def from_file(path: Path) -> Description:
    """Read the description of a user's own dataset."""
    return parse_description(path, read_config(path), path.parent)


def parse_description(path: Path, document: Mapping[str, Any], folder: Path | None) -> Description:
    """Make a description of the content of a file; errors name this path."""
    _refuse_unknown(path, document)
    if "target" not in document:
        raise ValueError(f'{path}: name the column to predict, as in target = "y".')
    if len({"file", "files", "generator"} & set(document)) != 1:
        raise ValueError(f'{path}: give one of file, files and generator, as in file = "y.csv".')
    if "file" not in document and {"url", "sha256"} & set(document):
        raise ValueError(f'{path}: url and sha256 belong to a file; name it, as in file = "y.csv".')
    known = {key: _CHECKS[key](f"{path}: {key}", document[key]) for key in document}
    if "file" in known:
        known["files"] = (
            File(known.pop("file"), known.pop("url", ""), known.pop("sha256", "").lower()),
        )
    _check_files(path, known)
    known["loss_parameters"] = {key: known.pop(key) for key in PARAMETERS if key in known}
    _check_loss(path, known)
    known.setdefault("name", path.stem)
    known.setdefault("title", known["name"])
    return Description(**known, folder=folder)


def _refuse_unknown(path: Path, document: Mapping[str, Any]) -> None:
    unknown = [key for key in document if key not in _CHECKS]
    if unknown:
        known = ", ".join(_CHECKS)
        raise ValueError(f"{path}: there is no key {unknown[0]!r}; the keys are {known}.")


def _check_files(path: Path, known: Mapping[str, Any]) -> None:
    reader = known.get("reader", "csv")
    wanted = {"csv": 1, "nhanes": 3}[reader]
    if "files" in known and len(known["files"]) != wanted:
        raise ValueError(f"{path}: the reader {reader!r} takes {wanted} file(s).")


def _check_loss(path: Path, known: Mapping[str, Any]) -> None:
    try:
        loss_by_name(known.get("loss", "squared"), **known["loss_parameters"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}.") from None


def _text(place: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{place} must be text in quotes, not {value!r}.")
    return value


def _one_of(*choices: str) -> Callable[[str, Any], str]:
    def check(place: str, value: Any) -> str:
        if value not in choices:
            raise ValueError(f"{place} must be one of {', '.join(choices)}, not {value!r}.")
        return cast(str, value)

    return check


def _text_or_number(place: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{place} must be text or a number, not {value!r}.")
    return str(value)


def _number(place: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{place} must be a number, not {value!r}.")
    return float(value)


def _texts(place: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f'{place} must be a list such as ["a", "b"], not {value!r}.')
    return tuple(_text(f"each of {place}", item) for item in value)


def _size(place: str, value: Any) -> tuple[int, int]:
    if not (isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)):
        raise ValueError(f"{place} must be two numbers, of rows and of columns, not {value!r}.")
    return value[0], value[1]


def _table(place: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{place} must be a table, not {value!r}.")
    return value


def _table_of_texts(place: str, value: Any) -> dict[str, str]:
    return {key: _text(f"{place}.{key}", item) for key, item in _table(place, value).items()}


def _tables_of_texts(place: str, value: Any) -> dict[str, dict[str, str]]:
    return {
        key: _table_of_texts(f"{place}.{key}", item) for key, item in _table(place, value).items()
    }


def _files(place: str, value: Any) -> tuple[File, ...]:
    if not (isinstance(value, list) and value):
        raise ValueError(f"{place} must be a list of tables, not {value!r}.")
    return tuple(_file(place, _table_of_texts(f"each of {place}", item)) for item in value)


def _file(place: str, table: Mapping[str, str]) -> File:
    if "file" not in table or set(table) - {"file", "url", "sha256"}:
        raise ValueError(f"each of {place} must have file and may have url and sha256: {table!r}.")
    return File(table["file"], table.get("url", ""), table.get("sha256", "").lower())


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "name": _text,
    "title": _text,
    "task": _one_of("classification", "regression"),
    "target": _text,
    "positive": _text_or_number,
    "loss": _one_of(*(name for name, kind in LOSSES.items() if not kind().has_classes)),
    **dict.fromkeys(PARAMETERS, _number),
    "exposure": _text,
    "outcome": _text,
    "size": _size,
    "columns": _texts,
    "ignored": _texts,
    "categories": _texts,
    "log": _texts,
    "units": _table_of_texts,
    "source": _text,
    "licence": _text,
    "note": _text,
    "file": _text,
    "url": _text,
    "sha256": _text,
    "files": _files,
    "reader": _one_of("csv", "nhanes"),
    "generator": _text,
    "arguments": _table,
    "header": _table_of_texts,
    "values": _tables_of_texts,
}
