"""Bootstrap samples of a table, by what its rows hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sorb._types import Float, Int
from sorb.learning.bags import Bags
from sorb.learning.held_out import collect_together
from sorb.tables.training import TrainingData

__all__ = ["Resample", "draw_resamples"]

# A class that is rarely drawn is given so many chances for each sample.
_MOST_DRAWS = 20


@dataclass(frozen=True, slots=True)
class Resample:
    """Rows of a table, and what each of them weighs, over all of its exposure."""

    row: Int
    weight: Float


def draw_resamples(
    data: TrainingData, count: int, seed: int, near_duplicates: bool
) -> list[Resample]:
    """Draw each observation as often as a bootstrap would; what belongs together is drawn together.

    A row that stands for several observations is drawn as often as they are. Samples in which a
    class has no row are left out.
    """
    _, rows = collect_together(data, near_duplicates)
    bags = Bags.of(rows)
    found = []
    for turn in range(_MOST_DRAWS * count):
        weight = bags(seed, turn).training
        drawn = np.flatnonzero(weight)
        if data.classes is None or len(np.unique(rows.y[drawn])) == len(data.classes):
            row = rows.origin[drawn]
            found.append(Resample(row, weight[drawn] * data.weight_unit))
        if len(found) == count:
            return found
    raise ValueError(
        "there are too few rows of a class to resample them: most samples have none of it"
    )
