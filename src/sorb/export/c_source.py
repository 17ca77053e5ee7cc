"""A C function that gives the answers of an ensemble."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence

from sorb.export.column_types import ColumnType, column_types, exact_float
from sorb.export.program import (
    Answer,
    CategoryTest,
    CompiledRule,
    Output,
    Program,
    compile_ensemble,
)
from sorb.export.script import summarise
from sorb.export.syntax import Syntax, check_name, comment_text, join_with, nan_comparison
from sorb.rules import Label, RuleEnsemble

__all__ = ["to_c"]

KEYWORDS = (
    "alignas alignof asm auto bool break case char const constexpr continue default do double else "
    "enum extern false float for goto if inline int long main nullptr register restrict return "
    "short signed sizeof static struct switch true typedef typeof union unsigned void volatile "
    "while"
)
# What <math.h> declares for doubles, and with an f or l at the end for other types.
MATHEMATICS = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 "
    "fabs fdim floor fma fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log "
    "log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder "
    "remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc y0 y1 yn"
)
# Other names that the headers declare, and functions that compilers know without a header.
LIBRARY = (
    "HUGE_VAL INFINITY NAN NULL abort abs calloc exit fpclassify free gamma isfinite isgreater "
    "isgreaterequal isinf isless islessequal islessgreater isnan isnormal isunordered labs malloc "
    "memchr memcmp memcpy memmove memset printf putchar puts realloc scanf signbit signgam size_t "
    "strcat strchr strcmp strcoll strcpy strcspn strdup strerror strlen strncat strncmp strncpy "
    "strpbrk strrchr strspn strstr strtok strxfrm"
)
RESERVED = frozenset(
    [*KEYWORDS.split(), *LIBRARY.split()]
    + [f"{word}{end}" for word in MATHEMATICS.split() for end in ("", "f", "l")]
)

HEAD = """\
/*
 * {summary}
 * The places of the columns{missing}:
{columns}
 */
