"""Why a model says what it says: the vote of each rule on each row, as numbers and in words."""

from sorb.explanation.expected import Expected
from sorb.explanation.explanation import Explanation, RowExplanation

__all__ = ["Expected", "Explanation", "RowExplanation"]
