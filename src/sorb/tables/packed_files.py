"""What compressed files and zip archives hold, within limits."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import IO

from sorb.tables.quoting import quote_some

__all__ = [
    "COMPRESSED",
    "EXCEL",
    "ZIP",
    "largest_content",
    "require_unpacked_size",
    "unpack",
    "zip_kind",
]

COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
ZIP = b"PK\x03\x04"
EXCEL = "Excel"
PIECE = 1 << 20
# How large a compressed table may become: real ones hardly grow more than fifty times.
LARGEST_UNPACKED, LARGEST_GROWTH = 100_000_000, 200
# Programs whose documents are zip archives, by a file in them.
_DOCUMENTS = {
    "xl/workbook.xml": EXCEL,
    "xl/workbook.bin": "binary Excel",
    "word/document.xml": "Word",
    "ppt/presentation.xml": "PowerPoint",
}
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument"
_ENCRYPTED = 1
_DAMAGED = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error)


def largest_content(stream: IO[bytes]) -> int:
    """Give the size that a compressed table, or Parquet, may have when it is unpacked."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return max(LARGEST_UNPACKED, LARGEST_GROWTH * size)


def unpack(stream: IO[bytes], largest: int, where: str) -> IO[bytes]:
    """Decompress a file, or take the only file out of a zip archive; leave others as they are."""
    start = stream.read(max(map(len, [ZIP, *COMPRESSED])))
    stream.seek(0)
    if start.startswith(ZIP) and zip_kind(stream) is None:
        return _unzip(stream, largest, where)
    for magic, codec in COMPRESSED.items():
        if start.startswith(magic):
            return _decompress(stream, codec, largest, where)
    return stream


def zip_kind(stream: IO[bytes]) -> str | None:
    """Name the program whose document a zip archive is; None of a plain archive.

    Examples
    --------
    >>> archive = io.BytesIO()
    >>> with zipfile.ZipFile(archive, "w") as writer:
    ...     writer.writestr("xl/workbook.xml", "<workbook/>")
    >>> zip_kind(archive)
    'Excel'
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            names = {*archive.namelist()}
            is_open = "mimetype" in names and _OPEN_DOCUMENT in archive.open("mimetype").read(100)
    except (*_DAMAGED, OSError):
        return None
    finally:
        stream.seek(0)
    found = [kind for name, kind in _DOCUMENTS.items() if name in names]
    return "OpenDocument" if is_open else next(iter(found), None)


def require_unpacked_size(stream: IO[bytes], largest: int, where: str) -> None:
    """Refuse a document whose files are damaged, or would fill the memory when they are unpacked.

    What the archive says of their sizes need not be true.
    """
    total = 0
    try:
        with zipfile.ZipFile(stream) as archive:
            for member in archive.infolist():
                with archive.open(member) as packed:
                    while piece := packed.read(PIECE):
                        total += len(piece)
                        if total > largest:
                            raise ValueError(
                                f"{where} contains more than {LARGEST_GROWTH} times its size: if "
                                "it is a table, save it as CSV"
                            )
    except _DAMAGED as error:
        raise ValueError(f"{where} is damaged: {error}") from None
    stream.seek(0)


def _unzip(stream: IO[bytes], largest: int, where: str) -> IO[bytes]:
    try:
        with zipfile.ZipFile(stream) as archive:
            member = _only_table(archive, where)
            with archive.open(member) as packed:
                return _read_all(packed, largest, where)
    except _DAMAGED as error:
        raise ValueError(f"{where} cannot be unzipped: {error}") from None


def _only_table(archive: zipfile.ZipFile, where: str) -> zipfile.ZipInfo:
    members = [m for m in archive.infolist() if not m.is_dir() and not _is_hidden(m.filename)]
    if not members:
        raise ValueError(f"{where} is a zip archive without any file")
    if len(members) > 1:
        names = quote_some([member.filename for member in members])
        raise ValueError(
            f"{where} is a zip archive of {len(members)} files, {names}: unzip it, and name one"
        )
    [member] = members
    if member.flag_bits & _ENCRYPTED:
        raise ValueError(f"{where} is a zip archive with a password: unzip it yourself")
    return member


def _is_hidden(name: str) -> bool:
    """Whether a file is one of those that macOS adds."""
    path = PurePosixPath(name)
    return path.parts[0] == "__MACOSX" or path.name.startswith(".")


def _decompress(stream: IO[bytes], codec: str, largest: int, where: str) -> IO[bytes]:
    import pyarrow as pa

    try:
        return _read_all(pa.CompressedInputStream(stream, codec), largest, where)
    except OSError as error:
        raise ValueError(f"{where} cannot be decompressed: {error}") from None


def _read_all(packed: IO[bytes], largest: int, where: str) -> IO[bytes]:
    content = io.BytesIO()
    while piece := packed.read(PIECE):
        content.write(piece)
        if content.tell() > largest:
            raise ValueError(
                f"{where} contains more than {LARGEST_GROWTH} times its size: if it is a table, "
                "decompress it yourself"
            )
    content.seek(0)
    return content
