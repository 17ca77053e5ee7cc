"""Files that hold no table that can be read: what they are, and what to do instead."""

from __future__ import annotations

import re
from typing import IO

from sorb.tables.packed_files import COMPRESSED, ZIP, zip_kind

__all__ = ["require_table"]

START = 1 << 12
_AS_CSV = "save the table as CSV"
_FROM_R = "in R, write the table with write.csv(…, row.names = FALSE)"
_FROM_PANDAS = "in pandas, read it with {} and write it with to_csv(…, index=False)"
_OFFICE = "open it in Excel or LibreOffice, and save the sheet as .xlsx or CSV"
# How files begin, what they are, and what to do.
_BEGINNINGS = {
    b"%PDF-": ("a PDF document", "ask for the table itself, or copy it into a spreadsheet"),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": (
        "an old Office document (.xls, .doc), or one with a password",
        _OFFICE,
    ),
    b"{\\rtf": ("a text document (RTF)", _AS_CSV),
    b"$FL2": ("an SPSS file", _FROM_PANDAS.format("read_spss")),
    b"$FL3": ("an SPSS file", _FROM_PANDAS.format("read_spss")),
    b"<stata_dta>": ("a Stata file", _FROM_PANDAS.format("read_stata")),
    b"HEADER RECORD*******": ("a SAS transport file", _FROM_PANDAS.format("read_sas")),
    b"\0" * 12 + b"\xc2\xea\x81\x60": ("a SAS file", _FROM_PANDAS.format("read_sas")),
    b"X\n\0\0": ("an R file (.rds)", _FROM_R),
    b"RDX2\n": ("an R file (.RData)", _FROM_R),
    b"RDX3\n": ("an R file (.RData)", _FROM_R),
    b"ARROW1": ("an Arrow (Feather) file", _FROM_PANDAS.format("read_feather")),
    b"\x89HDF": ("an HDF5 file", _FROM_PANDAS.format("read_hdf")),
    b"\x93NUMPY": ("a NumPy array", "write it with pandas.DataFrame(…).to_csv(…, index=False)"),
    b"\x80\x04": ("a Python pickle", _FROM_PANDAS.format("read_pickle")),
    b"\x80\x05": ("a Python pickle", _FROM_PANDAS.format("read_pickle")),
    b"\x89PNG": ("a picture", "name a table"),
    b"\xff\xd8\xff": ("a picture", "name a table"),
    b"\xfd7zXZ": ("compressed by xz", "decompress it"),
    b"7z\xbc\xaf": ("a 7-Zip archive", "unpack it, and name the table"),
    b"Rar!": ("a RAR archive", "unpack it, and name the table"),
    b"\x7fELF": ("a program", "name a table"),
    b"MZ\x90": ("a program", "name a table"),
}
# The first byte of Stata files before 2013 is their version; the next two are the same in all.
_OLD_STATA = re.compile(rb"[\x69-\x73][\x01\x02]\x01\x00", re.DOTALL)
_TAR = re.compile(rb".{257}ustar", re.DOTALL)
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body|table)\b", re.IGNORECASE)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*[\"}]|\[\s*[\[{\]])")
_PATTERNS = {
    _OLD_STATA: _BEGINNINGS[b"<stata_dta>"],
    _TAR: ("a tar archive", "unpack it, and name the table"),
    _HTML: (
        "a page of HTML, perhaps one that a server sent instead of the table",
        "look at it in a browser, and download the table itself",
    ),
    _XML: ("an XML file", _AS_CSV),
    _JSON: ("a JSON file", _FROM_PANDAS.format("read_json")),
}


def require_table(stream: IO[bytes], where: str) -> None:
    """Refuse a file that is known to be something else than a table.

    Examples
    --------
    >>> import io
    >>> require_table(io.BytesIO(b"<!DOCTYPE html><html>404</html>"), "patients.csv")
    Traceback (most recent call last):
    ...
    ValueError: patients.csv is a page of HTML, perhaps one that a server sent instead of the table:
    look at it in a browser, and download the table itself
    """
    start = stream.read(START)
    stream.seek(0)
    found = _recognise(start, stream)
    if found:
        kind, advice = found
        raise ValueError(f"{where} is {kind}: {advice}")


def _recognise(start: bytes, stream: IO[bytes]) -> tuple[str, str] | None:
    for beginning, found in _BEGINNINGS.items():
        if start.startswith(beginning):
            return found
    for pattern, found in _PATTERNS.items():
        if pattern.match(start):
            return found
    if start.startswith(ZIP):
        kind = zip_kind(stream)
        return (f"a {kind} document" if kind else "a zip archive in another file", _OFFICE)
    if start.startswith(tuple(COMPRESSED)):
        return ("compressed twice", "decompress it")
    return None
