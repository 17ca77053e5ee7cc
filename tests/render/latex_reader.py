"""A small reader of the LaTeX that is written, and a text that is hard to write."""

import re
import unicodedata

from sorb.render import to_latex
from sorb.render.latex_text import LETTERS, MARKS, MATHEMATICS

HOSTILE = "\\ {} $ % & # _ ~ ^ < > | \" ' `` '' -- --- ,, ?` !` \\end{tabular} \\input{x} ^^41 @"
HOSTILE += " größe Çağ naïve ŵ ø ß µ α₂ 身高 🙂 \u0301 \u202e € £ § — – ‘’ “” ½ a\u0301 "


# What stands for a single character; the braces of LaTeX itself are left for last.
CHARACTERS = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"{\ttfamily\char34}": '"',
    r"{\ttfamily\char96}": "`",
    **{f"\\{character}": character for character in "&%$#_{}"},
    **{rf"\{command}{{}}": letter for letter, command in LETTERS.items()},
    **{f"${command}$": character for character, command in MATHEMATICS.items()},
    "{}": "",
}
PIECE = re.compile(
    "|".join(re.escape(piece) for piece in sorted(CHARACTERS, key=len, reverse=True))
    + r"|\\texttt\{U\+(?P<code>[0-9A-F]+)\}"
    + r"|\\(?P<mark>[`'^~=.\"]|[a-zA-Z] )\{\\?(?P<base>\w)\}"
    + r"|\$\^\{(?P<power>[^}]+)\}\$"
    + r"|\$(?P<number>[^$]+)\$"
    + r"|\\textsf\{|\\raggedright |~|(?P<close>\})|(?P<other>.)",
    re.DOTALL,
)
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
COMBINING = {command: mark for mark, command in MARKS.items()}


def read(written):
    """What a reader of the printed page sees."""
    return "".join(map(character, PIECE.finditer(written)))


def character(match):
    piece = match.group()
    if piece in CHARACTERS:
        return CHARACTERS[piece]
    if match["code"]:
        return chr(int(match["code"], 16))
    if match["mark"]:
        return unicodedata.normalize("NFC", match["base"] + COMBINING[match["mark"]])
    if match["power"]:
        power = match["power"]
        return power.translate(SUPERSCRIPTS) if power.isdigit() else f"^{power}"
    if match["number"]:
        number = re.sub(r"\\cdot 10\^\{(.*)\}", r"e\1", match["number"])
        return number.replace("-", "−")
    return " " if piece == "~" else match["other"] or ""


def composed(text):
    return unicodedata.normalize("NFC", text)


def cells(line):
    return [part.strip() for part in re.split(r"(?<!\\)&", line.removesuffix(r" \tabularnewline"))]


def body(written):
    return written.split("\n")[3:-3]


def check(ensemble, digits=None):
    """Require that the table says what is printed."""
    rows = [cells(line) for line in body(to_latex(ensemble, digits))]
    lines = ensemble.lines(digits)
    for row, line, printed in zip(rows, lines, ensemble.format(digits).split("\n"), strict=True):
        assert read(row[0]) + read(row[1]) == printed.split()[0]
        labels = [composed(line.label)] if line.label else []
        assert [composed(read(cell)) for cell in row[2:-1]] == labels
        condition = "".join(token.text for token in line.condition)
        assert composed(read(row[-1]).strip()) == composed(condition)
