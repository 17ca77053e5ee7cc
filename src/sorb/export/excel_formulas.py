"""Excel formulas that answer like an ensemble."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sorb.export.infix import Syntax
from sorb.export.program import (
    Output,
    ProductTest,
    Program,
    SetTest,
    Step,
    SumTest,
    compile_ensemble,
)
from sorb.rules import Label, RuleEnsemble

__all__ = ["excel"]

CELL = re.compile(
    r"(?:(?:'(?:[^'\x00-\x1f]|'')+'|[A-Za-z_][\w.]*)!)?\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}"
)
LONGEST_FORMULA = 8192
LONGEST_TEXT = 255
LARGEST_WHOLE = 10**15


def excel(
    ensemble: RuleEnsemble,
    cells: Mapping[str, str],
    output: Output = "prediction",
    contributions: bool = False,
) -> dict[str, str]:
    """Write Excel formulas that answer like an ensemble.

    A missing value is an empty cell, an empty text or an error such as ``#N/A``; where a rule
    computes with the cell, so is a text that Excel does not take for a number. Truth values are 1
    and 0.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    cells : mapping from str to str
        The cell of each column that the rules use, for instance ``{"age": "A2"}``.
    output : {"decision", "prediction", "probability"}, default="prediction"
        What the formulas give.
    contributions : bool, default=False
        Add a formula for what each rule adds.

    Returns
    -------
    formulas : dict from str to str
        The formula of each value, by its name: the `output` alone, or ``"probability_0"``,
        ``"probability_1"``, … for each class of a softmax ensemble; then ``"rule_0"``, ….

    Examples
    --------
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "logistic", ("no", "yes"))
    >>> excel(ensemble, {"age": "A2"})["prediction"]
    '=IF(-1+IF(IFERROR(IF(LEN(A2)>0,A2+0 >= 40,FALSE),FALSE),1.5,0)>0,"yes","no")'
    """
    program = compile_ensemble(ensemble, output)
    syntax = _syntax(_checked(program, cells))
    scores = [_score(program, syntax, k) for k in range(len(program.offsets))]
    values = dict(zip(program.names, _answers(program, scores), strict=True))
    if contributions:
        votes = (_vote(syntax, step) for step in program.steps)
        values.update(zip(program.contributions, votes, strict=True))
    return {name: _formula(name, value) for name, value in values.items()}


def _checked(program: Program, cells: Mapping[str, str]) -> dict[str, str]:
    for column in program.used:
        if column not in cells:
            raise ValueError(f"cells must name a cell for the column {column!r}")
        if not CELL.fullmatch(cells[column]):
            raise ValueError(
                f"cells[{column!r}] must be a cell like A2, $A2 or Sheet1!A2, "
                f"found {cells[column]!r}"
            )
    return {column: cells[column] for column in program.used}


def _syntax(cells: Mapping[str, str]) -> Syntax:
    return Syntax(
        number=_number,
        column=cells.__getitem__,
        positive=cells.__getitem__,
        compare=lambda test, value: _comparison(test, value, cells),
        member=lambda test: _member(test, cells[test.column]),
        all_of=_all_of,
        power="{}^{}".format,
        times="{}*{}".format,
    )


def _comparison(test: SumTest | ProductTest, value: str, cells: Mapping[str, str]) -> str:
    missing = _truth(test.missing)
    given = [cells[column] for column in test.columns]
    # Every text is more than a number, and every truth value more than a text, but sums with them
    # are numbers or errors.
    number = f"{value}+0" if value in given else value
    outcome = f"{number} {test.relation} {_number(test.threshold)}"
    if isinstance(test, ProductTest):
        smallest = f"MIN({','.join(f'{cell}+0' for cell in given)})"
        outcome = f"IF({smallest}>0,{outcome},{missing})"
    # Arithmetic takes an empty cell for zero.
    known = "*".join(f"LEN({cell})" for cell in given)
    return f"IFERROR(IF({known}>0,{outcome},{missing}),{missing})"


def _member(test: SetTest, cell: str) -> str:
    known = f"IFERROR(LEN({cell}),0)>0"
    if not test.categories:
        return f"NOT({known})" if test.missing else known
    found = _any_of([*_texts(cell, test), *_numbers(cell, test)])
    if test.negated:
        found = f"NOT({found})"
    return f"IF({known},{found},{_truth(test.missing)})"


def _texts(cell: str, test: SetTest) -> list[str]:
    texts = [category for category in test.categories if isinstance(category, str)]
    if "" in texts:
        raise ValueError(
            f"Excel cannot tell an empty text from an empty cell: rename the category '' of column "
            f"{test.column!r}"
        )
    # The sign = does not tell capital letters from small ones, and EXACT not texts from numbers.
    equalities = [f"EXACT({cell},{_literal(text)})" for text in texts]
    return [f"AND(ISTEXT({cell}),{_any_of(equalities)})"] if texts else []


def _numbers(cell: str, test: SetTest) -> list[str]:
    numbers = [category for category in test.categories if not isinstance(category, str)]
    # A sheet tells TRUE from 1.
    truths = [_truth(bool(number)) for number in numbers if number in (0, 1)]
    return [f"{cell}={text}" for text in (*(_literal(number + 0) for number in numbers), *truths)]


def _any_of(tests: Sequence[str]) -> str:
    return tests[0] if len(tests) == 1 else f"OR({','.join(tests)})"


def _truth(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _number(value: float) -> str:
    return repr(int(value)) if value.is_integer() and abs(value) < LARGEST_WHOLE else repr(value)


def _all_of(tests: Sequence[str]) -> str:
    return tests[0] if len(tests) == 1 else f"AND({','.join(tests)})"


def _vote(syntax: Syntax, step: Step) -> str:
    weight = _number(step.weight)
    return f"IF({syntax.condition(step)},{weight},0)" if step.tests else weight


def _score(program: Program, syntax: Syntax, output: int) -> str:
    votes = [_vote(syntax, step) for step in program.steps_of(output)]
    return "+".join([_number(program.offsets[output]), *votes])


def _answers(program: Program, scores: list[str]) -> list[str]:
    if program.readout == "scores":
        return scores
    if program.readout == "exponential":
        return [f"EXP({scores[0]})"]
    if program.readout == "sigmoid":
        score = scores[0]
        small = f"EXP(-ABS({score}))"
        return [f"IF({score}>=0,1,{small})/(1+{small})"]
    if program.readout == "softmax":
        return _softmax(scores)
    return [_label(program.labels, scores)]


def _softmax(scores: list[str]) -> list[str]:
    top = f"MAX({','.join(scores)})"
    powers = [f"EXP({score}-{top})" for score in scores]
    return [f"{power}/({'+'.join(powers)})" for power in powers]


def _label(labels: tuple[Label, ...], scores: list[str]) -> str:
    texts = [_literal(label) for label in labels]
    if len(scores) == 1:
        return f"IF({scores[0]}>0,{texts[1]},{texts[0]})"
    answer = texts[-1]
    for k in reversed(range(len(scores) - 1)):
        rest = ",".join(scores[k + 1 :])
        answer = f"IF({scores[k]}>=MAX({rest}),{texts[k]},{answer})"
    return answer


def _literal(label: Label) -> str:
    if isinstance(label, bool):
        return _truth(label)
    if not isinstance(label, str):
        return _number(float(label)) if isinstance(label, float) else str(label)
    if len(label) > LONGEST_TEXT:
        raise ValueError(f"a text in a formula has at most {LONGEST_TEXT} characters: {label!r}")
    return '"' + label.replace('"', '""') + '"'


def _formula(name: str, value: str) -> str:
    formula = f"={value}"
    if len(formula) > LONGEST_FORMULA:
        raise ValueError(
            f"the formula for {name} has {len(formula)} characters, and Excel takes "
            f"{LONGEST_FORMULA}: put decision values and contributions in cells of their own"
        )
    return formula
