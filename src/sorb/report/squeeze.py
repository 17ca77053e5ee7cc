"""Scripts and styles in fewer characters: no comments, and no space that nothing needs."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["squeeze_script", "squeeze_style"]

_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TOKEN = re.compile(
    r"""
    [\w$\#]+
  | "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*'
  | >>>=? | \.\.\. | => | [=!](?:==?)? | (?:\*\*|<<|>>|&&|\|\||\?\?)=? | \?\.(?!\d) | \+\+ | --
  | [-+*/%&|^<>]=? | [{}()\[\];,~?:.]
    """,
    re.DOTALL | re.VERBOSE,
)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
# A template to its end, or to the next expression in it.
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)", re.DOTALL)
# A slash divides what ends like this, but for these words; else a regular expression begins.
_VALUE_END = re.compile(r"[\w$)\]}\"'`]$|./$")
_NO_VALUES = {"return", "typeof", "case", "of", "in", "yield", "delete", "void", "throw"}
# What would be read as one: a//b, a++b, a--b, and <!-- has a meaning in HTML.
_RUNS_TOGETHER = {"//", "++", "--", "<!"}
# Where a line ends between these, it may be the end of a statement, too.
_MAY_END = re.compile(r"[\w$)\]}\"'`/]$|\+\+$|--$")
_MAY_START = re.compile(r"^[\w$#(\[{\"'`/+\-!~]")


def squeeze_script(text: str) -> str:
    """Write a script with the same tokens, and the line ends that may end its statements.

    Examples
    --------
    >>> squeeze_script("const half = (x) => x / 2; // of it\\nlog(`${ half(1) } + -1`, / +/g);")
    'const half=(x)=>x/2;log(`${half(1)} + -1`,/ +/g);'
    """
    parts = [""]
    for space, token in _tokens(text):
        if space:
            parts.append(_separator(parts[-1], token, "\n" in space))
        parts.append(token)
    return "".join(parts)


def _separator(before: str, after: str, ends_line: bool) -> str:
    if ends_line and _MAY_END.search(before) and _MAY_START.match(after):
        return "\n"
    both = before[-1:] + after[:1]
    return " " if re.fullmatch(r"[\w$#]{2}|\d\.", both) or both in _RUNS_TOGETHER else ""


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Each token of a script, with the space and the comments before it."""
    place, last = 0, ""
    braces: list[str] = []  # those that are open; "`" for an expression in a template
    while True:
        found = _SPACE.match(text, place)
        space = found[0] if found else ""
        place += len(space)
        if place == len(text):
            return
        token = _token_at(text, place, last, in_template=braces[-1:] == ["`"])
        if token[0] == "}":
            braces.pop()
        if token[0] in "`}" and token.endswith("${"):
            braces.append("`")
        elif token == "{":
            braces.append(token)
        yield space, token
        place += len(token)
        last = token


def _token_at(text: str, place: int, last: str, *, in_template: bool) -> str:
    sign = text[place]
    if sign == "`" or (sign == "}" and in_template):
        found = _TEMPLATE.match(text, place + 1)
        return sign + found[0] if found else sign
    if sign == "/" and (last in _NO_VALUES or not _VALUE_END.search(last)):
        found = _REGEX.match(text, place)
    else:
        found = _TOKEN.match(text, place)
    if found is None:
        raise ValueError(f"no token of a script: {text[place : place + 40]!r}")
    return found[0]


def squeeze_style(text: str) -> str:
    """Write a style sheet without comments and needless space.

    Examples
    --------
    >>> squeeze_style("/* Rules */\\n.rule > p, b { margin: 0 auto; color: red; }\\n.a :is(b) { }")
    '.rule>p,b{margin:0 auto;color:red}.a :is(b){}'
    """
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ?([{};,>]) ?|(?<=[\w-]:) ", r"\1", text).strip()
    return text.replace(";}", "}")
