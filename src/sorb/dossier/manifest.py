"""The list of the files of a dossier, with what identifies each of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sorb.dossier.errors import DossierError

__all__ = ["MANIFEST", "Manifest", "read_document", "sha256", "write_document"]

MANIFEST = "manifest.json"
FORMAT, VERSION = "sorb.dossier", 1
LARGEST = 10_000_000  # bytes of a manifest
LONGEST = 100  # characters of a name


def sha256(content: bytes) -> str:
    """Give what identifies a content."""
    return hashlib.sha256(content).hexdigest()


def write_document(document: Any) -> bytes:
    """Write JSON for people and programs."""
    text = json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False)
    return f"{text}\n".encode("ascii")


def read_document(content: bytes, kind: str, version: int) -> dict[str, Any]:
    """Read JSON that says what format it has."""
    try:
        found = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DossierError(f"it is no JSON: {error}") from error
    if not isinstance(found, dict) or found.get("format") != kind:
        raise DossierError(f"its format is not {kind!r}")
    if found.get("version") != version:
        raise DossierError(
            f"expected version {version} of the format, found {found.get('version')!r}: a newer "
            "sorb may read it"
        )
    return found


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of a dossier with their SHA-256."""

    files: Mapping[str, str]

    @property
    def content(self) -> bytes:
        """The file."""
        return write_document({"format": FORMAT, "version": VERSION, "sha256": dict(self.files)})

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the manifest of a folder, or say why it is no dossier."""
        if not folder.is_dir():
            raise DossierError(f"there is no folder {folder}")
        path = folder / MANIFEST
        if not path.is_file() or path.is_symlink():
            raise DossierError(
                f"{folder} is no dossier of sorb: it has no {MANIFEST}, which 'sorb dossier' writes"
            )
        try:
            if path.stat().st_size > LARGEST:
                raise DossierError(f"it is larger than {LARGEST} bytes")
            found = read_document(path.read_bytes(), FORMAT, VERSION).get("sha256")
            if not isinstance(found, dict) or not all(
                isinstance(value, str) and _is_plain(name) for name, value in found.items()
            ):
                raise DossierError("expected the SHA-256 of files of this folder, by their names")
        except DossierError as error:
            raise DossierError(f"{path} is no manifest: {error}") from error
        return cls(found)


def _is_plain(name: str) -> bool:
    """Whether a name leads nowhere but into the folder."""
    return (
        0 < len(name) <= LONGEST
        and name not in (".", "..", MANIFEST)
        and name.isprintable()
        and PurePosixPath(name).name == name
        and not ({"\\", ":"} & set(name))
    )
