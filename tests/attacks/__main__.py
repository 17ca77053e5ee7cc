"""``python -m attacks NAMES``: run attacks, repeat one case, or write the table of results."""

import argparse
import sys

from attacks import campaign, cases
from attacks.registry import ATTACKS


def main():
    options = _parser().parse_args()
    if options.case is not None:
        (name,) = options.names
        sys.exit(repeat(name, options.case))
    elif options.report:
        from attacks.report import report

        sys.exit(report(options.size))
    else:
        for name in options.names:
            attack = ATTACKS[name]
            campaign.run(attack, attack.count(options.size), options.jobs)


def repeat(name, case):
    """Do a case again, with the limits of its attack; return whether it failed."""
    attack = ATTACKS[name]
    result = cases.result(name, case, attack.seconds, attack.megabytes)
    print(*result.values())
    return "failure" in result


def _parser():
    parser = argparse.ArgumentParser(prog="python -m attacks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(ATTACKS)}")
    parser.add_argument("--size", type=float, default=1.0, help="how many cases, as a factor")
    parser.add_argument("--jobs", type=int, default=2, help="processes at the same time")
    parser.add_argument("--case", type=int, help="only this case, in this process")
    parser.add_argument("--report", action="store_true", help="write the table of results")
    return parser


if __name__ == "__main__":
    main()
