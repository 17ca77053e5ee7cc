"""A file of a dataset, and the names it may have: in its folder, and harmless on any system."""

from __future__ import annotations

from dataclasses import dataclass

_FORBIDDEN = frozenset('/\\:*?"<>|')  # on Windows or elsewhere
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{device}{number}" for device in ("com", "lpt") for number in "0123456789¹²³"]
)
_LONGEST = 255  # bytes, on most file systems
_TABLES = (".csv", ".tsv", ".tab", ".txt", ".data", ".dat", ".xpt")
_COMPRESSED = (".gz", ".bz2", ".zst")

DOWNLOADED = f"{', '.join(_TABLES)}, or one of these with {', '.join(_COMPRESSED)}"
"""How the name of a downloaded file may end, in words."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a dataset: its name, where it can be downloaded, and its checksum."""

    name: str
    url: str = ""
    sha256: str = ""  # empty if not pinned


def is_plain_name(name: str) -> bool:
    r"""Tell whether a name is that of a file in a folder, on any system.

    Paths are not, nor are names that are hidden, or that stand for a device on Windows.

    Examples
    --------
    >>> from sorb.lab.datasets.data_file import is_plain_name
    >>> is_plain_name("used cars.csv")
    True
    >>> [is_plain_name(name) for name in ("../cars.csv", r"a\cars.csv", ".lock", "nul.csv", "")]
    [False, False, False, False, False]
    """
    return (
        name.isprintable()
        and not _FORBIDDEN.intersection(name)
        and not name.startswith((".", " "))
        and not name.endswith((".", " "))
        and name.partition(".")[0].strip().lower() not in _DEVICES
        and 0 < len(name.encode()) <= _LONGEST
    )


def is_table_name(name: str) -> bool:
    """Tell whether a name is that of a table, so that a download can never become a program.

    Examples
    --------
    >>> from sorb.lab.datasets.data_file import is_table_name
    >>> [is_table_name(name) for name in ("cars.csv", "cars.CSV.gz", "iris.data", "my_rivals.py")]
    [True, True, True, False]
    """
    plain = name.lower()
    for suffix in _COMPRESSED:
        plain = plain.removesuffix(suffix)
    return plain.endswith(_TABLES)
