"""Classes and functions that are named in a text, as ``package.module:Name``."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any


class ReferenceNotFound(ValueError):  # noqa: N818
    """A text names nothing that can be imported."""


def is_reference(text: str) -> bool:
    """Tell whether a text is of the form ``package.module:Name``."""
    module, colon, name = text.partition(":")
    return bool(colon) and all(part.isidentifier() for part in (*module.split("."), name))


def import_reference(text: str, folder: Path | None = None) -> Any:
    """Import what a text names.

    Parameters
    ----------
    text : str
        As in ``package.module:Name``.
    folder : Path, optional
        Where modules are looked for that are not installed.

    Raises
    ------
    ReferenceNotFound
        If the module cannot be imported, or does not have the name.

    Examples
    --------
    >>> from sorb.lab.references import import_reference
    >>> import_reference("sklearn.tree:DecisionTreeClassifier").__name__
    'DecisionTreeClassifier'
    >>> import_reference("sklearn.tree:Oak")
    Traceback (most recent call last):
    sorb.lab.references.ReferenceNotFound: sklearn.tree:Oak: ... has no 'Oak'
    """
    if not is_reference(text):
        raise ReferenceNotFound(f"{text!r} must have the form package.module:Name")
    if folder is not None and str(folder) not in sys.path:
        # Last, so that a file of the user's never hides an installed module; and for good, since
        # the module may import others later on.
        sys.path.append(str(folder))
    module_name, _, name = text.partition(":")
    try:
        module = import_module(module_name)
    except Exception as error:
        raise ReferenceNotFound(_import_problem(text, error, folder)) from error
    if not hasattr(module, name):
        place = getattr(module, "__file__", None) or module_name
        raise ReferenceNotFound(f"{text}: {place} has no {name!r}")
    return getattr(module, name)


def _import_problem(text: str, error: Exception, folder: Path | None) -> str:
    module = text.partition(":")[0]
    if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
        place = f" and not in {folder}" if folder else ""
        return f"{text}: there is no module {error.name!r}: it is not installed{place}"
    return f"{text}: importing {module} failed: {type(error).__name__}: {error}"
