"""The columns of a table that models use, as the models know them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sorb.cli.arguments import require_names
from sorb.rules import AnyProposition, Label, Membership, RuleEnsemble
from sorb.tables.files import open_file
from sorb.tables.reading import FIND_OUT, Reading

if TYPE_CHECKING:
    import pyarrow as pa

    from sorb.tables.date_columns import DatePart

__all__ = ["ModelColumns", "read_model_row", "read_model_table"]

TRUTH_VALUES = ("true", "false")


def read_model_table(
    source: str,
    *ensembles: RuleEnsemble,
    others: Mapping[str, str | None] | None = None,
    as_text: tuple[str, ...] = (),
    as_written: tuple[str, ...] = (),
    reading: Reading = FIND_OUT,
) -> pa.Table:
    """Read the columns that models use, and others.

    Parameters
    ----------
    source : str
        A file, or ``-`` for standard input.
    *ensembles : RuleEnsemble
        The models.
    others : mapping from str to str, optional
        Other columns to read, and the option that asks for each; None if the table may lack it.
    as_text, as_written : tuple of str, default=()
        Columns of CSV as in `sorb.tables.files.TableFile`; those that the rules weigh are numbers.
    reading : Reading, optional
        How the file is read.
    """
    columns = ModelColumns.of(ensembles, others, as_text)
    with open_file(source, reading) as file:
        columns = columns.find(file.columns, file.where, reading.day_first)
        table = file.read(
            columns.read,
            as_text=columns.texts,
            as_written=as_written,
        )
    return columns.spell(table)


@dataclass(frozen=True, slots=True)
class ModelColumns:
    """The columns that models use, and others that are read with them.

    Attributes
    ----------
    wanted : the columns, and what asks for each; None if the table may lack it.
    texts : those that hold texts, even if these look like numbers.
    categories : those whose categories are texts, with the texts that the models know.
    numbers : those that hold numbers.
    parts : those that the table does not hold, but dates that they are computed from.
    day_first : whether dates in texts begin with the day; None if they tell.
    """

    wanted: dict[str, str | None]
    texts: tuple[str, ...]
    categories: dict[str, set[str]]
    numbers: tuple[str, ...]
    parts: dict[str, DatePart] = field(default_factory=dict)
    day_first: bool | None = None

    @classmethod
    def of(
        cls,
        ensembles: Sequence[RuleEnsemble],
        others: Mapping[str, str | None] | None = None,
        as_text: Iterable[str] = (),
    ) -> ModelColumns:
        """Find them in the rules."""
        used: dict[str, str | None] = {
            name: "the rules" for ensemble in ensembles for name in ensemble.used_columns
        }
        categories = _text_categories(ensembles)
        numbers = tuple(dict.fromkeys(_columns_of_numbers(ensembles)))
        texts = (*categories, *(name for name in as_text if name not in numbers))
        return cls({**used, **(others or {})}, texts, categories, numbers)

    def find(self, known: Collection[str], where: str, day_first: bool | None) -> ModelColumns:
        """Find them in a table, or dates that they are computed from; refuse one that lacks any."""
        from sorb.tables.date_columns import find_part

        parts, wanted = {}, dict(self.wanted)
        for name, purpose in self.wanted.items():
            part = None if name in known else find_part(name, known)
            if part is not None:
                parts[name] = part
            elif purpose is not None:
                require_names([name], known, where, purpose)
            elif name not in known:
                del wanted[name]
        return replace(self, wanted=wanted, parts=parts, day_first=day_first)

    @property
    def read(self) -> list[str]:
        """The columns to read."""
        dates = [part.column for part in self.parts.values()]
        return [*dict.fromkeys([name for name in self.wanted if name not in self.parts] + dates)]

    def spell(self, table: pa.Table, first_row: int = 0) -> pa.Table:
        """Spell texts as the rules do, and refuse texts where they expect numbers.

        `first_row` is the number of the first row, if the table is a piece of a larger one.
        """
        from sorb.tables.arrow import to_texts

        if self.parts:
            table = self._compute_dates(table)
        table = to_texts(table, self.texts)
        _require_numbers(table, self.numbers, first_row)
        return _spell_categories(table, self.categories)

    def _compute_dates(self, table: pa.Table) -> pa.Table:
        """Compute what rules use of dates."""
        from sorb.cli.date_option import HOW_TO_SAY
        from sorb.rules.columns import wrap_frame
        from sorb.tables.date_columns import derive_columns

        frame, parts = wrap_frame(table), self.parts.values()
        dropped = {part.column for part in parts} - {*self.wanted}
        return derive_columns(frame, parts, dropped, self.day_first, HOW_TO_SAY).to_native()


def read_model_row(
    source: str, ensemble: RuleEnsemble, row: int, reading: Reading = FIND_OUT
) -> pa.Table:
    """Read the columns that a model uses, of one row."""
    table = read_model_table(source, ensemble, reading=reading)
    if row >= table.num_rows:
        raise ValueError(f"there is no row {row}: the last of {source} is {table.num_rows - 1}")
    return table.slice(row, 1)


def _text_categories(ensembles: Sequence[RuleEnsemble]) -> dict[str, set[str]]:
    """Find the columns whose categories are texts, even if those of a table look like numbers."""
    found: dict[str, set[str]] = {}
    for proposition in _propositions(ensembles):
        if isinstance(proposition, Membership) and _texts(proposition.categories):
            found.setdefault(proposition.column, set()).update(_texts(proposition.categories))
    for ensemble in ensembles:
        for name, seen in ensemble.experience:
            if _texts(seen.categories or ()):
                found.setdefault(name, set()).update(_texts(seen.categories or ()))
    return found


def _spell_categories(table: pa.Table, categories: Mapping[str, set[str]]) -> pa.Table:
    """Spell the texts of categories as the rules do."""
    from sorb.tables.arrow import is_text, replace_columns
    from sorb.tables.number_texts import POINT_ZERO, drop_point_zero

    spelled = {name: _spell_truth_values(table[name], known) for name, known in categories.items()}
    table = replace_columns(table, spelled)
    # A model that has learned 5.0 as a text means it as it is written.
    plain = [name for name, known in categories.items() if not any(map(POINT_ZERO.match, known))]
    codes = [name for name in plain if is_text(table, name)]
    return replace_columns(table, {name: drop_point_zero(table[name]) for name in codes})


def _spell_truth_values(texts: pa.ChunkedArray, known: set[str]) -> pa.ChunkedArray:
    """Spell truth values as the rules do: programs write True, TRUE or true."""
    import pyarrow.compute as pc

    for value in TRUTH_VALUES:
        spellings = [word for word in known if word.lower() == value]
        # A model that knows several spellings means each as it is written.
        if len(spellings) == 1:
            texts = pc.replace_substring_regex(texts, f"(?i)^{value}$", spellings[0])
    return texts


def _columns_of_numbers(ensembles: Sequence[RuleEnsemble]) -> Iterator[str]:
    """Find the columns whose numbers are weighed, or are categories, or have a range."""
    for proposition in _propositions(ensembles):
        if not isinstance(proposition, Membership):
            yield from proposition.columns
        elif proposition.categories and not _texts(proposition.categories):
            yield proposition.column
    for ensemble in ensembles:
        yield from (name for name, seen in ensemble.experience if seen.range is not None)


def _texts(labels: Iterable[Label]) -> set[str]:
    return {label for label in labels if isinstance(label, str)}


def _propositions(ensembles: Iterable[RuleEnsemble]) -> Iterator[AnyProposition]:
    for ensemble in ensembles:
        for rule in ensemble:
            yield from rule.condition.propositions


def _require_numbers(table: pa.Table, columns: Iterable[str], first_row: int) -> None:
    """Refuse texts where rules expect numbers."""
    from sorb.tables.arrow import cells, is_number
    from sorb.tables.number_texts import has_decimal_comma

    for name in columns:
        if not is_number(table, name):
            row, found = _first_non_number(cells(table, name))
            hint = ": use --decimal comma if it is one" if has_decimal_comma(str(found)) else ""
            raise ValueError(
                f"the rules need numbers in column {name!r}, found {str(found)!r} in row "
                f"{first_row + row}{hint}"
            )


def _first_non_number(values: list[Any]) -> tuple[int, Any]:
    """Find the first value that does not read as a number, or else the first value."""
    from sorb.tables.cells import first_unconvertible

    row = first_unconvertible(values)
    if row is None:
        row = next(k for k, value in enumerate(values) if value is not None)
    return row, values[row]
