"""What the report page computes, computed by Node.js for the tests."""

import json
import math
import shutil
import subprocess
from pathlib import Path

import pytest

import sorb

CORE = Path(sorb.__file__).parent / "report" / "page" / "core"

needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="Node.js, which is not installed, computes what pages do"
)

SCRIPT = """
import {{ readFileSync }} from "node:fs";
{imports}
const answer = {function};
const cases = JSON.parse(readFileSync(0, "utf8"));
const written = (_, value) =>
  typeof value === "number" && !Number.isFinite(value) ? {{ number: String(value) }} : value;
process.stdout.write(JSON.stringify(cases.map(answer), written));
"""


def run_core(function, cases):
    """Apply a JavaScript function to many cases at once; it finds core/model.js as `model_`, …"""
    imports = "\n".join(
        f'import * as {path.stem}_ from "{path.as_uri()}";' for path in sorted(CORE.glob("*.js"))
    )
    script = SCRIPT.format(imports=imports, function=function)
    command = ["node", "--input-type=module", "--eval", script]
    done = subprocess.run(
        command, input=json.dumps(cases), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout, object_hook=_number)


def _number(document):
    if document.keys() == {"number"}:
        return {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}[document["number"]]
    return document
