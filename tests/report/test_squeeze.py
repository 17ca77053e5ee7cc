"""The page's script in fewer characters, which means the same to a browser."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from report.javascript_core import needs_node

import sorb.report
from sorb.report.inline import _EXPORT, _IMPORT
from sorb.report.squeeze import squeeze_script, squeeze_style

PAGE = Path(sorb.report.__file__).parent / "page"
CONFIG = Path(__file__).parent / "javascript" / "eslint.config.js"
# Node.js brings the parser with it. What is declared may have another name, which no other has.
CHECK = """
const { readFileSync } = require("node:fs");
const { parse } = require("internal/deps/acorn/acorn/dist/acorn");
const tree = (text) => parse(text, { ecmaVersion: 2023, sourceType: "module" });
const PLACES = ["start", "end", "shorthand"];
function compare(a, b, names, isProperty = false) {
  if (a?.type !== "Identifier") {
    if (![a, b].every((part) => Object(part) === part && !(part instanceof RegExp)))
      return String(a) === String(b);
    return [...new Set([a, b].flatMap(Object.keys))].every((key) =>
      PLACES.includes(key) ||
      compare(a[key], b[key], names, !a.computed && ["key", "property"].includes(key)));
  }
  if (isProperty || b?.type !== "Identifier") return a.name === b?.name;
  if (!names.has(a.name) && ![...names.values()].includes(b.name)) names.set(a.name, b.name);
  return names.get(a.name) === b.name;
}
const pairs = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(pairs.map(([text, short]) => {
  const names = new Map();
  if (!compare(tree(text), tree(short), names)) return null;
  return [...names].filter(([name, other]) => name !== other).map(([name]) => name);
})));
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
    "const a = () => f(null, x); const b = (y) => g(y, true, false)",
    "a = b ? .5 : 1 .toFixed(); c = d?.e ?? f?.[0]",
    "let { a, b: { c = 1 }, ...d } = e // f\nlet g",
    "a = '// \\' /*' + \"\\\" */\" // `\nb = 1",
    "a < !b; c = d -- > e",
    "x = a /* b\n */ y = c",
    "const { long: longer = 1, ...others } = b; f({ longer, others, long: longer, a() {} })",
    "function* make([first, { second }], third = Math, ...rest) { yield second ? third : rest }",
    "try { throw 1 } catch (fault) { say(`${fault} ${{ fault }} fault`, a.fault, 'fault') }",
    "let name = 1\nfor (const other of [name]) { const o = { name, other: name ? other : name } }",
    "f((one, two) => ({ one, two }), (three) => { four: for (;;) break four })",
    "label: for (;;) { break\nlabel }",
    "return_ = 1; typeof / a/; b in c; d = `e`.length / 2 / f",
]


def renamed(pairs):
    """The names of one script that are others in a second; None if there are more differences."""
    done = subprocess.run(
        ["node", "--expose-internals", "-e", CHECK],
        input=json.dumps(pairs),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
@pytest.mark.parametrize("text", TRICKY)
def test_the_parser_finds_the_same_but_for_names(text):
    (found,) = renamed([(text, squeeze_script(text))])
    assert found is not None, squeeze_script(text)


def names_of_javascript():
    command = [
        "node",
        "-p",
        "JSON.stringify(vm.runInNewContext(`Object.getOwnPropertyNames(globalThis)`))",
    ]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@needs_node
def test_the_scripts_of_the_page_are_the_same_but_for_names_that_they_declare():
    script = "\n".join(_IMPORT.sub("", path.read_text("utf-8")) for path in PAGE.rglob("*.js"))
    script = _EXPORT.sub("", script)
    (names,) = renamed([(script, squeeze_script(script))])
    assert len(names) > 500
    # eslint sees to it that the page uses no other names of browsers.
    outside = re.findall(r'"(\w+)"', CONFIG.read_text("utf-8").partition("];")[0])
    assert not {*outside, *names_of_javascript()} & set(names)


@needs_node
def test_other_scripts_are_told_apart():
    pairs = [
        ("a + b", "a + a"),
        ("a + a", "a + b"),
        ("a.b", "a.c"),
        ("x = 1", "x = 2"),
        ("/a/", "/b/"),
    ]
    pairs += [("({ a })", "({ b })"), ("a; b", "b; a"), ("f(a)", "f(a, b)"), ("`a`", "` a`")]
    assert renamed(pairs) == [None, None, None, None, None, None, ["a", "b"], None, None]


def test_what_is_no_script_is_refused():
    with pytest.raises(ValueError, match=r"no token of a script: '\\\\u0061'"):
        squeeze_script("a = \\u0061")


def test_the_space_that_selectors_and_sums_need_stays():
    style = ".a :is(b) .c { width: calc(100% - 1rem); margin: 0 -.3rem; } /* d */ .e + f { }"
    assert squeeze_style(style) == (".a :is(b) .c{width:calc(100% - 1rem);margin:0 -.3rem}.e + f{}")
