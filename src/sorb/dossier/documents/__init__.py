"""Documents that people must hand in, filled from the facts of a dossier.

Each is data: what its items ask, which answers of the software belong there, and what only a human
can say. The facts come in, Markdown goes out.
"""

from typing import Any

from sorb.dossier.documents.annex_iv import ANNEX_IV
from sorb.dossier.documents.document import Document
from sorb.dossier.documents.markdown import document_text
from sorb.dossier.documents.model_card import MODEL_CARD
from sorb.dossier.documents.model_risk import MODEL_RISK
from sorb.dossier.documents.tripod_ai import TRIPOD_AI

__all__ = ["DOCUMENTS", "write_documents"]

DOCUMENTS: tuple[Document, ...] = (MODEL_CARD, TRIPOD_AI, ANNEX_IV, MODEL_RISK)


def write_documents(facts: dict[str, Any]) -> dict[str, bytes]:
    """Fill all documents; gives the content of each file by its name."""
    return {document.file: document_text(document, facts).encode() for document in DOCUMENTS}
