"""The files of a dataset: found on this machine or downloaded, and always checked."""

from __future__ import annotations

import hashlib
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from sorb._extras import install_command
from sorb.lab.datasets import transfer
from sorb.lab.datasets.data_file import File
from sorb.lab.datasets.description import Description
from sorb.lab.datasets.transfer import LimitExceeded, Limits


class DatasetUnavailable(OSError):  # noqa: N818
    """A file of a dataset is not on this machine, and cannot be downloaded."""


class DatasetDamaged(ValueError):  # noqa: N818
    """A file of a dataset is not the expected one."""


def find_or_download(description: Description) -> tuple[Path, ...]:
    """Find the files of a dataset, or download them, and check them."""
    return tuple(_find_or_download(description, file) for file in description.files)


def is_local(description: Description) -> bool:
    """Tell whether a dataset needs no download."""
    try:
        folder = _folder(description)
    except DatasetUnavailable:
        return False
    return all(_find_file(folder, file.name) for file in description.files)


def _find_or_download(description: Description, file: File) -> Path:
    folder = _folder(description)
    path = _find_file(folder, file.name)
    if path is None:
        if not file.url:
            raise DatasetUnavailable(
                f"The dataset {description.name!r} needs the file {folder / file.name}, "
                "which does not exist: put it there, or correct the name."
            )
        path = _download(description, file, folder)
    _check(description, file, path)
    return path


def _folder(description: Description) -> Path:
    if description.folder is not None or not description.files:
        return description.folder or Path()
    chosen = os.environ.get("SORB_DATA")
    if not chosen:
        return Path(_require(description, "platformdirs").user_cache_dir("sorb"))
    try:
        return Path(chosen).expanduser()
    except RuntimeError as error:
        raise DatasetUnavailable(
            f"The environment variable SORB_DATA is {chosen}, which is not a folder: {error}"
        ) from None


def _find_file(folder: Path, name: str) -> Path | None:
    """Find a file by its name, ignoring case."""
    if (folder / name).is_file():
        return folder / name
    if not folder.is_dir():
        return None
    alike = [path for path in folder.iterdir() if path.name.lower() == name.lower()]
    return min((path for path in alike if path.is_file()), default=None)


def _check(description: Description, file: File, path: Path) -> None:
    if file.sha256 and (found := _checksum(path)) != file.sha256:
        way_out = "delete it to have it downloaded again" if file.url else "correct its sha256"
        raise DatasetDamaged(
            f"{path} is not the expected file of the dataset {description.name!r}: its SHA-256 is "
            f"{found}, expected {file.sha256}. Replace it by the original file, or {way_out}."
        )


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _download(description: Description, file: File, folder: Path) -> Path:
    requests, urllib3 = (_require(description, name) for name in ("requests", "urllib3"))
    limits = Limits(description.max_megabytes, description.max_minutes)

    def check(draft: Path) -> None:
        _check_answer(description, file, folder, draft)

    try:
        transfer.transfer(file.url, folder / file.name, limits, check)
    except LimitExceeded as error:
        raise DatasetUnavailable(
            f"The file {file.name} of the dataset {description.name!r} was not downloaded: what "
            f"{file.url} sends {error}. If that is right, {_raise_limit(description, error)}"
            f"{_by_hand(description, file, folder)}."
        ) from None
    except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
        raise DatasetUnavailable(
            f"The dataset {description.name!r} is not on this machine, and its file {file.name} "
            f"could not be downloaded from {file.url}: {_reason(error)}. "
            f"Try again with access to the network, or {_by_hand(description, file, folder)}."
        ) from None
    except OSError as error:
        raise DatasetUnavailable(
            f"The file {file.name} of the dataset {description.name!r} cannot be stored in "
            f"{folder} ({error.strerror or error}). Make this folder writable"
            + ("." if description.folder else ", or set the environment variable SORB_DATA to one.")
        ) from None
    return folder / file.name


def _check_answer(description: Description, file: File, folder: Path, draft: Path) -> None:
    if file.sha256 and (found := _checksum(draft)) != file.sha256:
        by_hand = _by_hand(description, file, folder)
        otherwise = f", or correct the sha256 of {file.name}" if description.folder else ""
        raise DatasetDamaged(
            f"What {file.url} sent for the dataset {description.name!r} is not the expected file: "
            f"its SHA-256 is {found}, expected {file.sha256}. Nothing was kept. Open the address "
            f"to see what it serves now; if you have the original file, {by_hand}{otherwise}."
        )


def _raise_limit(description: Description, error: LimitExceeded) -> str:
    return f"raise {error.key} in the description, or " if description.folder else ""


def _by_hand(description: Description, file: File, folder: Path) -> str:
    if description.folder:
        return f"put {file.name} into {folder}"
    return f"set the environment variable SORB_DATA to a folder that contains {file.name}"


def _reason(error: Any) -> str:
    """Say briefly why a download failed; the error itself speaks of pools and retries."""
    import requests

    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"the server answered {error.response.status_code} {error.response.reason}".strip()
    reasons = {
        requests.exceptions.ProxyError: "the proxy cannot be reached",
        requests.Timeout: f"no answer within {transfer.TIMEOUT} seconds",
        requests.ConnectionError: "no connection to the server",
        requests.exceptions.ChunkedEncodingError: "the connection broke off",
        requests.exceptions.InvalidSchema: "only http and https are allowed",
    }
    return next(
        (words for kind, words in reasons.items() if isinstance(error, kind)),
        str(error).rstrip("."),
    )


def _require(description: Description, package: str) -> Any:
    try:
        return import_module(package)
    except ImportError:
        raise DatasetUnavailable(
            f"The dataset {description.name!r} is not on this machine. To have it downloaded, "
            f"{install_command('lab')}; or set the environment variable SORB_DATA to a folder that "
            f"contains {', '.join(file.name for file in description.files)}."
        ) from None
