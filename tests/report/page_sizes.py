"""Models with rows, and the part of a page's data that votes are fitted to, written row by row."""

import hashlib
import json
from dataclasses import replace

import numpy as np

from sorb import RuleEnsemble
from sorb.editing.vote_refit import FittingRows
from sorb.rules import Condition, Membership, Product, Proposition, Rule
from sorb.rules.columns import column_source

COLUMNS = ("a", "b", "c")
CLASSES = {"logistic": ("no", "yes"), "softmax": ("x", "y", "z")}
N_FOLDS = 3
LEVELS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def rows(rng, loss, n=120):
    """A table of numbers, amounts and categories, some missing, with outcomes and weights."""
    X = np.column_stack([rng.normal(size=n), rng.gamma(2.0, size=n), rng.integers(0, 4, n)])
    X[rng.random(X.shape) < 0.1] = np.nan
    weight = rng.integers(1, 4, n).astype(float)
    if loss in CLASSES:
        return X, rng.choice(CLASSES[loss], n), weight
    y = rng.gamma(2.0, size=n) * np.exp(np.nan_to_num(X[:, 0]) > 0)
    return X, y * (rng.random(n) < 0.8) if loss in ("poisson", "tweedie") else y, weight


def propositions(rng):
    """One of each kind."""
    flag = bool(rng.integers(2))
    return [
        Proposition(("a",), (1.0,), float(rng.normal()) / 2, missing=flag),
        Proposition(("b", "a"), (-1.0, 0.5), float(-rng.gamma(2.0))),
        Product(("b",), (2.0,), float(rng.gamma(2.0)), at_most=True, missing=not flag),
        Membership("c", (0, 2), negated=flag, missing=bool(rng.integers(2))),
    ]


def model(rng, loss, n_rules=5):
    """Rules that share some propositions, with votes that nobody has fitted."""
    pool = propositions(rng) + propositions(rng)[:2]
    n_outputs = 3 if loss == "softmax" else 1
    chosen, rules = {}, []
    while len(chosen) < n_rules:
        pair = rng.permutation(len(pool))[: rng.integers(1, 3)]
        try:
            condition = Condition(tuple(pool[k] for k in pair))
        except ValueError:
            continue
        chosen[condition, int(rng.integers(n_outputs))] = None
    rules = [Rule(condition, float(rng.normal()), output) for condition, output in chosen]
    offset = tuple(rng.normal(size=3).tolist()) if n_outputs > 1 else 0.5
    return RuleEnsemble(offset, tuple(rules), COLUMNS, loss, CLASSES.get(loss))


def cuts_of(proposition, X):
    """The model's threshold among others, in the order in which fewer and fewer rows pass."""
    if isinstance(proposition, Membership):
        return None
    with np.errstate(all="ignore"):
        quantity = proposition.quantity(_source(X, proposition))
    others = np.nanquantile(quantity, [0.15, 0.4, 0.6, 0.85]).tolist()
    falls = isinstance(proposition, Product) and proposition.at_most
    return sorted({proposition.threshold, *others}, reverse=falls)


def levels(proposition, cuts, X):
    """For each row how many cuts it passes; "?" where the value is unknown."""
    if cuts is None:
        return [LEVELS[int(true)] for true in proposition(X, COLUMNS)]
    with np.errstate(all="ignore"):
        unknown = np.isnan(proposition.quantity(_source(X, proposition)))
    passed = sum(replace(proposition, threshold=t, missing=False)(X, COLUMNS) * 1 for t in cuts)
    return ["?" if u else LEVELS[p] for u, p in zip(unknown, passed, strict=True)]


def _source(X, proposition):
    return column_source(X, proposition.columns, COLUMNS)


def size_document(ensemble, X, y, weight, reg_lambda, fold):
    """What a page holds of a model: its rules, and the sums of the rows by cell and fold."""
    places = {p: None for rule in ensemble for p in rule.condition.propositions}
    places = {p: k for k, p in enumerate(places)}
    cuts = [cuts_of(p, X) for p in places]
    codes = [levels(p, c, X) for p, c in zip(places, cuts, strict=True)]
    keys = list(zip(*codes, strict=True)) or [()] * len(X)
    cells = list(dict.fromkeys(keys))
    number = {key: k for k, key in enumerate(cells)}
    outcomes = FittingRows.of(ensemble, COLUMNS, X, y, weight, None).outcomes
    shift = float(np.average(outcomes.y, weights=weight)) if ensemble.loss.centred else 0.0
    training = sums([number[key] for key in keys], fold, outcomes, shift)
    documents = json.loads(ensemble.to_json())
    views = {
        p: d
        for r, m in zip(documents["rules"], ensemble, strict=True)
        for d, p in zip(r["condition"], m.condition.propositions, strict=True)
    }
    return {
        "model": documents,
        "fingerprint": hashlib.sha256(ensemble.to_json(None).encode()).hexdigest(),
        "reg_lambda": reg_lambda,
        "rules": [
            {"propositions": [places[p] for p in rule.condition.propositions], "words": str(rule)}
            for rule in ensemble
        ],
        "propositions": [
            {"document": views[p], "cuts": c, "own": None if c is None else c.index(p.threshold)}
            for p, c in zip(places, cuts, strict=True)
        ],
        "cells": {
            "n_cells": len(cells),
            "levels": ["".join(key[k] for key in cells) for k in range(len(places))],
            "shift": shift,
            "n_folds": N_FOLDS,
            "training": training,
            "test": None,
            "subgroups": [],
        },
    }


def sums(cell, fold, outcomes, shift):
    """Sums by cell and fold, added up row by row."""
    loss, n_classes = outcomes.loss, 3 if outcomes.loss.score_per_class else 0
    entries = {}
    for c, f, y, w in zip(cell, fold, outcomes.y, outcomes.weight, strict=True):
        entry = entries.setdefault((c, int(f)), {"n": 0, "w": 0.0, "wy": 0.0})
        entry.setdefault("classes", [0.0] * n_classes)
        entry["n"] += 1
        entry["w"] += w
        entry["wy"] += w * (y - shift)
        if n_classes:
            entry["classes"][int(y)] += w
    found = {"cell": [c for c, _ in entries], "fold": [f for _, f in entries]}
    found |= {name: [e[name] for e in entries.values()] for name in ("n", "w")}
    if n_classes:
        found["by_class"] = [[e["classes"][k] for e in entries.values()] for k in range(n_classes)]
        return found
    found["wy"] = [e["wy"] for e in entries.values()]
    found["constant"] = float(outcomes.weight @ loss.constant(outcomes.y - shift))
    return found
