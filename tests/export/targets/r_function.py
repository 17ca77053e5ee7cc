"""Run what `to_r` writes, with Rscript."""

import struct
import subprocess

from export.corpus import finite_scores

from sorb.export import to_r
from sorb.export.r_source import _text

# Numbers travel as their bits, so that none is rounded on the way; a line is a vector. To compile
# functions that are called only once would take ten times as long as to run them.
START = """
invisible(compiler::enableJIT(0))
bits <- function(v) paste(rev(as.character(writeBin(v, raw(), endian = "little"))), collapse = "")
from_bits <- function(h) readBin(as.raw(strtoi(substring(h, seq(1, 15, 2), seq(2, 16, 2)), 16L)),
                                 "double", endian = "big")
out <- function(v) cat(if (is.character(v)) utf8(v) else vapply(as.numeric(v), bits, ""), "\\n")
utf8 <- function(v) vapply(v, function(t) paste(c("t", charToRaw(enc2utf8(t))), collapse = ""), "")
numbers <- function(h) vapply(h, function(b) if (is.na(b)) NA_real_ else from_bits(b), 0)
"""


def run(script):
    command = ["Rscript", "--vanilla", "-"]
    done = subprocess.run(command, input=script.encode(), capture_output=True, check=True)
    return [list(map(value_of, line.split())) for line in done.stdout.decode().splitlines()]


def value_of(word):
    if word.startswith("t"):
        return bytes.fromhex(word[1:]).decode()
    return struct.unpack(">d", bytes.fromhex(word))[0]


def vector(values):
    """Write a column of Python values in R."""
    if any(isinstance(value, str) for value in values):
        return f"c({', '.join('NA' if v is None else _text(v) for v in values)})"
    bits = ("NA" if v is None else f'"{struct.pack(">d", float(v)).hex()}"' for v in values)
    return f"numbers(c({', '.join(bits)}))"


def frame(case):
    columns = zip(case.ensemble.columns, zip(*case.rows, strict=True), strict=True)
    lines = [f"data[[{_text(name)}]] <- {vector(values)}" for name, values in columns]
    return "\n".join([f"data <- data.frame(row.names = seq_len({len(case.rows)}))", *lines])


def usable(case):
    """One type to a column, and one to the classes; numbers are float64, and no text has a NUL."""
    try:
        write(case)
        frame(case)
    except ValueError:
        return False
    mixed = any(
        len({isinstance(v, str) for v in c if v is not None}) > 1
        for c in zip(*case.rows, strict=True)
    )
    return not mixed and (case.output == "score" or finite_scores(case))


def write(case):
    return to_r(case.ensemble, case.output, contributions=True, name="f")


def check(cases):
    script = [START]
    for case in cases:
        script.append(write(case))
        script.append(to_r(case.ensemble, case.output, name="g"))
        script.append(f"{frame(case)}\nr <- f(data)\nout(t(r$answer)); out(t(r$contributions))")
        script.append("stopifnot(identical(r$answer, g(data)))")
    found = run("\n".join(script))
    assert len(found) == 2 * len(cases)
    for case, answers, noted in zip(cases, found[::2], found[1::2], strict=True):
        n = len(case.rows)
        width = len(answers) // n
        rows = [answers[i * width : (i + 1) * width] for i in range(n)]
        rules = len(case.ensemble)
        case.check(
            case.restored([row if width > 1 else row[0] for row in rows]),
            [noted[i * rules : (i + 1) * rules] for i in range(n)],
        )
