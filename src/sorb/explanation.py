"""Why a model says what it says: the vote of each rule on each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb.rules import Rule, RuleEnsemble

__all__ = ["Explanation"]

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """What each rule adds to the decision value of each row.

    Attributes
    ----------
    offset : float, or tuple of float with one for each class if there are more than two
        What every row starts with.
    contributions : ndarray of shape (rows, rules)
        What each rule adds: its weight where its condition holds, else 0.
    rules : tuple of Rule
        The rules in the order of the columns of `contributions`. With more than two classes, a
        rule adds to the value of class number `rule.output` only.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> ensemble = RuleEnsemble(-2.97, (old,), ("age",), "logistic")
    >>> explanation = Explanation.of(ensemble, np.array([[39.0], [40.0]]))
    >>> explanation.contributions
    array([[0.  ],
           [1.82]])
    >>> explanation.total()
    array([-2.97, -1.15])
    """

    offset: float | tuple[float, ...]
    contributions: Float
    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, ensemble: RuleEnsemble, X: NDArray[np.floating]) -> Explanation:
        """Explain what an ensemble says about a table."""
        return cls(ensemble.offset, ensemble.contributions(X), ensemble.rules)

    def total(self) -> Float:
        """Add up the offset and the contributions, in their order: exactly the decision values."""
        values = np.tile(np.atleast_1d(np.array(self.offset)), (len(self.contributions), 1))
        for rule, contribution in zip(self.rules, self.contributions.T, strict=True):
            values[:, rule.output] += contribution
        return values if isinstance(self.offset, tuple) else values[:, 0]
