"""A Python function without dependencies that answers like an ensemble."""

from __future__ import annotations

import keyword

from sorb.export.infix import Syntax, all_joined, check_name
from sorb.export.program import Output, Program, Step, compile_ensemble
from sorb.rules import RuleEnsemble

__all__ = ["python_function"]

SYNTAX = Syntax(repr, lambda column: f"x[{column!a}]", all_joined("and"))

READ = '''\
def {name}(row=None, /, **columns):
    """{summary}

    Takes a mapping from column names to numbers, or the columns as keyword arguments. Gives
    None if one of the values that it looks at is None or NaN.
    """
    row = columns if row is None else row
    x = {{column: row[column] for column in {required}}}
    if any(value is None or value != value for value in x.values()):
        return None
    x = {{column: float(value) for column, value in x.items()}}'''

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

NEED_MATH = ("exponential", "sigmoid", "softmax")

SUMMARIES = {
    "decision": "Give the decision value, or one for each class.",
    "prediction": "Give the prediction.",
    "probability": "Give the probability of the second class, or one for each class.",
}


def python_function(
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
    output : {"decision", "prediction", "probability"}, default="prediction"
        What the function gives: the decision value (a list with one for each class if the loss is
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
    >>> exec(python_function(ensemble), module)
    >>> module["predict"](age=39), module["predict"]({"age": 40})
    ('no', 'yes')
    """
    program = compile_ensemble(ensemble, output)
    if keyword.iskeyword(check_name(name)):
        raise ValueError(f"name must not be a word of Python itself, found {name!r}")
    required = "[" + ", ".join(map(ascii, program.required)) + "]"
    head = READ.format(name=name, summary=SUMMARIES[output], required=required)
    lines = [f"s = {list(program.offsets)!r}", "c = []" if contributions else ""]
    for step in program.steps:
        lines += _step_lines(step, contributions)
    lines += _readout_lines(program)
    lines += ["return answer, c" if contributions else "return answer"]
    body = "\n".join(f"    {line}" for line in lines if line)
    imports = "import math\n\n\n" if program.readout in NEED_MATH else ""
    return f"{imports}{head}\n{body}\n"


def _step_lines(step: Step, contributions: bool) -> list[str]:
    condition = SYNTAX.condition(step) if step.tests else "True"
    if not contributions:
        return [f"if {condition}:", f"    s[{step.output}] += {step.weight!r}"]
    # Adding zero changes no score.
    return [
        f"c.append({step.weight!r} if {condition} else 0.0)",
        f"s[{step.output}] += c[-1]",
    ]


def _readout_lines(program: Program) -> list[str]:
    several = len(program.offsets) > 1
    words = {
        "scores": "s" if several else "s[0]",
        "labels": "(" + ", ".join(map(_label, program.labels)) + ")",
        "winner": "s.index(max(s))" if several else "s[0] > 0.0",
    }
    return [line.format(**words) for line in READOUTS[program.readout]]


def _label(value: object) -> str:
    return ascii(value) if isinstance(value, str) else repr(value)
