"""The page's script in fewer characters, which means the same to a browser."""

import json
import subprocess
from pathlib import Path

import pytest
from report.javascript_core import needs_node

import sorb.report
from sorb.report.squeeze import squeeze_script, squeeze_style

PAGE = Path(sorb.report.__file__).parent / "page"
# Node.js brings the parser with it. Places in the text may differ.
SAME = """
const { readFileSync } = require("node:fs");
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
const tree = (text) => JSON.stringify(
  parse(text, { ecmaVersion: 2023, sourceType: "module" }),
  (key, value) => (["start", "end"].includes(key) ? undefined : value),
);
const pairs = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(pairs.map(([text, short]) => tree(text) === tree(short))));
"""
TRICKY = [
    "const a = b\n(c)",
    "const a = b\n[c].d()",
    "a\n++b\nc",
    "a = b + +c - -d + ++e",
    "a = b / c / d; e = /[/]\\/ [^/]/g.test(f) / 2",
    "if (a) { b } else { c }\nfor (const d of [1, 2]) e(d)",
    "function f() {\nreturn\na\n}",
    "const f = async function* () { yield\n/ x/; yield* g() }",
    "`a ${ b + `c ${ { d: 1 }.d } //` } /* e */ ${ 1 }  `",
    "a = b ? .5 : 1 .toFixed(); c = d?.e ?? f?.[0]",
    "let { a, b: { c = 1 }, ...d } = e // f\nlet g",
    "a = '// \\' /*' + \"\\\" */\" // `\nb = 1",
    "a < !b; c = d -- > e",
    "x = a /* b\n */ y = c",
    "class A { #b = 1; static get c() { return new this().#b } }",
    "label: for (;;) { break\nlabel }",
    "return_ = 1; typeof / a/; b in c; d = `e`.length / 2 / f",
]


@needs_node
def test_the_parser_finds_the_same_in_fewer_characters():
    texts = TRICKY + [path.read_text("utf-8") for path in PAGE.rglob("*.js")]
    pairs = [(text, squeeze_script(text)) for text in texts]
    done = subprocess.run(
        ["node", "--expose-internals", "-e", SAME],
        input=json.dumps(pairs),
        capture_output=True,
        text=True,
        check=True,
    )
    same = json.loads(done.stdout)
    assert [pair for pair, alike in zip(pairs, same, strict=True) if not alike] == []


def test_what_is_no_script_is_refused():
    with pytest.raises(ValueError, match=r"no token of a script: '\\\\u0061'"):
        squeeze_script("a = \\u0061")


def test_the_space_that_selectors_and_sums_need_stays():
    style = ".a :is(b) .c { width: calc(100% - 1rem); margin: 0 -.3rem; } /* d */ .e + f { }"
    assert squeeze_style(style) == (".a :is(b) .c{width:calc(100% - 1rem);margin:0 -.3rem}.e + f{}")
