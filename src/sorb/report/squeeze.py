"""Scripts and styles in fewer characters: short names, no comments, and no space without need.

It knows as much of JavaScript as the page's modules need, which have semicolons and no classes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, product
from string import ascii_letters

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
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_BEFORE_BLOCK = {"", ")", "=>", ";", "{", "}", "else", "try", "finally", "do"}
_DECLARING = {"const", "let", "function"}
_BEFORE_LISTED = {"(", "[", "{", ",", "...", ":"}
_GENERATOR = ("function", "*")
# Names of browsers that some scopes of the page have for something else.
_OUTSIDE = {"document"}
_SHORT_WORDS = {"as", "do", "if", "in", "is", "of"}


def squeeze_script(text: str) -> str:
    r"""Write a whole script with short names, and with line ends where they may end a statement.

    Examples
    --------
    >>> squeeze_script("const half = (x) => x / 2; // of it\nlog(`${ half(1) } + -1`, / +/g);")
    'const a=(x)=>x/2;log(`${a(1)} + -1`,/ +/g);'
    """
    spaces, tokens = zip(*_tokens(text), strict=True)
    parts = [""]
    for space, token in zip(spaces, _with_short_names(tokens), strict=True):
        if space:
            parts.append(_separator(parts[-1], token, "\n" in space))
        parts.append(token)
    return "".join(parts)


def _with_short_names(tokens: Sequence[str]) -> Iterator[str]:
    """Give what is declared short names, and leave the names of properties as they are.

    All that has one name gets the same short one, which nothing else has, so that each name means
    what it meant wherever it stands.
    """
    uses, declared = _uses_of_names(tokens)
    gains: Counter[str] = Counter()
    for name, use in zip(tokens, uses, strict=True):
        if name in declared and use != "property":
            gains[name] += -3 if use == "both" else len(name) - 2
    renamed = [name for name, gain in gains.most_common() if gain > 0 and name not in _OUTSIDE]
    taken = {*tokens, *_SHORT_WORDS} - {*renamed}
    free = (name for name in _letters() if name not in taken)
    short = dict(zip(renamed, free, strict=False))
    for name, use in zip(tokens, uses, strict=True):
        if use == "property" or name not in short:
            yield name
        else:
            yield f"{name}:{short[name]}" if use == "both" else short[name]


def _letters() -> Iterator[str]:
    for length in count(1):
        yield from map("".join, product(ascii_letters, repeat=length))


def _uses_of_names(tokens: Sequence[str]) -> tuple[list[str], set[str]]:
    """Of each token whether it is a "property", or "both" that and a variable; what is declared."""
    uses, declared = [], set()
    parameters = _parameter_lists(tokens)
    # Of each open bracket: itself, or "" for a block; and whether it declares.
    opened = [("", False)]
    before, last = "", ""
    for token, after, place in zip(tokens, [*tokens[1:], ""], count(), strict=False):
        bracket, listing = opened[-1]
        declares = (
            last in _DECLARING
            or (before, last) == _GENERATOR
            or (listing and last in _BEFORE_LISTED)
        )
        if token in _PAIRS:
            is_block = token == "{" and last in _BEFORE_BLOCK
            opened.append(("" if is_block else token, declares or place in parameters))
        elif token in _PAIRS.values() or (token[0] == "}" and bracket == "${"):
            opened.pop()
        if token[0] in "`}" and token.endswith("${"):
            opened.append(("${", False))
        is_key = bracket == "{" and last in {"{", ","}
        if last in {".", "?."} or (is_key and after in {":", "("}):
            uses.append("property")
            declares = False
        else:
            uses.append("both" if is_key and after in {",", "}", "="} else "")
        if declares and re.match(r"[A-Za-z_$]", token):
            declared.add(token)
        before, last = last, token
    return uses, declared


def _parameter_lists(tokens: Sequence[str]) -> set[int]:
    """Where the lists of parameters open."""
    found, opened = set(), []
    for place, token in enumerate(tokens):
        if token == "(":
            opened.append(place)
        elif token == ")":
            start = opened.pop()
            words = tokens[max(0, start - 3) : start]
            follows_word = {"function", "catch"} & {*words[-2:]} or words[:2] == _GENERATOR
            if follows_word or tokens[place + 1 : place + 2] == ("=>",):
                found.add(start)
    return found


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
    r"""Write a style sheet without comments and needless space.

    Examples
    --------
    >>> squeeze_style("/* Rules */\n.rule > p, b { margin: 0 auto; color: red; }\n.a :is(b) { }")
    '.rule>p,b{margin:0 auto;color:red}.a :is(b){}'
    """
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ?([{};,>]) ?|(?<=[\w-]:) ", r"\1", text).strip()
    return text.replace(";}", "}")
