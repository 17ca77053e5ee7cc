"""What can be wrong with a dossier."""

from __future__ import annotations

__all__ = ["DossierError"]


class DossierError(ValueError):
    """A dossier cannot be written, or a folder cannot be read as one."""
