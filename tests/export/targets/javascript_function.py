"""Run what `to_javascript` writes, with Node.js."""

import json
import struct
import subprocess

from export.corpus import finite_scores

from sorb.export import to_javascript

# Numbers travel as their bits, so that none is rounded on the way.
START = """
const bits = (v) => { const b = Buffer.alloc(8); b.writeDoubleBE(v); return b.toString("hex"); };
const out = (v) => typeof v === "bigint" ? {n: String(v)} : typeof v === "number" ? {b: bits(v)}
  : Array.isArray(v) ? v.map(out) : v;
const cell = (v) => v !== null && typeof v === "object"
  ? Buffer.from(v.b, "hex").readDoubleBE(0) : v;
"""

CALL = """
console.log(JSON.stringify({table}.map((cells) => {{
  const row = Object.create(null);
  {columns}.forEach((name, j) => {{ if (cells[j] !== null) row[name] = cell(cells[j]); }});
  const r = f{i}(row);
  return [out(r.answer), out(r.contributions)];
}})));
"""


def run(script):
    done = subprocess.run(["node"], input=script.encode(), capture_output=True, check=True)
    # Names may hold characters that `splitlines` takes for the end of a line.
    return [json.loads(line) for line in done.stdout.decode().rstrip("\n").split("\n")]


def to_node(value):
    if isinstance(value, float):
        return {"b": struct.pack(">d", value).hex()}
    return value


def from_node(value):
    if isinstance(value, list):
        return [from_node(item) for item in value]
    if isinstance(value, dict):
        return int(value["n"]) if "n" in value else bits(value["b"])
    return value


def bits(text):
    return struct.unpack(">d", bytes.fromhex(text))[0]


def usable(case):
    return case.output == "score" or finite_scores(case)


def write(case, number=0):
    return to_javascript(case.ensemble, case.output, contributions=True, name=f"f{number}")


def check(cases):
    script = [START]
    for i, case in enumerate(cases):
        script.append(write(case, i))
        table = json.dumps([[to_node(value) for value in row] for row in case.rows])
        script.append(CALL.format(table=table, columns=json.dumps(case.ensemble.columns), i=i))
    for case, found in zip(cases, run("\n".join(script)), strict=True):
        answers, noted = map(list, zip(*map(from_node, found), strict=True))
        case.check(case.restored(answers), noted)
