"""A JavaScript function that gives the answers of an ensemble."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sorb._types import assert_never
from sorb.export.column_types import is_exact
from sorb.export.program import Answer, CategoryTest, CompiledRule, Output, compile_ensemble
from sorb.export.script import Script, summarise
from sorb.export.syntax import (
    Syntax,
    check_name,
    join_with,
    nan_comparison,
    null_category_test,
)
from sorb.rules import Label, RuleEnsemble

__all__ = ["to_javascript"]

KEYWORDS = (
    "arguments await break case catch class const continue debugger default delete do else enum "
    "eval export extends false finally for function if implements import in instanceof interface "
    "let new null package private protected public return static super switch this throw true try "
    "typeof var void while with yield"
)
# Globals that the function itself uses.
GLOBALS = ("Infinity", "Math", "NaN", "Number", "Object", "TypeError", "undefined")
RESERVED = frozenset([*KEYWORDS.split(), *GLOBALS])

LARGEST_SAFE = 2**53 - 1  # above it, JavaScript's numbers skip some integers

ROW = """\
// {summary}
// Takes an object with a value for each column. A value is missing if it is absent, null, undefined
// or NaN.
function {name}(row) {{
  const given = Object.create(null);
  for (const column of {used}) {{
    const value = Object.hasOwn(row, column) ? row[column] : null;
    if (value === undefined || Number.isNaN(value)) given[column] = null;
    // Booleans become 1 and 0, and a BigInt becomes a number if one is equal to it.
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

ANSWERS: dict[Answer, Sequence[str]] = {
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


def to_javascript(
    ensemble: RuleEnsemble,
    output: Output = "prediction",
    contributions: bool = False,
    name: str = "predict",
) -> str:
    """Write a JavaScript function that gives the answers of an ensemble.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    output : {"score", "prediction", "probability"}, default="prediction"
        What the function returns: the score, the predicted number or class label, or the
        probability of the second class. With more than two classes, scores and probabilities are
        arrays with one value for each class.
    contributions : bool, default=False
        Return an object with the `answer`, and the `contributions` of the rules in an array.
    name : str, default="predict"
        The name of the function.

    Returns
    -------
    source : str
        The function; to make it part of a module, write `export` in front of it.

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
    labels = "[" + ", ".join(map(_label, program.labels)) + "]"
    largest = "s.indexOf(Math.max(...s))"
    lines += SCRIPT.answer(program, labels, largest=largest, second="s[0] > 0 ? 1 : 0")
    lines += ["return { answer, contributions };" if contributions else "return answer;"]
    check_name(name, RESERVED, "JavaScript")
    head = SCRIPT.head(program, name, f"Returns {summarise(ensemble, output)}.")
    return head + "".join(f"  {line}\n" for line in lines) + "}\n"


def _json(value: object) -> str:
    # In a page, the text </script> would end the script, even within quotes.
    return json.dumps(value).replace("<", "\\u003c")


SCRIPT = Script(ROW, NUMBERS, POSITIVES, ANSWERS, _json)


def _category_test(test: CategoryTest) -> str:
    value = f"given[{_json(test.column)}]"
    categories = ", ".join(map(_category, test.categories))
    found = f"{'!' if test.negated else ''}[{categories}].includes({value})"
    return null_category_test(
        test, found, f"{value} === null", f"{value} !== null", either="||", both="&&"
    )


def _category(value: Label) -> str:
    match value:
        case str():
            return _json(value)
        case float():
            return repr(value)
        case int():
            # A boolean is 1 or 0, like the values that are compared with it.
            return f"{int(value)}{'' if is_exact(value) else 'n'}"
        case _:
            return assert_never(value)


SYNTAX = Syntax(
    number=repr,
    column=lambda column: f"x[{_json(column)}]",
    positive=lambda column: f"p[{_json(column)}]",
    compare=nan_comparison(repr, "!({})".format),
    category_test=_category_test,
    all_of=join_with("&&"),
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


def _label(value: Label) -> str:
    text = _json(value)
    large = isinstance(value, int) and abs(value) > LARGEST_SAFE
    return f"{text}n" if large else text
