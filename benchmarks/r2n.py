"""Rule networks of the package `rulelearn` (R2N), as a rival for the laboratory.

They give classes but no probabilities. A model of 3,000 rows takes some twenty minutes, so the run
in `r2n.toml` has only two small tables::

    pip install rulelearn
    sorb lab run benchmarks/r2n.toml --out results/r2n
    sorb lab tables results/r2n --table error_cv,complexity_error --format markdown
"""

from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import torch
from rulelearn.algorithms.r2n.r2n_algo import R2Nalgo
from sklearn.base import BaseEstimator, ClassifierMixin


class R2NClassifier(ClassifierMixin, BaseEstimator):
    """Tell two classes apart by a network that becomes a set of rules with oblique conditions.

    Parameters are those of the package, with its defaults but for the scaling of the columns, on
    which its weights depend. `sparsity` is its `coef`.
    """

    def __init__(self, sparsity=1e-3, random_state=0):
        self.sparsity = sparsity
        self.random_state = random_state

    def fit(self, X, y):
        """Train the networks, and read the rules off the best one."""
        torch.manual_seed(self.random_state)
        torch.set_num_threads(1)
        self.classes_ = np.unique(y)
        positive = (np.asarray(y) == self.classes_[-1]).astype(int)
        self.network_ = R2Nalgo(coef=self.sparsity, normalize_num=True)
        with redirect_stdout(StringIO()):
            # A network's output is a column; labels of another shape would be broadcast.
            self.network_.fit(X.astype(float), positive[:, None])
        return self

    def predict(self, X):
        """The second class where any rule holds."""
        found = self.network_.predict(X.astype(float))["__predictions__"]
        return self.classes_[found.to_numpy(dtype=int)]

    @property
    def complexity_(self):
        """Rules + propositions + weights; all weights of a network are different from zero."""
        propositions = [np.count_nonzero(rule) for rule in self.network_.opt_rule]
        weights = len(self.network_.num_column_names)
        return len(propositions) + sum(propositions) * (1 + weights)
