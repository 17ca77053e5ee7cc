"""A JavaScript function that answers like an ensemble."""

from __future__ import annotations

import json

from sorb.export.program import CategoryTest, CompiledRule, Output, Program, compile_ensemble
from sorb.export.syntax import Syntax, all_joined, check_name, nan_comparison
from sorb.rules import Label, RuleEnsemble

__all__ = ["to_javascript"]

KEYWORDS = (
    "arguments await break case catch class const continue debugger default delete do else enum "
    "eval export extends false finally for function if implements import in instanceof interface "
    "let new null package private protected public return static super switch this throw true try "
    "typeof var void while with yield"
)
# What the function itself needs of the language.
GLOBALS = ("Infinity", "Math", "NaN", "Number", "Object", "TypeError", "undefined")
WORDS = frozenset([*KEYWORDS.split(), *GLOBALS])

LARGEST_SAFE = 2**53 - 1  # larger integers are not all numbers of JavaScript

READ = """\
// {summary}
// Takes an object with a value for each column. What is not there, null, undefined and NaN are
// missing values.
function {name}(row) {{
  const given = Object.create(null);
  for (const column of {used}) {{
    const value = Object.hasOwn(row, column) ? row[column] : null;
    if (value === undefined || Number.isNaN(value)) given[column] = null;
    // Truth values are 1 and 0, and a BigInt is a number if there is one that equals it.
    else if (typeof value === "boolean" || (typeof value === "bigint" && value == Number(value)))
      given[column] = Number(value);
    else given[column] = value;
  }}
"""

NUMBERS = """\
  const x = Object.create(null);
  for (const column of {columns}) {{
    const value = given[column] === null ? NaN : given[column];
    if (typeof value !== "number")
      throw new TypeError(`column ${{column}} must hold numbers, found ${{typeof value}}`);
    x[column] = value;
  }}
"""

POSITIVES = """\
  const p = Object.create(null);
  for (const column of {columns}) p[column] = x[column] > 0 ? x[column] : NaN;
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
    "score": "The score, or one for each class.",
    "prediction": "The prediction.",
    "probability": "The probability of the second class, or one for each class.",
}


def to_javascript(
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
    output : {"score", "prediction", "probability"}, default="prediction"
        What the function gives; an array with one value for each class for the scores
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
    >>> print(to_javascript(ensemble).splitlines()[-4])
      if (x["age"] >= 40.0) s[0] += 1.5;
    """
    program = compile_ensemble(ensemble, output)
    lines = [f"const s = {_json(program.offsets)};"]
    lines += ["const contributions = [];"] if contributions else []
    for rule in program.rules:
        lines += _rule_lines(rule, contributions)
    lines += _readout_lines(program)
    lines += ["return { answer, contributions };" if contributions else "return answer;"]
    head = _head(program, check_name(name, WORDS, "JavaScript"), SUMMARIES[output])
    return head + "".join(f"  {line}\n" for line in lines) + "}\n"


def _head(program: Program, name: str, summary: str) -> str:
    text = READ.format(name=name, summary=summary, used=_json(program.used))
    if program.numbers:
        text += NUMBERS.format(columns=_json(program.numbers))
    if program.positives:
        text += POSITIVES.format(columns=_json(program.positives))
    return text


def _json(value: object) -> str:
    # In a page, the text </script> would end the script, even within quotes.
    return json.dumps(value).replace("<", "\\u003c")


def _member(test: CategoryTest) -> str:
    value = f"given[{_json(test.column)}]"
    if not test.categories:
        return f"{value} {'===' if test.missing else '!=='} null"
    categories = ", ".join(map(_category, test.categories))
    known = f"{'!' if test.negated else ''}[{categories}].includes({value})"
    if test.missing == test.negated:  # null is no category
        return known
    return f"({value} === null || {known})" if test.missing else f"{value} !== null && {known}"


def _category(value: Label) -> str:
    if isinstance(value, str):
        return _json(value)
    if isinstance(value, float):
        return repr(value)
    return f"{int(value)}{'' if _is_float(value) else 'n'}"


def _is_float(value: int) -> bool:
    try:
        return float(value) == value
    except OverflowError:
        return False


SYNTAX = Syntax(
    number=repr,
    column=lambda column: f"x[{_json(column)}]",
    positive=lambda column: f"p[{_json(column)}]",
    compare=nan_comparison(repr, "!({})".format),
    member=_member,
    all_of=all_joined("&&"),
    power="Math.pow({}, {})".format,
)


def _rule_lines(rule: CompiledRule, contributions: bool) -> list[str]:
    condition = SYNTAX.condition(rule) if rule.propositions else "true"
    if not contributions:
        return [f"if ({condition}) s[{rule.output}] += {rule.vote!r};"]
    # Adding zero changes no score.
    return [
        f"contributions.push({condition} ? {rule.vote!r} : 0);",
        f"s[{rule.output}] += contributions.at(-1);",
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
    text = _json(value)
    large = isinstance(value, int) and abs(value) > LARGEST_SAFE
    return f"{text}n" if large else text
