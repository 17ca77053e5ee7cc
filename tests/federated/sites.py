"""Sites that hold parts of a table, behind a wire that only JSON passes."""

import json

import numpy as np

from sorb.federated import Site


class OverWire:
    """Asks a site through text, and keeps what was asked and answered."""

    def __init__(self, site):
        self.site = site
        self.name = site.name
        self.log = []

    def answer(self, question):
        asked = json.loads(json.dumps(question, allow_nan=False))
        answer = json.loads(json.dumps(self.site.answer(asked), allow_nan=False))
        self.log.append((question["ask"], answer))
        return answer


def split(table, n_sites=3, seed=0):
    """Divide the rows of a table at random."""
    part = np.random.default_rng(seed).integers(0, n_sites, len(table))
    return [table[part == k] for k in range(n_sites)]


def as_sites(parts, y="outcome", **options):
    return [OverWire(Site(part, y, name=f"s{k}", **options)) for k, part in enumerate(parts)]
