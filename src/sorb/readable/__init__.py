"""The same answers in simpler words: fewer digits with a certificate, and points on a card."""

from sorb.readable.certificate import Certificate, PropositionChange, VoteChange
from sorb.readable.digits import ensemble_digits, proposition_digits, significant_digits
from sorb.readable.scorecard import Quality, Scorecard, scorecard
from sorb.readable.simplification import Simplified, simplify

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
