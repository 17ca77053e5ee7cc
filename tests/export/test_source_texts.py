"""Python, C and JavaScript: the written functions are run and compared with the model."""

import json
import math
import shutil
import struct
import subprocess
import sys

import numpy as np
import pytest
from export.corpus import (
    assert_answers,
    boundaries_met,
    boundary_cases,
    drawn_cases,
    finite_scores,
    met_by_each_row,
    outputs,
)

from sorb.export import c, javascript, python_function
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

CASES = [*boundary_cases(), *drawn_cases()]
OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
SIMPLE = RuleEnsemble(-1.0, (Rule(OLD, 1.5),), ("age", "unused"), "logistic", ("no", "yes"))
THREE = RuleEnsemble((0.0, 0.5, 0.0), (Rule(OLD, 1.5, 2),), ("age",), "softmax", ("a", "b", "c"))


def rows(ensemble, X):
    return [dict(zip(ensemble.columns, row, strict=True)) for row in X.tolist()]


def runs():
    """All cases with all outputs that are well defined for them."""
    return [
        (ensemble, X, output)
        for ensemble, X in CASES
        for output in outputs(ensemble)
        if output == "decision" or finite_scores(ensemble, X)
    ]


def test_the_cases_lie_on_boundaries():
    assert boundaries_met(CASES) > 20


class TestPython:
    def run(self, ensemble, *arguments, **options):
        module = {}
        exec(python_function(ensemble, **options), module)
        return module["predict"](*arguments)

    def test_gives_the_same_answers(self):
        for ensemble, X, output in runs():
            module = {}
            exec(python_function(ensemble, output, contributions=True), module)
            pairs = [module["predict"](row) for row in rows(ensemble, X)]
            assert_answers([answer for answer, _ in pairs], ensemble, X, output)
            assert [noted for _, noted in pairs] == ensemble.contributions(X).tolist()
            exec(python_function(ensemble, output), module)
            assert [module["predict"](**row) for row in rows(ensemble, X)] == [a for a, _ in pairs]

    @pytest.mark.parametrize("missing", [None, math.nan])
    def test_missing_value_gives_no_answer(self, missing):
        assert self.run(SIMPLE, {"age": missing}) is None
        assert self.run(SIMPLE, {"age": 50, "unused": missing}) == "yes"

    def test_needs_the_columns(self):
        with pytest.raises(KeyError, match="age"):
            self.run(SIMPLE, {})

    @pytest.mark.parametrize("name", ["class", "a b", "x;import os", ""])
    def test_refuses_a_name_that_is_none(self, name):
        with pytest.raises(ValueError, match="name must"):
            python_function(SIMPLE, name=name)

    def test_refuses_unknown_and_impossible_outputs(self):
        with pytest.raises(ValueError, match="output must be one of"):
            python_function(SIMPLE, output="score")
        squared = RuleEnsemble(0.0, (), ("age",), "squared")
        with pytest.raises(ValueError, match="no probabilities"):
            python_function(squared, output="probability")
        with pytest.raises(ValueError, match="only class"):
            python_function(RuleEnsemble(0.0, (), (), "logistic", ("a",)), output="probability")


def bits(text):
    return struct.unpack(">d", bytes.fromhex(text))[0]


NODE_PRINT = """
const bits = (v) => { const b = Buffer.alloc(8); b.writeDoubleBE(v); return b.toString("hex"); };
const out = (v) => typeof v === "bigint" ? {n: String(v)} : typeof v === "number" ? {b: bits(v)}
  : Array.isArray(v) ? v.map(out) : v;
const fromBits = (t) => Buffer.from(t, "hex").readDoubleBE(0);
"""


def from_node(value):
    if isinstance(value, list):
        return [from_node(item) for item in value]
    if isinstance(value, dict):
        return int(value["n"]) if "n" in value else bits(value["b"])
    return value


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
class TestJavaScript:
    def run(self, script):
        done = subprocess.run(["node"], input=script.encode(), capture_output=True, check=True)
        return [json.loads(line) for line in done.stdout.decode().splitlines()]

    def test_gives_the_same_answers(self):
        script = [NODE_PRINT]
        for i, (ensemble, X, output) in enumerate(runs()):
            script.append(javascript(ensemble, output, contributions=True, name=f"f{i}"))
            table = [[struct.pack(">d", v).hex() for v in row] for row in X.tolist()]
            script.append(
                f"console.log(JSON.stringify({json.dumps(table)}.map((cells) => {{"
                f"const row = Object.create(null); {json.dumps(ensemble.columns)}"
                ".forEach((name, j) => { row[name] = fromBits(cells[j]); });"
                f"const r = f{i}(row); return [out(r.answer), out(r.contributions)]; }})));"
            )
        for (ensemble, X, output), found in zip(runs(), self.run("\n".join(script)), strict=True):
            answers, noted = map(list, zip(*map(from_node, found), strict=True))
            labels = output == "prediction" and ensemble.loss in ("logistic", "softmax")
            if labels:  # 2 and 2.0 are the same number there
                answers = restore(answers, ensemble.classes or (0, 1))
            assert_answers(answers, ensemble, X, output)
            assert noted == ensemble.contributions(X).tolist()

    def test_missing_and_wrong_values(self):
        script = javascript(SIMPLE)
        for row in ("{}", "{age: null}", "{age: NaN}", "{age: undefined}", "{age: 40}"):
            script += f"console.log(JSON.stringify(predict({row})));\n"
        script += (
            'try { predict({age: "40"}) } catch (e) { console.log(JSON.stringify(e.message)) }'
        )
        *missing, answer, message = self.run(script)
        assert missing == [None] * 4
        assert answer == "yes"
        assert message == "column age must hold numbers, found string"


