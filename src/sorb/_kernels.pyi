"""The native core: arrays in, arrays out."""

import numpy as np
from numpy.typing import NDArray

_Float = NDArray[np.float64]
_Int = NDArray[np.int64]
_Separator = tuple[list[int], list[float], float, float, int]
_Objective = tuple[int, float, _Float, _Float, NDArray[np.int32], _Float]
_HalfSpace = tuple[list[int], list[float], float, bool, list[int], bool]
_Meaning = tuple[
    list[tuple[int, NDArray[np.bool_]]],
    list[tuple[NDArray[np.int32], int]],
    int,
    _Float | None,
]
_Chains = list[list[tuple[list[_HalfSpace], NDArray[np.bool_], int]]]

def hash_rows(X: NDArray[np.floating], y: _Float, rows: _Int) -> NDArray[np.uint64]: ...
def standardise(
    X: NDArray[np.floating], rows: _Int, weight: _Float
) -> tuple[NDArray[np.floating], _Float, _Float]: ...
def draw(
    hashes: NDArray[np.uint64], weight: _Float, pieces: _Int, seed: int, turn: int
) -> tuple[_Float, _Float]: ...
def scramble(hashes: NDArray[np.uint64], salt: int) -> NDArray[np.uint64]: ...
def path(
    Z: NDArray[np.floating], rows: _Int, strength: _Float, max_size: int
) -> list[_Separator]: ...
def separators(
    Z: NDArray[np.floating], rows: _Int, strength: _Float, max_size: int
) -> list[_Separator]: ...
def separators_of_size(
    Z: NDArray[np.floating], rows: _Int, strength: _Float, size: int
) -> list[_Separator]: ...
def best_cut(
    objective: _Objective, rows: _Int, projection: _Float, sign: int
) -> tuple[float, float]: ...
def score(objective: _Objective, rows: _Int, sign: int) -> float: ...
def project_off(
    table: NDArray[np.uint8], pattern: NDArray[np.int32], weight: _Float, strength: _Float
) -> tuple[_Float, _Float]: ...
def oblique_levels(
    Z: NDArray[np.floating],
    objective: _Objective,
    cutter: _Objective | None,
    strength: _Float,
    max_weights: int,
    refine: bool,
    threads: int,
    meaning: _Meaning | None = None,
) -> _Chains: ...
def axis_levels(
    Z: NDArray[np.floating],
    objective: _Objective,
    weight: _Float,
    max_weights: int,
    meaning: _Meaning | None = None,
) -> _Chains: ...
def division(members: NDArray[np.bool_]) -> int: ...
def pattern_sums(
    pattern: NDArray[np.int32], count: int, outputs: int, weight: _Float, y: _Float
) -> tuple[_Float, _Float]: ...
def refit_weights(
    loss: int,
    table: NDArray[np.uint8],
    outputs: NDArray[np.int32],
    weight: _Float,
    outcome: _Float,
    reg_lambda: float,
    start: _Float,
) -> tuple[_Float, float]: ...
def pattern_scores(
    table: NDArray[np.uint8], outputs: NDArray[np.int32], n_outputs: int, theta: _Float
) -> _Float: ...
def divide_patterns(
    pattern: NDArray[np.int32], table: NDArray[np.uint8], members: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...
def judge_rules(
    loss: int,
    table: NDArray[np.uint8],
    outputs: NDArray[np.int32],
    classes: int,
    pattern: NDArray[np.int32],
    members: list[NDArray[np.bool_]],
    member_outputs: list[int],
    in_bag: _Float,
    out_of_bag: _Float,
    y: _Float,
    reg_lambda: float,
    theta: _Float,
) -> list[float]: ...
def cumulant(loss: int, scores: _Float) -> tuple[_Float, _Float]: ...
