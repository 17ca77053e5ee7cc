"""Adults of the health survey NHANES, joined from three files."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sorb._extras import install_command
from sorb.lab.datasets.assembly import Column
from sorb.lab.datasets.download import DatasetDamaged

if TYPE_CHECKING:
    import pandas as pd

ADULT = 20  # years
_BLOCK = 80  # bytes; transport files are padded with blanks to a multiple of this


def read_nhanes(paths: Sequence[Path]) -> dict[str, Column]:
    """Join demographics, body measures and diabetes, in this order, by person.

    Adults of at least 20 years are kept who said that a doctor did (1) or did not (2) tell them
    that they have diabetes, and who have no missing values. Height is converted to metres, so
    that weight / height² is the body mass index.
    """
    demographics, body, diabetes = paths
    people = _part(demographics, "RIDAGEYR")
    people = people.merge(_part(body, "BMXWT", "BMXHT"), on="SEQN")
    people = people.merge(_part(diabetes, "DIQ010"), on="SEQN").dropna()
    people = people[(people["RIDAGEYR"] >= ADULT) & people["DIQ010"].isin((1, 2))]
    if people.empty:
        files = ", ".join(path.name for path in paths)
        raise DatasetDamaged(
            f"No adult is in all of the files {files}: are they from the same survey?"
        )
    return {
        "age": people["RIDAGEYR"].to_numpy(),
        "weight": people["BMXWT"].to_numpy(),
        "height": people["BMXHT"].to_numpy() / 100,
        "DIQ010": people["DIQ010"].to_numpy(),
    }


def _part(path: Path, *columns: str) -> pd.DataFrame:
    table = _read_transport(path)
    wanted = ["SEQN", *columns]
    lacking = [name for name in wanted if name not in table]
    if lacking:
        raise _damaged(path, f"it has no column {lacking[0]}, only {', '.join(table)}")
    if table[wanted].select_dtypes("number").shape[1] < len(wanted):
        raise _damaged(path, f"one of {', '.join(wanted)} contains text")
    repeated = table.loc[table["SEQN"].duplicated(), "SEQN"]
    if len(repeated):
        raise _damaged(path, f"the person {repeated.iloc[0]:.0f} is in it twice")
    return table[wanted]


def _read_transport(path: Path) -> pd.DataFrame:
    """Read a SAS transport file, and check that it is complete."""
    pandas = _pandas()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="xport file may be corrupted")
            reader = pandas.read_sas(path, format="xport", encoding="latin-1", iterator=True)
        with reader:
            table = reader.read()
    except (KeyError, StopIteration, TypeError, UserWarning, ValueError, struct.error) as error:
        raise _damaged(path, str(error) or "it has no rows") from None
    rest = path.read_bytes()[reader.record_start + len(table) * reader.record_length :]
    if rest.strip() or len(rest) >= _BLOCK:
        raise _damaged(path, "its last row is incomplete")
    return table


def _damaged(path: Path, problem: str) -> DatasetDamaged:
    return DatasetDamaged(
        f"{path} is not the expected file of the dataset 'nhanes': {problem.rstrip('.')}. Replace "
        "it by the original file, or delete it to have it downloaded again."
    )


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError(
            f"The dataset 'nhanes' is read with pandas: {install_command('lab')}"
        ) from None
    return pandas
