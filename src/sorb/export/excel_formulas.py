"""Excel formulas that answer like an ensemble."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sorb.export.program import (
    CategoryTest,
    Comparison,
    CompiledRule,
    Output,
    ProductComparison,
    Program,
    Readout,
    compile_ensemble,
)
from sorb.export.syntax import Syntax
from sorb.rules import Label, RuleEnsemble

__all__ = ["to_excel"]

CELL = re.compile(
    r"(?:(?:'(?:[^'\x00-\x1f]|'')+'|[A-Za-z_][\w.]*)!)?\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}"
)
LONGEST_FORMULA = 8192
LONGEST_TEXT = 255
LARGEST_WHOLE = 10**15
MOST_ARGUMENTS = 255
MOST_NAMES = 8  # in an error
LARGEST_EXPONENT = 700  # sums of e to this power are numbers of Excel still


def to_excel(
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
        The cell of each column that the rules use, for instance ``{"age": "A2"}``. If a formula
        becomes too long for Excel, add cells of their own for its parts: ``"rule_0"``, … for what
        the rules add, ``"score"`` or ``"score_0"``, … for the scores. Then the
        formulas for these cells are given too, and the others refer to them.
    output : {"score", "prediction", "probability"}, default="prediction"
        What the formulas give.
    contributions : bool, default=False
        Add a formula for what each rule adds.

    Returns
    -------
    formulas : dict from str to str
        The formula of each value, by its name: the `output` alone, or ``"probability_0"``,
        ``"probability_1"``, … for each class of a softmax ensemble; then the other parts that
        have a cell or are asked for.

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
    syntax = _syntax(_taken(cells, program.used))
    # A name that a column has is that of the column: somebody may give the cells of all columns.
    parts = [n for n in (*program.scores, *program.contributions) if n not in program.columns]
    own = _taken(cells, [name for name in parts if name in cells])
    votes = {n: _vote(syntax, s) for n, s in zip(program.contributions, program.rules, strict=True)}
    scores = _scores(program, {**votes, **own})
    answers = _answers(program, [own.get(name, score) for name, score in scores.items()])
    values = dict(zip(program.names, answers, strict=True))
    values |= {name: score for name, score in scores.items() if name in own}
    values |= {name: vote for name, vote in votes.items() if contributions or name in own}
    free = [name for name in parts if name not in own]
    below = {name: [n for n in free if n in votes] for name in scores} | {n: [] for n in votes}
    return {name: _formula(name, value, below.get(name, free)) for name, value in values.items()}


def _taken(cells: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    for name in names:
        if name not in cells:
            raise ValueError(f"cells must name a cell for the column {name!r}")
        if not CELL.fullmatch(cells[name]):
            raise ValueError(
                f"cells[{name!r}] must be a cell like A2, $A2 or Sheet1!A2, found {cells[name]!r}"
            )
    return {name: cells[name] for name in names}


def _syntax(cells: Mapping[str, str]) -> Syntax:
    return Syntax(
        number=_number,
        column=cells.__getitem__,
        positive=cells.__getitem__,
        compare=lambda test, value: _comparison(test, value, cells),
        member=lambda test: _member(test, cells[test.column]),
        all_of=lambda tests: _of_all("AND", tests),
        power="{}^{}".format,
        times="{}*{}".format,
    )


def _comparison(test: Comparison, value: str, cells: Mapping[str, str]) -> str:
    missing = _truth(test.missing)
    given = [cells[column] for column in test.columns]
    # Every text is more than a number, and every truth value more than a text, but sums with them
    # are numbers or errors.
    number = f"{value}+0" if value in given else value
    outcome = f"{number} {test.relation} {_number(test.threshold)}"
    if isinstance(test, ProductComparison):
        smallest = _of_all("MIN", [f"{cell}+0" for cell in given])
        outcome = f"IF({smallest}>0,{outcome},{missing})"
    # Arithmetic takes an empty cell for zero.
    known = "*".join(f"LEN({cell})" for cell in given)
    return f"IFERROR(IF({known}>0,{outcome},{missing}),{missing})"


def _member(test: CategoryTest, cell: str) -> str:
    known = f"IFERROR(LEN({cell}),0)>0"
    if not test.categories:
        return f"NOT({known})" if test.missing else known
    found = _of_all("OR", [*_texts(cell, test), *_numbers(cell, test)])
    if test.negated:
        found = f"NOT({found})"
    return f"IF({known},{found},{_truth(test.missing)})"


def _texts(cell: str, test: CategoryTest) -> list[str]:
    texts = [category for category in test.categories if isinstance(category, str)]
    if "" in texts:
        raise ValueError(
            f"Excel cannot tell an empty text from an empty cell: rename the category '' of column "
            f"{test.column!r}"
        )
    # The sign = does not tell capital letters from small ones, and EXACT not texts from numbers.
    equalities = [f"EXACT({cell},{_literal(text)})" for text in texts]
    return [f"AND(ISTEXT({cell}),{_of_all('OR', equalities)})"] if texts else []


def _numbers(cell: str, test: CategoryTest) -> list[str]:
    numbers = [category for category in test.categories if not isinstance(category, str)]
    # A sheet tells TRUE from 1.
    truths = [_truth(bool(number)) for number in numbers if number in (0, 1)]
    return [f"{cell}={text}" for text in (*(_literal(number + 0) for number in numbers), *truths)]


def _of_all(function: str, values: Sequence[str]) -> str:
    """Call a function of many values, within itself where there are too many for one call."""
    if len(values) == 1:
        return values[0]
    if len(values) <= MOST_ARGUMENTS:
        return f"{function}({','.join(values)})"
    groups = [values[i : i + MOST_ARGUMENTS] for i in range(0, len(values), MOST_ARGUMENTS)]
    return _of_all(function, [_of_all(function, group) for group in groups])


def _truth(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _number(value: float) -> str:
    return repr(int(value)) if value.is_integer() and abs(value) < LARGEST_WHOLE else repr(value)


def _vote(syntax: Syntax, rule: CompiledRule) -> str:
    weight = _number(rule.vote)
    return f"IF({syntax.condition(rule)},{weight},0)" if rule.propositions else weight


def _scores(program: Program, votes: Mapping[str, str]) -> dict[str, str]:
    sums = [[_number(offset)] for offset in program.offsets]
    for name, rule in zip(program.contributions, program.rules, strict=True):
        sums[rule.output].append(votes[name])
    return {name: "+".join(terms) for name, terms in zip(program.scores, sums, strict=True)}


def _answers(program: Program, scores: list[str]) -> list[str]:
    answers: dict[Readout, Callable[[], list[str]]] = {
        "scores": lambda: scores,
        "exponential": lambda: [f"EXP({scores[0]})"],
        "sigmoid": lambda: [_share(scores[0], ["0"])],
        "softmax": lambda: [_share(s, scores[:k] + scores[k + 1 :]) for k, s in enumerate(scores)],
        "label": lambda: [_label(program.labels, scores)],
    }
    return answers[program.readout]()


def _share(score: str, others: list[str]) -> str:
    """Write e to the power of a score over the sum of all such powers, in few mentions of it."""
    ratios = [f"EXP(MIN({LARGEST_EXPONENT},{other}-({score})))" for other in others]
    return f"1/({'+'.join(['1', *ratios])})"


def _label(labels: tuple[Label, ...], scores: list[str]) -> str:
    texts = [_literal(label) for label in labels]
    if len(scores) == 1:
        return f"IF({scores[0]}>0,{texts[1]},{texts[0]})"
    answer = texts[-1]
    for k in reversed(range(len(scores) - 1)):
        answer = f"IF({scores[k]}>={_of_all('MAX', scores[k + 1 :])},{texts[k]},{answer})"
    return answer


def _literal(label: Label) -> str:
    if isinstance(label, bool):
        return _truth(label)
    if not isinstance(label, str):
        return _number(float(label)) if isinstance(label, float) else str(label)
    if len(label) > LONGEST_TEXT:
        raise ValueError(f"a text in a formula has at most {LONGEST_TEXT} characters: {label!r}")
    return '"' + label.replace('"', '""') + '"'


def _formula(name: str, value: str, parts: Sequence[str]) -> str:
    formula = f"={value}"
    if len(formula) > LONGEST_FORMULA:
        raise ValueError(
            f"the formula for {name} has {len(formula)} characters, and Excel takes "
            f"{LONGEST_FORMULA}: {_advice(parts)}"
        )
    return formula


def _advice(parts: Sequence[str]) -> str:
    if not parts:
        return "the model is too large for it"
    shown = ", ".join(map(repr, parts[:MOST_NAMES])) + (", …" if len(parts) > MOST_NAMES else "")
    return f"say in cells where its parts shall stand, which are {shown}"
