"""A JavaScript function that answers like an ensemble."""

from __future__ import annotations

import json

from sorb.export.infix import Syntax, all_joined, check_name
from sorb.export.program import Output, Program, Step, compile_ensemble
from sorb.rules import Label, RuleEnsemble

__all__ = ["javascript"]

LARGEST_SAFE = 2**53 - 1  # larger integers are not all numbers of JavaScript

READ = """\
// {summary}
// Takes an object with a number for each column. Gives null if one of the values that it looks
// at is null, undefined or NaN.
function {name}(row) {{
  const x = Object.create(null);
  for (const column of {required}) {{
    const value = Object.hasOwn(row, column) ? row[column] : null;
    if (value === null || value === undefined || Number.isNaN(value)) return null;
    if (typeof value !== "number" && typeof value !== "boolean")
      throw new TypeError(`column ${{column}} must hold numbers, found ${{typeof value}}`);
    x[column] = Number(value);
  }}
"""

READOUTS = {
    "scores": ("const answer = {scores};",),
    "exponential": ("const answer = Math.exp(s[0]);",),
    "sigmoid": (
        "const e = Math.exp(-Math.abs(s[0]));",
        "const answer = (s[0] >= 0 ? 1 : e) / (1 + e);",
    ),
    "softmax": (
        "const top = Math.max(...s);",
        "const e = s.map((score) => Math.exp(score - top));",
        "const total = e.reduce((sum, value) => sum + value, 0);",
        "const answer = e.map((value) => value / total);",
    ),
    "label": ("const answer = {labels}[{winner}];",),
}

SUMMARIES = {
    "decision": "The decision value, or one for each class.",
    "prediction": "The prediction.",
    "probability": "The probability of the second class, or one for each class.",
}


def javascript(
    ensemble: RuleEnsemble,
    output: Output = "prediction",
    contributions: bool = False,
    name: str = "predict",
) -> str:
    """Write a JavaScript function that answers like an ensemble.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    output : {"decision", "prediction", "probability"}, default="prediction"
        What the function gives; an array with one value for each class for the decision values
        and probabilities of a softmax ensemble.
    contributions : bool, default=False
        Give an object with the `answer`, and the `contributions` of the rules in an array.
    name : str, default="predict"
        The name of the function.

    Returns
    -------
    source : str
        The function; to use it as a module, add an `export` in front of it.

    Examples
    --------
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "logistic", ("no", "yes"))
    >>> print(javascript(ensemble).splitlines()[-4])
      if (x["age"] >= 40.0) s[0] += 1.5;
    """
    program = compile_ensemble(ensemble, output)
    head = READ.format(
        name=check_name(name),
        summary=SUMMARIES[output],
        required=json.dumps(program.required),
    )
    lines = [f"const s = {json.dumps(program.offsets)};"]
    lines += ["const contributions = [];"] if contributions else []
    for step in program.steps:
        lines += _step_lines(step, contributions)
    lines += _readout_lines(program)
    lines += ["return { answer, contributions };" if contributions else "return answer;"]
    return head + "".join(f"  {line}\n" for line in lines) + "}\n"


SYNTAX = Syntax(repr, lambda column: f"x[{json.dumps(column)}]", all_joined("&&"))


def _step_lines(step: Step, contributions: bool) -> list[str]:
    condition = SYNTAX.condition(step) if step.tests else "true"
    if not contributions:
        return [f"if ({condition}) s[{step.output}] += {step.weight!r};"]
    # Adding zero changes no score.
    return [
        f"contributions.push({condition} ? {step.weight!r} : 0);",
        f"s[{step.output}] += contributions.at(-1);",
    ]


def _readout_lines(program: Program) -> list[str]:
    several = len(program.offsets) > 1
    words = {
        "scores": "s" if several else "s[0]",
        "labels": "[" + ", ".join(map(_label, program.labels)) + "]",
        "winner": "s.indexOf(Math.max(...s))" if several else "s[0] > 0 ? 1 : 0",
    }
    return [line.format(**words) for line in READOUTS[program.readout]]


def _label(value: Label) -> str:
    text = json.dumps(value)
    large = isinstance(value, int) and abs(value) > LARGEST_SAFE
    return f"{text}n" if large else text
