"""The three tables of the demo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import train_test_split

from sorb.estimators import LLTBoostClassifier, LLTBoostRegressor

__all__ = ["BORDER", "EXAMPLES", "SIDE", "Example", "ExampleSplit"]

# The generated example: two columns from 0 to SIDE, classes divided by x1 + x2 = BORDER.
SIDE, BORDER = 10.0, 10.0
ROWS, MISLABELLED = 600, 0.1

# The columns s1 … s6 of the diabetes data, as its description explains them.
SERUM = {
    "bp": "blood_pressure",
    "s1": "total_cholesterol",
    "s2": "ldl",
    "s3": "hdl",
    "s4": "cholesterol_to_hdl",
    "s5": "log_triglycerides",
    "s6": "glucose",
}


@dataclass(frozen=True, slots=True, eq=False)
class ExampleSplit:
    """Training rows and test rows."""

    X: pd.DataFrame
    y: NDArray[Any]
    X_test: pd.DataFrame
    y_test: NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A table, a question about it, what is predicted, and the estimator that answers it."""

    name: str
    title: str
    question: str
    target: str
    X: pd.DataFrame
    y: NDArray[Any]

    @property
    def classes(self) -> bool:
        """Whether the outcome is a class rather than a number."""
        return self.y.dtype.kind != "f"

    @property
    def estimator(self) -> type[Any]:
        """The estimator that answers it."""
        return LLTBoostClassifier if self.classes else LLTBoostRegressor

    def split(self, seed: int) -> ExampleSplit:
        """Set three in ten rows aside as test rows."""
        X, X_test, y, y_test = train_test_split(
            self.X,
            self.y,
            test_size=0.3,
            random_state=seed,
            stratify=self.y if self.classes else None,
        )
        return ExampleSplit(X, y, X_test, y_test)


def breast_cancer() -> Example:
    """Tumours, described by measurements of their cell nuclei."""
    data = load_breast_cancer(as_frame=True)
    X = data.data.rename(columns=lambda name: name.replace(" ", "_"))
    question = "Is a tumour malignant, given measurements of its cell nuclei?"
    return Example(
        "breast_cancer",
        "Breast cancer",
        question,
        "diagnosis",
        X,
        data.target_names[data.target.to_numpy()],
    )


def diabetes() -> Example:
    """Diabetes patients, and the progression of their disease in a year."""
    data = load_diabetes(as_frame=True, scaled=False)
    X = data.data.rename(columns=SERUM)
    question = "How far has diabetes progressed a year later, on a scale from 25 to 346?"
    return Example(
        "diabetes", "Diabetes", question, "progression", X, data.target.to_numpy(dtype=np.float64)
    )


def diagonal() -> Example:
    """Points in a square, divided by a diagonal that no threshold on one column can follow."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.uniform(0, SIDE, (ROWS, 2)), columns=["x1", "x2"])
    above = (X["x1"] + X["x2"] >= BORDER).to_numpy() ^ (random.random(ROWS) < MISLABELLED)
    question = (
        f"On which side of x1 + x2 = {BORDER:g} is a point, "
        f"if {100 * MISLABELLED:g} % of the labels are wrong?"
    )
    return Example(
        "diagonal", "A diagonal border", question, "side", X, np.where(above, "upper", "lower")
    )


EXAMPLES = (breast_cancer, diabetes, diagonal)
