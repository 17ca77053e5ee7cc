"""Load any dataset: by its name, its description, or its CSV file."""

from __future__ import annotations

from pathlib import Path

from sorb.lab.datasets.assembly import assemble
from sorb.lab.datasets.csv_files import read_csv
from sorb.lab.datasets.data_file import File
from sorb.lab.datasets.dataset import Dataset
from sorb.lab.datasets.description import Description, built_in, from_file
from sorb.lab.datasets.download import find_or_download, is_local
from sorb.lab.datasets.generated import generate
from sorb.lab.datasets.nhanes import read_nhanes

_LOG = "+log"
_CSV = ".csv:"  # separates a table from its target


def load(name: str | Path, *, target: str | None = None) -> Dataset:
    """Load a dataset.

    Parameters
    ----------
    name : str or Path
        A name in `catalogue`, or the path of a description, a ``.toml`` file, or of a table, a
        ``.csv`` file. If it ends in ``"+log"``, the columns that the description lists under
        ``log`` become their logarithms.
    target : str, optional
        The column of a ``.csv`` file to predict; ``"table.csv:column"`` names it, too. Two values
        are classes, the larger being the positive one; otherwise it is a regression.

    Returns
    -------
    Dataset
        The table, without columns that are zero throughout.

    Raises
    ------
    DatasetUnavailable
        If a file is neither in the folder that the environment variable ``SORB_DATA`` names (or
        else in the cache), nor can be downloaded.
    DatasetDamaged
        If a file is not the expected one.
    ValueError
        If there is no dataset of this name, or a description or a table contains a mistake.

    Examples
    --------
    >>> from sorb.lab.datasets import load
    >>> iris = load("iris")
    >>> iris.X.shape, iris.task, iris.columns[0]
    ((150, 4), 'classification', 'sepal length (cm)')
    """
    if str(name).endswith(_LOG):
        return load(str(name).removesuffix(_LOG), target=target).logarithms()
    description = describe(name, target=target)
    if description.generator:
        return assemble(description, generate(description))
    paths = find_or_download(description)
    if description.reader == "nhanes":
        return assemble(description, read_nhanes(paths))
    return assemble(description, read_csv(paths[0], description))


def describe(name: str | Path, *, target: str | None = None) -> Description:
    """Return the description of a dataset without loading it.

    Examples
    --------
    >>> from sorb.lab.datasets import describe
    >>> describe("housing").units["HouseAge"]
    'years'
    """
    if str(name).endswith(_LOG):
        return describe(str(name).removesuffix(_LOG), target=target).logarithms()
    stem, csv, column = str(name).partition(_CSV)
    if csv:
        return describe(f"{stem}.csv", target=column)
    path = Path(name)
    if path.suffix.lower() == ".csv":
        file = File(path.name)
        return Description(path.stem, target or "", path.stem, files=(file,), folder=path.parent)
    if target is not None:
        raise ValueError(
            f"The description of {name} names its target; leave out target={target!r}."
        )
    return from_file(path) if path.suffix.lower() == ".toml" else built_in(str(name))


def fetch(name: str | Path) -> tuple[Path, ...]:
    """Download the files of a dataset, unless they are already on this machine.

    Returns
    -------
    tuple of Path
        The files, checked; none for a dataset that is generated.

    Examples
    --------
    >>> from sorb.lab.datasets import fetch
    >>> fetch("friedman1")
    ()
    """
    return find_or_download(describe(name))


def is_available(name: str | Path) -> bool:
    """Tell whether a dataset can be loaded without a download.

    Examples
    --------
    >>> from sorb.lab.datasets import is_available
    >>> is_available("iris")
    True
    """
    return is_local(describe(name))


def resolve_location(folder: Path, name: str) -> str:
    """Resolve the path of a description or a table against a folder; keep a name as it is.

    Examples
    --------
    >>> from pathlib import Path
    >>> from sorb.lab.datasets import resolve_location
    >>> resolve_location(Path("/runs"), "my_table.toml+log")
    '/runs/my_table.toml+log'
    >>> resolve_location(Path("/runs"), "nhanes+log")
    'nhanes+log'
    """
    path = name.removesuffix(_LOG)
    is_path = _CSV in path or Path(path).suffix.lower() in (".csv", ".toml")
    if not is_path:
        return name
    try:
        return str((folder / name).resolve())
    except (OSError, RuntimeError, ValueError) as error:  # a circle of links, a name with a NUL
        raise ValueError(f"{name!r} cannot be the path of a file: {error}.") from None
