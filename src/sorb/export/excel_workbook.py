"""A workbook of Excel that computes what an ensemble says about the rows in it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sorb._extras import install_command
from sorb.export.excel_formulas import LAST_ROW, write_formulas
from sorb.export.program import Output, Program, compile_ensemble
from sorb.losses import Readout
from sorb.rules import RuleEnsemble, notation
from sorb.rules.columns import Records, TableLike, column_source
from sorb.rules.ensemble import require_ensemble
from sorb.rules.prediction import class_labels

__all__ = ["to_workbook"]

LONGEST_CELL = 32_767
MOST_COLUMNS = 16_384
INPUT = {"bg_color": "#fff8dc", "border": 1, "border_color": "#d9d9d9"}
_NARROWEST, _WIDEST = 10, 40  # characters
# What XML does not hold, or not as it is written.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


def to_workbook(ensemble: RuleEnsemble, X: TableLike | Records | None = None) -> bytes:
    """Write a workbook of Excel (.xlsx) that computes the answers of an ensemble.

    Its first sheet has a cell for each column that the rules use, and formulas for what each rule
    adds, the scores, the prediction and, for classes, the probabilities. Its second sheet lists the
    rules. An empty cell is a missing value.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    X : table, optional
        The rows to fill in; an empty one if not given.

    Returns
    -------
    content : bytes
        The content of the file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from sorb.rules import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "logistic", ("no", "yes"))
    >>> content = to_workbook(ensemble, {"age": 50})
    >>> Path("model.xlsx").write_bytes(content)  # doctest: +SKIP
    """
    require_ensemble(ensemble)
    try:
        from xlsxwriter import Workbook
    except ImportError as error:
        raise ImportError(
            f"Excel files are written by xlsxwriter: {install_command('excel')}"
        ) from error
    rows: Any = dict.fromkeys(ensemble.used_columns) if X is None else X
    content = io.BytesIO()
    with Workbook(content, {"in_memory": True}) as book:
        sheet = _Sheet(book, book.add_worksheet("Model"))
        sheet.write_model(ensemble, rows)
        _Sheet(book, book.add_worksheet("Rules")).write_rules(ensemble)
    return content.getvalue()


@dataclass(frozen=True, slots=True, eq=False)
class _Computed:
    """A column of formulas.

    Attributes
    ----------
    name : what `write_formulas` calls it.
    title : what people call it.
    values : what the formulas give, for programs that show a workbook without calculating.
    style : how numbers are shown.
    """

    name: str
    title: str
    values: Sequence[Any]
    style: str = "0.00"


def _programs(ensemble: RuleEnsemble) -> dict[Output, Program]:
    """What is computed: the prediction; scores, if they are another thing; and probabilities."""
    outputs: list[Output] = ["prediction"]
    if ensemble.loss.readout is not Readout.IDENTITY:
        outputs.insert(0, "score")
    if ensemble.loss.has_classes and len(ensemble.classes or ("", "")) > 1:
        outputs.append("probability")
    return {output: compile_ensemble(ensemble, output) for output in outputs}


def _computed(
    ensemble: RuleEnsemble, programs: Mapping[Output, Program], rows: Any
) -> Iterator[_Computed]:
    """Give the columns of formulas, in the order of the calculation."""
    program = programs["prediction"]
    added = ensemble.contributions(rows).T.tolist()
    for k, (name, values) in enumerate(zip(program.contributions, added, strict=True), start=1):
        yield _Computed(name, f"rule {k}", values)
    labels = [notation.label(label) for label in class_labels(ensemble.classes)]
    if "score" in programs:
        scores = ensemble(rows).reshape(-1, len(program.scores)).T.tolist()
        titles = [f"score of {label}" for label in labels]
        if len(scores) == 1:
            titles = [ensemble.score_words()]
        yield from map(_Computed, programs["score"].names, titles, scores)
    if ensemble.loss.has_classes:
        yield _Computed("prediction", "prediction", ensemble.predict(rows).tolist())
    else:
        expected = ensemble.predict(rows).tolist()
        yield _Computed("prediction", ensemble.outcome_words(), expected)
    if "probability" in programs:
        names = programs["probability"].names
        shares = ensemble.predict_proba(rows).T.tolist()[-len(names) :]
        titles = [f"probability of {label}" for label in labels][-len(names) :]
        yield from map(_Computed, names, titles, shares, ["0.0%"] * len(names))


@dataclass(frozen=True, slots=True, eq=False)
class _Sheet:
    """A sheet that is written, in which nothing but a formula of ours is a formula."""

    book: Any
    sheet: Any

    def write_model(self, ensemble: RuleEnsemble, rows: Any) -> None:
        """Write the columns that the rules use, and those that are computed."""
        used = ensemble.used_columns
        source = column_source(rows, used, columns=ensemble.columns)
        if source.n_rows >= LAST_ROW:
            raise ValueError(f"a sheet has room for {LAST_ROW - 1} rows, found {source.n_rows}")
        programs = _programs(ensemble)
        computed = list(_computed(ensemble, programs, rows))
        units = dict(ensemble.units)
        titles = [f"{name} ({units[name]})" if name in units else name for name in used]
        self._write_header([*titles, *(column.title for column in computed)])
        given = self.book.add_format(INPUT)
        for place, name in enumerate(used):
            for row, value in enumerate(source.labels(name), start=1):
                self._write(row, place, value, given)
        styles = {style: self.book.add_format({"num_format": style}) for style in ("0.00", "0.0%")}
        for row in range(1, source.n_rows + 1):
            formulas = _row_formulas(programs, used, computed, row)
            for place, column in enumerate(computed, start=len(used)):
                value = _shown(column.values[row - 1])
                formula = _require_printable(formulas[column.name])
                self.sheet.write_formula(row, place, formula, styles[column.style], value)
        self.sheet.freeze_panes(1, 0)
        self.sheet.set_landscape()
        self.sheet.fit_to_pages(1, 0)

    def write_rules(self, ensemble: RuleEnsemble) -> None:
        """List the offsets and the rules, with their votes in full."""
        self._write_header(["", "adds", "to", "when"])
        lines = ensemble.lines(None)
        first = len(lines) - len(ensemble)
        for row, line in enumerate(lines, start=1):
            name = f"rule {row - first}" if row > first else "offset"
            for place, value in enumerate(
                [name, line.vote, line.label or "the score", notation.join_tokens(line.condition)]
            ):
                self._write(row, place, value, None)

    def _write_header(self, titles: Sequence[str]) -> None:
        if len(titles) > MOST_COLUMNS:
            raise ValueError(f"a sheet has room for {MOST_COLUMNS} columns, found {len(titles)}")
        style = self.book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        for place, title in enumerate(titles):
            self._write(0, place, title, style)
            width = max(_NARROWEST, min(len(title) + 2, _WIDEST))
            self.sheet.set_column(place, place, width)

    def _write(self, row: int, place: int, value: Any, style: Any) -> None:
        """Write a value as what it is: a text is never a formula, a date or a link."""
        value = value.item() if hasattr(value, "item") else value
        if value is None or value != value:
            self.sheet.write_blank(row, place, None, style)
        elif isinstance(value, bool):
            self.sheet.write_boolean(row, place, value, style)
        elif isinstance(value, str):
            if len(value) > LONGEST_CELL:
                raise ValueError(f"a cell has at most {LONGEST_CELL} characters: {value[:50]!r}…")
            self.sheet.write_string(row, place, value, style)
        else:
            self.sheet.write_number(row, place, float(value), style)


def _row_formulas(
    programs: Mapping[Output, Program],
    used: Sequence[str],
    computed: Sequence[_Computed],
    row: int,
) -> dict[str, str]:
    from xlsxwriter.utility import xl_rowcol_to_cell

    places = {name: xl_rowcol_to_cell(row, place) for place, name in enumerate(used)}
    parts = {
        column.name: xl_rowcol_to_cell(row, place)
        for place, column in enumerate(computed, start=len(used))
        if column.name in (*programs["prediction"].scores, *programs["prediction"].contributions)
    }
    # A name that is also that of a column means the column.
    cells = {**parts, **places}
    found: dict[str, str] = {}
    for program in programs.values():
        found |= write_formulas(program, cells, contributions=True)
    return found


def _shown(value: Any) -> Any:
    return "#NUM!" if isinstance(value, float) and not isfinite(value) else value


def _require_printable(formula: str) -> str:
    found = _UNPRINTABLE.search(formula)
    if found:
        raise ValueError(
            f"an Excel formula cannot hold the character {found[0]!r}, which a category of the "
            "model has: rename the category"
        )
    return formula
