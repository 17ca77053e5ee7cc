"""From scores to classes and their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Float, Index
from sorb.losses import Loss
from sorb.rules.field_checks import Label

__all__ = [
    "class_labels",
    "class_probabilities",
    "count_classes",
    "find_label",
    "predicted_indices",
    "predicted_labels",
    "require_classes",
]


def class_labels(classes: Sequence[Label] | None) -> tuple[Label, ...]:
    """Give the labels of the classes: 0 and 1 if they have none.

    Examples
    --------
    >>> class_labels(("no", "yes")), class_labels(None)
    (('no', 'yes'), (0, 1))
    """
    return (0, 1) if classes is None else tuple(classes)


def count_classes(loss: Loss, classes: Sequence[Label] | None) -> int:
    """Count the classes that a model tells apart; 0 if it predicts numbers.

    Examples
    --------
    >>> from sorb.losses import Logistic, Squared
    >>> count_classes(Logistic(), None), count_classes(Squared(), None)
    (2, 0)
    """
    return len(class_labels(classes)) if loss.has_classes else 0


def find_label(classes: Sequence[Label], written: Any) -> Label | None:
    """Find the class that somebody wrote: as it is, as a text, or as an equal number.

    Examples
    --------
    >>> find_label((0.0, 1.0), "1"), find_label(("no", "yes"), "yes"), find_label((1, 2), "3")
    (1.0, 'yes', None)
    """
    for label in classes:
        texts = [str(label)]
        if isinstance(label, float) and label.is_integer():
            texts.append(str(int(label)))
        if written == label or written in texts:
            return label
    return None


def predicted_indices(classes: Sequence[Label] | None, scores: Float) -> Index:
    """Give the index of the most probable class of each row; among equals, the first.

    Examples
    --------
    >>> import numpy as np
    >>> predicted_indices(("no", "yes"), np.array([-1.0, 0.0, 2.0]))
    array([0, 0, 1])
    """
    if _is_single(classes):
        return np.zeros(len(scores), dtype=np.intp)
    return scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.intp)


def predicted_labels(classes: Sequence[Label] | None, scores: Float) -> NDArray[Any]:
    """Give the label of the most probable class of each row: 0 or 1 if classes have no labels.

    Examples
    --------
    >>> import numpy as np
    >>> predicted_labels(("no", "yes"), np.array([-1.0, 2.0])).tolist()
    ['no', 'yes']
    """
    labels = class_labels(classes)
    values = np.array(labels)
    # NumPy turns numbers into strings if there are strings as well, and drops NUL at their end.
    alike = len({type(label) for label in labels}) == 1
    if not alike or values.tolist() != list(labels):
        values = np.array(labels, dtype=object)
    return np.asarray(values[predicted_indices(classes, scores)])


def class_probabilities(loss: Loss, classes: Sequence[Label] | None, scores: Float) -> Float:
    """Turn scores into probabilities, with a column for each class.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.losses import Logistic
    >>> class_probabilities(Logistic(), None, np.array([0.0]))
    array([[0.5, 0.5]])
    """
    if _is_single(classes):
        return np.ones((len(scores), 1))
    if scores.ndim == 2:
        return loss.mean(scores)
    return _kernels.two_probabilities(loss.kernel, scores)


def require_classes(loss: Loss) -> None:
    """Raise an error if a model predicts numbers, which have no probabilities.

    Examples
    --------
    >>> from sorb.losses import Squared
    >>> require_classes(Squared())
    Traceback (most recent call last):
    ...
    ValueError: a model with the loss squared predicts numbers, which have no probabilities: use
    predict
    """
    if not loss.has_classes:
        raise ValueError(
            f"a model with the loss {loss} predicts numbers, which have no probabilities: use "
            "predict"
        )


def _is_single(classes: Sequence[Label] | None) -> bool:
    return classes is not None and len(classes) == 1
