"""The same answers in fewer digits, or in whole points.

A rule ensemble and a table come in. `simplify` returns the ensemble in fewer digits, with a
certificate of what changed on the rows of the table; `scorecard` returns a card with points for
each rule and a probability for each total.
"""

from sorb.simplify.card import Scorecard
from sorb.simplify.card_cost import CardCost
from sorb.simplify.card_lines import CardLine
from sorb.simplify.card_scale import OddsScale
from sorb.simplify.certificate import Certificate, PropositionChange, VoteChange
from sorb.simplify.digits import ensemble_digits, proposition_digits, significant_digits
from sorb.simplify.scorecard import scorecard
from sorb.simplify.simplification import Simplified, simplify

__all__ = [
    "CardCost",
    "CardLine",
    "Certificate",
    "OddsScale",
    "PropositionChange",
    "Scorecard",
    "Simplified",
    "VoteChange",
    "ensemble_digits",
    "proposition_digits",
    "scorecard",
    "significant_digits",
    "simplify",
]
