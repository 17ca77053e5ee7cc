"""What all rivals share: checked input, one way to learn a whole grid of models, and answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from sorb._types import Float
from sorb.learning.boosting import empty_model
from sorb.learning.rows import Rows
from sorb.losses import Squared
from sorb.rules import RuleEnsemble
from sorb.tables.prediction import check_numbers
from sorb.tables.training import TrainingData, classification, regression

Grid = Mapping[str, Sequence[Any]]


class Model(Protocol):
    """What a rival learns; a `RuleEnsemble` is one."""

    @property
    def complexity(self) -> int | None:
        """The size of the model, to be compared with that of rules; None if it cannot be."""
        ...

    def __call__(self, X: Any) -> Float:
        """Give the decision values: predictions, or log-odds of the second class."""
        ...

    def describe(self) -> str:
        """Print the model for people."""
        ...


def constant_model(data: TrainingData) -> RuleEnsemble:
    """The best model without rules."""
    rows = Rows.of(data)
    (score,) = data.loss.best_constant(rows.y, rows.weight)
    return replace(empty_model(data), offset=float(score) + rows.shift)


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A model, the parameters that led to it, and the time that it took.

    Attributes
    ----------
    parameters : the values of the grid.
    model : what was learned with them.
    seconds : the time to learn this model alone, work that it shares with others included.
    """

    parameters: dict[str, Any]
    model: Model
    seconds: float


class Rival(BaseEstimator):  # type: ignore[misc]
    """An estimator whose models have a size and can be printed.

    Attributes
    ----------
    model_ : the model, callable on a table.
    complexity_ : its size.
    gives_probabilities : whether scores are log-odds; otherwise only their sign counts.
    """

    gives_probabilities: ClassVar[bool] = True

    def fit(self, X: Any, y: Any) -> Any:
        """Learn one model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers, dense.
        y : array-like of shape (n_samples,)
            The class labels, or the numbers to predict.

        Returns
        -------
        self : object
        """
        self._validate_params()
        data = self._training_data(X, y)
        if data.one_class:
            self.model_: Model = constant_model(data)
        else:
            (learned,) = self._learn(data, {})
            self.model_ = learned.model
        self.complexity_ = self.model_.complexity
        return self

    def path(self, X: Any, y: Any, **grid: Sequence[Any]) -> Iterator[FittedModel]:
        """Learn a model for each combination of parameters; work that some share is done once.

        Parameters
        ----------
        X, y : as in `fit`.
        **grid : for some parameters of the estimator, the values to try.

        Yields
        ------
        learned : FittedModel
            One for each combination that is possible.
        """
        self._validate_params()
        data = self._training_data(X, y)
        if data.one_class:
            raise ValueError("y holds one class only: there is nothing to choose from")
        yield from self._learn(data, grid)

    def describe(self) -> str:
        """Print the model for people."""
        check_is_fitted(self)
        return self.model_.describe()

    @property
    def ensemble_(self) -> RuleEnsemble:
        """The model as rules, where it is one."""
        if not isinstance(getattr(self, "model_", None), RuleEnsemble):
            raise AttributeError(f"this {type(self).__name__} has no rules")
        return self.model_  # type: ignore[return-value]

    @abstractmethod
    def _training_data(self, X: Any, y: Any) -> TrainingData:
        """Check what the user wants to be learned."""

    @abstractmethod
    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        """Learn a model for each combination; parameters not in the grid are the estimator's own.

        There are at least two distinct classes, if the data has classes at all.
        """

    def _values(self, grid: Grid, name: str) -> Sequence[Any]:
        """Give the values of a parameter: those of the grid, or the estimator's own."""
        return grid.get(name, (getattr(self, name),))

    def _scores(self, X: Any) -> Float:
        check_is_fitted(self)
        columns = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return self.model_(check_numbers(self, X, tuple(map(str, columns))))


class RivalClassifier(ClassifierMixin, Rival):  # type: ignore[misc]
    """Tells two classes apart by log-odds."""

    def _training_data(self, X: Any, y: Any) -> TrainingData:
        data = classification(self, X, y, None, None)
        self.classes_: NDArray[Any] = np.asarray(data.classes)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"found {len(self.classes_)} classes."
            )
        return data

    def decision_function(self, X: Any) -> Float:
        """Give the log-odds of the second class."""
        return self._scores(X)

    def predict_proba(self, X: Any) -> Float:
        """Give the probability of each class."""
        probability = expit(self._scores(X))
        if len(self.classes_) == 1:
            return np.ones((len(probability), 1))
        return np.column_stack([1 - probability, probability])

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the more probable class."""
        above = self._scores(X) > 0
        return np.asarray(self.classes_[np.where(above, len(self.classes_) - 1, 0)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class RivalRegressor(RegressorMixin, Rival):  # type: ignore[misc]
    """Predicts a number."""

    def _training_data(self, X: Any, y: Any) -> TrainingData:
        return regression(self, X, y, None, Squared())

    def predict(self, X: Any) -> Float:
        """Give the expected values."""
        return self._scores(X)
