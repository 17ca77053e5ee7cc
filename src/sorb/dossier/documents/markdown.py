"""A document as Markdown: lines are filled, with where the evidence is, or left for a human."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sorb.dossier.documents.answers import ANSWERS
from sorb.dossier.documents.document import Document, Item
from sorb.dossier.documents.phrases import shown

__all__ = ["FOR_A_HUMAN", "document_text"]

FOR_A_HUMAN = "**For a human:**"
NO_PROMISE = (
    "sorb filled in what it knows, from facts.json in this folder, and marked everything else as "
    "for a human. This is no legal advice, and no statement that any law, standard or guideline is "
    "met: whoever hands it in answers for it, including the lines that are filled."
)


def document_text(document: Document, facts: dict[str, Any]) -> str:
    """Fill a document."""
    return "\n\n".join(_blocks(document, facts)) + "\n"


def _blocks(document: Document, facts: dict[str, Any]) -> Iterator[str]:
    yield f"# {document.title.format(shown(facts['title']))}"
    yield document.about
    yield f"> {NO_PROMISE}"
    human = sum(FOR_A_HUMAN in block for item in document.items for block in _item(item, facts))
    yield f"Written on {facts['written']} (UTC). Lines that are left for a human: {human}."
    for section in document.sections:
        yield f"## {section.title}"
        for item in section.items:
            yield from _item(item, facts)


def _item(item: Item, facts: dict[str, Any]) -> Iterator[str]:
    number = f"{item.number}. " if item.number else ""
    yield f"### {number}{item.title}"
    yield f"*{item.asks}*"
    for name in item.filled:
        answer = ANSWERS[name]
        text = answer.write(facts)
        if text is None:
            yield f"{FOR_A_HUMAN} {answer.otherwise}"
        else:
            keys = ", ".join(f"`{key}`" for key in answer.evidence)
            yield f"{text}\n\nEvidence: facts.json, {keys}."
    if item.question:
        yield f"{FOR_A_HUMAN} {item.question}"
