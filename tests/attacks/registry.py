"""The attacks: what each of them tries, and how much of it."""

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class Attack:
    """Cases made from whole numbers, the same ones every time.

    The function `attack` of the module of this name does a case: it says what became of it, or
    raises an error. `cases` are done by default, `chunk` of them by one process; each may take
    `seconds`. If `grows`, a larger size means more cases; otherwise these are all there are.
    """

    name: str
    what: str
    cases: int
    chunk: int
    seconds: int
    grows: bool = True

    def count(self, size):
        """How many cases there are at a size, of which 1 is the usual one: whole chunks."""
        wanted = self.cases * size if self.grows else self.cases
        return ceil(wanted / self.chunk) * self.chunk


# Together they take about 25 minutes on two cores.
ALL = [
    Attack("fits", "random fits", 100_000, 500, 120),
    Attack("kernel_calls", "random calls of the kernels", 1_000_000, 10_000, 60),
    Attack("model_files", "mutated model files", 200_000, 2_000, 60),
    Attack("lab_files", "spoiled files of the laboratory", 10_000, 200, 60),
    Attack("names", "hostile names", 190, 10, 300, grows=False),
    Attack("kills", "kills", 80, 4, 300),
    Attack("boundaries", "models at their boundaries", 200, 10, 300),
]
ATTACKS = {attack.name: attack for attack in ALL}
