"""Cases that break in every way there is, to see that a campaign notices."""

import atexit
import os
import time


def attack(case):
    """Break, unless the case is 0."""
    if case == 1:
        raise ValueError("this case fails")
    if case == 2:
        os.abort()
    if case == 3:
        time.sleep(3600)
    if case == 4:
        atexit.register(os.abort)
    return "fine"
