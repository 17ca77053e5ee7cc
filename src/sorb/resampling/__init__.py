"""Which rules are found again when the rows are others.

An estimator or a model comes in, with its training rows. It is learned again from resamples of
them, and out comes for each rule how often one that decides alike was found, with the spread of
its vote and thresholds, and how much predictions change.
"""

from sorb.resampling.learn_again import stability
from sorb.resampling.result import RuleStability, Stability

__all__ = ["RuleStability", "Stability", "stability"]
