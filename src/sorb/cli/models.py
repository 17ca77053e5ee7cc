"""Models from files, the columns they need from a table, and their answers in the user's terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sorb._types import Float
from sorb.cli.arguments import DecimalSign
from sorb.cli.tables import (
    POINT_ZERO,
    as_categories,
    as_texts,
    cells,
    is_number,
    read_table,
    with_columns,
)
from sorb.rules import AnyProposition, Label, Membership, ModelFormatError, RuleEnsemble
from sorb.rules.prediction import predicted_indices

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "class_labels",
    "load_model",
    "one_row",
    "predictions",
    "table_for",
]

TRUTH_VALUES = ("true", "false")


def load_model(path: Path) -> RuleEnsemble:
    """Read a model file."""
    try:
        return RuleEnsemble.load(path)
    except ModelFormatError as error:
        raise ValueError(f"{path} is not a model that this version reads: {error}") from None


def table_for(
    source: str,
    *ensembles: RuleEnsemble,
    others: Mapping[str, str] | None = None,
    as_text: tuple[str, ...] = (),
    passed_on: tuple[str, ...] = (),
    decimal: DecimalSign | None = None,
) -> pa.Table:
    """Read the columns that models look at, and others with what they are for."""
    used = {name: "the rules" for ensemble in ensembles for name in ensemble.used_columns}
    categories = _text_categories(ensembles)
    texts = (*categories, *as_text)
    wanted = {**used, **(others or {})}
    table = as_texts(read_table(source, wanted, texts, passed_on, decimal), texts)
    # Who has learned 5.0 as a text means it as it is written.
    plain = [name for name, known in categories.items() if not any(map(POINT_ZERO.match, known))]
    _require_numbers(table, _columns_of_numbers(ensembles))
    spelled = {name: _spelled_alike(table[name], known) for name, known in categories.items()}
    return as_categories(with_columns(table, spelled), plain)


def one_row(
    source: str, ensemble: RuleEnsemble, row: int, decimal: DecimalSign | None = None
) -> pa.Table:
    """Read the columns that a model looks at, of one row."""
    table = table_for(source, ensemble, decimal=decimal)
    if row >= table.num_rows:
        raise ValueError(f"there is no row {row}: the last of {source} is {table.num_rows - 1}")
    return table.slice(row, 1)


def _text_categories(ensembles: Iterable[RuleEnsemble]) -> dict[str, set[str]]:
    """Find the columns whose categories are texts, also if a table's look like numbers."""
    found: dict[str, set[str]] = {}
    for proposition in _propositions(ensembles):
        if isinstance(proposition, Membership) and _texts(proposition):
            found.setdefault(proposition.column, set()).update(_texts(proposition))
    return found


def _spelled_alike(texts: pa.ChunkedArray, known: set[str]) -> pa.ChunkedArray:
    """Spell truth values as the rules do: programs write True, TRUE or true."""
    import pyarrow.compute as pc

    for value in TRUTH_VALUES:
        spellings = [word for word in known if word.lower() == value]
        # Who knows several means each as it is written.
        if len(spellings) == 1:
            texts = pc.replace_substring_regex(texts, f"(?i)^{value}$", spellings[0])
    return texts


def _columns_of_numbers(ensembles: Iterable[RuleEnsemble]) -> Iterator[str]:
    """Find the columns whose numbers are weighed, or are the categories."""
    for proposition in _propositions(ensembles):
        if not isinstance(proposition, Membership):
            yield from proposition.columns
        elif proposition.categories and not _texts(proposition):
            yield proposition.column


def _texts(proposition: Membership) -> set[str]:
    return {label for label in proposition.categories if isinstance(label, str)}


def _propositions(ensembles: Iterable[RuleEnsemble]) -> Iterator[AnyProposition]:
    for ensemble in ensembles:
        for rule in ensemble:
            yield from rule.condition.propositions


def _require_numbers(table: pa.Table, columns: Iterable[str]) -> None:
    """Refuse texts where rules weigh numbers, or look for them among the categories."""
    from sorb.cli.written_numbers import has_decimal_comma

    for name in columns:
        if not is_number(table, name):
            row, found = _first_other(cells(table, name))
            hint = ": say --decimal comma if it is one" if has_decimal_comma(str(found)) else ""
            raise ValueError(
                f"the rules need numbers in the column {name!r}, found {str(found)!r} in "
                f"row {row}{hint}"
            )


def _first_other(values: list[Any]) -> tuple[int, Any]:
    """Find the first value that is no number, also not a written one; or else the first value."""
    known = [(row, value) for row, value in enumerate(values) if value is not None]
    return next((pair for pair in known if not _is_written_number(pair[1])), known[0])


def _is_written_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def class_labels(ensemble: RuleEnsemble) -> tuple[Label, ...]:
    """Give the classes that a model decides between, none if it predicts numbers."""
    if not ensemble.loss.has_classes:
        return ()
    return ensemble.classes or (0, 1)


def predictions(ensemble: RuleEnsemble, values: Float) -> list[Any]:
    """Turn decision values into expected numbers, or into the labels of classes.

    Examples
    --------
    >>> import numpy as np
    >>> predictions(RuleEnsemble(0.0, (), (), "logistic", ("no", "yes")), np.array([-1.0, 2.0]))
    ['no', 'yes']
    """
    labels = class_labels(ensemble)
    if not labels:
        return list(ensemble.loss.mean(values).tolist())
    return [labels[k] for k in predicted_indices(ensemble.classes, values).tolist()]
