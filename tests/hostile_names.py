"""Names of columns, categories and classes that try to be something else."""

QUOTES = [
    "'",
    '"',
    "`",
    "it's",
    'say "no"',
    "''",
    '""',
    "'''",
    '"""',
    "\"'`",
    "[x]",
    "a]b[c",
    "a`b",
]
BACKSLASHES = [
    "\\",
    "\\\\",
    "back\\slash",
    "a\\",
    "\\'",
    '\\"',
    "\\n",
    "\\u0041",
    "\\x41",
    "C:\\new",
]
LINES = ["line\nbreak", "\r\n", "\r", "tab\t", "\v", "\f", "\x85", "\u2028", "\u2029"]
CONTROLS = ["a\0b", "\0", "\x07", "\x1b[31mred", "\x1b]0;title\x07", "\x7f", "\x08\x08", "\x9b31m"]
SQL = ['"; DROP TABLE t; --', "'); DROP TABLE t; --", '" OR "1"="1', "*/ x /*", "-- x", "select"]
SQL += ["x]; DROP TABLE t; --", "t.x", "id", "?", "$1", ":x", "@x", "%", "score_0", "rule_0"]
SQL += ["__SQLGLOT__LB__", "order by 1"]
TEMPLATES = ["{x}", "{0}", "{", "}}", "%s {0} ${x}", "{{ 7*7 }}", "{% x %}", "${jndi:ldap://x}"]
TEMPLATES += ["%(x)s", "%n%n", "$(id)", "`id`", "#{x}", "<%= x %>"]
FORMULAS = ["=1+1", "=cmd|'/c calc'!A0", "+1", "-1", "@SUM(A1)", "A1", "R1C1", "TRUE", "#N/A"]
HTML = ["<script>alert(1)</script>", "</script>", "</td></table>", "<b>&amp;</b>", "&lt;", "<!--"]
HTML += ["-->", "]]>", "<img src=x onerror=alert(1)>", '" onmouseover="x', "javascript:alert(1)"]
MARKDOWN = [
    "a|b",
    "a\\|b",
    "**x** _y_ ~~z~~",
    "[x](javascript:alert(1))",
    "# x",
    "- x",
    "---",
    "```",
]
LATEX = ["\\end{tabular}", "\\input{x}", "^^41", "$x^2$", "#1", "a_b", "~", "``", "_hidden"]
CODE = [
    "??/",
    "// \\",
    "#include <x>",
    "import os",
    "x;import os",
    "__proto__",
    "toString",
    "given",
]
CODE += [
    "constructor",
    "row",
    "v0",
    "X",
    "predict",
    "predict_over(",
    "class",
    "None",
    "null",
    "NaN",
]
CODE += ["NA", "function", "if", "and", "always", "missing", "True", "a·b", "a − b ≥ 0", "height²"]
UNICODE = [
    "größe",
    "gro\u0308ße",
    "身高",
    "العمر",
    "🙂",
    "👩\u200d👧",
    "\u0301",
    "İ",
    "ﬁ",
    "\u212b",
]
UNICODE += ["\u202eleft", "\u2066x\u2069", "\u200b", "\ufeffx", "\xad", "\uffff", "\U0010ffff"]
UNICODE += ["\ue000", "٣"]
NUMBERS = ["1", "1.5", ".5", "1e5", "-0", "inf"]
SPACES = [" ", "  x  ", "\xa0", "\u3000", "two words"]
LONG = ["x" * 70, "ä" * 40, "long " * 60, "x" * 5000]
FILES = ["../../x", "/etc/passwd", "CON", "a,b", "a;b", '"a,b"']

NAMES = [*QUOTES, *BACKSLASHES, *LINES, *CONTROLS, *SQL, *TEMPLATES, *FORMULAS, *HTML, *MARKDOWN]
NAMES += [*LATEX, *CODE, *UNICODE, *NUMBERS, *SPACES, *LONG, *FILES]

# Names that some systems take for one.
TWINS = [("age", "Age"), ("größe", "gro\u0308ße"), ("\u212b", "Å"), ("K", "\u212a"), ("ß", "ss")]
TWINS += [("x", "x "), ("i", "ı"), ("ﬁ", "fi"), ("A", "\uff21"), ("a", "a\u200b"), ("1", "01")]
TWINS += [("x" * 63 + "a", "x" * 63 + "b")]
