"""What all rivals share: checked input, learning a whole grid of models, and predictions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from sorb._types import Float
from sorb.learning.boosting import first_model
from sorb.learning.rows import Rows
from sorb.losses import Logistic, Loss, Squared
from sorb.rules import RuleEnsemble
from sorb.rules.prediction import class_probabilities, predicted_indices
from sorb.tables.prediction import check_numbers
from sorb.tables.training import TrainingData, classification_data, regression_data

Grid = Mapping[str, Sequence[Any]]


class Model(Protocol):
    """What a rival learns; a `RuleEnsemble` is one."""

    @property
    def complexity(self) -> int | None:
        """The size of the model, comparable with that of rules; None if it has none."""
        ...

    def __call__(self, X: Any) -> Float:
        """Return the scores: predictions, or log-odds of the second class."""
        ...

    def describe(self) -> str:
        """Return the model as text."""
        ...


def require_loss(method: str, loss: Loss, known: Collection[Loss]) -> None:
    """Refuse a loss that is not among those that a method can minimise.

    Examples
    --------
    >>> from sorb.losses import Poisson
    >>> require_loss("DecisionTreeRegressor", Poisson(), [Squared()])
    Traceback (most recent call last):
    ...
    ValueError: DecisionTreeRegressor cannot minimise the loss poisson, only squared
    """
    if loss not in known:
        names = " or ".join(map(str, known))
        raise ValueError(f"{method} cannot minimise the loss {loss}, only {names}")


def constant_model(data: TrainingData) -> RuleEnsemble:
    """The best model without rules."""
    rows = Rows.of(data)
    (score,) = data.loss.best_constant(rows.y, rows.weight)
    return replace(first_model(data), offset=float(score) + rows.shift)


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A model with its parameters and its training time.

    Attributes
    ----------
    parameters : the values from the grid.
    model : what was learned with them.
    seconds : the time to learn this model, including work that it shares with others.
    """

    parameters: dict[str, Any]
    model: Model
    seconds: float


class Rival(BaseEstimator):  # type: ignore[misc]
    """An estimator whose models print themselves and mostly have a complexity.

    Attributes
    ----------
    model_ : the model, callable on a table.
    complexity_ : its size.
    loss : what it minimises.
    gives_probabilities : whether scores are log-odds; otherwise only their sign counts.
    """

    loss: ClassVar[Loss]
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
        """Learn a model for each combination of parameters, doing shared work only once.

        Parameters
        ----------
        X, y : as in `fit`.
        **grid : the values to try of some parameters of the estimator.

        Yields
        ------
        learned : FittedModel
            One for each possible combination.
        """
        self._validate_params()
        data = self._training_data(X, y)
        if data.one_class:
            raise ValueError("y contains one class only: there is nothing to learn")
        yield from self._learn(data, grid)

    def describe(self) -> str:
        """Return the model as text."""
        check_is_fitted(self)
        return self.model_.describe()

    @property
    def ensemble_(self) -> RuleEnsemble:
        """The model, if it consists of rules."""
        if not isinstance(getattr(self, "model_", None), RuleEnsemble):
            raise AttributeError(f"this {type(self).__name__} has no rules")
        return self.model_  # type: ignore[return-value]

    @abstractmethod
    def _training_data(self, X: Any, y: Any) -> TrainingData:
        """Check the table and the outcomes."""

    @abstractmethod
    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        """Learn a model for each combination; other parameters are those of the estimator.

        If the outcomes are classes, there are at least two.
        """

    def _values(self, grid: Grid, name: str) -> Sequence[Any]:
        """Return the values of a parameter: those of the grid, or the estimator's own."""
        return grid.get(name, (getattr(self, name),))

    def _scores(self, X: Any) -> Float:
        check_is_fitted(self)
        columns = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return self.model_(check_numbers(self, X, tuple(map(str, columns))))


class RivalClassifier(ClassifierMixin, Rival):  # type: ignore[misc]
    """A rival that tells two classes apart by log-odds."""

    loss: ClassVar[Loss] = Logistic()

    def _training_data(self, X: Any, y: Any) -> TrainingData:
        data = classification_data(self, X, y, None, None)
        self.classes_: NDArray[Any] = np.asarray(data.classes)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"found {len(self.classes_)} classes."
            )
        return data

    def decision_function(self, X: Any) -> Float:
        """Return the log-odds of the second class."""
        return self._scores(X)

    def predict_proba(self, X: Any) -> Float:
        """Return the probability of each class."""
        scores = self._scores(X)
        return class_probabilities(self.loss, self.classes_.tolist(), scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the more probable class."""
        scores = self._scores(X)
        return np.asarray(self.classes_[predicted_indices(self.classes_.tolist(), scores)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class RivalRegressor(RegressorMixin, Rival):  # type: ignore[misc]
    """A rival that predicts a number."""

    loss: ClassVar[Loss] = Squared()

    def _training_data(self, X: Any, y: Any) -> TrainingData:
        return regression_data(self, X, y, None, self.loss)

    def predict(self, X: Any) -> Float:
        """Return the predictions."""
        return self._scores(X)