#include <float.h>
#include <math.h>
{includes}
#ifdef __FAST_MATH__
#error "-ffast-math changes the answers: compile without it"
#endif
#if FLT_EVAL_METHOD != 0
#error "doubles must be computed as doubles: compile with -mfpmath=sse -msse2"
#endif
"""

PRODUCT = """
/* Rounds a product before anything is added to it, so that no compiler fuses the two. */
static double {name}_product(double factor, double value) {{
  volatile double product = factor * value;
  return product;
}}
"""

PLAIN_CHARACTERS = (string.ascii_letters + string.digits + " _-+.,:;<>=()").encode()

SINGLE_ANSWERS: dict[Answer, Sequence[str]] = {
    "scores": ("return s[0];",),
    "exponential": ("return exp(s[0]);",),
    "sigmoid": (
        "const double e = exp(-fabs(s[0]));",
        "return (s[0] >= 0 ? 1 : e) / (1 + e);",
    ),
    "label": ("return s[0] > 0;",),
}
# What to compute from the scores if there is one for each of {n} classes.
CLASS_ANSWERS: dict[Answer, Sequence[str]] = {
    "scores": ("for (int k = 0; k < {n}; ++k) answer[k] = s[k];",),
    "softmax": (
        "double top = s[0], total = 0;",
        "for (int k = 1; k < {n}; ++k) if (s[k] > top) top = s[k];",
        "for (int k = 0; k < {n}; ++k) total += answer[k] = exp(s[k] - top);",
        "for (int k = 0; k < {n}; ++k) answer[k] /= total;",
    ),
    "label": (
        "int best = 0;",
        "for (int k = 1; k < {n}; ++k) if (s[k] > s[best]) best = k;",
        "return best;",
    ),
}


def to_c(
    ensemble: RuleEnsemble,
    output: Output = "prediction",
    contributions: bool = False,
    name: str = "predict",
) -> str:
    r"""Write a C99 function that takes the values of a row and gives the answer of an ensemble.

    The function is one of

    - ``double predict(const double *x)``,
    - ``int predict(const double *x)`` for the prediction of a classifier: the index of the class
      in `classes`,
    - ``void predict(const double *x, double *answer)`` for scores and probabilities if there are
      more than two classes.

    ``x`` holds all columns of the ensemble in order; NaN is a missing value, booleans are 1 and 0.
    If rules compare texts, a parameter ``const char *const *t`` follows, which also has a place for
    each column: it holds the texts, in UTF-8, and NULL is a missing text. Places that the rules do
    not use may hold anything. With contributions, the last parameter is ``double *contributions``.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    output : {"score", "prediction", "probability"}, default="prediction"
        What the function returns.
    contributions : bool, default=False
        Also write what each rule adds into an array.
    name : str, default="predict"
        The name of the function.

    Returns
    -------
    source : str
        A complete source file; link with ``-lm``.

    Examples
    --------
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 1.5),), ("age",), "squared")
    >>> print("\n".join(to_c(ensemble).splitlines()[-5:]))
    double predict(const double *x) {
      double s[1] = {-0x1.0000000000000p+0 /* -1.0 */};
      if (x[0] >= 0x1.4000000000000p+5 /* 40.0 */) s[0] += 0x1.8000000000000p+0 /* 1.5 */;
      return s[0];
    }
    """
    program = compile_ensemble(ensemble, output)
    types = column_types(program)
    body = _body(program, types, contributions, check_name(name, RESERVED, "C"))
    helper = PRODUCT.format(name=name) if f"{name}_product(" in body else ""
    head = _head(program, types, _summary(ensemble, program, output))
    return f"{head}{helper}\n{_signature(program, types, contributions, name)} {{\n{body}}}\n"


def _summary(ensemble: RuleEnsemble, program: Program, output: Output) -> str:
    if program.labels:
        return "Returns the index of the predicted class."
    if program.several:
        return f"Writes one {output} for each class into answer."
    return f"Returns {summarise(ensemble, output).partition(',')[0]}."


def _has_texts(types: Mapping[str, ColumnType]) -> bool:
    return "text" in types.values()


def _head(program: Program, types: Mapping[str, ColumnType], summary: str) -> str:
    texts = _has_texts(types)
    return HEAD.format(
        summary=summary,
        missing="; NAN and NULL are missing values" if texts else "; NAN is a missing value",
        columns="\n".join(_legend(program, types)),
        includes="#include <string.h>\n" if texts else "",
    )


def _legend(program: Program, types: Mapping[str, ColumnType]) -> list[str]:
    columns = [
        f" *   {place}: {comment_text(name)}" for name, place in _places(program, types).items()
    ]
    if not program.labels:
        return columns
    labels = [f" *   {k}: {comment_text(label)}" for k, label in enumerate(program.labels)]
    return [*columns, " * The classes:", *labels]


def _places(program: Program, types: Mapping[str, ColumnType]) -> dict[str, str]:
    return {
        column: f"{'t' if types.get(column) == 'text' else 'x'}[{j}]"
        for j, column in enumerate(program.columns)
    }


def _signature(
    program: Program, types: Mapping[str, ColumnType], contributions: bool, name: str
) -> str:
    returns = "void" if program.several else "int" if program.labels else "double"
    texts = ", const char *const *t" if _has_texts(types) else ""
    answer = ", double *answer" if program.several else ""
    added = ", double *contributions" if contributions else ""
    return f"{returns} {name}(const double *x{texts}{answer}{added})"


def _body(program: Program, types: Mapping[str, ColumnType], contributions: bool, name: str) -> str:
    offsets = ", ".join(map(_number, program.offsets))
    lines = [f"double s[{len(program.offsets)}] = {{{offsets}}};"]
    if set(types.values()) <= {"text"}:
        lines += ["(void)x;"]
    if contributions and not program.rules:
        lines += ["(void)contributions;"]
    places = _places(program, types)
    for column in program.positives:
        place = places[column]
        lines += [f"const double {_positive(place)} = {place} > 0 ? {place} : NAN;"]
    syntax = _syntax(places, name)
    for i, rule in enumerate(program.rules):
        lines += _rule_lines(syntax, i, rule, contributions)
    answers = CLASS_ANSWERS if len(program.offsets) > 1 else SINGLE_ANSWERS
    lines += [line.format(n=len(program.offsets)) for line in answers[program.answer]]
    return "".join(f"  {line}\n" for line in lines)


def _syntax(places: Mapping[str, str], name: str) -> Syntax:
    return Syntax(
        number=_number,
        column=places.__getitem__,
        positive=lambda column: _positive(places[column]),
        compare=nan_comparison(_number, "!({})".format),
        category_test=lambda test: _category_test(test, places[test.column]),
        all_of=join_with("&&"),
        power="pow({}, {})".format,
        times=f"{name}_product({{}}, {{}})".format,
    )


def _positive(place: str) -> str:
    return "p" + place.strip("x[]")


def _number(value: float) -> str:
    return f"{value.hex()} /* {value!r} */"


def _category_test(test: CategoryTest, place: str) -> str:
    text = place.startswith("t")
    unknown = f"{place} == NULL" if text else f"isnan({place})"
    known = f"{place} != NULL" if text else f"!isnan({place})"
    if not test.categories:
        return unknown if test.missing else known
    found = " || ".join(_equality(place, category, test.column) for category in test.categories)
    if test.missing:
        return f"({unknown} || {f'!({found})' if test.negated else found})"
    return f"{known} && {'!' if test.negated else ''}({found})"


def _equality(place: str, category: Label, column: str) -> str:
    if isinstance(category, str):
        return f"strcmp({place}, {_text(category)}) == 0"
    return f"{place} == {_number(exact_float(category, column))}"


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError(f"a text in C cannot contain the character NUL, found in {value!r}")
    return f'"{"".join(map(_character, value.encode("utf-8")))}"'


def _character(byte: int) -> str:
    # Escape what has a special meaning: quotes, backslashes, and question marks in trigraphs.
    return chr(byte) if byte in PLAIN_CHARACTERS else f"\\{byte:03o}"


def _rule_lines(syntax: Syntax, i: int, rule: CompiledRule, contributions: bool) -> list[str]:
    condition = syntax.condition(rule) if rule.propositions else "1"
    vote = _number(rule.vote)
    if not contributions:
        return [f"if ({condition}) s[{rule.output}] += {vote};"]
    # Adding zero changes no score.
    return [
        f"contributions[{i}] = {condition} ? {vote} : 0;",
        f"s[{rule.output}] += contributions[{i}];",
    ]
