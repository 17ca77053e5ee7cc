"""Excel formulas that answer like an ensemble."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sorb.export.infix import Syntax
from sorb.export.program import Output, Program, Step, compile_ensemble
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

    A formula gives ``#N/A`` if a cell that it looks at is empty or holds no number.

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
    '=IF(COUNT(A2)<1,NA(),IF(-1+IF(A2 >= 40,1.5,0)>0,"yes","no"))'
    """
    program = compile_ensemble(ensemble, output)
    syntax = Syntax(_number, _checked(program, cells).__getitem__, _all_of, "{}*{}".format)
    scores = [_score(program, syntax, k) for k in range(len(program.offsets))]
    guarded = [_guarded(syntax, program.required, text) for text in _answers(program, scores)]
    formulas = dict(zip(program.names, guarded, strict=True))
    if contributions:
        notes = (_guarded(syntax, step.columns, _vote(syntax, step)) for step in program.steps)
        formulas.update(zip(program.contributions, notes, strict=True))
    return {name: _short_enough(name, formula) for name, formula in formulas.items()}


def _checked(program: Program, cells: Mapping[str, str]) -> dict[str, str]:
    for column in program.required:
        if column not in cells:
            raise ValueError(f"cells must name a cell for the column {column!r}")
        if not CELL.fullmatch(cells[column]):
            raise ValueError(
                f"cells[{column!r}] must be a cell like A2, $A2 or Sheet1!A2, "
                f"found {cells[column]!r}"
            )
    return {column: cells[column] for column in program.required}


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


def _guarded(syntax: Syntax, columns: tuple[str, ...], answer: str) -> str:
    # Arithmetic takes an empty cell for zero; COUNT counts only numbers.
    if not columns:
        return f"={answer}"
    references = ",".join(map(syntax.column, columns))
    return f"=IF(COUNT({references})<{len(columns)},NA(),{answer})"


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
        return "TRUE" if label else "FALSE"
    if not isinstance(label, str):
        return _number(float(label)) if isinstance(label, float) else str(label)
    if len(label) > LONGEST_TEXT:
        raise ValueError(f"a text in a formula has at most {LONGEST_TEXT} characters: {label!r}")
    return '"' + label.replace('"', '""') + '"'


def _short_enough(name: str, formula: str) -> str:
    if len(formula) > LONGEST_FORMULA:
        raise ValueError(
            f"the formula for {name} has {len(formula)} characters, and Excel takes "
            f"{LONGEST_FORMULA}: put decision values and contributions in cells of their own"
        )
    return formula
