"""The same answers in simpler words: fewer digits with a certificate, and points on a card."""

from sorb.simplify.certificate import Certificate, PropositionChange, VoteChange
from sorb.simplify.digits import ensemble_digits, proposition_digits, significant_digits
from sorb.simplify.scorecard import Quality, Scorecard, scorecard
from sorb.simplify.simplification import Simplified, simplify

__all__ = [
    "Certificate",
    "PropositionChange",
    "Quality",
    "Scorecard",
    "Simplified",
    "VoteChange",
    "ensemble_digits",
    "proposition_digits",
    "scorecard",
    "significant_digits",
    "simplify",
]
