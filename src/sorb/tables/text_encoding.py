"""How the text of a CSV file is encoded, and its bytes in UTF-8."""

from __future__ import annotations

import codecs
import io
import re
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "ADVICE",
    "ASSUMED",
    "UTF_8",
    "RecodedStream",
    "find_encoding",
    "first_foreign_word",
    "is_binary",
]

UTF_8 = "utf-8"
# What most programs wrote before UTF-8; an extension of Latin-1.
ASSUMED = "windows-1252"
ADVICE = "name its encoding with --encoding, such as cp1250, or save it in UTF-8"
START = 1 << 12
BLOCK = 1 << 20
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Every other byte of UTF-16 is zero in English, and in any language at separators and digits.
_FEW, _MANY = 0.05, 0.3
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x19\x1c-\x1f]")
_FOREIGN_WORD = re.compile(r'[^\s,;|"]*[^\x00-\x7f][^\s,;|"]*')


def find_encoding(stream: IO[bytes]) -> str:
    """Find out whether a text is in UTF-8 or UTF-16; if in neither, assume Windows-1252.

    Examples
    --------
    >>> texts = ["Müller".encode(name) for name in ("utf-8", "utf-16-le", "latin-1")]
    >>> [find_encoding(io.BytesIO(text)) for text in texts]
    ['utf-8', 'utf-16-le', 'windows-1252']
    """
    start = stream.read(START)
    stream.seek(0)
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            return encoding
    even, odd = (start[first::2].count(0) / max(len(start) // 2, 1) for first in (0, 1))
    if even < _FEW and odd > _MANY:
        return "utf-16-le"
    if odd < _FEW and even > _MANY:
        return "utf-16-be"
    return UTF_8 if _is_utf_8(stream) else ASSUMED


def _is_utf_8(stream: IO[bytes]) -> bool:
    decoder = codecs.getincrementaldecoder(UTF_8)()
    try:
        while part := stream.read(BLOCK):
            decoder.decode(part)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    finally:
        stream.seek(0)
    return True


def is_binary(stream: IO[bytes]) -> bool:
    """Whether the start of a file holds what no text does, in encodings of a byte a character."""
    start = stream.read(START)
    stream.seek(0)
    return len(_CONTROL.findall(start)) > _FEW * len(start) or b"\0" in start


def first_foreign_word(stream: IO[bytes]) -> str:
    """Quote the first word with a character beyond ASCII of a text in UTF-8."""
    lines = io.TextIOWrapper(stream, encoding=UTF_8, newline="")
    try:
        found = filter(None, map(_FOREIGN_WORD.search, iter(lambda: lines.readline(BLOCK), "")))
        return next((word[0] for word in found), "")
    finally:
        lines.detach().seek(0)


class RecodedStream(io.RawIOBase):
    r"""The bytes of a text in another encoding as UTF-8; one can only go back to the start.

    Examples
    --------
    >>> recoded = RecodedStream(io.BytesIO(b"M\xfcller"), "latin-1", "names.csv")
    >>> io.BufferedReader(recoded).read().decode()
    'Müller'
    """

    def __init__(self, stream: IO[bytes], encoding: str, where: str) -> None:
        self._stream, self._encoding, self._where = stream, encoding, where
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._given = 0

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def seekable(self) -> bool:
        """Whether one can go back to the start: always."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Fill a buffer with the next bytes."""
        with memoryview(buffer).cast("B") as space:
            while not self._ready:
                part = self._stream.read(BLOCK)
                self._ready = self._recode(part)
                if not part:
                    break
            count = min(len(space), len(self._ready))
            space[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        self._given += count
        return count

    def _recode(self, part: bytes) -> bytes:
        try:
            return self._decoder.decode(part, final=not part).encode()
        except UnicodeError:
            raise ValueError(f"{self._where} is not text in {self._encoding}: {ADVICE}") from None

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go back to the start, or stay."""
        if (offset, whence) == (0, io.SEEK_SET):
            self._stream.seek(0)
            self._decoder.reset()
            self._ready, self._given = b"", 0
        elif (offset, whence) != (0, io.SEEK_CUR):
            raise io.UnsupportedOperation("one can only go back to the start")
        return self._given
