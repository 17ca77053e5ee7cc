"""A function in C that answers like an ensemble."""

from __future__ import annotations

from sorb.export.infix import Syntax, all_joined, check_name, comment_text
from sorb.export.program import Output, Program, Step, compile_ensemble
from sorb.rules import RuleEnsemble

__all__ = ["c"]

HEAD = """\
/*
 * {summary}
 * The columns of a row, in the order of x:
{columns}
 */
#include <float.h>
#include <math.h>

#ifdef __FAST_MATH__
#error "-ffast-math changes the answers: compile without it"
#endif
#if FLT_EVAL_METHOD != 0
#error "doubles must be computed as doubles: compile with -mfpmath=sse -msse2"
#endif
"""

PRODUCT = """
/* Rounds a product before anything is added to it: no compiler may fuse both into one step. */
static double {name}_product(double factor, double value) {{
  volatile double product = factor * value;
  return product;
}}
"""

READOUTS = {
    "scores": ("return s[0];",),
    "exponential": ("return exp(s[0]);",),
    "sigmoid": (
        "const double e = exp(-fabs(s[0]));",
        "return (s[0] >= 0 ? 1 : e) / (1 + e);",
    ),
    "softmax": (
        "double top = s[0], total = 0;",
        "for (int k = 1; k < {n}; ++k) if (s[k] > top) top = s[k];",
        "for (int k = 0; k < {n}; ++k) total += answer[k] = exp(s[k] - top);",
        "for (int k = 0; k < {n}; ++k) answer[k] /= total;",
    ),
}
ALL_SCORES = ("for (int k = 0; k < {n}; ++k) answer[k] = s[k];",)
FIRST_LABEL = ("return s[0] > 0;",)
BEST_LABEL = (
    "int best = 0;",
    "for (int k = 1; k < {n}; ++k) if (s[k] > s[best]) best = k;",
    "return best;",
)

SUMMARIES = {
    "decision": "The decision value, or one for each class in answer; NAN if a value is missing.",
    "prediction": "The prediction; NAN if a value is missing.",
    "probability": "The probability of the second class, or one for each class in answer; NAN if a "
    "value\n * is missing.",
    "label": "The number of the predicted class; -1 if a value is missing.",
}


def c(
    ensemble: RuleEnsemble,
    output: Output = "prediction",
    contributions: bool = False,
    name: str = "predict",
) -> str:
    r"""Write a C99 function over an array of doubles that answers like an ensemble.

    The function is one of

    - ``double predict(const double *x)``,
    - ``int predict(const double *x)`` for the prediction of a classifier: the number of the class
      in `classes`,
    - ``void predict(const double *x, double *answer)`` for the decision values and probabilities
      of a softmax ensemble,

    and has another parameter ``double *contributions`` if you ask for them. ``x`` holds all
    columns of the ensemble in order. If a value that the rules look at is NaN, the answers are
    NaN, and the number of the class is −1.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    output : {"decision", "prediction", "probability"}, default="prediction"
        What the function gives.
    contributions : bool, default=False
        Write what each rule adds into another array.
    name : str, default="predict"
        The name of the function.

    Returns
    -------
    source : str
        A complete file; link with ``-lm``.

    Examples
    --------
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "squared")
    >>> print("\n".join(c(ensemble).splitlines()[-6:]))
    double predict(const double *x) {
      double s[1] = {-0x1.0000000000000p+0 /* -1.0 */};
      if (isnan(x[0])) return NAN;
      if (x[0] >= 0x1.4000000000000p+5 /* 40.0 */) s[0] += 0x1.8000000000000p+0 /* 1.5 */;
      return s[0];
    }
    """
    program = compile_ensemble(ensemble, output)
    body = _body(program, contributions, check_name(name))
    head = HEAD.format(
        summary=SUMMARIES["label" if program.labels else output],
        columns="\n".join(_legend(program)),
    )
    helper = PRODUCT.format(name=name) if f"{name}_product(" in body else ""
    return f"{head}{helper}\n{_signature(program, contributions, name)} {{\n{body}}}\n"


def _legend(program: Program) -> list[str]:
    columns = [f" *   x[{j}]: {comment_text(name)}" for j, name in enumerate(program.columns)]
    if not program.labels:
        return columns
    labels = [f" *   {k}: {comment_text(label)}" for k, label in enumerate(program.labels)]
    return [*columns, " * The classes:", *labels]


def _signature(program: Program, contributions: bool, name: str) -> str:
    gives = "void" if program.several else "int" if program.labels else "double"
    answer = ", double *answer" if program.several else ""
    noted = ", double *contributions" if contributions else ""
    return f"{gives} {name}(const double *x{answer}{noted})"


def _body(program: Program, contributions: bool, name: str) -> str:
    offsets = ", ".join(map(_number, program.offsets))
    lines = [f"double s[{len(program.offsets)}] = {{{offsets}}};"]
    lines += _missing_lines(program, contributions)
    syntax = _syntax(program, name)
    for i, step in enumerate(program.steps):
        lines += _step_lines(syntax, i, step, contributions)
    lines += [line.format(n=len(program.offsets)) for line in _readout(program)]
    return "".join(f"  {line}\n" for line in lines)


def _syntax(program: Program, name: str) -> Syntax:
    place = {column: f"x[{j}]" for j, column in enumerate(program.columns)}
    product = f"{name}_product({{}}, {{}})".format
    return Syntax(_number, place.__getitem__, all_joined("&&"), product)


def _number(value: float) -> str:
    return f"{value.hex()} /* {value!r} */"


def _missing_lines(program: Program, contributions: bool) -> list[str]:
    place = {column: j for j, column in enumerate(program.columns)}
    missing = " || ".join(f"isnan(x[{place[column]}])" for column in program.required)
    if not missing:
        return ["(void)x;"] + (["(void)contributions;"] if contributions else [])
    blanks = [f"for (int i = 0; i < {len(program.steps)}; ++i) contributions[i] = NAN;"]
    blanks = blanks if contributions else []
    if program.several:
        blanks += [f"for (int k = 0; k < {len(program.offsets)}; ++k) answer[k] = NAN;"]
    gives = "return;" if program.several else "return -1;" if program.labels else "return NAN;"
    if not blanks:
        return [f"if ({missing}) {gives}"]
    return [f"if ({missing}) {{", *(f"  {line}" for line in [*blanks, gives]), "}"]


def _step_lines(syntax: Syntax, i: int, step: Step, contributions: bool) -> list[str]:
    condition = syntax.condition(step) if step.tests else "1"
    weight = _number(step.weight)
    if not contributions:
        return [f"if ({condition}) s[{step.output}] += {weight};"]
    # Adding zero changes no score.
    return [
        f"contributions[{i}] = {condition} ? {weight} : 0;",
        f"s[{step.output}] += contributions[{i}];",
    ]


def _readout(program: Program) -> tuple[str, ...]:
    several = len(program.offsets) > 1
    if program.readout == "label":
        return BEST_LABEL if several else FIRST_LABEL
    if program.readout == "scores" and several:
        return ALL_SCORES
    return READOUTS[program.readout]
