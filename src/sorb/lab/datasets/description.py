"""The description of a dataset, as written in its file.

A description file is a TOML file. These are its keys; only ``target`` and one of ``file``,
``files`` and ``generator`` are needed.

================= ==================================================================================
``name``          its name in runs, tables and figures; that of the file if not given
``title``         its name for people
``task``          ``"classification"`` or ``"regression"``; inferred from the target if not given
``target``        the column to predict
``positive``      the value of the target that counts as 1, all others being 0
``loss``          the loss of a regression that is minimised and reported, such as ``"poisson"``;
                  squared if not given
``power``         the power of the Tweedie loss
``exposure``      the column with the exposure over which the target accumulates; see `fit`
``group``         the column that says which rows belong together: they are never divided between
                  training, validation and test rows
``outcome``       in words: what is predicted, or when the target counts as 1
``size``          rows and columns of the table of numbers
``columns``       the columns to learn from; all with a name if not given
``ignored``       columns to leave out
``categories``    columns that become one 0/1 column per value although they look like numbers
``log``           columns of positive numbers whose logarithms are worth learning from
``units``         a table: the unit of a column
``source``        who made it, and where it comes from
``licence``       its terms of use
``note``          anything else worth knowing
``file``          the name of a CSV file in the folder of the description, without a path; with
                  ``url`` and ``sha256`` if known
``files``         instead of ``file``: a list of tables with ``file``, ``url`` and ``sha256`` each
``max_megabytes`` the most to download for a file; 200 if not given
``max_minutes``   the longest time that the download of a file may take; 10 if not given
``reader``        how the files are read: ``"csv"`` or ``"nhanes"``
``generator``     instead of files: a function that makes the table, with a table ``arguments``
``header``        a table: the name of a column for a name in the header of the file
``values``        a table of tables, one for a column: the name of a category for a value in it
================= ==================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from sorb.lab.config_files import read_config, show_value
from sorb.lab.datasets.data_file import DOWNLOADED, File, is_table_name
from sorb.lab.datasets.description_values import CHECKS
from sorb.losses import PARAMETERS, loss_by_name

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
    group: str = ""
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
    max_megabytes: float = 200
    max_minutes: float = 10
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
    return [built_in(name) for name in _built_in_names()]


@cache
def built_in(name: str) -> Description:
    """Read the description of a dataset that comes with sorb."""
    if name not in _built_in_names():
        known = ", ".join(description.name for description in catalogue())
        raise ValueError(
            f"There is no dataset {name!r}; choose one of {known}, "
            "or give the path of a .csv file or of a description in a .toml file."
        )
    path = _FOLDER / f"{name}.toml"
    return parse_description(path, read_config(path), None)


def _built_in_names() -> tuple[str, ...]:
    others = sorted({path.stem for path in _FOLDER.glob("*.toml")} - set(NAMES))
    return (*NAMES, *others)


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
    known = {key: CHECKS[key](f"{path}: {key}", document[key]) for key in document}
    if "file" in known:
        known["files"] = (File(known.pop("file"), known.pop("url", ""), known.pop("sha256", "")),)
    _check_files(path, known)
    known["loss_parameters"] = {key: known.pop(key) for key in PARAMETERS if key in known}
    _check_loss(path, known)
    known.setdefault("name", path.stem)
    known.setdefault("title", known["name"])
    return Description(**known, folder=folder)


def _refuse_unknown(path: Path, document: Mapping[str, Any]) -> None:
    unknown = [key for key in document if key not in CHECKS]
    if unknown:
        known = ", ".join(CHECKS)
        raise ValueError(f"{path}: there is no key {show_value(unknown[0])}; the keys are {known}.")


def _check_files(path: Path, known: Mapping[str, Any]) -> None:
    reader = known.get("reader", "csv")
    wanted = {"csv": 1, "nhanes": 3}[reader]
    files = known.get("files")
    if files and len(files) != wanted:
        raise ValueError(f"{path}: the reader {reader!r} takes {wanted} file(s).")
    for file in files or ():
        if file.url and not is_table_name(file.name):
            raise ValueError(
                f"{path}: a file to download must end in {DOWNLOADED}, not {file.name!r}."
            )


def _check_loss(path: Path, known: Mapping[str, Any]) -> None:
    try:
        loss_by_name(known.get("loss", "squared"), **known["loss_parameters"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}.") from None
