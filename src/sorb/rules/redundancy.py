"""Which propositions follow from others, and which exclude each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count

from sorb.rules.field_checks import Label
from sorb.rules.propositions import AnyProposition, Membership, Product, Proposition

__all__ = ["drop_redundant"]

# Far more than anybody reads; what loading a model file can cost is bounded by it.
MOST_PROPOSITIONS = 100


def drop_redundant(propositions: Sequence[AnyProposition]) -> tuple[AnyProposition, ...]:
    """Drop propositions that follow from others, and reject those that exclude each other.

    Examples
    --------
    >>> old, adult = (Proposition(("age",), (1.0,), years) for years in (40.0, 18.0))
    >>> drop_redundant((old, adult)) == (old,)
    True
    """
    if len(propositions) <= MOST_PROPOSITIONS and _are_unrelated(propositions):
        return tuple(propositions)
    kept = _Kept()
    for proposition in _settle_missing(propositions):
        kept.add(proposition)
    return kept.propositions


def _are_unrelated(propositions: Sequence[AnyProposition]) -> bool:
    """Whether their columns alone say that they have nothing to do with each other."""
    columns = [column for proposition in propositions for column in proposition.columns]
    if len(set(columns)) == len(columns):
        return True
    if any(isinstance(proposition, Membership) for proposition in propositions):
        return False
    # Sums and products can be compared only if they are of the same columns.
    return len({frozenset(p.columns) for p in propositions}) == len(propositions)


def _settle_missing(propositions: Sequence[AnyProposition]) -> list[AnyProposition]:
    """Where a column must be known, no other proposition accepts its missing values."""
    known = {p.columns for p in propositions if _asks_only(p, missing=False)}
    return [replace(p, missing=False) if _accepts_missing(p, known) else p for p in propositions]


def _accepts_missing(proposition: AnyProposition, known: set[tuple[str, ...]]) -> bool:
    """Whether one of the known columns, if missing, would satisfy a proposition about its value."""
    return (
        proposition.missing
        and proposition.columns in known
        # A product of known values may still be unknown, because one is not positive.
        and not isinstance(proposition, Product)
        and not _asks_only(proposition, missing=True)
    )


class _Kept:
    """The propositions that are kept, by their numbers, and by what they are about.

    To look up a proposition itself would take time for each of its columns, of which a model file
    may give it hundreds of thousands.
    """

    def __init__(self) -> None:
        self._numbers = count()
        self._kept: dict[int, _Stated] = {}
        self._about: defaultdict[Hashable, list[int]] = defaultdict(list)
        self._labels: dict[Label, Label] = {}

    @property
    def propositions(self) -> tuple[AnyProposition, ...]:
        """The propositions, in the order in which they were added."""
        return tuple(stated.proposition for stated in self._kept.values())

    def add(self, proposition: AnyProposition) -> None:
        """Keep a proposition instead of those that it implies, unless one implies it."""
        new = self._state(proposition)
        found = (self._about.get(subject, ()) for subject in _related_subjects(new))
        related = {number: self._kept[number] for numbers in found for number in numbers}
        if any(_implies(old, new) for old in related.values()):
            return
        for number, old in related.items():
            if _implies(new, old):
                self._remove(number)
            elif _excludes(old, new):
                both = f"{old.proposition.format(None)} and {proposition.format(None)}"
                raise ValueError(f"no row can satisfy both {both}")
        self._keep(new)
        if len(self._kept) > MOST_PROPOSITIONS:
            raise ValueError(f"a condition must have at most {MOST_PROPOSITIONS} propositions")

    def _state(self, proposition: AnyProposition) -> _Stated:
        if not isinstance(proposition, Membership):
            return _Stated(proposition, _range(proposition))
        # Sets that share their labels are compared without reading these.
        named = frozenset(self._labels.setdefault(c, c) for c in proposition.categories)
        return _Stated(proposition, _Categories(named, proposition.negated))

    def _keep(self, new: _Stated) -> None:
        number = next(self._numbers)
        self._kept[number] = new
        for subject in _subjects(new):
            self._about[subject].append(number)

    def _remove(self, number: int) -> None:
        for subject in _subjects(self._kept.pop(number)):
            self._about[subject].remove(number)


@dataclass(frozen=True, slots=True)
class _Stated:
    """A proposition, and the values of which it is true, made once for all comparisons."""

    proposition: AnyProposition
    values: _Range | _Categories

    @property
    def columns(self) -> tuple[str, ...]:
        return self.proposition.columns

    @property
    def missing(self) -> bool:
        return self.proposition.missing


def _subjects(stated: _Stated) -> list[Hashable]:
    """List what a proposition is about: its columns, and what it asks about them."""
    return [*stated.columns, _question(stated)]


def _related_subjects(stated: _Stated) -> Iterator[Hashable]:
    """Give what others are about that may imply or exclude a proposition, or be implied by it."""
    if _asks_whether_known(stated.proposition):
        yield from stated.columns
        return
    yield _question(stated)
    yield from (("known", column) for column in stated.columns)


def _question(stated: _Stated) -> Hashable:
    if isinstance(stated.values, _Range):
        return stated.values.quantity
    return ("category" if stated.values.named else "known", *stated.columns)


def _implies(strong: _Stated, weak: _Stated) -> bool:
    """Whether every row that satisfies one proposition satisfies a related one."""
    if _asks_only(strong.proposition, missing=True):
        return weak.missing
    if strong.missing and not weak.missing:
        return False
    if _asks_only(weak.proposition, missing=False):
        return True
    return strong.values.within(weak.values)


def _excludes(first: _Stated, second: _Stated) -> bool:
    """Whether no row satisfies both of two related propositions, whatever is missing in it."""
    if first.missing and second.missing:
        return False
    if _asks_only(first.proposition, missing=True) or _asks_only(second.proposition, missing=True):
        return True
    return first.values.is_disjoint(second.values)


def _asks_whether_known(proposition: AnyProposition) -> bool:
    return isinstance(proposition, Membership) and not proposition.categories


def _asks_only(proposition: AnyProposition, missing: bool) -> bool:
    """Whether it asks only for a missing value, or for a known one, and nothing about it."""
    return _asks_whether_known(proposition) and proposition.missing == missing


@dataclass(frozen=True, slots=True)
class _Categories:
    """The named categories of a column, or all others if `negated`."""

    named: frozenset[Label]
    negated: bool

    def within(self, other: _Categories | _Range) -> bool:
        """Whether all of its categories are in another set of the same column."""
        if isinstance(other, _Range):
            return False
        if self.negated:
            return other.negated and other.named <= self.named
        return self.named.isdisjoint(other.named) if other.negated else self.named <= other.named

    def is_disjoint(self, other: _Categories | _Range) -> bool:
        """Whether no category is in both sets of the same column."""
        if isinstance(other, _Range):
            return False
        return self.within(_Categories(other.named, not other.negated))


@dataclass(frozen=True, slots=True)
class _Range:
    """All values of a quantity from a threshold upwards, or downwards if `at_most`."""

    quantity: Hashable
    threshold: Fraction
    at_most: bool

    def within(self, other: _Categories | _Range) -> bool:
        """Whether all of its values are in another range of the same quantity."""
        if isinstance(other, _Categories) or self.at_most != other.at_most:
            return False
        lower, upper = (self, other) if self.at_most else (other, self)
        return lower.threshold <= upper.threshold

    def is_disjoint(self, other: _Categories | _Range) -> bool:
        """Whether no value is in both ranges of the same quantity."""
        if isinstance(other, _Categories) or self.at_most == other.at_most:
            return False
        most, least = (self, other) if self.at_most else (other, self)
        return most.threshold < least.threshold


def _range(proposition: Proposition | Product) -> _Range:
    """Give the range of a sum or product, so that equal quantities compare as equal."""
    threshold = Fraction(proposition.threshold)
    if isinstance(proposition, Product):
        powers = frozenset(zip(proposition.columns, proposition.powers, strict=True))
        return _Range(powers, threshold, proposition.at_most)
    # A sum is divided by its largest weight, with the sign that the first column has by name.
    terms = sorted(zip(proposition.columns, map(Fraction, proposition.weights), strict=True))
    largest = max(abs(weight) for _, weight in terms)
    scale = -largest if terms[0][1] < 0 else largest
    direction = tuple((column, weight / scale) for column, weight in terms)
    return _Range(direction, threshold / scale, at_most=scale < 0)
