"""What a document consists of."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Document", "Item", "Section"]


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a document must say.

    Attributes
    ----------
    number : how the document numbers it; empty if it does not.
    title : what it is called.
    asks : what it asks, in words of our own.
    filled : the names of the answers that the software gives.
    question : what only a human can say; empty if the software says all.
    """

    number: str
    title: str
    asks: str
    filled: tuple[str, ...] = ()
    question: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Items that belong together."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A document to hand in.

    Attributes
    ----------
    file : the name of its file.
    title : what it is called; "{}" stands for the title of the dossier.
    about : what it follows, and what it does not claim.
    sections : its parts.
    """

    file: str
    title: str
    about: str
    sections: tuple[Section, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """All its items."""
        return tuple(item for section in self.sections for item in section.items)
