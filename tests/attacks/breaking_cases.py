"""Cases that break in every way there is, to see that a campaign notices."""

import os
import time


def attack(case):
    """Break, unless the case is a multiple of 4."""
    if case % 4 == 1:
        raise ValueError("this case fails")
    if case % 4 == 2:
        os.abort()
    if case % 4 == 3:
        time.sleep(3600)
    return "fine"
