"""What all classifiers share: their classes, and what they predict."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from sorb._types import Float
from sorb.estimators.base import BaseLLTBoost
from sorb.learning.lazy_table import LazyTable
from sorb.learning.recalibration import recalibrate
from sorb.learning.source import Source
from sorb.learning.stages import Stage, stage_near
from sorb.learning.whole_table import WholeTable
from sorb.rules import RuleEnsemble
from sorb.rules.columns import wrap_frame
from sorb.rules.prediction import class_probabilities, find_label, predicted_indices
from sorb.tables.checks import require_table
from sorb.tables.class_shares import class_shares, describe_moved_shares
from sorb.tables.lazy import is_lazy
from sorb.tables.lazy_prediction import add_predictions, add_probabilities, add_scores
from sorb.tables.quoting import quote_some
from sorb.tables.row_values import flat_outcomes
from sorb.tables.targets import require_labels
from sorb.tables.training import TrainingData, classification_data
from sorb.tables.weights import row_weights

__all__ = ["RuleClassifier"]

# So many rows of a lazy frame tell the classes; everything else comes from sums over all rows.
_ENOUGH_ROWS = 1000


class RuleClassifier(ClassifierMixin, BaseLLTBoost):  # type: ignore[misc]
    """Predicts classes and their probabilities."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseLLTBoost._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "positive": [object],  # a label, or None
    }

    class_weight: Any
    positive: Any
    classes_: NDArray[Any]
    class_weight_: Float | None
    learned_stages_: list[Stage]

    def _lazy_table(self, source: Source, reset: bool) -> LazyTable:
        options = self._source_options(source)

        def read(X: Any, y: Any, weight: Any, exposure: Any, class_weight: Any) -> TrainingData:
            data = classification_data(self, X, y, weight, class_weight, reset, options)
            return self._with_given_rules(self._oriented(data))

        return LazyTable(source, read, class_weight=self.class_weight)

    def _loss_of_numbers(self) -> None:
        return None

    def _training_data(
        self, X: Any, y: Any, sample_weight: Any, reset: bool = True
    ) -> TrainingData:
        return self._oriented(
            classification_data(
                self, X, y, sample_weight, self.class_weight, reset, self._column_options()
            )
        )

    def _oriented(self, data: TrainingData) -> TrainingData:
        """The same data, with constraints about the score of the second class."""
        assert data.classes is not None
        if not data.constraints.directions or data.classes[-1] == self._positive_of(data.classes):
            return data
        return replace(data, constraints=data.constraints.mirrored)

    def _check_classes(self, data: TrainingData) -> None:
        """Refuse a positive class that is none, and warn whoever called `fit` of class weights."""
        assert data.classes is not None
        self._positive_of(data.classes)
        if data.class_shares is None or data.one_class:
            return
        told = describe_moved_shares(
            data.classes, data.class_shares, class_shares(data.y, data.weight)
        )
        if told is not None:
            warnings.warn(told, stacklevel=4)

    def _set_model(
        self, table: WholeTable, data: TrainingData, stages: list[Stage], complexity: float
    ) -> None:
        """Let the models speak of the class that the user wants."""
        assert data.classes is not None
        label = self._positive_of(data.classes)
        if label is not None:
            stages = [replace(s, ensemble=s.ensemble.about(label)) for s in stages]
        super()._set_model(table, data, stages, complexity)
        self.class_weight_ = _fitted_class_weight(data)
        self.learned_stages_ = self.stages_

    def _positive_of(self, classes: NDArray[Any]) -> Any:
        """The class that models of these classes speak of; None if they have a score for each."""
        labels = classes.tolist()
        if self.positive is None:
            return labels[-1] if len(labels) < 3 else None
        # On the command line, and in settings, labels are texts.
        named = find_label(labels, self.positive)
        if len(labels) > 2 or named is None:
            raise ValueError(
                f"positive must be one of two classes, found {self.positive!r}; the classes are "
                f"{quote_some(labels)}"
            )
        return named

    def recalibrate(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Correct the offset, so that each class is expected as often as it occurs in a table.

        Class weights change how often classes seem to occur, and a model may be used where they
        occur more or less often than where it was learned. The rules and their votes stay.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame or lazy frame of shape (n_samples, n_features)
            The table: the one that the model was learned from, or one of where it will be used.
        y : array-like of shape (n_samples,)
            The class labels; for a lazy frame, the name of their column.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Non-negative sample weights; for a lazy frame, the name of their column.

        Returns
        -------
        estimator : object
            A copy of this estimator with other offsets, in `stages_`, too: the mean probability of
            each class is its share of the rows.

        Examples
        --------
        >>> import numpy as np
        >>> from sorb import LLTBoostClassifier
        >>> X = np.arange(100.0)[:, None]
        >>> y = X[:, 0] >= 90
        >>> model = LLTBoostClassifier(max_rules=0).fit(X, y).recalibrate(X[50:], y[50:])
        >>> model.predict_proba(X)[0].round(3)
        array([0.8, 0.2])
        """
        check_is_fitted(self)
        reader = copy.copy(self)
        reader.class_weight = None
        if is_lazy(X):
            X = _without_others(X, {*self.ensemble_.columns, y, sample_weight})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # `fit` has told which are left out
            table = reader._table(X, y, sample_weight, groups=None, reset=False)
        data = table.sample(_ENOUGH_ROWS, 0)
        if data.classes is None or not np.array_equal(data.classes, self.classes_):
            found = None if data.classes is None else data.classes.tolist()
            raise ValueError(
                f"y must hold each of the classes {self.classes_.tolist()}, found {found}"
            )
        other = copy.copy(self)
        other.stages_ = [
            replace(s, ensemble=recalibrate(s.ensemble, table, data.classes)) for s in self.stages_
        ]
        other._use(stage_near(other.stages_, self.ensemble_.complexity))
        return other

    def decision_function(self, X: Any) -> Any:
        """Give the score of each row: the sum of the offset and the votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or lazy frame
            The table.

        Returns
        -------
        scores : ndarray of shape (n_samples,), or (n_samples, n_classes) for more than two classes
            The log-odds of ``classes_[1]`` for two classes, else a score for each class. For a lazy
            frame, the same frame with the column ``score``, or ``score_CLASS`` for each class.
        """
        if is_lazy(X):
            return add_scores(X, self._in_class_order)
        return self._map(X, lambda rows: self._in_class_order(rows))

    def predict(self, X: Any) -> Any:
        """Give the most probable class of each row.

        Of two classes it is the second one if the score is positive; of equally probable classes it
        is the first one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or lazy frame
            The table.

        Returns
        -------
        labels : ndarray of shape (n_samples,), or lazy frame
            For a lazy frame, the same frame with the column ``prediction`` more.
        """
        if is_lazy(X):
            return add_predictions(X, self._model)
        return self._map(X, lambda rows: self._labels(self.ensemble_(rows)))

    def predict_proba(self, X: Any) -> Any:
        """Give the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or lazy frame
            The table.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes), or lazy frame
            In the order of ``classes_``. For a lazy frame, the same frame with a column
            ``probability_CLASS`` for each class.
        """
        if is_lazy(X):
            return add_probabilities(X, self._in_class_order)
        return self._map(X, lambda rows: self._probabilities(self.ensemble_(rows)))

    def predict_log_proba(self, X: Any) -> Float:
        """Give the logarithm of the probability of each class.

        It stays finite where the probability itself is too small for a float.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes), in the order of ``classes_``
        """
        return self._map(X, lambda rows: self._log_probabilities(self.ensemble_(rows)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the accuracy, the share of the rows whose class is predicted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.
        y : array-like of shape (n_samples,)
            The class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The sample weights, one per row.

        Returns
        -------
        score : float
        """
        # Imported only where it is needed, as it is slow.
        from sklearn.metrics import accuracy_score

        require_table(X)
        predicted = self.predict(X)
        labels = require_labels(flat_outcomes(y, len(predicted)))
        weight = row_weights(sample_weight, len(predicted))
        return float(accuracy_score(labels, predicted, sample_weight=weight))

    def staged_decision_function(self, X: Any) -> Iterator[Float]:
        """Give the scores of each stage, starting with the model without rules.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.

        Yields
        ------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One for each element of ``stages_``.
        """
        scores = self._staged_scores(X)
        return (-score for score in scores) if self._is_mirrored else scores

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Give the predictions of each stage, starting with the model without rules.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.

        Yields
        ------
        labels : ndarray of shape (n_samples,)
            One for each element of ``stages_``.
        """
        return map(self._labels, self._staged_scores(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Float]:
        """Give the probabilities of each stage, starting with the model without rules.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.

        Yields
        ------
        probabilities : ndarray of shape (n_samples, n_classes)
            One for each element of ``stages_``.
        """
        return map(self._probabilities, self._staged_scores(X))

    @property
    def _in_class_order(self) -> RuleEnsemble:
        """The model as scikit-learn expects it: of two classes, it speaks of the second one."""
        return self._model.about(self.classes_[-1]) if self._is_mirrored else self._model

    @property
    def _is_mirrored(self) -> bool:
        return self._model.classes != tuple(self.classes_.tolist())

    def _labels(self, scores: Float) -> NDArray[Any]:
        classes = self.classes_[::-1] if self._is_mirrored else self.classes_
        return np.asarray(classes[predicted_indices(self.ensemble_.classes, scores)])

    def _probabilities(self, scores: Float) -> Float:
        found = class_probabilities(self.ensemble_.loss, self.ensemble_.classes, scores)
        return found[:, ::-1] if self._is_mirrored else found

    def _log_probabilities(self, scores: Float) -> Float:
        if len(self.classes_) == 1:
            return np.zeros((len(scores), 1))
        if self._is_mirrored:
            scores = -scores
        # Both losses are minus the log-probability of the true class.
        numbers = [np.full(len(scores), float(k)) for k in range(len(self.classes_))]
        return np.column_stack([-self._loss.value(number, scores) for number in numbers])


def _without_others(X: Any, names: Collection[Any]) -> Any:
    """A lazy frame without other columns, such as that of the groups in training."""
    frame = wrap_frame(X)
    return frame.select(n for n in frame.collect_schema().names() if n in names).to_native()


def _fitted_class_weight(data: TrainingData) -> Float | None:
    """What the weights of each class were multiplied by, up to a factor for all of them."""
    if data.class_shares is None or data.one_class:
        return None
    factor = class_shares(data.y, data.weight) / data.class_shares
    return np.asarray(factor / factor.min())