def restore(found, classes):
    """Give the class that equals each answer and is a truth value if and only if it is one."""
    return [
        next(c for c in classes if c == f and isinstance(c, bool) == isinstance(f, bool))
        for f in found
    ]


C_MAIN = """
/* The compiler must not compute the answers itself. */
static double given(double v) {{ volatile double w = v; return w; }}
static void show(double v) {{ printf("%a ", v); }}
int main(void) {{
  double v[8];
{calls}
  return 0;
}}
"""


def c_call(i, ensemble, row, output):
    """The C statements that show the answer and the contributions for one row."""
    cells = ", ".join(f"given({value.hex()})" for value in [*row, 0.0])
    n = len(ensemble) or 1
    start = f"{{ double x[] = {{{cells}}}; double c[{n}];"
    several = ensemble.loss == "softmax" and output != "prediction"
    width = len(ensemble.classes) if several else 1
    call = f"f{i}(x, v, c);" if several else f"v[0] = f{i}(x, c);"
    shows = "".join(f"show(v[{k}]);" for k in range(width))
    noted = "".join(f"show(c[{j}]);" for j in range(len(ensemble)))
    return f'  {start} {call} {shows} {noted} puts(""); }}'


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
class TestC:
    def run(self, folder, text, *flags):
        source, program = folder / "model.c", folder / "model"
        source.write_text(text)
        strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
        command = ["gcc", *strict, *flags, str(source), "-o", str(program), "-lm"]
        subprocess.run(command, check=True, capture_output=True)
        done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
        return [[float.fromhex(v) for v in line.split()] for line in done.stdout.splitlines()]

    def test_gives_the_same_answers(self, tmp_path):
        self.check(tmp_path, runs(), "-O1")

    def test_products_and_sums_are_not_fused(self, tmp_path):
        if not can_fuse():
            pytest.skip("this processor has no fused multiply-add")
        case = (*met_by_each_row(40), "decision")
        self.check(tmp_path, [case], "-O3", "-mfma", "-ffp-contract=fast")

    def check(self, folder, cases, *flags):
        pieces, calls = ["#include <stdio.h>\n"], []
        for i, (ensemble, X, output) in enumerate(cases):
            pieces.append(c(ensemble, output, contributions=True, name=f"f{i}"))
            calls += [c_call(i, ensemble, row, output) for row in X.tolist()]
        text = "".join(pieces) + C_MAIN.format(calls="\n".join(calls))
        found = iter(self.run(folder, text, *flags))
        for ensemble, X, output in cases:
            lines = [next(found) for _ in X]
            width = len(lines[0]) - len(ensemble)
            assert [line[width:] for line in lines] == ensemble.contributions(X).tolist()
            answers = [line[:width] if width > 1 else line[0] for line in lines]
            if output == "prediction" and ensemble.loss in ("logistic", "softmax"):
                classes = ensemble.classes or (0, 1)
                # The only class there is has both numbers.
                answers = [classes[min(int(k), len(classes) - 1)] for k in answers]
            assert_answers(answers, ensemble, X, output)

    def test_missing_values(self, tmp_path):
        text = (
            "#include <stdio.h>\n" + c(SIMPLE, name="label") + c(SIMPLE, "decision", name="score")
        )
        text += c(THREE, "probability", name="three")
        text += c(THREE, "decision", name="noted", contributions=True)
        calls = [
            "  double x[] = {given(NAN), 1}, w[1];",
            "  show(label(x)); show(score(x)); three(x, v); show(v[2]);",
            "  noted(x, v, w); show(w[0]);",
            "  x[0] = 40; x[1] = NAN; show(label(x));",
        ]
        (found,) = self.run(tmp_path, text + C_MAIN.format(calls="\n".join(calls)))
        assert found[0] == -1
        assert np.isnan(found[1:4]).all()
        assert found[4] == 1


def can_fuse():
    try:
        with open("/proc/cpuinfo") as file:
            return " fma " in file.read()
    except OSError:
        return False


def test_python_text_does_not_need_sorb():
    text = python_function(SIMPLE) + "print(predict(age=41))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", text], capture_output=True, check=True)
    assert done.stdout.split() == [b"yes"]
