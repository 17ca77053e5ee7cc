"""Where a model comes from: what learned it, with which settings, and from how many rows."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from sorb.rules.field_checks import check_natural, check_number, set_fields

__all__ = ["TrainingRecord"]

Texts: TypeAlias = tuple[tuple[str, str], ...]


# What Python's reader of literals says of texts that are none, or too deep.
_UNREADABLE = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)


@dataclass(frozen=True, slots=True)
class TrainingRecord:
    """What learned a model, with which settings, and from how many rows.

    Parameters
    ----------
    estimator : str
        The name of the estimator.
    settings : mapping from str to str
        Its parameters that differ from the defaults of its version, and its seed, as Python
        writes them.
    versions : mapping from str to str
        The versions of sorb and of what it computes with.
    n_rows : int
        The number of training rows.
    reg_lambda : float, optional
        The penalty on the votes, if it is known.
    target : str, default=""
        The column that is predicted, if it is known.
    test_rows : str, default=""
        How test rows were set aside, if any were.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sorb import LLTBoostClassifier
    >>> model = LLTBoostClassifier(max_rules=2, random_state=7).fit(*load_iris(return_X_y=True))
    >>> record = model.ensemble_.record
    >>> record.estimator, record.n_rows, dict(record.settings)
    ('LLTBoostClassifier', 150, {'max_rules': '2', 'random_state': '7'})
    """

    estimator: str
    settings: Texts
    versions: Texts
    n_rows: int
    reg_lambda: float | None = None
    target: str = ""
    test_rows: str = ""

    def __post_init__(self) -> None:
        for name in ("estimator", "target", "test_rows"):
            _check_text(getattr(self, name), name)
        set_fields(
            self,
            settings=_check_texts(self.settings, "settings"),
            versions=_check_texts(self.versions, "versions"),
            n_rows=check_natural(self.n_rows, "n_rows"),
        )
        if self.reg_lambda is not None:
            set_fields(self, reg_lambda=check_number(self.reg_lambda, "reg_lambda"))

    @property
    def readable_settings(self) -> dict[str, Any]:
        """The settings as Python values, but for those whose text is none, such as given rules.

        Examples
        --------
        >>> settings = {"units": "{'age': 'years'}", "init": "a model"}
        >>> TrainingRecord("LLTBoostClassifier", settings, {}, 300).readable_settings
        {'units': {'age': 'years'}}
        """
        found = {}
        for name, text in self.settings:
            with suppress(*_UNREADABLE):
                found[name] = ast.literal_eval(text)
        return found


def _check_texts(values: Any, what: str) -> Texts:
    pairs = tuple(values.items() if isinstance(values, Mapping) else values)
    for name, text in pairs:
        _check_text(name, what)
        _check_text(text, f"{what}.{name}")
    return pairs


def _check_text(value: object, what: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a text, found {value!r}")
