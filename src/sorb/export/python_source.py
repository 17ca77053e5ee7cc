"""A Python function without dependencies that answers like an ensemble."""

from __future__ import annotations

import builtins
import keyword

from sorb.export.program import CategoryTest, CompiledRule, Output, Program, compile_ensemble
from sorb.export.syntax import Syntax, all_joined, check_name, nan_comparison
from sorb.rules import Label, RuleEnsemble

__all__ = ["to_python"]

WORDS = {*keyword.kwlist, *dir(builtins), "math"}

READ = '''\
def {name}(row=None, /, **columns):
    """{summary}

    Takes a mapping from column names to values, or the columns as keyword arguments. None and
    NaN are missing values.
    """
    row = columns if row is None else row
    given = {{column: row[column] for column in {used}}}
    given = {{column: None if value != value else value for column, value in given.items()}}
'''

NUMBERS = """\
    x = {{column: given[column] for column in {columns}}}
    x = {{column: math.nan if value is None else float(value) for column, value in x.items()}}
"""

POSITIVES = """\
    p = {{column: x[column] if x[column] > 0.0 else math.nan for column in {columns}}}
"""

# Python refuses to divide by zero, and to give an infinite power.
OVER = """\
def {name}_over(value, divisor):
    return value / divisor if divisor else value * math.inf


"""

POWER = """\
def {name}_power(value, power):
    try:
        return math.pow(value, power)
    except OverflowError:
        return math.inf


"""

READOUTS = {
    "scores": ("answer = {scores}",),
    "exponential": (
        "try:",
        "    answer = math.exp(s[0])",
        "except OverflowError:",
        "    answer = math.inf",
    ),
    "sigmoid": ("e = math.exp(-abs(s[0]))", "answer = (1.0 if s[0] >= 0.0 else e) / (1.0 + e)"),
    "softmax": (
        "top = max(s)",
        "e = [math.exp(score - top) for score in s]",
        # `sum` of Python 3.12 compensates rounding, which the model does not.
        "total = 0.0",
        "for value in e:",
        "    total += value",
        "answer = [value / total for value in e]",
    ),
    "label": ("answer = {labels}[{winner}]",),
}

SUMMARIES = {
    "score": "Give the score, or one for each class.",
    "prediction": "Give the prediction.",
    "probability": "Give the probability of the second class, or one for each class.",
}


def to_python(
    ensemble: RuleEnsemble,
    output: Output = "prediction",
    contributions: bool = False,
    name: str = "predict",
) -> str:
    """Write a Python function that answers like an ensemble and needs nothing but Python.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    output : {"score", "prediction", "probability"}, default="prediction"
        What the function gives: the score (a list with one for each class if the loss is
        softmax), the predicted number or class label, or the probability of the second class (a
        list with one for each class if the loss is softmax).
    contributions : bool, default=False
        Give a pair: the answer, and a list of what each rule adds.
    name : str, default="predict"
        The name of the function.

    Returns
    -------
    source : str
        The text of a module with this function.

    Examples
    --------
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "logistic", ("no", "yes"))
    >>> module = {}
    >>> exec(to_python(ensemble), module)
    >>> module["predict"](age=39), module["predict"]({"age": 40})
    ('no', 'yes')
    """
    program = compile_ensemble(ensemble, output)
    syntax = _syntax(check_name(name, WORDS, "Python"))
    lines = [f"s = {list(program.offsets)!r}", "c = []" if contributions else ""]
    for rule in program.rules:
        lines += _rule_lines(syntax, rule, contributions)
    lines += _readout_lines(program)
    lines += ["return answer, c" if contributions else "return answer"]
    body = "".join(f"    {line}\n" for line in lines if line)
    function = _head(program, name, SUMMARIES[output]) + body
    aids = "".join(
        aid.format(name=name)
        for aid, word in ((OVER, "over"), (POWER, "power"))
        if f"{name}_{word}(" in body
    )
    imports = "import math\n\n\n" if "math." in function else ""
    return f"{imports}{aids}{function}"


def _head(program: Program, name: str, summary: str) -> str:
    text = READ.format(name=name, summary=summary, used=_names(program.used))
    if program.numbers:
        text += NUMBERS.format(columns=_names(program.numbers))
    if program.positives:
        text += POSITIVES.format(columns=_names(program.positives))
    return text


def _names(columns: tuple[str, ...]) -> str:
    return "[" + ", ".join(map(ascii, columns)) + "]"


def _syntax(name: str) -> Syntax:
    return Syntax(
        number=repr,
        column=lambda column: f"x[{column!a}]",
        positive=lambda column: f"p[{column!a}]",
        compare=nan_comparison(repr, "not {}".format),
        member=_member,
        all_of=all_joined("and"),
        power=f"{name}_power({{}}, {{}})".format,
        over=f"{name}_over({{}}, {{}})".format,
    )


def _member(test: CategoryTest) -> str:
    value = f"given[{test.column!a}]"
    if not test.categories:
        return f"{value} is None" if test.missing else f"{value} is not None"
    known = f"{value} {'not in' if test.negated else 'in'} {_tuple(test.categories)}"
    if test.missing == test.negated:  # None is no category
        return known
    return f"({value} is None or {known})" if test.missing else f"{value} is not None and {known}"


def _rule_lines(syntax: Syntax, rule: CompiledRule, contributions: bool) -> list[str]:
    condition = syntax.condition(rule) if rule.propositions else "True"
    if not contributions:
        return [f"if {condition}:", f"    s[{rule.output}] += {rule.vote!r}"]
    # Adding zero changes no score.
    return [
        f"c.append({rule.vote!r} if {condition} else 0.0)",
        f"s[{rule.output}] += c[-1]",
    ]


def _readout_lines(program: Program) -> list[str]:
    several = len(program.offsets) > 1
    words = {
        "scores": "s" if several else "s[0]",
        "labels": _tuple(program.labels),
        "winner": "s.index(max(s))" if several else "s[0] > 0.0",
    }
    return [line.format(**words) for line in READOUTS[program.readout]]


def _tuple(labels: tuple[Label, ...]) -> str:
    return f"({', '.join(map(_label, labels))}{',' if len(labels) == 1 else ''})"


def _label(value: Label) -> str:
    return ascii(value) if isinstance(value, str) else repr(value)
