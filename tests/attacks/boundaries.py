"""Models at their boundaries: rows on each threshold and one float beside it, in every export."""

from random import Random

from boundary_rows import with_boundary_rows
from export.corpus import all_outputs, sums_on_boundaries
from export.random_models import NASTY, model_with_table
from export.targets import every_target


def attack(seed):
    """Ask a model and its exports about rows on its boundaries; say which kind of model it is."""
    if seed % 2:
        random = Random(seed)
        names = random.sample(NASTY, random.randint(1, 5))
        ensemble, table = model_with_table(random, names)
        table = with_boundary_rows(ensemble, table)
    else:
        ensemble, table = sums_on_boundaries(seed)
    cases = all_outputs(ensemble, table)
    for target in every_target().values():
        target.check([case for case in cases if target.usable(case)])
    return "of all kinds" if seed % 2 else "of sums"
