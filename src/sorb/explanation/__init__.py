"""Why a model says what it says.

A rule ensemble and a table come in. What comes out is the contribution of each rule to the score
and to the expected outcome of each row, as numbers, tables and sentences, and the contribution of
each column (Shapley values).
"""

from sorb.explanation.expected_outcome import ExpectedOutcome
from sorb.explanation.explanation import Explanation, RowExplanation

__all__ = ["ExpectedOutcome", "Explanation", "RowExplanation"]
