"""What counts as an answer when something is wrong: an error of the library, which says what."""

import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

import sklearn

import sorb

SORB = Path(sorb.__file__).parent
# The checks of tables and parameters that sorb leaves to scikit-learn.
CHECKS = Path(sklearn.__file__).parent / "utils"
# Bad input is refused before these see it.
INSIDE = [SORB / "learning" / name for name in ("boosting.py", "refit.py", "rows.py", "search")]


def is_refusal(error):
    """Whether the library refuses its input, before anything else stumbles over it."""
    if not isinstance(error, (ValueError, TypeError)) or not str(error):
        return False
    frames = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
    inside = any(frame.is_relative_to(part) for frame in frames for part in INSIDE)
    return not inside and any(frames[-1].is_relative_to(place) for place in (SORB, CHECKS))


@contextmanager
def only_own_warnings():
    """Fail if anyone but sorb itself warns, as NumPy does of overflows."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    strange = [warning for warning in seen if warning.category is not UserWarning]
    assert not strange, "\n".join(map(str, strange))
