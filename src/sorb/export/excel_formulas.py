"""Excel formulas that give the answers of an ensemble."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sorb._types import assert_never
from sorb.export.program import (
    Answer,
    CategoryTest,
    Comparison,
    CompiledRule,
    Output,
    ProductComparison,
    Program,
    compile_ensemble,
)
from sorb.export.syntax import Syntax
from sorb.rules import Label, RuleEnsemble
from sorb.tables.quoting import quote_some

__all__ = ["to_excel", "write_formulas"]

CELL = re.compile(
    r"(?:('(?:[^'\x00-\x1f]|'')+'|[A-Za-z_][\w.]*)!)?\$?([A-Za-z]{1,3})\$?([1-9][0-9]{0,6})"
)
LAST_COLUMN, LAST_ROW = "XFD", 1_048_576
LONGEST_FORMULA = 8192
LONGEST_TEXT = 255
MOST_ARGUMENTS = 255
MOST_NAMES = 8  # in an error message
LARGEST_EXPONENT = 700  # whose exponential Excel can still add up


def to_excel(
    ensemble: RuleEnsemble,
    cells: Mapping[str, str],
    output: Output = "prediction",
    contributions: bool = False,
) -> dict[str, str]:
    """Write Excel formulas that give the answers of an ensemble.

    A missing value is an empty cell, an empty text or an error such as ``#N/A``; if a rule
    calculates with the cell, also a text that Excel does not read as a number. Booleans are 1
    and 0.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    cells : mapping from str to str
        The cell of each column that the rules use, for instance ``{"age": "A2"}``. If a formula
        is too long for Excel, add cells for its parts: ``"rule_0"``, … for what the rules add,
        ``"score"`` or ``"score_0"``, … for the scores. The formulas for these cells are then
        returned too, and the others refer to them. No two names may share a cell.
    output : {"score", "prediction", "probability"}, default="prediction"
        What the formulas compute.
    contributions : bool, default=False
        Also return a formula for what each rule adds.

    Returns
    -------
    formulas : dict from str to str
        The formula of each value, by its name: the `output`, or ``"probability_0"``,
        ``"probability_1"``, … if there is one for each class; then the parts that have a cell,
        and the contributions if requested.

    Examples
    --------
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "logistic", ("no", "yes"))
    >>> to_excel(ensemble, {"age": "A2"})["prediction"]
    '=IF(-1+IF(IFERROR(IF(LEN(A2)>0,A2+0 >= 40,FALSE),FALSE),1.5,0)>0,"yes","no")'
    >>> for name, formula in to_excel(ensemble, {"age": "A2", "rule_0": "B2"}).items():
    ...     print(name, formula)
    prediction =IF(-1+B2>0,"yes","no")
    rule_0 =IF(IFERROR(IF(LEN(A2)>0,A2+0 >= 40,FALSE),FALSE),1.5,0)
    """
    program = compile_ensemble(ensemble, output)
    _check_cells(program, cells)
    return write_formulas(program, cells, contributions)


def write_formulas(
    program: Program, cells: Mapping[str, str], contributions: bool
) -> dict[str, str]:
    """Write the formulas of a program, whose columns all have a cell."""
    parts = _Parts(program, cells)
    syntax = _syntax(cells)
    votes = [_vote(syntax, rule) for rule in program.rules]
    rules = dict(zip(program.contributions, votes, strict=True))
    scores = _scores(program, parts.refer(rules))
    answers = _answers(program, list(parts.refer(scores).values()))
    shown = rules if contributions else parts.in_cells(rules)
    inner = [name for name in (*scores, *rules) if name not in program.names]
    return {
        **_formulas(dict(zip(program.names, answers, strict=True)), parts.free(*inner)),
        **_formulas(parts.in_cells(scores), parts.free(*rules)),
        **_formulas(shown, ()),
    }


class _Parts:
    """The cells of parts of the formulas, by the names of the parts."""

    def __init__(self, program: Program, cells: Mapping[str, str]) -> None:
        # A name that is also a column's means the column: users may pass the cells of all columns.
        self.columns = program.columns
        self.cells = {n: cell for n, cell in cells.items() if n not in self.columns}

    def refer(self, values: Mapping[str, str]) -> dict[str, str]:
        """Give the cell of each part that has one, and the value of the others."""
        return {name: self.cells.get(name, value) for name, value in values.items()}

    def in_cells(self, values: Mapping[str, str]) -> dict[str, str]:
        """Select the parts that have a cell."""
        return {name: value for name, value in values.items() if name in self.cells}

    def free(self, *names: str) -> list[str]:
        """Select the parts that could have a cell and have none."""
        return [n for n in names if n not in self.cells and n not in self.columns]


def _check_cells(program: Program, cells: Mapping[str, str]) -> None:
    if not isinstance(cells, Mapping):
        raise TypeError(
            f'cells must map names to cells, for instance {{"age": "A2"}}, found {cells!r}'
        )
    known = dict.fromkeys((*program.columns, *program.scores, *program.contributions))
    names: dict[tuple[str, str, str], str] = {}
    for name, cell in cells.items():
        if name not in known:
            raise ValueError(
                f"cells names {name!r}, which is neither a column of the model nor a part of a "
                f"formula: expected {quote_some(known)}"
            )
        other = names.setdefault(_place(name, cell), name)
        if other != name:
            raise ValueError(
                f"cells[{name!r}] must be a cell of its own, found {cell!r}, the cell of {other!r}"
            )
    for name in program.used:
        if name not in cells:
            raise ValueError(f"cells must name a cell for the column {name!r}")


def _place(name: str, cell: Any) -> tuple[str, str, str]:
    """Give the sheet, column and row of a cell, however it is written."""
    found = CELL.fullmatch(cell) if isinstance(cell, str) else None
    if found is None:
        kind = ValueError if isinstance(cell, str) else TypeError
        raise kind(f"cells[{name!r}] must be a cell like A2, $A2 or Sheet1!A2, found {cell!r}")
    sheet, column, row = found.groups(default="")
    column = column.upper()
    if (len(column), column) > (len(LAST_COLUMN), LAST_COLUMN) or int(row) > LAST_ROW:
        raise ValueError(
            f"cells[{name!r}] must be in the columns A to {LAST_COLUMN} and the rows 1 to "
            f"{LAST_ROW}, found {cell!r}"
        )
    if sheet.startswith("'"):
        sheet = sheet[1:-1].replace("''", "'")
    return sheet.casefold(), column, row


def _syntax(cells: Mapping[str, str]) -> Syntax:
    return Syntax(
        number=_number,
        column=cells.__getitem__,
        positive=cells.__getitem__,
        compare=lambda test, value: _comparison(test, value, cells),
        category_test=lambda test: _category_test(test, cells[test.column]),
        all_of=lambda propositions: _call("AND", propositions),
        power="{}^{}".format,
        times="{}*{}".format,
    )


def _comparison(comparison: Comparison, value: str, cells: Mapping[str, str]) -> str:
    missing = _boolean(comparison.missing)
    used = [cells[column] for column in comparison.columns]
    # In Excel a text is larger than any number, and a boolean larger than any text, but a sum with
    # one of them is a number or an error.
    number = f"{value}+0" if value in used else value
    outcome = f"{number} {comparison.relation} {_number(comparison.threshold)}"
    if isinstance(comparison, ProductComparison):
        smallest = _call("MIN", [f"{cell}+0" for cell in used])
        outcome = f"IF({smallest}>0,{outcome},{missing})"
    # Arithmetic treats an empty cell as zero.
    known = "*".join(f"LEN({cell})" for cell in used)
    return f"IFERROR(IF({known}>0,{outcome},{missing}),{missing})"


def _category_test(test: CategoryTest, cell: str) -> str:
    known = f"IFERROR(LEN({cell}),0)>0"
    if not test.categories:
        return f"NOT({known})" if test.missing else known
    found = _call("OR", [*_text_matches(cell, test), *_number_matches(cell, test)])
    if test.negated:
        found = f"NOT({found})"
    return f"IF({known},{found},{_boolean(test.missing)})"


def _text_matches(cell: str, test: CategoryTest) -> list[str]:
    texts = [category for category in test.categories if isinstance(category, str)]
    if "" in texts:
        raise ValueError(
            f"Excel cannot tell an empty text from an empty cell: rename the category '' of column "
            f"{test.column!r}"
        )
    # The sign = ignores case, and EXACT does not tell texts from numbers.
    equalities = [f"EXACT({cell},{_literal(text)})" for text in texts]
    return [f"AND(ISTEXT({cell}),{_call('OR', equalities)})"] if texts else []


def _number_matches(cell: str, test: CategoryTest) -> list[str]:
    numbers = [category for category in test.categories if not isinstance(category, str)]
    # TRUE and 1 differ in a sheet, but are the same category.
    booleans = [_boolean(bool(number)) for number in numbers if number in (0, 1)]
    literals = [_literal(number + 0) for number in numbers]
    return [f"{cell}={literal}" for literal in (*literals, *booleans)]


def _call(function: str, values: Sequence[str]) -> str:
    """Call a function of many values, nested if there are too many for one call."""
    if len(values) == 1:
        return values[0]
    if len(values) <= MOST_ARGUMENTS:
        return f"{function}({','.join(values)})"
    groups = [values[i : i + MOST_ARGUMENTS] for i in range(0, len(values), MOST_ARGUMENTS)]
    return _call(function, [_call(function, group) for group in groups])


def _boolean(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _number(value: float) -> str:
    return repr(value + 0.0).removesuffix(".0")  # adding 0 leaves no negative zero


def _vote(syntax: Syntax, rule: CompiledRule) -> str:
    vote = _number(rule.vote)
    return f"IF({syntax.condition(rule)},{vote},0)" if rule.propositions else vote


def _scores(program: Program, votes: Mapping[str, str]) -> dict[str, str]:
    sums = [[_number(offset)] for offset in program.offsets]
    for name, rule in zip(program.contributions, program.rules, strict=True):
        sums[rule.output].append(votes[name])
    return {name: "+".join(terms) for name, terms in zip(program.scores, sums, strict=True)}


def _answers(program: Program, scores: list[str]) -> list[str]:
    answers: dict[Answer, Callable[[], list[str]]] = {
        "scores": lambda: scores,
        "exponential": lambda: [f"EXP({scores[0]})"],
        "sigmoid": lambda: [_share(scores[0], ["0"])],
        "softmax": lambda: [_share(s, scores[:k] + scores[k + 1 :]) for k, s in enumerate(scores)],
        "label": lambda: [_label(program.labels, scores)],
    }
    return answers[program.answer]()


def _share(score: str, others: list[str]) -> str:
    """Write exp(score) divided by the sum of all exponentials, using the score only rarely."""
    ratios = [f"EXP(MIN({LARGEST_EXPONENT},{other}-({score})))" for other in others]
    return f"1/({'+'.join(['1', *ratios])})"


def _label(labels: tuple[Label, ...], scores: list[str]) -> str:
    literals = [_literal(label) for label in labels]
    if len(scores) == 1:
        return f"IF({scores[0]}>0,{literals[1]},{literals[0]})"
    answer = literals[-1]
    for k in reversed(range(len(scores) - 1)):
        answer = f"IF({scores[k]}>={_call('MAX', scores[k + 1 :])},{literals[k]},{answer})"
    return answer


def _literal(label: Label) -> str:
    match label:
        case bool():  # before int, because Python counts booleans among the integers
            return _boolean(label)
        case int():
            return str(label)
        case float():
            return _number(label)
        case str():
            return _quote(label)
        case _:
            return assert_never(label)


def _quote(text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"a text in a formula has at most {LONGEST_TEXT} characters: {text!r}")
    return '"' + text.replace('"', '""') + '"'


def _formulas(values: Mapping[str, str], parts: Sequence[str]) -> dict[str, str]:
    """Write formulas; if one is too long, the error names the `parts` that could have cells."""
    formulas = {name: f"={value}" for name, value in values.items()}
    for name, formula in formulas.items():
        if len(formula) > LONGEST_FORMULA:
            raise ValueError(
                f"the formula for {name} has {len(formula)} characters, and Excel accepts at most "
                f"{LONGEST_FORMULA}: {_advice(parts)}"
            )
    return formulas


def _advice(parts: Sequence[str]) -> str:
    if not parts:
        return "the model is too large"
    shown = ", ".join(map(repr, parts[:MOST_NAMES])) + (", …" if len(parts) > MOST_NAMES else "")
    return f"name cells for its parts in cells, which are {shown}"
