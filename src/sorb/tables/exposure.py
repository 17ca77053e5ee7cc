"""Outcomes that accumulate over an exposure: counts over years, costs over claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.losses import LOSSES, Loss
from sorb.tables.weights import multiply_weights, row_floats

__all__ = ["as_rates", "require_exposure", "require_rates", "row_exposure"]


def as_rates(loss: Loss, y: Float, weight: Float, exposure: Any) -> tuple[Float, Float]:
    """Turn outcomes and weights into rates for one unit of exposure, and their weights.

    Outcomes y over an exposure e are rates y / e, each weighted by its exposure. For counts
    this is the same as an offset of log(e) in the score.

    Parameters
    ----------
    loss : the loss, which must have rates.
    y : the outcome of each row.
    weight : the weight of each row.
    exposure : one positive number for each row, or None: then nothing changes.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.losses import Poisson
    >>> as_rates(Poisson(), np.array([1.0, 3.0]), np.ones(2), [0.5, 2.0])
    (array([2. , 1.5]), array([0.5, 2. ]))
    """
    if exposure is None:
        return y, weight
    require_rates(loss)
    units = row_exposure(exposure, len(y))
    with np.errstate(over="ignore", under="ignore"):
        rates = y / units
    _require_range(rates, y, units)
    return rates, multiply_weights(weight, units, "sample_weight times exposure")


def _require_range(rates: Float, y: Float, units: Float) -> None:
    """Refuse rates that are beyond the range of a float."""
    wrong = np.flatnonzero(~np.isfinite(rates) | ((rates == 0) & (y != 0)))
    if len(wrong):
        row = wrong[0]
        size = "small" if rates[row] == 0 else "large"
        raise ValueError(
            f"y / exposure is too {size} to be a number, found {y[row]} / {units[row]} in row {row}"
        )


def require_rates(loss: Loss) -> None:
    """Refuse a loss whose outcomes cannot accumulate over an exposure.

    Examples
    --------
    >>> from sorb.losses import Squared
    >>> require_rates(Squared())
    Traceback (most recent call last):
    ...
    ValueError: an exposure is for the losses poisson, gamma, tweedie, found the loss squared
    """
    if not loss.has_rates:
        known = ", ".join(name for name, kind in LOSSES.items() if kind().has_rates)
        raise ValueError(f"an exposure is for the losses {known}, found the loss {loss}")


def row_exposure(exposure: Any, n_rows: int) -> Float:
    """Read the exposure of each row.

    Examples
    --------
    >>> row_exposure([1, 0.5], 2)
    array([1. , 0.5])
    """
    checked = row_floats(exposure, n_rows, "exposure")
    require_exposure(checked)
    return checked


def require_exposure(
    exposure: Float, what: str = "exposure", rows: Sequence[int] | None = None
) -> None:
    """Refuse exposures that are not finite and positive.

    Parameters
    ----------
    exposure : that of each row.
    what : what to call it in messages.
    rows : the row numbers to use in messages; 0, 1, … if not given.

    Examples
    --------
    >>> import numpy as np
    >>> require_exposure(np.array([1.0, 0.0]))
    Traceback (most recent call last):
    ...
    ValueError: exposure must be finite and positive, found 0.0 in row 1
    """
    wrong = np.flatnonzero(~(np.isfinite(exposure) & (exposure > 0)))
    if len(wrong):
        k = int(wrong[0])
        raise ValueError(
            f"{what} must be finite and positive, found {exposure[k]} in row "
            f"{k if rows is None else rows[k]}"
        )
