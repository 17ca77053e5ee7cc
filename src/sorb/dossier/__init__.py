"""What people must hand in about a model, and a bundle that can be verified.

A model comes in, with rows whose outcome is known. Out goes a folder: facts as one JSON document,
documents filled from them, and model, rows, predictions and exports, from which everything can be
computed again.
"""

from sorb.dossier.errors import DossierError
from sorb.dossier.verification import Check, Outcome, Verification
from sorb.dossier.verify import verify
from sorb.dossier.write import Dossier, write_dossier

__all__ = [
    "Check",
    "Dossier",
    "DossierError",
    "Outcome",
    "Verification",
    "verify",
    "write_dossier",
]
