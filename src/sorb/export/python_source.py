"""A Python function without dependencies that gives the answers of an ensemble."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Sequence

from sorb.export.program import Answer, CategoryTest, CompiledRule, Output, compile_ensemble
from sorb.export.script import Script, summarise
from sorb.export.syntax import (
    Syntax,
    check_name,
    join_with,
    nan_comparison,
    null_category_test,
)
from sorb.rules import RuleEnsemble

__all__ = ["to_python"]

RESERVED = {*keyword.kwlist, *dir(builtins), "math"}

ROW = '''\
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

# Python raises an error where float64 arithmetic gives infinity.
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

ANSWERS: dict[Answer, Sequence[str]] = {
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
        # `sum` compensates for rounding since Python 3.12, which the model does not.
        "total = 0.0",
        "for value in e:",
        "    total += value",
        "answer = [value / total for value in e]",
    ),
    "label": ("answer = {labels}[{winner}]",),
}


def to_python(
    ensemble: RuleEnsemble,
    output: Output = "prediction",
    contributions: bool = False,
    name: str = "predict",
) -> str:
    """Write a Python function that gives the answers of an ensemble and needs only Python.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    output : {"score", "prediction", "probability"}, default="prediction"
        What the function returns: the score, the predicted number or class label, or the
        probability of the second class. With more than two classes, scores and probabilities are
        lists with one value for each class.
    contributions : bool, default=False
        Return a pair: the answer, and a list of what each rule adds.
    name : str, default="predict"
        The name of the function.

    Returns
    -------
    source : str
        The source of a module with this function.

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
    syntax = _syntax(check_name(name, RESERVED, "Python"))
    lines = [f"s = {list(program.offsets)!r}", "c = []" if contributions else ""]
    for rule in program.rules:
        lines += _rule_lines(syntax, rule, contributions)
    labels = ascii(program.labels)
    lines += SCRIPT.answer(program, labels, largest="s.index(max(s))", second="s[0] > 0.0")
    lines += ["return answer, c" if contributions else "return answer"]
    body = "".join(f"    {line}\n" for line in lines if line)
    function = SCRIPT.head(program, name, f"Return {summarise(ensemble, output)}.") + body
    helpers = "".join(
        helper.format(name=name)
        for helper, word in ((OVER, "over"), (POWER, "power"))
        if f"{name}_{word}(" in body
    )
    imports = "import math\n\n\n" if "math." in function else ""
    return f"{imports}{helpers}{function}"


def _names(columns: Sequence[str]) -> str:
    return "[" + ", ".join(map(ascii, columns)) + "]"


SCRIPT = Script(ROW, NUMBERS, POSITIVES, ANSWERS, _names)


def _syntax(name: str) -> Syntax:
    return Syntax(
        number=repr,
        column=lambda column: f"x[{column!a}]",
        positive=lambda column: f"p[{column!a}]",
        compare=nan_comparison(repr, "not {}".format),
        category_test=_category_test,
        all_of=join_with("and"),
        power=f"{name}_power({{}}, {{}})".format,
        over=f"{name}_over({{}}, {{}})".format,
    )


def _category_test(test: CategoryTest) -> str:
    value = f"given[{test.column!a}]"
    found = f"{value} {'not in' if test.negated else 'in'} {test.categories!a}"
    return null_category_test(
        test, found, f"{value} is None", f"{value} is not None", either="or", both="and"
    )


def _rule_lines(syntax: Syntax, rule: CompiledRule, contributions: bool) -> list[str]:
    condition = syntax.condition(rule) if rule.propositions else "True"
    if not contributions:
        return [f"if {condition}:", f"    s[{rule.output}] += {rule.vote!r}"]
    # Adding zero changes no score.
    return [
        f"c.append({rule.vote!r} if {condition} else 0.0)",
        f"s[{rule.output}] += c[-1]",
    ]
