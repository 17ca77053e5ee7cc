"""C: the written functions are compiled, run and compared with the model."""

import shutil
import subprocess

import pytest
from export.corpus import Case, boundary_cases, cases_for, finite_scores, met_by_each_row
from export.random_models import NASTY

from sorb.export import to_c
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
THREE = RuleEnsemble((0.0, 0.5, 0.0), (Rule(OLD, 1.5, 2),), ("age",), "softmax", ("a", "b", "c"))

MAIN = """
static void show(double v) {{ printf("%a ", v); }}
int main(void) {{
  double v[8], c[64];
  (void)v; (void)c;
{calls}
  return 0;
}}
"""


def run(folder, text, *flags):
    source, program = folder / "model.c", folder / "model"
    source.write_text(text)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    command = ["gcc", *strict, *flags, str(source), "-o", str(program), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    return [[float.fromhex(v) for v in line.split()] for line in done.stdout.splitlines()]


def number(value):
    return {"nan": "NAN", "inf": "INFINITY", "-inf": "-INFINITY"}.get(repr(value), value.hex())


def literal(text):
    """A text as C's own rules have it, each byte by its number."""
    if text is None:
        return "0"
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode()) + '"'


def arguments(i, case):
    """The rows as arrays, which anyone might change: so the compiler cannot answer by itself."""
    n, width = len(case.rows), len(case.ensemble.columns)
    numbers, texts = [], []
    for row in case.rows:
        named = list(zip(case.ensemble.columns, row, strict=True))
        numbers.append(", ".join(number(case.as_number(name, value)) for name, value in named))
        here = [literal(v) if name in case.text_columns else "0" for name, v in named]
        texts.append(", ".join(here))
    numbers, texts = (", ".join(f"{{{row}}}" for row in rows) for rows in (numbers, texts))
    given = f"double x{i}[{n}][{width}] = {{{numbers}}};\n"
    if case.text_columns:
        given += f"const char *t{i}[{n}][{width}] = {{{texts}}};\n"
    return given


def call(i, case):
    """The statements that show the answer and the contributions for all rows."""
    several = case.ensemble.loss.score_per_class and case.output != "prediction"
    width = len(case.ensemble.classes) if several else 1
    given = f"x{i}[r], t{i}[r]" if case.text_columns else f"x{i}[r]"
    done = f"f{i}({given}, v, c);" if several else f"v[0] = f{i}({given}, c);"
    shows = f"for (int k = 0; k < {width}; ++k) show(v[k]);"
    noted = f"for (int k = 0; k < {len(case.ensemble)}; ++k) show(c[k]);"
    rows = f"for (int r = 0; r < {len(case.rows)}; ++r)"
    return f'  {rows} {{ {done} {shows} {noted} puts(""); }}'


def check(folder, cases, *flags):
    pieces = ["#include <stdio.h>\n"]
    for i, case in enumerate(cases):
        pieces += [to_c(case.ensemble, case.output, contributions=True, name=f"f{i}")]
        pieces += [arguments(i, case)]
    calls = "\n".join(call(i, case) for i, case in enumerate(cases))
    found = iter(run(folder, "".join(pieces) + MAIN.format(calls=calls), *flags))
    for case in cases:
        lines = [next(found) for _ in case.rows]
        width = len(lines[0]) - len(case.ensemble)
        answers = [line[:width] if width > 1 else line[0] for line in lines]
        if case.is_label:
            classes = case.ensemble.classes or (0, 1)
            # The only class there is has both numbers.
            answers = [classes[min(int(k), len(classes) - 1)] for k in answers]
        case.check(answers, [line[width:] for line in lines])


def usable(case):
    return case.output == "score" or finite_scores(case)


def test_gives_the_same_answers(tmp_path):
    check(tmp_path, [*boundary_cases(), *cases_for(usable)], "-O0")


def test_gives_the_same_answers_if_the_compiler_tries_hard(tmp_path):
    check(tmp_path, [*boundary_cases(), *cases_for(usable)[:40]], "-O2", "-march=native")


def test_products_and_sums_are_not_fused(tmp_path):
    if not can_fuse():
        pytest.skip("this processor has no fused multiply-add")
    case = Case(*met_by_each_row(40), "score")
    check(tmp_path, [case], "-O3", "-mfma", "-ffp-contract=fast")


def can_fuse():
    try:
        with open("/proc/cpuinfo") as file:
            return " fma " in file.read()
    except OSError:
        return False


def test_missing_values(tmp_path):
    group = Condition((Membership("group", ("A",), missing=True),))
    rules = (Rule(OLD, 1.5), Rule(group, 0.25))
    ensemble = RuleEnsemble(0.0, rules, ("age", "group"), "squared")
    text = "#include <stdio.h>\n" + to_c(ensemble) + to_c(THREE, "score", name="three")
    calls = [
        "  double x[] = {NAN, NAN}; const char *t[] = {NULL, NULL};",
        "  show(predict(x, t)); three(x, v); show(v[2]);",
        '  x[0] = 40; t[1] = "B"; show(predict(x, t)); three(x, v); show(v[2]);',
    ]
    (found,) = run(tmp_path, text + MAIN.format(calls="\n".join(calls)))
    assert found == [0.25, 0.0, 1.5, 1.5]


@pytest.mark.parametrize("name", ["int", "main", "exp", "powf", "NAN", "isnan", "strcmp", "a b"])
def test_refuses_an_invalid_name(name):
    with pytest.raises(ValueError, match="name must"):
        to_c(THREE, name=name)


@pytest.mark.parametrize("name", [*NASTY, "??/", "%d", "a\\"])
def test_texts_are_quoted(name, tmp_path):
    condition = Condition((Membership(name, (name,)),))
    ensemble = RuleEnsemble(0.0, (Rule(condition, 1.0),), (name,), "logistic", (name, "no"))
    text = to_c(ensemble)
    code = text.split("*/", 1)[1]
    assert code.count('"') == 6  # of two error messages and one category
    assert "*/" not in text.split("*/", 1)[0]


@pytest.mark.parametrize(
    ("message", "categories"),
    [
        ("NUL", [("a\0b",)]),
        ("not a float64", [(2**53 + 1,)]),
        ("not a float64", [(10**400,)]),
        ("one type", [("a", 1)]),
        ("one type", [("a",), (True,)]),
    ],
)
def test_refuses_categories_that_c_cannot_tell(message, categories):
    rules = [Rule(Condition((Membership("key", labels),)), 1.0) for labels in categories]
    with pytest.raises(ValueError, match=message):
        to_c(RuleEnsemble(0.0, rules, ("key",), "squared"))
