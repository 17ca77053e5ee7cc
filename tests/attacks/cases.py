"""``python -m attacks.cases NAME SECONDS FIRST END``: do cases, and print what became of each."""

import faulthandler
import json
import resource
import sys
import traceback
from importlib import import_module

MOST_MEMORY = 1_000_000  # kilobytes that the memory may grow by in one case


def main(name, seconds, first, end):
    attack = import_module(f"attacks.{name}").attack
    for case in range(first, end):
        print(json.dumps(result(attack, case, seconds)), flush=True)


def result(attack, case, seconds):
    """What became of a case; one that takes too long ends this process."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    before = peak_memory()
    try:
        outcome = attack(case)
        grown = peak_memory() - before
        assert grown < MOST_MEMORY, f"the memory grew by {grown} kilobytes"
    except Exception:
        return {"failure": traceback.format_exc()[-4000:]}
    finally:
        faulthandler.cancel_dump_traceback_later()
    return {"outcome": outcome}


def peak_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
