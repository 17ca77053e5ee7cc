"""The attacks: what each of them tries, and how much of it."""

from dataclasses import dataclass


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
        """How many cases there are at a size, of which 1 is the usual one."""
        return max(1, round(self.cases * size)) if self.grows else self.cases


ALL = [
    Attack("fits", "random fits", 20_000, 200, 120),
    Attack("model_files", "mutated model files", 100_000, 2_000, 60),
    Attack("names", "hostile names", 190, 10, 300, grows=False),
    Attack("kills", "kills", 80, 4, 300),
    Attack("boundaries", "models at their boundaries", 60, 6, 300),
]
ATTACKS = {attack.name: attack for attack in ALL}
