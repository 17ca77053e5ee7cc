"""What all estimators of the library imodels have in common as rivals.

imodels learns; its trees and rules are only rewritten as a `RuleEnsemble` with the same scores. For
regression the outcomes are standardised first, because imodels drops rules whose votes are below a
threshold that does not scale with the outcomes.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from threading import Lock
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from sorb._extras import install_command
from sorb._types import Float
from sorb.lab.rivals.rival import FittedModel, Grid, Rival, constant_model
from sorb.lab.rivals.trees_as_rules import AdditiveModel
from sorb.rules import RuleEnsemble
from sorb.tables.training import TrainingData

SIZE = [Interval(Integral, 1, None, closed="left")]


def load_imodels() -> Any:
    """Import the library, or say how to install it."""
    try:
        import imodels
    except ImportError as error:
        raise ImportError(f"this rival needs imodels: {install_command('lab')}") from error
    return imodels


class ImodelsRival(Rival):
    """An estimator of imodels, fitted from scratch for each size."""

    _size: ClassVar[str]

    @abstractmethod
    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        """Fit imodels' estimator to outcomes that are 0 and 1, or standardised."""

    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        for size in self._values(grid, self._size):
            start = perf_counter()
            model = self._model(data, size, seed)
            yield FittedModel({self._size: size}, model, perf_counter() - start)

    def _model(self, data: TrainingData, size: int, seed: int) -> RuleEnsemble:
        shift, scale = 0.0, 1.0
        if data.classes is None:
            shift, scale = float(data.y.mean()), float(data.y.std())
        if scale == 0 or not np.ptp(data.array, axis=0).any():
            return constant_model(data)
        X, y = data.array.astype(np.float64), (data.y - shift) / scale
        with undisturbed(seed):
            return self._additive_model(X, y, size, seed).to_ensemble(data, shift, scale)


# NumPy's global random state and the warning filters are shared by all threads.
_ONE_AT_A_TIME = Lock()


@contextmanager
def undisturbed(seed: int) -> Iterator[None]:
    """Let imodels use NumPy's global random state, and restore it afterwards."""
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        # It calls scikit-learn in deprecated ways, and tries penalties that are too small.
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Inconsistent values: penalty")
        warnings.filterwarnings("ignore", "TAO regression is experimental")
        state = np.random.get_state()  # noqa: NPY002
        np.random.seed(seed)  # noqa: NPY002
        try:
            yield
        finally:
            np.random.set_state(state)  # noqa: NPY002
