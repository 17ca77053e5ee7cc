r"""Rules as a LaTeX table that needs no package."""

from __future__ import annotations

from collections.abc import Iterator

from sorb.render.latex_text import escape
from sorb.rules import RuleEnsemble, notation
from sorb.rules.shown_digits import Digits

__all__ = ["number", "to_latex", "typeset"]

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
SYMBOLS = {"≥": r"$\geq$", "≤": r"$\leq$", notation.MINUS: "$-$", "+": "$+$", "·": r"$\cdot$"}
SYMBOLS |= {"<": "$<$", ">": "$>$"}
SYMBOLS |= {"=": "$=$", "≠": r"$\neq$", "/": "$/$", "{": r"\{", "}": r"\}"}


def to_latex(ensemble: RuleEnsemble, digits: Digits = "auto") -> str:
    r"""Write rules as a ``tabular`` that every LaTeX compiles without further packages.

    Votes are aligned at the decimal point, and long conditions break into lines. All names are
    escaped. Characters that plain LaTeX lacks, such as Chinese ones, appear as their code: U+8EAB.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The rules.
    digits : int, "auto" or None, default="auto"
        The number of significant digits; thresholds get one more. None means all, and "auto" as
        many as `print(ensemble)` shows.

    Examples
    --------
    >>> from sorb import Condition, Product, Rule
    >>> heavy = Product(("mass", "size"), (1.0, -2.0), 25.0)
    >>> rule = Rule(Condition((heavy,)), 1.82)
    >>> print(to_latex(RuleEnsemble(-3.0, (rule,), ("mass", "size"), "squared")))
    \begin{tabular}{r@{}lp{0.7\linewidth}}
    \multicolumn{2}{c}{vote} & if \\
    \hline
    $-3$ &  & \raggedright always \tabularnewline
    $+1$ & $.82$ & \raggedright \textsf{mass} $/$ \textsf{size}$^{2}$ $\geq$ $25$ \tabularnewline
    \hline
    \multicolumn{3}{p{0.9\linewidth}}{The prediction, as a sum of votes (1 rule, complexity 4)} \\
    \end{tabular}
    """
    return "\n".join(_lines(ensemble, ensemble.shown_digits(digits)))


def _lines(ensemble: RuleEnsemble, digits: int | None) -> Iterator[str]:
    lines = ensemble.lines(digits)
    labelled = any(line.label for line in lines)
    columns, label_head = (
        (r"lp{0.6\linewidth}", "class & ") if labelled else (r"p{0.7\linewidth}", "")
    )
    yield rf"\begin{{tabular}}{{r@{{}}l{columns}}}"
    yield rf"\multicolumn{{2}}{{c}}{{vote}} & {label_head}if \\"
    yield r"\hline"
    for line in lines:
        whole, point, fraction = notation.signed(line.vote, digits).partition(".")
        vote = f"{number(whole)} & {number(point + fraction) if fraction else ''}"
        label = f"{escape(line.label)} & " if labelled else ""
        condition = "".join(map(typeset, line.condition))
        yield rf"{vote} & {label}\raggedright {condition} \tabularnewline"
    yield r"\hline"
    width = 4 if labelled else 3
    caption = escape(ensemble.caption())
    yield rf"\multicolumn{{{width}}}{{p{{0.9\linewidth}}}}{{{caption}}} \\"
    yield r"\end{tabular}"


def number(written: str) -> str:
    r"""Write a printed number, or part of one, in math mode.

    Examples
    --------
    >>> print(number("−1.5e−7"), number(".25"))
    $-1.5\cdot 10^{-7}$ $.25$
    """
    mantissa, e, exponent = written.replace(notation.MINUS, "-").partition("e")
    power = rf"\cdot 10^{{{exponent}}}" if e else ""
    return f"${mantissa}{power}$"


def typeset(token: notation.Token) -> str:
    """Write a part of a printed condition."""
    if token.kind == "number":
        return number(token.text)
    if token.kind == "power":
        return f"$^{{{token.text.lstrip('^').translate(SUPERSCRIPTS)}}}$"
    if token.text == " ":
        return "~"  # a factor stays with its name
    if token.kind in ("operator", "relation"):
        return "".join(SYMBOLS.get(character, character) for character in token.text)
    if token.kind == "name":
        return rf"\textsf{{{escape(token.text)}}}"
    return escape(token.text)
