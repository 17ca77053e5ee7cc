"""A stderr that says whether it is a terminal, for tests of what is shown there."""

import io


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def __init__(self, is_one):
        super().__init__()
        self._is_one = is_one

    def isatty(self):
        return self._is_one
