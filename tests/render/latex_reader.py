"""A small reader of the LaTeX that is written, and a text that is hard to write."""

import re
import unicodedata

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
