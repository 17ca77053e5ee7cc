"""A forest of oblique trees, read as conditions: one for each node that is not a root.

The trees are those of the library obliquetree. At each node they try all combinations of a few
columns, so columns are left out at random if there are too many combinations.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from math import comb
from typing import Any

import numpy as np

from sorb._extras import install_command
from sorb._types import Bool, Float, Index, Matrix
from sorb.learning.rows import Rows
from sorb.rules import Condition, Proposition

Node = Mapping[str, Any]

ROUNDS = 5  # trees of each kind
DEPTHS = (2, 3)
MOST_COLUMNS = 5  # in one combination
COMBINATIONS = 1000  # a tree tries fewer

# Earlier versions read uninitialised memory and may crash. Later ones behave differently: they
# split rows in another way, start threads of their own, and then skip combinations.
VERSIONS = ("1.0.4", "1.0.5")


def forest_conditions(
    rows: Rows, classes: bool, rng: np.random.Generator
) -> Iterator[tuple[Condition, Bool]]:
    """Grow a forest and yield the condition of each node, with the rows that it covers.

    There are five trees for each number of columns in a combination, from 2 to 5, and each depth,
    2 and 3. Each learns from 0.7·n rows drawn with replacement. Trees on a single column are
    axis-parallel. Nodes that cover all rows, or none, are left out.

    Parameters
    ----------
    rows : what to learn from; the weight of a row is the number of its copies.
    classes : whether the outcomes are class indices, 0 and 1.
    rng : draws the rows and columns of the trees.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.repeat([1.0, 2.0], 20)
    >>> rows = Rows.from_table(x[:, None], x - 1, np.ones(40), ("x",))
    >>> conditions = forest_conditions(rows, True, np.random.default_rng(0))
    >>> sorted({str(condition) for condition, _ in conditions})
    ['x ≤ 1.5', 'x ≥ 1.5']
    """
    if rows.y.min() == rows.y.max():
        return
    y = rows.y if classes else rows.y / np.sqrt(np.average(rows.y**2, weights=rows.weight))
    Z = np.asarray(rows.Z)
    varying = np.flatnonzero(Z.any(axis=0))
    most = min(MOST_COLUMNS, len(varying))
    for _ in range(ROUNDS):
        for size in range(min(2, most), most + 1):
            for depth in DEPTHS:
                columns = _drop_columns(varying, size, rng)
                counts = _draw(rows.weight, rng)
                seed = int(rng.integers(np.iinfo(np.int32).max))
                root = _tree(Z[:, columns], y, counts, classes, size, depth, seed)
                yield from _below(rows, columns, root, (), np.ones(len(rows), dtype=np.bool_))


def _drop_columns(columns: Index, size: int, rng: np.random.Generator) -> Index:
    """Drop columns at random, a fifth at a time, until there are few enough combinations."""
    width = len(columns)
    while comb(width, size) >= COMBINATIONS:
        width = 4 * width // 5
    return np.sort(rng.choice(columns, width, replace=False))


def _draw(weight: Float, rng: np.random.Generator) -> Float:
    """Draw copies of the rows with replacement; return how often each row was drawn."""
    copies = np.repeat(np.arange(len(weight)), weight.astype(np.intp))
    drawn = rng.choice(copies, 7 * len(copies) // 10)
    return np.bincount(drawn, minlength=len(weight)).astype(np.float64)


def _tree(
    Z: Matrix,
    y: Float,
    counts: Float,
    classes: bool,
    size: int,
    depth: int,
    seed: int,
) -> Node:
    """Grow a tree and return its root; copies of a row become a weight, which is faster."""
    kept = np.flatnonzero(counts)
    if not len(kept) or (y[kept] == y[kept[0]]).all():
        return {"is_leaf": True}
    kind = _library().Classifier if classes else _library().Regressor
    tree = kind(use_oblique=size > 1, max_depth=depth, n_pair=max(2, size), random_state=seed)
    with warnings.catch_warnings():
        # The library warns if there is only one column and so no pair.
        warnings.filterwarnings("ignore", message="n_pair")
        tree.fit(Z[kept], y[kept], counts[kept])
    root: Node = tree.__getstate__()["tree"]
    return root


def _library() -> Any:
    """Import obliquetree, in a version that behaves as expected."""
    keep = warnings.formatwarning
    try:
        import obliquetree
    except ImportError as error:
        raise ImportError(
            f"oblique trees need the library obliquetree ({error}): {install_command('lab')}"
        ) from error
    finally:
        warnings.formatwarning = keep  # the library changes how all warnings are printed
    if obliquetree.__version__ not in VERSIONS:
        raise ImportError(
            f"oblique trees need obliquetree {' or '.join(VERSIONS)}, found "
            f"{obliquetree.__version__}: {install_command('lab')}"
        )
    return obliquetree


def _below(
    rows: Rows, columns: Index, node: Node, path: tuple[Proposition, ...], covered: Bool
) -> Iterator[tuple[Condition, Bool]]:
    """Yield the conditions of all nodes below the one at the end of a path."""
    if node["is_leaf"]:
        return
    for child, proposition in zip(("left", "right"), sides(rows, columns, node), strict=True):
        reached = covered & rows.covered_by(proposition)
        if reached.any() and not reached.all():
            longer = (*path, proposition)
            yield Condition(longer), reached
            yield from _below(rows, columns, node[child], longer, reached)


def sides(rows: Rows, columns: Index, node: Node) -> tuple[Proposition, Proposition]:
    """Return the propositions of the left and the right side of a split, in the user's units.

    A row goes left if w·z ≤ t, in standardised columns. In the user's units the bound is moved just
    enough for no row to change sides by rounding, and for the right side to be written with ≥.
    """
    features, weights = _direction(node)
    used = columns[features]
    projection = _sum(np.asarray(rows.Z)[:, used].astype(np.float64), weights)
    left = projection <= node["threshold"]
    found = rows.proposition(used.tolist(), weights.tolist(), node["threshold"])
    sources = np.array(rows.sources)[used]
    values = np.asarray(rows.X)[np.ix_(rows.origin, sources)]
    total = _sum(values.astype(np.float64), np.array(found.weights))
    below = total[left].max(initial=-np.inf)
    above = total[~left].min(initial=np.inf)
    bound = np.clip(found.threshold, below, np.nextafter(above, -np.inf))
    opposite = tuple(-w for w in found.weights)
    return (
        Proposition(found.columns, opposite, -bound),
        Proposition(
            found.columns, found.weights, bound if bound > below else np.nextafter(bound, np.inf)
        ),
    )


def _direction(node: Node) -> tuple[Index, Float]:
    """Return the columns, by their indices in the tree, and the weights of a split."""
    if not node["is_oblique"]:
        return np.array([node["feature_idx"]]), np.ones(1)
    features, weights = np.array(node["features"]), np.array(node["weights"])
    return features[weights != 0], weights[weights != 0]


def _sum(X: Float, weights: Float) -> Float:
    """Add up weighted columns from left to right, as trees and propositions do."""
    total = np.zeros(len(X))
    for column, weight in zip(X.T, weights, strict=True):
        total += weight * column
    return total
