r"""Any text, in the characters that LaTeX has without packages."""

from __future__ import annotations

import unicodedata

__all__ = ["escape"]

# The typewriter font has all ASCII characters; other fonts turn quotes and dashes into ligatures.
PLAIN: dict[str, str] = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\ttfamily\char34}",
    "`": r"{\ttfamily\char96}",
}

# Symbols that LaTeX knows by name without packages, some of them since 2020.
_SIGN_NAMES = {
    "…": "ldots",
    "–": "textendash",
    "—": "textemdash",
    "‘": "textquoteleft",
    "’": "textquoteright",
    "“": "textquotedblleft",
    "”": "textquotedblright",
    "€": "texteuro",
    "£": "textsterling",
    "¥": "textyen",
    "¢": "textcent",
    "§": "textsection",
    "¶": "textparagraph",
    "•": "textbullet",
    "‰": "textperthousand",
    "½": "textonehalf",
    "¼": "textonequarter",
    "¾": "textthreequarters",
    "©": "textcopyright",
    "®": "textregistered",
    "™": "texttrademark",
}

_GREEK_LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩµ"
_GREEK_NAMES = """
alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
upsilon varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega mu
"""
_OTHER_LETTERS, _OTHER_NAMES = "ßæÆøØœŒłŁ", "ss ae AE o O oe OE l L"
LETTERS = {**dict(zip(_OTHER_LETTERS, _OTHER_NAMES.split(), strict=True)), **_SIGN_NAMES}

MATHEMATICS = {
    **{
        letter: rf"\{name}"
        for letter, name in zip(_GREEK_LETTERS, _GREEK_NAMES.split(), strict=True)
    },
    **{character: f"^{digit}" for digit, character in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{chr(ord("₀") + digit): f"_{digit}" for digit in range(10)},
    "−": "-",
    "≥": r"\geq",
    "≤": r"\leq",
    "≠": r"\neq",
    "≈": r"\approx",
    "±": r"\pm",
    "×": r"\times",
    "·": r"\cdot",
    "∞": r"\infty",
    "→": r"\rightarrow",
    "▲": r"\uparrow",
    "▼": r"\downarrow",
    "°": r"^\circ",
}

MARKS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u ",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r ",
    "\u030b": "H ",
    "\u030c": "v ",
    "\u0323": "d ",
    "\u0327": "c ",
}


def escape(written: str) -> str:
    r"""Escape a text so that LaTeX prints it, whatever characters it contains.

    A character that LaTeX lacks without packages appears as its code. The result is ASCII.

    Examples
    --------
    >>> print(escape("50 % größer_als 身"))
    50 \% gr\"{o}\ss{}er\_als \texttt{U+8EAB}
    >>> print(escape("≤ 5 €"))
    $\leq$ 5 \texteuro{}
    """
    pieces = []
    # A letter and its accent may be two characters; composed, they are one that LaTeX has.
    composed = unicodedata.normalize("NFC", written)
    for character, following in zip(composed, f"{composed[1:]} ", strict=False):
        # Two of these in a row would become a ligature.
        apart = "{}" if character == following and character in "-'," else ""
        pieces.append(_character(character) + apart)
    return "".join(pieces)


def _character(character: str) -> str:
    if character in PLAIN or " " <= character <= "\x7e":
        return PLAIN.get(character, character)
    if character in LETTERS:
        return rf"\{LETTERS[character]}{{}}"
    if character in MATHEMATICS:
        return f"${MATHEMATICS[character]}$"
    parts = unicodedata.normalize("NFD", character)
    base, mark = parts[0], parts[1:]
    if mark in MARKS and base.isascii() and base.isalpha():
        # An accent replaces the dot.
        letter = {"i": r"\i", "j": r"\j"}.get(base, base)
        return rf"\{MARKS[mark]}{{{letter}}}"
    return rf"\texttt{{U+{ord(character):04X}}}"
