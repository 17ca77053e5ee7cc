"""Compile what `to_c` writes with gcc, and run it."""

import subprocess
import tempfile
from pathlib import Path

from export.corpus import finite_scores

from sorb.export import to_c

MAIN = """
static void show(double v) {{ printf("%a ", v); }}
int main(void) {{
  double v[8], c[64];
  (void)v; (void)c;
{calls}
  return 0;
}}
"""


def run(text, *flags):
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "model.c"), Path(folder, "model")
        source.write_text(text)
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


def usable(case):
    return case.output == "score" or finite_scores(case)


def write(case, number=0):
    return to_c(case.ensemble, case.output, contributions=True, name=f"f{number}")


def check(cases, *flags):
    pieces = ["#include <stdio.h>\n"]
    for i, case in enumerate(cases):
        pieces += [write(case, i), arguments(i, case)]
    calls = "\n".join(call(i, case) for i, case in enumerate(cases))
    found = iter(run("".join(pieces) + MAIN.format(calls=calls), *flags))
    for case in cases:
        lines = [next(found) for _ in case.rows]
        width = len(lines[0]) - len(case.ensemble)
        answers = [line[:width] if width > 1 else line[0] for line in lines]
        if case.is_label:
            classes = case.ensemble.classes or (0, 1)
            # The only class there is has both numbers.
            answers = [classes[min(int(k), len(classes) - 1)] for k in answers]
        case.check(answers, [line[width:] for line in lines])
