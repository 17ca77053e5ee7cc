"""``python -m attacks.cases NAME SECONDS MEGABYTES FIRST END``: do cases and tell of each."""

import faulthandler
import json
import resource
import sys
import traceback
from importlib import import_module


def main(name, seconds, megabytes, first, end):
    for case in range(first, end):
        print(json.dumps(result(name, case, seconds, megabytes)), flush=True)


def result(name, case, seconds, megabytes):
    """What became of a case; one that takes too long ends this process."""
    attack = import_module(f"attacks.{name}").attack
    faulthandler.dump_traceback_later(seconds, exit=True)
    before = peak_memory()
    try:
        outcome = attack(case)
        grown = peak_memory() - before
        assert grown < megabytes, f"the memory grew by {grown:.0f} megabytes"
    except Exception:
        return {"failure": traceback.format_exc()[-4000:]}
    finally:
        faulthandler.cancel_dump_traceback_later()
    return {"outcome": outcome}


def peak_memory():
    """The most memory that this process ever had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
