"""The attacks: what each of them tries, how much of it, and what may become of it."""

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class Attack:
    """Cases made from whole numbers, the same ones every time.

    The function `attack` of the module of this name does a case: it says what became of it, or
    raises an error. `outcomes` are all that it may say, each with the least share of the cases: an
    attack that finds everything refused, or nothing, tries nothing. `cases` are done by default,
    `chunk` of them by one process; each may take `seconds`, and let the memory grow by `megabytes`.
    If `grows`, a larger size means more cases; otherwise these are all there are.
    """

    name: str
    what: str
    outcomes: dict
    cases: int
    chunk: int
    seconds: int
    megabytes: int = 1000
    grows: bool = True

    def count(self, size):
        """How many cases there are at a size, of which 1 is the usual one: whole chunks."""
        wanted = self.cases * size if self.grows else self.cases
        return ceil(wanted / self.chunk) * self.chunk

    def strange(self, counts):
        """The outcomes that are not known, and those that are too rare; normally none."""
        cases = sum(counts.values())
        rare = {o for o, share in self.outcomes.items() if counts.get(o, 0) < share * cases}
        return sorted(rare | (counts.keys() - self.outcomes.keys()))


ALL = [
    Attack(
        "fits",
        "random fits",
        {"plain and fitted": 0.04, "fitted": 0.4, "refused": 0.1},
        cases=100_000,
        chunk=500,
        seconds=120,
    ),
    Attack(
        "kernel_calls",
        "random calls of the kernels",
        {"unspoilt and answered": 0.2, "answered": 0.4, "refused": 0.05, "refused in part": 0.03},
        cases=1_000_000,
        chunk=10_000,
        seconds=60,
    ),
    Attack(
        "model_files",
        "mutated model files",
        {"unchanged and read": 0.1, "read": 0.05, "refused": 0.5},
        cases=200_000,
        chunk=2_000,
        # What docs/trust.md promises, on a computer that is half as fast.
        seconds=20,
        megabytes=500,
    ),
    Attack(
        "lab_files",
        "spoiled files of the laboratory",
        {"unspoilt and read": 0.1, "read": 0.05, "refused": 0.4},
        cases=10_000,
        chunk=200,
        seconds=60,
    ),
    Attack(
        "names",
        "hostile names",
        {"used everywhere": 0.8, "refused somewhere": 0.02},
        cases=190,
        chunk=10,
        seconds=300,
        grows=False,
    ),
    Attack(
        "kills",
        "kills",
        {"while writing": 0.5, "between writes": 0.0, "while running": 0.2},
        cases=80,
        chunk=4,
        seconds=300,
    ),
    Attack(
        "boundaries",
        "models at their boundaries",
        {"plain": 0.1, "of all kinds": 0.4, "of sums": 0.3},
        cases=200,
        chunk=10,
        seconds=300,
    ),
]
ATTACKS = {attack.name: attack for attack in ALL}
