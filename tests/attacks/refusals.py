"""What counts as an answer when something is wrong: an error of the library, which says what."""

import ast
import re
import traceback
import warnings
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import sklearn

import sorb

SORB = Path(sorb.__file__).parent
# The checks of tables and parameters that sorb leaves to scikit-learn.
CHECKS = Path(sklearn.__file__).parent / "utils"
# Bad input is refused before these see it.
INSIDE = [SORB / "learning" / name for name in ("boosting.py", "refit.py", "rows.py", "search")]

# What sorb warns of, and scikit-learn for it: warnings point at the line of the user.
OWN_WARNINGS = re.compile(
    r"column .* is left out: "
    r"|column .* (is missing in row \d+|is \S+ in row \d+|holds (texts|numbers|other values)) "
    "|many rows are nearly equal: |max_seconds=.* left no time to (choose a size|learn a rule): "
    "|class_weight changes the probabilities: "
    "|The number of unique classes is greater than 50% of the number of samples"
)

REFUSED = object()


def attempt(function, *arguments, **named):
    """What a function gives; REFUSED if the library refuses its input."""
    try:
        return function(*arguments, **named)
    except (TypeError, ValueError) as error:
        if not is_refusal(error):
            raise
        return REFUSED


def is_refusal(error):
    """Whether the library refuses its input, before anything stumbles over it."""
    if not isinstance(error, (ValueError, TypeError)) or not str(error):
        return False
    frames = [(Path(f.filename), f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    inside = any(path.is_relative_to(part) for path, _ in frames for part in INSIDE)
    path, line = frames[-1]
    checked = path.is_relative_to(SORB) or path.is_relative_to(CHECKS)
    return checked and not inside and line in raising_lines(path)


@cache
def raising_lines(path):
    """The lines of the `raise` statements of a file: an error from any other was not meant."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    raises = [node for node in nodes if isinstance(node, ast.Raise)]
    return {line for node in raises for line in range(node.lineno, node.end_lineno + 1)}


@contextmanager
def only_own_warnings():
    """Fail if anyone warns of anything else than sorb does, as NumPy of overflows."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    strange = [warning for warning in seen if not _is_own(warning)]
    assert not strange, "\n".join(map(str, strange))


def _is_own(warning):
    if warning.category is sorb.TableWarning:
        return True
    return warning.category is UserWarning and OWN_WARNINGS.match(str(warning.message))
